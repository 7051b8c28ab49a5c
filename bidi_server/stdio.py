"""The server on stdin and stdout, as MCP clients start it."""

import logging
import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable

import anyio
import mcp_types as types
import trio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from bidi_server.browser.sessions import Sessions
from bidi_server.config import Config
from bidi_server.server import make_server

logger = logging.getLogger(__name__)


class Stdin(anyio.AsyncFile[str]):
    """Messages of standard input, a line each. Waiting for the next one ends when it is cancelled.

    The SDK's own wait is in a thread that nothing interrupts, and SIGTERM would have to wait with it. It also says
    nothing to lines that are no messages; here their sender gets to know.
    """

    answer: Callable[[SessionMessage], Awaitable[None]]

    async def __aiter__(self) -> AsyncGenerator[str]:
        unfinished = b""
        # Past the file's buffer: an abandoned thread would hold the buffer's lock when the interpreter ends.
        while chunk := await trio.to_thread.run_sync(os.read, self.wrapped.fileno(), 2**20, abandon_on_cancel=True):
            unfinished += chunk
            if b"\n" in chunk:
                *lines, unfinished = unfinished.split(b"\n")
                for line in lines:
                    if await self._is_message(line):
                        yield line.decode(errors="replace")
        if unfinished and await self._is_message(unfinished):
            yield unfinished.decode(errors="replace")

    async def _is_message(self, line: bytes) -> bool:
        if not line.strip():
            return False
        try:
            types.jsonrpc_message_adapter.validate_json(line.decode(errors="replace"), by_name=False)
        except ValidationError as error:
            code, what = types.INVALID_REQUEST, "This is no request, notification or response of JSON-RPC 2.0."
            if error.errors()[0]["type"] == "json_invalid":
                code, what = types.PARSE_ERROR, "This is not JSON. Send one message a line."
            # https://www.jsonrpc.org/specification#response_object: null where the id is not known
            problem = types.JSONRPCError(jsonrpc="2.0", id=None, error=types.ErrorData(code=code, message=what))
            await self.answer(SessionMessage(problem))
            return False
        return True


async def serve_stdio(config: Config, sessions: Sessions) -> int:
    """Serve the client on stdin and stdout until it closes stdin, or we are cancelled. Returns the exit code."""
    if not sys.stdin or not sys.stdout:
        print("bidi-server speaks MCP on stdin and stdout, and one of them is closed.", file=sys.stderr)
        return 1
    if sys.stdin.isatty():
        print("bidi-server speaks MCP on stdin and stdout. To try it by hand: bidi-server --help", file=sys.stderr)
    server = make_server(config, sessions)
    try:
        # Nobody else may write to stdout: the SDK points it at stderr for as long as it serves.
        stdin = Stdin(sys.stdin)
        async with stdio_server(stdin=stdin) as (requests, answers):
            stdin.answer = answers.send
            await server.run(requests, answers, server.create_initialization_options())
    except* BrokenPipeError:
        logger.warning("the client does not read our answers any more")
    return 0
