"""The server on stdin and stdout, as MCP clients start it."""

import json
import logging
import os
import re
import select
import stat
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import cast

import anyio
import mcp_types as types
import trio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from bidi_server.browser.sessions import Sessions
from bidi_server.config import Config
from bidi_server.server import make_server

_CHUNK = 2**20

_HALF = re.compile("[\ud800-\udfff]")

_FORM = (
    "This is no request, notification or response of JSON-RPC 2.0 as MCP has them: "
    "an id is a string or a whole number, method a string, params an object."
)

logger = logging.getLogger(__name__)


class Stdin(anyio.AsyncFile[str]):
    """Messages of standard input, a line each. Waiting for the next one ends when it is cancelled.

    The SDK's own wait is in a thread that nothing interrupts, and SIGTERM would have to wait with it. It also says
    nothing to lines that are no messages; here their sender gets to know.
    """

    answer: Callable[[SessionMessage], Awaitable[None]]

    async def __aiter__(self) -> AsyncGenerator[str]:
        unfinished = b""
        while chunk := await _read(self.wrapped.fileno()):
            unfinished += chunk
            if b"\n" in chunk:
                *lines, unfinished = unfinished.split(b"\n")
                for line in lines:
                    if message := await self._message(line):
                        yield message
        if message := await self._message(unfinished):
            yield message

    async def _message(self, line: bytes) -> str:
        """Return what the SDK takes for a message. The sender of what is none gets an answer, and we return ""."""
        text = line.decode(errors="replace")
        if not text.strip():
            return ""
        try:
            if not _problem(text):
                return text
            content: object = json.loads(text)
            # Half of a character is legal JSON (RFC 8259, section 8.2), but not to the SDK.
            mended = _HALF.sub("\ufffd", json.dumps(content, ensure_ascii=False))
            if not (what := _problem(mended)):
                return mended
            code = types.INVALID_REQUEST
        except RecursionError:
            content, code, what = None, types.INVALID_REQUEST, "It is nested too deeply."
        except ValueError:
            content, code, what = None, types.PARSE_ERROR, "This is not JSON. Send one message a line."
        problem = types.JSONRPCError(jsonrpc="2.0", id=_id_of(content), error=types.ErrorData(code=code, message=what))
        await self.answer(SessionMessage(problem))
        return ""


def _problem(text: str) -> str:
    """Return why a text is no message, "" for one that is."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        return f"{first['msg']}." if first["type"] == "json_invalid" else _FORM
    # To the SDK a request with a wrong id is a notification, which nobody answers.
    return _FORM if isinstance(message, types.JSONRPCNotification) and "id" in json.loads(text) else ""


def _id_of(content: object) -> types.RequestId | None:
    """Return the id of a request, None where it can't be known.

    https://www.jsonrpc.org/specification#response_object
    """
    if not isinstance(content, dict):
        return None
    message = cast("dict[str, object]", content)
    id_ = message.get("id")
    is_response = "result" in message or "error" in message  # to a request of ours
    return id_ if isinstance(id_, int | str) and not isinstance(id_, bool) and not is_response else None


class Stdout(anyio.AsyncFile[str]):
    """Messages to what was standard output. The SDK takes a thread to write each, and another to flush it."""

    def __init__(self, fd: int) -> None:
        super().__init__(sys.stdout)
        self._fd = fd

    async def write(self, b: str) -> int:
        """Write a message."""
        rest = memoryview(b.encode())
        while rest:
            rest = rest[await _write(self._fd, rest) :]
        return len(b)

    async def flush(self) -> None:
        """Nothing is kept back."""


async def _read(fd: int) -> bytes:
    """Return what has come; b"" at the end."""
    if _is_pollable(fd):
        await trio.lowlevel.wait_readable(fd)
        try:
            return os.read(fd, _CHUNK)
        except ConnectionResetError:
            return b""  # a socket whose client went without reading all of our answers
    # Past the file's buffer: an abandoned thread would hold the buffer's lock when the interpreter ends.
    return await trio.to_thread.run_sync(os.read, fd, _CHUNK, abandon_on_cancel=True)


async def _write(fd: int, data: memoryview) -> int:
    """Write what there is room for and return how many bytes that were."""
    if _is_pollable(fd):
        await trio.lowlevel.wait_writable(fd)
        # So much never blocks when there is room at all: https://pubs.opengroup.org/onlinepubs/9799919799/functions/write.html
        return os.write(fd, data[: select.PIPE_BUF])
    return await trio.to_thread.run_sync(os.write, fd, data, abandon_on_cancel=True)


def _is_pollable(fd: int) -> bool:
    """Whether the system tells when it can be read or written without waiting."""
    mode = os.fstat(fd).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


@contextmanager
def _taken(fd: int) -> Generator[int]:
    """Take standard output for ourselves: what anyone else writes there goes to standard error meanwhile."""
    wire = os.dup(fd)
    other = os.dup(sys.__stderr__.fileno()) if sys.__stderr__ else os.open(os.devnull, os.O_WRONLY)
    os.dup2(other, fd)
    os.close(other)
    try:
        yield wire
    finally:
        os.dup2(wire, fd)
        os.close(wire)


async def serve_stdio(config: Config, sessions: Sessions) -> int:
    """Serve the client on stdin and stdout until it closes stdin, or we are cancelled. Returns the exit code."""
    if not sys.stdin or not sys.stdout:
        print("bidi-server speaks MCP on stdin and stdout, and one of them is closed.", file=sys.stderr)
        return 1
    if sys.stdin.isatty():
        print("bidi-server speaks MCP on stdin and stdout. To try it by hand: bidi-server --help", file=sys.stderr)
    server = make_server(config, sessions)
    try:
        stdin = Stdin(sys.stdin)
        with _taken(sys.stdout.fileno()) as wire:
            async with stdio_server(stdin=stdin, stdout=Stdout(wire)) as (requests, answers):
                stdin.answer = answers.send
                await server.run(requests, answers, server.create_initialization_options())
    except* (BrokenPipeError, ConnectionResetError):
        logger.warning("the client does not read our answers any more")
    return 0
