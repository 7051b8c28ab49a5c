"""The server on stdin and stdout, as MCP clients start it."""

import logging
import os
import sys
from collections.abc import AsyncGenerator

import anyio
import trio
from mcp.server.stdio import stdio_server

from bidi_server.config import Config
from bidi_server.server import make_server

logger = logging.getLogger(__name__)


class Stdin(anyio.AsyncFile[str]):
    """Lines of standard input. Waiting for the next one ends when it is cancelled.

    The SDK's own wait is in a thread that nothing interrupts, and SIGTERM would have to wait with it.
    """

    async def __aiter__(self) -> AsyncGenerator[str]:
        unfinished = b""
        # Past the file's buffer: an abandoned thread would hold the buffer's lock when the interpreter ends.
        while chunk := await trio.to_thread.run_sync(os.read, self.wrapped.fileno(), 2**20, abandon_on_cancel=True):
            unfinished += chunk
            if b"\n" in chunk:
                *lines, unfinished = unfinished.split(b"\n")
                for line in lines:
                    yield line.decode(errors="replace")
        if unfinished:
            yield unfinished.decode(errors="replace")


async def serve(config: Config) -> int:
    """Serve the client on stdin and stdout until it closes stdin or we are cancelled."""
    if not sys.stdin or not sys.stdout:
        print("bidi-server speaks MCP on stdin and stdout, and one of them is closed.", file=sys.stderr)
        return 1
    if sys.stdin.isatty():
        print("bidi-server speaks MCP on stdin and stdout. To try it by hand: bidi-server --help", file=sys.stderr)
    server = make_server(config)
    try:
        # Nobody else may write to stdout: the SDK points it at stderr for as long as it serves.
        async with stdio_server(stdin=Stdin(sys.stdin)) as (requests, answers):
            await server.run(requests, answers, server.create_initialization_options())
    except* BrokenPipeError:
        logger.warning("the client does not read our answers any more")
    return 0
