"""The real server over HTTP, in a process of its own."""

import base64
import gc
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import httpx2
import trio
from mcp.client import Client
from mcp.client.session import MessageHandlerFnT
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ResourceLink, TextContent, TextResourceContents

from bidi_server.attacks.tcp import open_tcp

MODERN = "2026-07-28"
"""The era in which each request stands for itself."""

HANDSHAKE = "2025-11-25"
"""The era of connections."""

ROOT = Path(__file__).parents[2]

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}

ONE, TWO = "first-token-of-somebody", "second-token-of-another"
"""Tokens of two users."""

SLOW = 60.0
"""Seconds that an answer may take on a busy machine."""


def two_users(folder: Path) -> tuple[str, ...]:
    """Return options for a server that has two users, `ONE` and `TWO`."""
    (folder / "tokens").write_text(f"# for tests\n{ONE}\n\n{TWO}\n")
    return "--token-file", "tokens"


@dataclass(frozen=True)
class Front:
    """A running server. ``log`` is what it prints on stderr."""

    url: str
    process: "subprocess.Popen[str]"
    log: Path

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.url.split(":")[2].split("/")[0])

    def path(self, path: str) -> str:
        """Return the URL of a path."""
        return self.url.removesuffix("/mcp") + path


@contextmanager
def open_front(folder: Path, *arguments: str, module: str = "bidi_server") -> Generator[Front]:
    """Start a server on a free port; it ends by SIGTERM, in order. Its browsers may reach the local site."""
    egress = () if "--egress" in arguments else ("--egress", "open")
    command = [sys.executable, "-m", module, "--transport", "http", "--port", "0", *egress, *arguments]
    with (
        (folder / "log.txt").open("w", buffering=1) as log,
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder, env=ENVIRONMENT
        ) as process,
    ):
        try:
            url = _keep(process, log)
            drain = threading.Thread(target=_keep, args=(process, log, "nothing more"))
            drain.start()
            yield Front(url, process, Path(log.name))
            if process.poll() != -signal.SIGKILL:
                process.terminate()
                assert process.wait(20) == 0, Path(log.name).read_text()
        finally:
            process.kill()
        drain.join()


def _keep(process: "subprocess.Popen[str]", log: TextIO, until: str = "Serving MCP on ") -> str:
    """Write what the process prints into the log, to the line that begins so; return the rest of that line."""
    assert process.stderr is not None
    for line in process.stderr:
        log.write(line)
        if line.startswith(until):
            return line.removeprefix(until).strip()
    return ""


def mode_of(era: str) -> str:
    """Return the client's word for an era."""
    return "legacy" if era == HANDSHAKE else era


@asynccontextmanager
async def connected(
    url: str, *, token: str = "", era: str = HANDSHAKE, hear: MessageHandlerFnT | None = None
) -> AsyncGenerator[Client]:
    """Connect the SDK's client; ``hear`` gets the notifications."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    # It leaves the stream of its GET unfinished when it goes.
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        async with (
            httpx2.AsyncClient(headers=headers, timeout=SLOW) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode_of(era), message_handler=hear) as client,
        ):
            yield client
        gc.collect()


@dataclass
class Cutter:
    """A TCP proxy in front of a server. It cuts connections on which nothing has passed for so many seconds."""

    front: Front
    patience: float
    port: int = 0
    cuts: int = 0
    connections: set[trio.CancelScope] = field(default_factory=set[trio.CancelScope])
    ended: trio.lowlevel.ParkingLot = field(default_factory=trio.lowlevel.ParkingLot)

    @property
    def url(self) -> str:
        """Where clients send their messages."""
        return f"http://127.0.0.1:{self.port}/mcp"

    async def cut(self) -> None:
        """Cut all connections now."""
        for scope in self.connections:
            scope.cancel()
        while self.connections:
            await self.ended.park()

    async def handle(self, client: trio.SocketStream) -> None:
        """Pass on what comes, both ways, until one side ends."""
        server = await trio.open_tcp_stream("127.0.0.1", self.front.port)
        with trio.move_on_after(self.patience) as scope:
            self.connections.add(scope)
            try:
                async with client, server, trio.open_nursery() as both:

                    async def onward(source: trio.SocketStream, sink: trio.SocketStream) -> None:
                        async for chunk in source:
                            scope.deadline = trio.current_time() + self.patience
                            await sink.send_all(chunk)
                        both.cancel_scope.cancel()

                    both.start_soon(onward, client, server)
                    both.start_soon(onward, server, client)
            finally:
                self.cuts += scope.cancel_called
                self.connections.discard(scope)
                self.ended.unpark_all()


@asynccontextmanager
async def open_cutter(front: Front, patience: float = SLOW) -> AsyncGenerator[Cutter]:
    """Put a proxy before a server."""
    cutter = Cutter(front, patience)
    async with open_tcp(cutter.handle) as cutter.port:
        yield cutter


def text_of(result: CallToolResult) -> str:
    """Return what an answer says."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


def links_of(result: CallToolResult) -> list[str]:
    """Return the resources that an answer links to."""
    return [part.uri for part in result.content if isinstance(part, ResourceLink)]


async def contents(client: Client, uri: str) -> bytes:
    """Read a resource."""
    [content] = (await client.read_resource(uri)).contents
    return content.text.encode() if isinstance(content, TextResourceContents) else base64.b64decode(content.blob)
