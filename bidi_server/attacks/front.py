"""The server that is attacked, as a client uses it, and the hostile site beside it."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import trio
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

from bidi_server.attacks.findings import CannotRunError
from bidi_server.attacks.promises import Promises
from bidi_server.attacks.site import HostileSite
from bidi_server.attacks.trap import Trap
from bidi_server.browser.engine.pool import Browsers
from bidi_server.browser.sessions.registry import Sessions
from bidi_server.config import Config
from bidi_server.fence import fence_of
from bidi_server.server import make_server

CALL_SECONDS = 60
"""Timeout for a call, in seconds. The first call starts the browser."""

QUIET_SECONDS = 5
"""Time without another request after which a page is taken to have sent all, in seconds."""

MAX_SECONDS = 30
"""Maximum time to wait for the requests of a page, in seconds."""


Call = tuple[str, Mapping[str, object]]
"""A tool's name and its arguments."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a call."""

    text: str
    is_error: bool


class Agent:
    """A client of the server."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, **arguments: object) -> Answer:
        """Call a tool. An error is an answer too."""
        try:
            result = await self._client.call_tool(tool, arguments, CALL_SECONDS)
        except MCPError as error:
            return Answer(error.error.message, is_error=True)
        text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
        return Answer(text, bool(result.is_error))

    async def open(self, url: str) -> Answer:
        """Open a page of the hostile site. Raises `CannotRunError`."""
        answer = await self.call("browser_navigate", url=url)
        if answer.is_error:
            raise CannotRunError(f"The hostile site cannot be opened: {answer.text}")
        return answer


@dataclass
class Front:
    """The server with the user's configuration, the hostile site and the trap."""

    config: Config
    engine: str
    browsers: Browsers
    site: HostileSite
    trap: Trap
    folder: Path
    """Folder for files of the attacks."""

    def __post_init__(self) -> None:
        self.promises = Promises(self.config, self.engine)
        self.fence = fence_of()

    @asynccontextmanager
    async def connected(self, **changes: object) -> AsyncGenerator[Agent]:
        """Connect a client with a session of its own, to a server with these other options."""
        config = self.config.with_changes(changes)
        sessions = Sessions(config, self.browsers, self.fence)
        async with Client(make_server(config, sessions)) as client:
            yield Agent(client)


async def until_quiet(seen: Callable[[], int], is_complete: Callable[[], bool]) -> None:
    """Wait until all expected requests were seen, or until there are no more for a while."""
    count, since = seen(), trio.current_time()
    with trio.move_on_after(MAX_SECONDS):
        while not is_complete() and trio.current_time() - since < QUIET_SECONDS:
            await trio.sleep(0.05)
            if seen() != count:
                count, since = seen(), trio.current_time()
