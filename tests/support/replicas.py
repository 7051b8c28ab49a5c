"""Agents whose calls are answered by several servers in turns."""

import re
import signal
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

from mcp.client import Client
from mcp_types import CallToolResult

from fixtures.site import open_site
from tests.support.balancer import open_balancer
from tests.support.fronts import MODERN, ONE, Front, connected, open_front, two_users
from tests.test_http_browsing import session_of, text_of

LIST = """
<title>List</title><label>Item <input id=item></label>
<button onclick="list.append(Object.assign(document.createElement('li'), {textContent: item.value})); item.value = ''">
Add</button><ul id=list></ul>
"""


@contextmanager
def open_fronts(folder: Path, *options: str) -> Generator[list[Front]]:
    """Start two servers with the same key, tokens and options."""
    (folder / "key").write_text("a key that nobody guesses, of 42 characters")
    options = (*two_users(folder), "--handle-key", "key", *options)
    with open_front(folder, *options) as first, open_front(folder, *options) as second:
        yield [first, second]


class Agent:
    """Works in one session, through whichever server answers."""

    def __init__(self, *clients: Client) -> None:
        self.clients = clients
        self.session: dict[str, str] = {}
        self.steps = 0
        self.told: list[str] = []

    async def ask(self, tool: str, at: int = 0, **arguments: object) -> CallToolResult:
        """Call a tool at one of the servers."""
        result = await self.clients[at].call_tool(tool, {**arguments, **self.session})
        self.session = session_of(result) or self.session
        self.steps += 1
        self.told += [line for line in text_of(result).splitlines() if line.startswith("Another server")]
        return result

    async def call(self, tool: str, at: int = 0, **arguments: object) -> str:
        """Call a tool and return its answer, which is no error."""
        result = await self.ask(tool, at, **arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)


@asynccontextmanager
async def agent_at(*urls: str) -> AsyncGenerator[Agent]:
    """Connect an agent to servers."""
    async with AsyncExitStack() as stack:
        yield Agent(*[await stack.enter_async_context(connected(url, token=ONE, era=MODERN)) for url in urls])


def ref(text: str, name: str) -> str:
    """Return the ref of what a snapshot calls so."""
    found = re.search(rf"{re.escape(name)}.*\[ref=(e\w+)\]", text)
    assert found, text
    return found[1]


async def thirty_steps(fronts: list[Front]) -> None:
    """Do a task, each step at another server than the one before, until the first is killed in the middle."""
    async with (
        open_site() as site,
        open_balancer(*(front.url for front in fronts)) as (url, balancer),
        agent_at(url) as agent,
    ):
        page = await agent.call("browser_navigate", url=site.html(LIST))
        field, add = ref(page, "textbox"), ref(page, 'button "Add"')
        for number in range(1, 15):
            await agent.call("browser_type", ref=field, text=f"thing {number}")
            if number == 7:
                fronts[0].process.send_signal(signal.SIGKILL)
                fronts[0].process.wait()
            assert f"thing {number}" in await agent.call("browser_click", ref=add)
        page = await agent.call("browser_snapshot")
        assert agent.steps == 30
        assert [f"thing {number}" in page for number in range(1, 15)] == [True] * 14
        assert min(balancer.served.values()) > 5
        assert len(agent.told) == 1
