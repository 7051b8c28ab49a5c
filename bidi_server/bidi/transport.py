"""Where a connection's messages travel: a WebSocket in the product, a script in the tests."""

import socket
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Protocol, cast
from urllib.parse import urlsplit

import trio
from trio_websocket import ConnectionClosed, HandshakeError, WebSocketConnection, wrap_client_stream

from .errors import ConnectionLostError

MAX_MESSAGE_SIZE = 1 << 30
"""Bytes in one message. A full-page screenshot or a network body comes as one."""


class Transport(Protocol):
    """A two-way stream of text messages. Both ends raise `ConnectionLostError` once it has ended."""

    async def send(self, text: str) -> None:
        """Send one message."""
        ...

    async def receive(self) -> str | bytes:
        """Return the next message."""
        ...


class _PromptStream(trio.abc.Stream):
    """A TCP stream that acknowledges at once.

    Firefox's server often waits for our acknowledgement before it sends the rest of an answer, and Linux delays that by
    40 ms unless told otherwise. The kernel forgets the option, so it is set again with each use.
    """

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._quick_ack: int | None = getattr(socket, "TCP_QUICKACK", None)

    def _acknowledge(self) -> None:
        if self._quick_ack is not None:
            self._stream.setsockopt(socket.IPPROTO_TCP, self._quick_ack, 1)

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._stream.send_all(data)
        self._acknowledge()

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        data = await self._stream.receive_some(max_bytes)
        if data:
            self._acknowledge()
        return data

    async def aclose(self) -> None:
        await self._stream.aclose()


class WebSocketTransport:
    """Messages over one WebSocket."""

    def __init__(self, websocket: WebSocketConnection) -> None:
        self._websocket = websocket

    async def send(self, text: str) -> None:
        """Send one message; see `Transport`."""
        try:
            await self._websocket.send_message(text)
        except ConnectionClosed as error:
            raise ConnectionLostError(_reason(error)) from error

    async def receive(self) -> str | bytes:
        """Return the next message; see `Transport`."""
        try:
            return await self._websocket.get_message()
        except ConnectionClosed as error:
            raise ConnectionLostError(_reason(error)) from error


def _reason(error: ConnectionClosed) -> str:
    closed = error.reason
    if closed is None:
        return "the browser's socket ended"
    return f"the browser closed its socket ({closed.code} {closed.reason or closed.name})"


@asynccontextmanager
async def open_websocket(url: str) -> AsyncGenerator[WebSocketTransport]:
    """Connect to a ``ws://`` or ``wss://`` URL. Raises `ConnectionLostError` when nobody answers there."""
    parts = urlsplit(url)
    host, secure = parts.hostname or "", parts.scheme == "wss"
    port = parts.port or (443 if secure else 80)
    resource = parts.path + (f"?{parts.query}" if parts.query else "") or "/"
    async with trio.open_nursery() as nursery:
        try:
            stream: trio.abc.Stream = _PromptStream(await trio.open_tcp_stream(host, port))
            if secure:
                context = ssl.create_default_context()
                stream = trio.SSLStream(stream, context, server_hostname=host, https_compatible=True)
            websocket = await wrap_client_stream(
                nursery,
                cast("trio.SocketStream", stream),  # any stream will do; the annotation there is narrower
                f"{host}:{port}",
                resource,
                max_message_size=MAX_MESSAGE_SIZE,
                message_queue_size=64,
            )
        except (OSError, HandshakeError) as error:
            raise ConnectionLostError(f"no WebDriver BiDi at {url}: {error or type(error).__name__}") from error
        try:
            yield WebSocketTransport(websocket)
        finally:
            with trio.move_on_after(1, shield=True):
                await websocket.aclose()
            nursery.cancel_scope.cancel()
