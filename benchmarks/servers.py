"""Servers in separate processes, their clients and their costs. Linux only, because of its memory accounting."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import trio
from mcp import StdioServerParameters
from mcp.client import Client

from benchmarks.processes import MIB, pss
from tests.support.fronts import ENVIRONMENT, connected, open_front

OPTIONS = ("--caps", "sessions", "--max-sessions", "20")
"""Options of every server: sessions by name work with each transport."""

END_SECONDS = 60.0
"""Timeout for browsers to end after their server, in seconds."""


class CallFailedError(Exception):
    """A tool answered with an error."""


async def call(client: Client, tool: str, **arguments: object) -> str:
    """Call a tool and return its text. Raises `CallFailedError`."""
    result = await client.call_tool(tool, arguments)
    text = "\n".join(part.text for part in result.content if part.type == "text")
    if result.is_error:
        raise CallFailedError(f"{tool} {arguments}: {text}")
    return text


@dataclass(frozen=True)
class Server:
    """A running server and its only client."""

    client: Client
    process: psutil.Process

    def cpu_ms(self) -> float:
        """Return the processor time of the server itself in milliseconds, without browsers."""
        times = self.process.cpu_times()
        return (times.user + times.system) * 1000

    def memory(self) -> float:
        """Return the proportional memory of the server, in MiB."""
        return pss(self.process)

    def own_memory(self) -> float:
        """Return the private memory of the server, in MiB."""
        return self.process.memory_full_info().uss / MIB

    def browsers_memory(self) -> float:
        """Return the memory of browsers, drivers and guards that the server has started, in MiB."""
        return sum(pss(process) for process in self.process.children(recursive=True))


@asynccontextmanager
async def over_stdio(folder: Path, *arguments: str) -> AsyncGenerator[Server]:
    """Start a server on stdio. At the end, wait until its browsers have ended."""
    command = ["-m", "bidi_server", *OPTIONS, *arguments]
    parameters = StdioServerParameters(command=sys.executable, args=command, env=ENVIRONMENT, cwd=folder)
    others = set(psutil.Process().children())
    async with Client(parameters) as client:
        [process] = set(psutil.Process().children()) - others
        yield Server(client, process)
        browsers = process.children(recursive=True)
    await trio.to_thread.run_sync(psutil.wait_procs, browsers, END_SECONDS)


@asynccontextmanager
async def over_http(folder: Path, era: str, *arguments: str) -> AsyncGenerator[Server]:
    """Start a server on a port, connect with a protocol era, and shut it down with its browsers at the end."""
    with TemporaryDirectory(dir=folder) as own, open_front(Path(own), *OPTIONS, *arguments) as front:
        async with connected(front.url, era=era) as client:
            yield Server(client, psutil.Process(front.process.pid))
