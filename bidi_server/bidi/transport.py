"""The transport of a connection's messages: a WebSocket in the product, a script in tests."""

from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Protocol
from urllib.parse import urlsplit

import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    CloseConnection,
    Event,
    Ping,
    RejectConnection,
    Request,
    TextMessage,
)
from wsproto.frame_protocol import CloseReason
from wsproto.utilities import ProtocolError

from .errors import ConnectionLostError
from .stream import CHUNK_SIZE, authorization, open_stream


class Transport(Protocol):
    """A two-way stream of text messages. Both ends raise `ConnectionLostError` once it has ended."""

    async def send(self, text: str) -> None:
        """Send one message."""
        ...

    async def receive(self) -> str:
        """Return the next message."""
        ...


class WebSocketTransport:
    """Messages over one WebSocket, https://www.rfc-editor.org/rfc/rfc6455.

    It has no task: pings are answered during `receive`. A cancelled `send` may leave a partial frame behind, so cancel
    it only before closing.
    """

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._protocol = WSConnection(ConnectionType.CLIENT)
        self._events: deque[Event] = deque()
        self._parts: list[str] = []
        self._sending = trio.Lock()
        self._intact = True
        self._end_reason = ""

    async def open(self, host: str, target: str, headers: list[tuple[bytes, bytes]]) -> None:
        """Do the opening handshake. Raises `ConnectionLostError` if the server refuses."""
        await self._send(Request(host=host, target=target, extra_headers=headers))
        match await self._next_event():
            case AcceptConnection():
                return
            case RejectConnection(status_code=status):
                raise ConnectionLostError(f"it answered HTTP {status}")
            case event:
                raise ConnectionLostError(f"it answered with {type(event).__name__}")

    async def send(self, text: str) -> None:
        """Send one message; see `Transport`."""
        await self._send(TextMessage(text))

    async def receive(self) -> str:
        """Return the next message; see `Transport`."""
        while True:
            match await self._next_event():
                case TextMessage(data=part, message_finished=finished):
                    self._parts.append(part)
                    if finished:
                        message = "".join(self._parts)
                        self._parts.clear()
                        return message
                case Ping() as ping:
                    await self._send(ping.response())
                case CloseConnection() as close:
                    with suppress(ConnectionLostError):
                        await self._send(close.response())
                    self._end_reason = _reason(close)
                case _:
                    pass

    async def aclose(self) -> None:
        """Send a close frame if possible, and close the stream."""
        with trio.move_on_after(1, shield=True):
            if self._intact:
                with suppress(ConnectionLostError):
                    await self._send(CloseConnection(code=CloseReason.NORMAL_CLOSURE))
            await self._stream.aclose()

    async def _send(self, event: Event) -> None:
        async with self._sending:
            if self._end_reason:
                raise ConnectionLostError(self._end_reason)
            if not self._intact:
                raise ConnectionLostError("the connection was closed while a message was on its way")
            self._intact = False
            try:
                await self._stream.send_all(self._protocol.send(event))
            except (trio.BrokenResourceError, trio.ClosedResourceError, ProtocolError) as error:
                raise ConnectionLostError(f"the browser's socket ended: {_describe(error)}") from error
            self._intact = True

    async def _next_event(self) -> Event:
        if self._events:
            # A flood of small messages must not starve other tasks.
            await trio.lowlevel.checkpoint()
        while not self._events:
            if self._end_reason:
                raise ConnectionLostError(self._end_reason)
            try:
                data = await self._stream.receive_some(CHUNK_SIZE)
                if not data:
                    self._end_reason = "the browser's socket ended"
                    continue
                self._protocol.receive_data(bytes(data))
                self._events.extend(self._protocol.events())
            except (trio.BrokenResourceError, trio.ClosedResourceError, ProtocolError) as error:
                raise ConnectionLostError(f"the browser's socket ended: {_describe(error)}") from error
        return self._events.popleft()


def _reason(close: CloseConnection) -> str:
    said = f"{int(close.code)} {close.reason or ''}".rstrip()
    return f"the browser closed its socket ({said})"


def _describe(error: BaseException) -> str:
    cause = (isinstance(error, trio.BrokenResourceError) and error.__cause__) or error
    return str(cause) or type(cause).__name__


@asynccontextmanager
async def open_websocket(url: str) -> AsyncGenerator[WebSocketTransport]:
    """Connect to a ``ws://`` or ``wss://`` URL. Raises `ConnectionLostError` if no WebSocket server answers."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    target = parts.path + (f"?{parts.query}" if parts.query else "") or "/"
    try:
        transport = WebSocketTransport(await open_stream(parts))
        try:
            await transport.open(host, target, authorization(parts))
        except BaseException:
            await transport.aclose()
            raise
    except (OSError, trio.BrokenResourceError, ConnectionLostError) as error:
        place = f"{parts.scheme}://{host}{target}"  # without credentials of the URL
        raise ConnectionLostError(f"no WebDriver BiDi at {place}: {_describe(error)}") from error
    try:
        yield transport
    finally:
        await transport.aclose()
