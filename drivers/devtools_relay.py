"""A relay between a ChromeDriver and a running Chromium, which keeps the driver away from the tabs that are there.

With ``webSocketUrl``, ChromeDriver 156 navigates one of the tabs that it finds to about:blank: a page of the user's.
The relay opens a hidden tab for it and removes the others from the lists that it reads. The hidden tab ends with the
connection. WebDriver BiDi sees all tabs: its mapper runs in the browser and does not use these lists.
"""

from __future__ import annotations

import json
from contextlib import suppress
from secrets import token_hex
from typing import TYPE_CHECKING

import trio

from drivers.json_values import fields, objects

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from drivers.process import GuardedProcess

LONGEST_HEAD = 65536
"""Maximum size of the head of a request or a response, in bytes."""

_OPENING = 2**31 - 1
"""Id of the command that opens the hidden tab. ChromeDriver counts its commands from 1."""

_FAILURES = (OSError, trio.BrokenResourceError, trio.ClosedResourceError, ValueError)
"""Errors that end a connection."""


class Relay:
    """The relay for one driver. It ends with the driver's process, which it ends when the browser is gone."""

    def __init__(self, host: str, port: int, process: GuardedProcess) -> None:
        self.port = 0
        """The relay's port on this machine."""
        self._place = (host, port)
        self._process = process

    async def start(self) -> None:
        """Listen on a free port from now on."""
        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listener.socket.getsockname()[1]
        trio.lowlevel.spawn_system_task(self._serve, listener, name=f"relay of driver {self._process.pid}")

    async def _serve(self, listener: trio.SocketListener) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.serve_listeners, self._connected, [listener])
            await self._process.wait_exited()
            nursery.cancel_scope.cancel()

    async def _connected(self, driver: trio.SocketStream) -> None:
        with suppress(*_FAILURES):
            async with driver, await trio.open_tcp_stream(*self._place) as browser:
                head, rest = await _read_head(driver)
                await browser.send_all(head + rest)
                if b"\nupgrade: websocket" not in head.lower():
                    await _until_one_ends(lambda: _copy(driver, browser), lambda: _copy(browser, driver))
                    return
                head, rest = await _read_head(browser)
                messages = _Messages(browser, rest)
                own = await _open_hidden_tab(browser, messages)
                await driver.send_all(head)
                view = _View(own)
                if await _until_one_ends(
                    lambda: _copy(driver, browser), lambda: _copy_messages(messages, driver, view)
                ):
                    # ChromeDriver 156 goes on without its browser, and answers no command.
                    await self._process.aclose()


class _Messages:
    """The messages of a browser on a WebSocket: https://www.rfc-editor.org/rfc/rfc6455#section-5.2.

    Chromium sends each message in one frame, and servers mask none.
    """

    def __init__(self, stream: trio.SocketStream, received: bytes) -> None:
        self._stream = stream
        self._received = bytearray(received)

    async def next(self) -> tuple[bytes, bytes]:
        """Return a frame and the message in it, or two empty values at the end."""
        while (sizes := self._sizes()) is None or len(self._received) < sum(sizes):
            data = await self._stream.receive_some()
            if not data:
                return b"", b""
            self._received += data
        start, length = sizes
        frame = bytes(self._received[: start + length])
        del self._received[: start + length]
        return frame, frame[start:]

    def _sizes(self) -> tuple[int, int] | None:
        """Return the sizes of the next frame's header and payload; None before they are there."""
        if len(self._received) < 2:
            return None
        length = self._received[1]
        start = {126: 4, 127: 10}.get(length, 2)
        if len(self._received) < start:
            return None
        return start, int.from_bytes(self._received[2:start]) if start > 2 else length


class _View:
    """The tabs that a driver sees: its own, and those that were opened since."""

    def __init__(self, own_url: str) -> None:
        self._own_url = own_url
        self._hidden: set[str] | None = None

    def filtered(self, frame: bytes, message: bytes) -> bytes:
        """Return the frame of a message, without the hidden tabs if it is a list of targets."""
        # In texts of pages, these quotation marks are escaped.
        if b'"targetInfos":' not in message:
            return frame
        answer = fields(json.loads(message))
        result = fields(answer.get("result"))
        targets = objects(result.get("targetInfos"))
        if self._hidden is None:
            tabs = [each for each in targets if each.get("type") in {"tab", "page"}]
            self._hidden = {str(each["targetId"]) for each in tabs if each.get("url") != self._own_url}
        shown = [each for each in targets if each.get("targetId") not in self._hidden]
        return _frame(json.dumps({**answer, "result": {**result, "targetInfos": shown}}).encode())


async def _open_hidden_tab(browser: trio.SocketStream, messages: _Messages) -> str:
    """Open a hidden tab and return its URL, which no other tab has."""
    url = f"about:blank#{token_hex(8)}"
    command = {"id": _OPENING, "method": "Target.createTarget", "params": {"url": url, "hidden": True}}
    await browser.send_all(_frame(json.dumps(command).encode(), masked=True))
    _, message = await messages.next()
    if "result" not in fields(json.loads(message)):
        raise ValueError(message)
    return url


def _frame(message: bytes, *, masked: bool = False) -> bytes:
    """Return a text message as a frame. A mask of zeros leaves the message as it is."""
    bit, mask = (128, bytes(4)) if masked else (0, b"")
    length = len(message)
    if length < 126:
        size = bytes([bit | length])
    elif length < 2**16:
        size = bytes([bit | 126]) + length.to_bytes(2)
    else:
        size = bytes([bit | 127]) + length.to_bytes(8)
    return b"\x81" + size + mask + message


async def _read_head(stream: trio.SocketStream) -> tuple[bytes, bytes]:
    """Return the head of a request or a response, and the bytes after it. Raises ValueError if there is none."""
    received = b""
    while b"\r\n\r\n" not in received:
        data = await stream.receive_some()
        if not data or len(received) > LONGEST_HEAD:
            raise ValueError("no head")
        received += data
    head, end, rest = received.partition(b"\r\n\r\n")
    return head + end, rest


async def _copy(source: trio.SocketStream, target: trio.SocketStream) -> None:
    with suppress(*_FAILURES):
        async for data in source:
            await target.send_all(data)


async def _copy_messages(messages: _Messages, target: trio.SocketStream, view: _View) -> None:
    with suppress(*_FAILURES):
        while True:
            frame, message = await messages.next()
            if not frame:
                return
            await target.send_all(view.filtered(frame, message))


async def _until_one_ends(first: Callable[[], Awaitable[None]], second: Callable[[], Awaitable[None]]) -> bool:
    """Run two tasks until one has ended. Return whether that was the second."""
    ended: list[bool] = []

    async def run(task: Callable[[], Awaitable[None]], is_second: bool) -> None:
        await task()
        ended.append(is_second)
        nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, first, False)
        nursery.start_soon(run, second, True)
    return ended[0]
