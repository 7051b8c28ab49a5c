"""Lines on standard input and output."""

import math
import os
import select
import stat
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager

import trio

from bidi_server.declared import MAX_MESSAGE

_CHUNK = 2**20

ENDS = 4096
"""Number of bytes that are kept of the beginning and of the end of a message above `MAX_MESSAGE`: its id is there."""

_AHEAD = 16
"""Number of lines that are kept before they are handed over."""

LAST_SECONDS = 5.0
"""Timeout for a client that has closed stdin to read its last answers, in seconds."""


class Line:
    """A line that arrives in parts. Of one above `MAX_MESSAGE` only both ends are kept."""

    def __init__(self) -> None:
        self.content = bytearray()
        self.end = b""
        self.size = 0

    def add(self, part: bytes) -> None:
        """Take the next part."""
        self.size += len(part)
        if self.is_too_long:
            self.end = (self.end or bytes(self.content[-ENDS:])) + part
            self.end = self.end[-ENDS:]
            del self.content[ENDS:]
        else:
            self.content += part

    @property
    def is_too_long(self) -> bool:
        """Whether the line has more than `MAX_MESSAGE` bytes."""
        return self.size > MAX_MESSAGE


class Writer:
    """Queue of lines to the client. The SDK would use a thread to write each of them and another to flush it.

    Lines for a client that does not read wait here, so that no caller blocks.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._put, self._lines = trio.open_memory_channel[bytes](math.inf)
        self._patience = math.inf
        self._writing = trio.CancelScope()

    def write(self, line: bytes) -> None:
        """Queue a line, without its end."""
        self._put.send_nowait(line + b"\n")

    def close(self) -> None:
        """Let `serve` end when all lines are written, or after `LAST_SECONDS` without progress."""
        self._patience = LAST_SECONDS
        self._writing.deadline = trio.current_time() + LAST_SECONDS
        self._put.close()

    async def serve(self) -> None:
        """Write lines until the end. Raises `OSError` if the client has closed its end."""
        async for line in self._lines:
            rest = memoryview(line)
            with trio.CancelScope() as self._writing:
                while rest:
                    self._writing.deadline = trio.current_time() + self._patience
                    rest = rest[await _write(self._fd, rest) :]
            if rest:
                raise BrokenPipeError


class Inbox:
    """The lines of a client. They are kept until they are handed over to a function, which gets later ones at once."""

    def __init__(self) -> None:
        self._put, self._kept = trio.open_memory_channel[Line](_AHEAD)
        self._take: Callable[[Line], Awaitable[None]] | None = None
        self._ended = trio.Event()

    async def put(self, line: Line) -> None:
        """Keep a line, or pass it to the function that has taken over."""
        # Past the channel, it arrives two turns of the event loop earlier.
        await (self._put.send(line) if self._take is None else self._take(line))

    def close(self) -> None:
        """End the input."""
        self._put.close()
        self._ended.set()

    async def hand_over(self, take: Callable[[Line], Awaitable[None]]) -> None:
        """Pass all lines to ``take``, in order, until the input ends."""
        while True:
            try:
                line = self._kept.receive_nowait()
            except (trio.WouldBlock, trio.EndOfChannel):
                break
            await take(line)
        self._take = take
        await self._ended.wait()


async def read_lines(fd: int, inbox: Inbox, see: Callable[[Line], None]) -> None:
    """Read lines from standard input until its end. ``see`` gets each of them before it is handled.

    The SDK reads in a thread that cannot be interrupted, which would delay SIGTERM, and ignores invalid lines.
    """
    line = Line()
    while chunk := await _read(fd):
        *ends, beginning = chunk.split(b"\n")
        for end in ends:
            line.add(end)
            see(line)
            await inbox.put(line)
            line = Line()
        line.add(beginning)
    await inbox.put(line)
    inbox.close()


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
def taken(fd: int) -> Generator[int]:
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
