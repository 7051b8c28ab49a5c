"""A SOCKS5 server on loopback that forwards to a proxy with a login or TLS.

The relay itself requires no login, because browsers do not support SOCKS logins. Every local process can use it while
the context exists.
https://www.rfc-editor.org/rfc/rfc1928
"""

from __future__ import annotations

import ipaddress
import ssl
from contextlib import suppress
from typing import TYPE_CHECKING, cast

import trio
from python_socks import ProxyError, ProxyType
from python_socks.async_.trio.v2 import Proxy as Upstream

from bidi_server.browser.network.proxy import Entrance, Failure, Proxy

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

CONNECT_SECONDS = 30
HANDSHAKE_SECONDS = 10

_TYPES = {"http": ProxyType.HTTP, "https": ProxyType.HTTP, "socks4": ProxyType.SOCKS4, "socks5": ProxyType.SOCKS5}

_VERSION = 5
_NO_LOGIN = bytes([_VERSION, 0])
_CONNECT = 1
_SUCCEEDED, _REFUSED, _UNREACHABLE, _NOT_SUPPORTED = 0, 2, 4, 7


class Relay(Entrance):
    """The relay of a context."""

    def __init__(self, proxy: Proxy) -> None:
        super().__init__()
        self._proxy = proxy

    @property
    def proxy(self) -> Proxy:
        """The address of the relay, and the hosts that it is not for."""
        return Proxy("socks5", "127.0.0.1", self.port, bypass=self._proxy.bypass)

    async def _serve(self, client: trio.SocketStream) -> None:
        upstream: trio.abc.Stream | None = None
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError, EOFError, ValueError):
            with trio.move_on_after(HANDSHAKE_SECONDS) as handshake:
                wanted = await _request(client)
                handshake.deadline = trio.current_time() + CONNECT_SECONDS
                upstream, code = await self._connect(wanted) if wanted else (None, _NOT_SUPPORTED)
                await client.send_all(_reply(code))
            if upstream is not None:
                await carry(client, upstream)

    async def _connect(self, wanted: tuple[str, int]) -> tuple[trio.abc.Stream | None, int]:
        host, port = wanted
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        try:
            stream = await opened(self._proxy, self._proxy.host, *wanted)
        except (ProxyError, OSError) as error:
            self.failures.note(place, Failure(f"the proxy {self._proxy} did not connect: {error}", "Check the proxy."))
            return None, _REFUSED if isinstance(error, ProxyError) else _UNREACHABLE
        self.failures.forget(place)
        return stream, _SUCCEEDED


async def opened(proxy: Proxy, address: str, host: str, port: int) -> trio.abc.Stream:
    """Connect to a host through a proxy at an address of its own. Raises ProxyError and OSError."""
    upstream = Upstream(
        _TYPES[proxy.scheme],
        address,
        proxy.port,
        proxy.username or None,
        proxy.password or None,
        rdns=True,
        proxy_ssl=ssl.create_default_context() if proxy.scheme == "https" else None,
    )
    stream = await upstream.connect(host, port, timeout=CONNECT_SECONDS)
    return cast("trio.abc.Stream", stream.trio_stream)  # pyright: ignore[reportUnknownMemberType]


def with_tls(stream: trio.SocketStream, host: str) -> trio.SSLStream[trio.SocketStream]:
    """Return a connection to a proxy, encrypted."""
    return trio.SSLStream(stream, ssl.create_default_context(), server_hostname=host, https_compatible=True)


async def _request(client: trio.SocketStream) -> tuple[str, int] | None:
    """Return the host and port of a CONNECT request; None for other requests."""
    version, methods = await _read(client, 2)
    if version != _VERSION:
        raise ValueError("not SOCKS5")
    await _read(client, methods)
    await client.send_all(_NO_LOGIN)
    _, command, _, kind = await _read(client, 4)
    match kind:
        case 1:
            host = str(ipaddress.IPv4Address(await _read(client, 4)))
        case 3:
            (length,) = await _read(client, 1)
            host = (await _read(client, length)).decode("idna")
        case 4:
            host = str(ipaddress.IPv6Address(await _read(client, 16)))
        case _:
            raise ValueError("unknown kind of address")
    port = int.from_bytes(await _read(client, 2))
    return (host, port) if command == _CONNECT else None


async def _read(stream: trio.SocketStream, count: int) -> bytes:
    data = b""
    while len(data) < count:
        chunk = await stream.receive_some(count - len(data))
        if not chunk:
            raise EOFError
        data += chunk
    return data


def _reply(code: int) -> bytes:
    return bytes([_VERSION, code, 0, 1]) + bytes(6)


async def carry(client: trio.SocketStream, upstream: trio.abc.Stream) -> None:
    """Copy bytes in both directions until both have ended, or one side has closed the connection."""

    async def back() -> None:
        await pump(upstream, client)
        await client.send_eof()

    async with upstream, trio.open_nursery() as nursery:
        nursery.start_soon(_quietly, back)
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await pump(client, upstream)
            # TLS cannot close one direction alone: the other end decides when to close the connection.
            if isinstance(upstream, trio.SocketStream):
                await upstream.send_eof()


async def _quietly(carry: Callable[[], Awaitable[None]]) -> None:
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        await carry()


async def pump(source: trio.abc.ReceiveStream, sink: trio.abc.SendStream) -> None:
    """Copy bytes until the source ends."""
    while data := await source.receive_some():
        await sink.send_all(data)
