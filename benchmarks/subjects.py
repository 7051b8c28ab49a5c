"""The subjects of a measurement: servers with their tools, and floors with raw protocol commands."""

import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from string import Template
from typing import Literal, Protocol, cast

import trio
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp_types import TextResourceContents

from benchmarks.floor import Floor
from benchmarks.operations import TEXT, Element, Operation
from benchmarks.peers import Act, Peer
from benchmarks.processes import Family
from benchmarks.servers import CallFailedError, call
from bidi_server.browser.sessions.registry import open_sessions
from bidi_server.config import Config
from tests.support.fronts import ENVIRONMENT

LIMIT = 60.0
"""Timeout for an answer, in seconds."""

Shown = Literal["yes", "in a file", "no"]
"""Where an agent sees the effect: in the answer, in a file that the answer names, or nowhere."""


class Subject(Protocol):
    """Opens pages and does operations on them."""

    @property
    def name(self) -> str:
        """The name of its row."""
        ...

    @property
    def family(self) -> Family | None:
        """Its processes; None if it runs in this process."""
        ...

    def offers(self, operation: Operation) -> bool:
        """Whether it supports an operation."""
        ...

    async def tools(self) -> list[str]:
        """Return the tools as clients get them, each as compact JSON."""
        ...

    async def start(self) -> None:
        """Prepare it for the first operation."""
        ...

    async def open(self, url: str) -> None:
        """Load a page."""
        ...

    async def find(self, element: Element) -> str:
        """Return its reference to an element of the page."""
        ...

    async def perform(self, operation: Operation, found: str) -> str:
        """Do an operation on the found element and return the answer."""
        ...

    def shows(self, effect: str, answer: str) -> Shown:
        """Return where an answer shows an effect."""
        ...


class ServerSubject:
    """A running server and its only client."""

    def __init__(self, peer: Peer, client: Client, family: Family, folder: Path) -> None:
        self.name = peer.name
        self.folder = folder
        self.peer = peer
        self.client = client
        self.family = family

    def offers(self, operation: Operation) -> bool:
        """Whether it has a call for the operation and can take the page's size."""
        return operation.act in self.peer.calls and (self.peer.deep or not operation.deep)

    async def tools(self) -> list[str]:
        """Return the tools as clients get them, each as compact JSON."""
        result = await self.client.list_tools()
        return [tool.model_dump_json(by_alias=True, exclude_unset=True) for tool in result.tools]

    async def start(self) -> None:
        """Make the server's preparing call, if it has one."""
        if "start" in self.peer.calls:
            await self._call("start")

    async def open(self, url: str) -> None:
        """Load a page."""
        await self._call("navigate", url=url)

    async def find(self, element: Element) -> str:
        """Return the element's reference in a new snapshot, or its selector."""
        if not self.peer.reference:
            return element.selector
        snapshot = await self._call("snapshot")
        found = re.search(
            self.peer.reference.format(role=element.role, tag=element.selector, name=element.name), snapshot
        )
        if found is None:
            raise CallFailedError(f"no reference of {element.role} {element.name!r} in: {snapshot}")
        return found[1]

    async def perform(self, operation: Operation, found: str) -> str:
        """Call the tool."""
        return await self._call(operation.act, url=operation.url, ref=found, selector=found, text=TEXT)

    def shows(self, effect: str, answer: str) -> Shown:
        """Search the answer and the files that it links to."""
        if effect in answer:
            return "yes"
        files = [self.folder / path for path in re.findall(r"\]\((\S+)\)", answer)]
        return "in a file" if any(file.is_file() and effect in file.read_text() for file in files) else "no"

    async def _call(self, act: Act, **values: str) -> str:
        name, arguments = self.peer.calls[act]
        if "://" in name:
            contents = (await self.client.read_resource(name)).contents
            return "\n".join(content.text for content in contents if isinstance(content, TextResourceContents))
        return await call(self.client, name, **filled(arguments, values))


def filled(arguments: Mapping[str, object], values: Mapping[str, str]) -> dict[str, object]:
    """Replace placeholders by values, at any depth."""
    quoted = {name: json.dumps(value)[1:-1] for name, value in values.items()}
    return cast("dict[str, object]", json.loads(Template(json.dumps(arguments)).safe_substitute(quoted)))


@asynccontextmanager
async def open_server(peer: Peer, folder: Path) -> AsyncGenerator[ServerSubject]:
    """Start a server. At the end all of its processes are ended."""
    family = Family()
    environment = {**ENVIRONMENT, **peer.environment, **family.environment, "TMPDIR": str(folder)}
    [program, *arguments] = peer.command
    parameters = StdioServerParameters(command=program, args=arguments, env=environment, cwd=folder)
    try:
        with (folder / f"{peer.name}.log").open("w") as log:
            async with Client(stdio_client(parameters, log), mode="legacy", read_timeout_seconds=LIMIT) as client:
                yield ServerSubject(peer, client, family, folder)
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(family.end)


class FloorSubject:
    """Raw commands."""

    family = None

    def __init__(self, name: str, floor: Floor) -> None:
        self.name = name
        self.floor = floor

    def offers(self, operation: Operation) -> bool:
        """Return True: the floor supports every operation."""
        return bool(operation)

    async def tools(self) -> list[str]:
        """Return an empty list: the floor has no tools."""
        return []

    async def start(self) -> None:
        """Do nothing: the browser is already running."""

    async def open(self, url: str) -> None:
        """Load a page."""
        await self.floor.navigate(url)

    async def find(self, element: Element) -> str:
        """Return the selector."""
        return element.selector

    async def perform(self, operation: Operation, found: str) -> str:
        """Send the minimum of commands, and wait for an effect that appears later than the reply."""
        floor = self.floor
        match operation.act, operation.comes:
            case "navigate", _:
                await floor.navigate(operation.url)
            case "snapshot", _:
                await floor.walk()
            case "click", "at once":
                await floor.click(found)
            case "click", "as a page":
                await floor.click_through(found)
            case "click", "later":
                await floor.click_until(found, operation.effect)
            case "type", _:
                await floor.type(found, TEXT)
            case "evaluate", _:
                await floor.evaluate("1 + 1")
            case "screenshot", _:
                await floor.screenshot()
            case _:
                raise ValueError(f"There is nothing to send for {operation.act}.")
        return ""

    def shows(self, effect: str, answer: str) -> Shown:
        """Return yes: the floor has waited for the effect."""
        return "yes"


@asynccontextmanager
async def open_floor(name: str, options: Mapping[str, object]) -> AsyncGenerator[FloorSubject]:
    """Start a browser in this process, with options of our server, and open a tab."""
    async with open_sessions(Config.model_validate(options)) as sessions:
        yield FloorSubject(name, Floor(await sessions.get(("floor", name)).tab()))
