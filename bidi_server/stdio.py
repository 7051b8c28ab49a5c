"""The stdio transport: one client, which starts the server."""

import json
import logging
import math
import os
import re
import select
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager

import anyio
import anyio.abc
import mcp_types as types
import trio
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from bidi_server.browser.sessions.registry import Sessions
from bidi_server.browser.words import without_halves
from bidi_server.config import Config
from bidi_server.light import run
from bidi_server.server import MAX_MESSAGE
from drivers.json_values import is_object

_CHUNK = 2**20

_ENDS = 4096
"""Number of bytes that are kept of the beginning and of the end of a message above `MAX_MESSAGE`: its id is there."""

_FLAT = rb'"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"'
_ID = rb'"id"\s*:\s*(-?\d+|"[^"\\]*")'
_ID_AT_START = re.compile(rb"\s*\{\s*(?:%b\s*,\s*)*%b\s*," % (_FLAT, _ID))
_ID_AT_END = re.compile(rb",\s*%b\s*(?:,\s*%b\s*)*\}\s*\Z" % (_ID, _FLAT))
"""Patterns of the id at both ends of a message: clients write it before or after the parameters.

The members between the id and the end have no nested members."""

LAST_SECONDS = 5.0
"""Timeout for a client that has closed stdin to read its last answers, in seconds."""

_FORM = (
    "This is not a JSON-RPC 2.0 request, notification or response of MCP: "
    "an id is a string or a whole number, method a string, params an object."
)

logger = logging.getLogger(__name__)


class Answers(anyio.abc.ObjectSendStream[SessionMessage]):
    """Queue of messages to the client. The SDK would use a thread to write each message and another to flush it.

    Messages for a client that does not read wait here, so that no caller blocks.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._put, self._messages = trio.open_memory_channel[SessionMessage](math.inf)
        self._patience = math.inf
        self._writing = trio.CancelScope()

    async def send(self, item: SessionMessage) -> None:
        """Queue a message."""
        self._put.send_nowait(item)

    async def aclose(self) -> None:
        """Let `serve` end when all messages are written, or after `LAST_SECONDS` without progress."""
        self._patience = LAST_SECONDS
        self._writing.deadline = trio.current_time() + LAST_SECONDS
        self._put.close()

    async def serve(self) -> None:
        """Write messages until the end. Raises `OSError` if the client has closed its end."""
        async for item in self._messages:
            rest = memoryview(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            with trio.CancelScope() as self._writing:
                while rest:
                    self._writing.deadline = trio.current_time() + self._patience
                    rest = rest[await _write(self._fd, rest) :]
            if rest:
                raise BrokenPipeError


async def _read_requests(fd: int, requests: anyio.abc.ObjectSendStream[SessionMessage], answers: Answers) -> None:
    """Read messages from standard input, one per line, until its end. Invalid lines are answered with an error.

    The SDK reads in a thread that cannot be interrupted, which would delay SIGTERM, and ignores invalid lines.
    """
    async with requests:
        line = _Line()
        while chunk := await _read(fd):
            *ends, beginning = chunk.split(b"\n")
            for end in ends:
                line.add(end)
                await _take(line, requests, answers)
                line = _Line()
            line.add(beginning)
        await _take(line, requests, answers)


class _Line:
    """A line that arrives in parts. Of one above `MAX_MESSAGE` only both ends are kept."""

    def __init__(self) -> None:
        self.content = bytearray()
        self.end = b""
        self.size = 0

    def add(self, part: bytes) -> None:
        """Take the next part."""
        self.size += len(part)
        if self.is_too_long:
            self.end = (self.end or bytes(self.content[-_ENDS:])) + part
            self.end = self.end[-_ENDS:]
            del self.content[_ENDS:]
        else:
            self.content += part

    @property
    def is_too_long(self) -> bool:
        """Whether the line has more than `MAX_MESSAGE` bytes."""
        return self.size > MAX_MESSAGE

    def refusal(self) -> types.JSONRPCError:
        """Return the answer to a line that is too long."""
        found = _ID_AT_START.match(self.content) or _ID_AT_END.search(self.end)
        what = f"The message has {self.size:,} bytes, and at most {MAX_MESSAGE:,} are read. Send less in one call."
        error = types.ErrorData(code=types.INVALID_REQUEST, message=what)
        return types.JSONRPCError(jsonrpc="2.0", id=json.loads(found[1]) if found else None, error=error)


async def _take(line: _Line, requests: anyio.abc.ObjectSendStream[SessionMessage], answers: Answers) -> None:
    if line.is_too_long:
        await answers.send(SessionMessage(line.refusal()))
        return
    text = line.content.decode(errors="replace")
    if not text.strip():
        return
    content: object = None
    code = types.INVALID_REQUEST
    try:
        try:
            message = _message(text)
        except ValueError:
            content = json.loads(text)
            # JSON allows lone surrogates; the SDK rejects them.
            message = _message(without_halves(content))
    except RecursionError:
        what = "It is nested too deeply."
    except json.JSONDecodeError:
        code, what = types.PARSE_ERROR, "This is not JSON. Send one message a line."
    except ValueError as error:
        what = str(error)
    else:
        await requests.send(SessionMessage(message))
        return
    problem = types.JSONRPCError(jsonrpc="2.0", id=_id_of(content), error=types.ErrorData(code=code, message=what))
    await answers.send(SessionMessage(problem))


def _message(text: str) -> types.JSONRPCMessage:
    """Parse a message. Raises `ValueError` with a text for its sender."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        raise ValueError(f"{first['msg']}." if first["type"] == "json_invalid" else _FORM) from None
    if isinstance(message, types.JSONRPCNotification) and "id" in json.loads(text):
        raise ValueError(_FORM)  # an invalid id; the SDK would take it for a notification, which gets no answer
    return message


