"""The product in a thread: one event loop, one browser and one site for all tests, one client and session for each.

Tests stay synchronous and go through the front door: an MCP client that calls tools.
"""

import json
import queue
import re
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import trio
from mcp.client import Client
from mcp_types import ImageContent, TextContent

from bidi_server.browser.engine.pool import Browsers
from bidi_server.browser.sessions.registry import Sessions
from bidi_server.commands.doctor import is_known, known_commands
from bidi_server.config import Config
from bidi_server.fence import fence_of
from bidi_server.server import make_server
from fixtures.site import Site, open_site
from tests.support.fences import without_fence

DEADLINE = 90.0
"""Seconds after which a test's call has failed, however long the product would wait."""

T = TypeVar("T")

_SHORTCOMINGS = re.compile(r"^[\w-]{1,40} [\d.]+ (?:is old|has only classic WebDriver): [^\n]*\n?", re.MULTILINE)
"""The line that a session's first answer has where the browser is an old version."""


@dataclass(frozen=True)
class Answer:
    """What a tool call answered."""

    text: str
    is_error: bool
    images: tuple[ImageContent, ...]
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    """The same as an object, of tools that have an output schema."""

    def ref(self, role: str, name: str | None = None) -> str:
        """Return the ref that the text shows for a role and a name, as an agent reads it."""
        quoted = "" if name is None else f' "{re.escape(name)}"'
        match = re.search(rf"- {role}{quoted}.*?\[ref=(\w+)\]", self.text)
        assert match, f"no {role} {name!r} with a ref in:\n{self.text}"
        return match[1]

    def __contains__(self, part: str) -> bool:
        return part in self.text

    def __str__(self) -> str:
        return self.text


class World:
    """The thread."""

    def __init__(self, browser: str) -> None:
        self.browser = browser
        self._ready: queue.Queue[BaseException | None] = queue.Queue()
        self._thread = threading.Thread(target=self._main, name="world of the tests")

    def start(self) -> None:
        self._thread.start()
        if failure := self._ready.get(timeout=DEADLINE):
            raise failure

    def stop(self) -> None:
        trio.from_thread.run_sync(self._stop.set, trio_token=self._token)
        self._thread.join()

    def run(self, function: Callable[[], Awaitable[T]]) -> T:
        """Run an async function in the world."""

        async def bounded() -> T:
            with trio.fail_after(DEADLINE):
                return await function()

        return trio.from_thread.run(bounded, trio_token=self._token)

    @contextmanager
    def opened(self, resource: AbstractAsyncContextManager[T]) -> Generator[T]:
        """Hold something open in the world's loop during the block."""
        stop = trio.Event()
        ended = threading.Event()

        async def hold(*, task_status: trio.TaskStatus[T]) -> None:
            try:
                async with resource as value:
                    task_status.started(value)
                    await stop.wait()
            finally:
                ended.set()

        async def start() -> T:
            return await self.nursery.start(hold)

        value = self.run(start)
        try:
            yield value
        finally:
            trio.from_thread.run_sync(stop.set, trio_token=self._token)
            assert ended.wait(DEADLINE)

    async def knows(self, method: str) -> bool:
        """Return whether the browser knows a command of the protocol. One that was lost is started again."""
        command = next(command for command in known_commands() if command.method == method)
        return await is_known((await self._keeper.context()).browser.connection, command)

    async def shortcomings(self) -> list[str]:
        """Return the lines about what the browser's version cannot do, as far as sessions have asked."""
        return (await self._keeper.context()).browser.shortcomings

    def agent(self, *, sessions: Sessions | None = None, **options: object) -> "Agent":
        """Connect a new client, with a session and options of its own."""
        agent = Agent(self, Config.model_validate({"browser": self.browser, **options}), sessions)
        agent.start()
        return agent

    def _main(self) -> None:
        try:
            trio.run(self._live)
        except BaseException as failure:  # it belongs to the thread that waits
            self._ready.put(failure)
            raise

    async def _live(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._stop = trio.Event()
        async with open_site() as self.site, trio.open_nursery() as nursery:
            self.nursery = nursery
            self.browsers = Browsers(nursery)
            # While somebody has a context the browser stays, so that not every test starts one.
            keeper = Sessions(Config.model_validate({"browser": self.browser}), self.browsers)
            self._keeper = keeper.get((self, "keeper"))
            await self._keeper.context()
            self._ready.put(None)
            try:
                await self._stop.wait()
            finally:
                with trio.CancelScope(shield=True):
                    await self.browsers.aclose()
                nursery.cancel_scope.cancel()


class Agent:
    """A client of the product. Calling it calls a tool."""

    def __init__(self, world: World, config: Config, sessions: Sessions | None = None) -> None:
        self.world = world
        self.config = config
        self.site: Site = world.site
        self.sessions = Sessions(config, world.browsers, fence_of()) if sessions is None else sessions
        self.shortcomings: list[str] = []
        self._stop = trio.Event()
        self._ended = threading.Event()

    def __call__(self, tool: str, **arguments: object) -> Answer:
        """Call a tool; a failure is an answer too. `shortcomings` gets the line about an old version."""
        result = self.world.run(lambda: self.client.call_tool(tool, arguments))
        text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
        text = without_fence(text, self.sessions.fence)
        images = tuple(part for part in result.content if isinstance(part, ImageContent))
        data = dict(result.structured_content or {})
        self.shortcomings += _SHORTCOMINGS.findall(text)
        events = [event for event in data.get("events", []) if not _SHORTCOMINGS.match(event)]
        if not data:
            text = _SHORTCOMINGS.sub("", text, count=1)
        elif events != data.get("events", []):
            data = {**data, "events": events} if events else {key: data[key] for key in data if key != "events"}
            text = json.dumps(data)
        return Answer(text, bool(result.is_error), images, data)

    def open(self, path: str) -> Answer:
        """Navigate to a page of the site."""
        answer = self("browser_navigate", url=self.site.url_for(path))
        assert not answer.is_error, answer.text
        return answer

    def show(self, body: str, *, title: str = "Test", head: str = "") -> Answer:
        """Navigate to a page with this body."""
        url = self.run(lambda: self.site.html(body, title=title, head=head))
        answer = self("browser_navigate", url=url)
        assert not answer.is_error, answer.text
        return answer

    def evaluate(self, script: str) -> str:
        """Return what a script gives. A text of several lines stands in the answer as an indented block."""
        answer = self("browser_evaluate", function=script)
        assert not answer.is_error, answer.text
        head, _, block = answer.text.partition("\n")
        return "\n".join(line[2:] for line in block.split("\n")) if head == "Text:" else answer.text

    def run(self, function: Callable[[], T]) -> T:
        """Call a function in the world's thread."""
        return trio.from_thread.run_sync(function, trio_token=self.world._token)

    def start(self) -> None:
        async def start() -> None:
            await self.world.nursery.start(self._serve)

        self.world.run(start)

    def close(self) -> None:
        self.run(self._stop.set)
        assert self._ended.wait(DEADLINE)

    async def _serve(self, *, task_status: trio.TaskStatus[None]) -> None:
        try:
            async with Client(make_server(self.config, self.sessions)) as self.client:
                task_status.started()
                await self._stop.wait()
        finally:
            self._ended.set()
