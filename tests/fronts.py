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
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ResourceLink, TextContent, TextResourceContents

MODERN = "2026-07-28"
"""The era in which each request stands for itself."""

HANDSHAKE = "2025-11-25"
"""The era of connections."""

ROOT = Path(__file__).parents[1]

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}

SLOW = 60.0
"""Seconds that an answer may take on a busy machine."""


@dataclass(frozen=True)
class Front:
    """A running server. ``log`` is what it prints on stderr."""

    url: str
    process: "subprocess.Popen[str]"
    log: Path

    def path(self, path: str) -> str:
        """Return the URL of a path."""
        return self.url.removesuffix("/mcp") + path


@contextmanager
def open_front(folder: Path, *arguments: str) -> Generator[Front]:
    """Start a server on a free port; it ends by SIGTERM, in order."""
    command = [sys.executable, "-m", "bidi_server", "--transport", "http", "--port", "0", *arguments]
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


@asynccontextmanager
async def connected(url: str, *, token: str = "", era: str = HANDSHAKE) -> AsyncGenerator[Client]:
    """Connect the SDK's client."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    # It leaves the stream of its GET unfinished when it goes.
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        async with (
            httpx2.AsyncClient(headers=headers, timeout=SLOW) as http,
            Client(streamable_http_client(url, http_client=http), mode="legacy" if era == HANDSHAKE else era) as client,
        ):
            yield client
        gc.collect()


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