def _id_of(content: object) -> types.RequestId | None:
    """Return the id of a request, or None if it cannot be determined.

    https://www.jsonrpc.org/specification#response_object
    """
    if not is_object(content):
        return None
    id_ = content.get("id")
    is_response = "result" in content or "error" in content  # to a request of the server
    return id_ if isinstance(id_, int | str) and not isinstance(id_, bool) and not is_response else None


async def _read(fd: int) -> bytes:
    """Return the available bytes; b"" at the end."""
    if _is_pollable(fd):
        await trio.lowlevel.wait_readable(fd)
        try:
            return os.read(fd, _CHUNK)
        except ConnectionResetError:
            return b""  # a socket whose client left without reading all answers
    # Bypasses the file's buffer: an abandoned thread would hold the buffer's lock when the interpreter ends.
    return await trio.to_thread.run_sync(os.read, fd, _CHUNK, abandon_on_cancel=True)


async def _write(fd: int, data: memoryview) -> int:
    """Write as many bytes as there is room for and return their number."""
    if _is_pollable(fd):
        await trio.lowlevel.wait_writable(fd)
        # PIPE_BUF bytes never block if the descriptor is writable: https://pubs.opengroup.org/onlinepubs/9799919799/functions/write.html
        return os.write(fd, data[: select.PIPE_BUF])
    return await trio.to_thread.run_sync(os.write, fd, data, abandon_on_cancel=True)


def _is_pollable(fd: int) -> bool:
    """Whether the operating system reports when a descriptor is ready."""
    mode = os.fstat(fd).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


@contextmanager
def _taken(fd: int) -> Generator[int]:
    """Reserve standard output for the block: other output goes to standard error meanwhile."""
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
    """Serve the client on stdin and stdout until it closes stdin or the task is cancelled. Returns the exit code."""
    if not sys.stdin or not sys.stdout:
        print("bidi-server speaks MCP on stdin and stdout, and one of them is closed.", file=sys.stderr)
        return 1
    if sys.stdin.isatty():
        print("bidi-server speaks MCP on stdin and stdout. To try it by hand: bidi-server --help", file=sys.stderr)
    try:
        requests_in, requests = anyio.create_memory_object_stream[SessionMessage]()
        with _taken(sys.stdout.fileno()) as wire:
            answers = Answers(wire)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(answers.serve)
                nursery.start_soon(_read_requests, sys.stdin.fileno(), requests_in, answers)
                await run(config, sessions, requests, answers)
    except* (BrokenPipeError, ConnectionResetError):
        logger.warning("the client does not read our answers any more")
    return 0
