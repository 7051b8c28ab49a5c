"""Streams to browsers, drivers and Grids."""

import base64
import socket
import ssl
from urllib.parse import SplitResult, unquote

import trio

CHUNK_SIZE = 1 << 16
"""Bytes to read at once. A screenshot or a network body arrives as one message of megabytes."""


class _PromptStream(trio.abc.Stream):
    """A TCP stream without delayed acknowledgements.

    Firefox 153 often waits for an acknowledgement before it sends the rest of a reply, and Linux delays it by 40 ms.
    The kernel resets TCP_QUICKACK, so it is set again with each use. trio-websocket, which also needs a nursery, gives
    no public access to its stream: this is why the product does not use it.
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


async def open_stream(parts: SplitResult) -> trio.abc.Stream:
    """Connect to the host of a URL, encrypted for ``https`` and ``wss``.

    Raises `OSError` and `trio.BrokenResourceError`.
    """
    host, secure = parts.hostname or "", parts.scheme in {"https", "wss"}
    stream = _PromptStream(await trio.open_tcp_stream(host, parts.port or (443 if secure else 80)))
    if not secure:
        return stream
    encrypted = trio.SSLStream(stream, ssl.create_default_context(), server_hostname=host, https_compatible=True)
    try:
        await encrypted.do_handshake()
    except BaseException:
        await trio.aclose_forcefully(encrypted)
        raise
    return encrypted


def authorization(parts: SplitResult) -> list[tuple[bytes, bytes]]:
    """Return the header with the user and password of a URL, if it has them."""
    if parts.username is None:
        return []
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return [(b"Authorization", b"Basic " + base64.b64encode(login.encode()))]
