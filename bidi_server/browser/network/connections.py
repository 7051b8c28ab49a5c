"""Connections of our own proxies to servers, directly or through another proxy."""

from __future__ import annotations

import re
import socket
import ssl
from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, cast

import h11
import trio
from python_socks import ProxyError, ProxyType
from python_socks.async_.trio.v2 import Proxy as Upstream

from bidi_server.addresses import address_of, looked_up
from bidi_server.browser.network.net_errors import reason_of
from bidi_server.browser.network.proxy import LOGIN_NEEDED, LOGIN_REFUSED, NOT_REACHED

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bidi_server.addresses import Address
    from bidi_server.browser.network.proxy import Proxy
    from bidi_server.egress import Request

CONNECT_SECONDS = 30

NEXT_ADDRESS_SECONDS = 0.25
"""Time after which the next address of a host is tried too, in seconds: RFC 8305, section 5."""

MAX_HEAD = 1_000_000
"""Maximum size of the head of a request, in bytes. Browsers limit URLs to 2 MB; servers take heads of 8 to 100 kB."""

NOT_FOUND, SILENT = "ERR_NAME_NOT_RESOLVED", "ERR_TIMED_OUT"
"""Chromium's codes for hosts without an address, and for those that do not answer."""

_TYPES = {"http": ProxyType.HTTP, "https": ProxyType.HTTP, "socks4": ProxyType.SOCKS4, "socks5": ProxyType.SOCKS5}


class UnansweredError(Exception):
    """No connection is made, for this reason; the browser gets the status."""

    advice = "Use another page."

    def __init__(self, reason: str, status: str) -> None:
        super().__init__(reason)
        self.status = status


class UnreachableError(UnansweredError):
    """The host was not found, or does not answer."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(reason, f"{NOT_REACHED} Not reached")
        self.advice = advice

    @classmethod
    def from_code(cls, code: str) -> UnreachableError:
        """Return the error for one of Chromium's codes."""
        return cls(*(reason_of(code) or (code, cls.advice)))


@dataclass(frozen=True, slots=True, eq=False)
class Server:
    """An open connection."""

    place: str
    """The host and the port that it leads to."""
    addresses: Sequence[Address]
    """The addresses of the host."""
    stream: trio.abc.Stream
    takes_urls: bool = False
    """Whether a proxy is at its other end. A proxy takes whole URLs, and ``login`` is for it."""
    login: bytes = b""
    http: h11.Connection = field(default_factory=lambda: h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD))

    @property
    def is_idle(self) -> bool:
        """Whether it can take another request: it has answered the last one, and has said no more."""
        return self.http.our_state is self.http.their_state is h11.DONE and self.http.trailing_data == (b"", False)


async def look_up(request: Request, *, by_name: bool = True) -> dict[str, Address]:
    """Return the addresses of a host by their spelling, those within others as `address_of` has them.

    Without ``by_name``, only of a host that is an address itself.
    """
    host = looked_up(request.host)
    try:
        spelled = [str(ip_address(host))]
    except ValueError:
        if not by_name:
            return {}
        try:
            infos = await trio.socket.getaddrinfo(host, request.port, type=socket.SOCK_STREAM)
        except (socket.gaierror, UnicodeError):
            infos = []
        spelled = [str(info[4][0]) for info in infos]
    return {each: address for each in spelled if (address := address_of(each)) is not None}


async def connect(request: Request, addresses: Sequence[Address], usable: Sequence[str]) -> Server:
    """Connect to the host of a request, by one of its usable addresses. Raises `UnreachableError`."""
    if not usable:
        raise UnreachableError.from_code(NOT_FOUND)
    try:
        return Server(str(request), addresses, await _first(usable, request.port))
    except OSError as error:
        raise UnreachableError.from_code(_code(error)) from error


async def connect_behind(
    proxy: Proxy, request: Request, place: str = "", addresses: Sequence[Address] = (), host: str = ""
) -> Server:
    """Connect to the host of a request through a proxy. Raises `UnreachableError`.

    The proxy is reached at a ``place`` of its own, and asked for another ``host``, if they are given.
    """
    place = place or proxy.host
    try:
        if request.is_encrypted or proxy.scheme.startswith("socks"):
            stream = await _tunnel(proxy, place, host or request.host.strip("[]"), request.port)
            return Server(str(request), addresses, stream)
        plain = await trio.open_tcp_stream(place, proxy.port)
        stream = await _with_tls(plain, proxy.host) if proxy.scheme == "https" else plain
    except (OSError, ProxyError, trio.BrokenResourceError) as error:
        if isinstance(error, ProxyError) and error.error_code == LOGIN_NEEDED:
            raise UnreachableError(*LOGIN_REFUSED) from error
        raise UnreachableError(f"the proxy {proxy} did not connect: {_why(error)}", "Check the proxy.") from error
    login = b64encode(f"{proxy.username}:{proxy.password}".encode()) if proxy.username else b""
    return Server(str(request), addresses, stream, takes_urls=True, login=login)


async def _first(addresses: Sequence[str], port: int) -> trio.SocketStream:
    """Connect to the first of some addresses that answers. Raises OSError."""
    won: list[trio.SocketStream] = []
    errors: list[OSError] = []

    async def attempt(address: str, has_failed: trio.Event) -> None:
        try:
            stream = await trio.open_tcp_stream(address, port)
        except OSError as error:
            errors.append(error)
            has_failed.set()
        else:
            won.append(stream)
            nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        for address in addresses:
            has_failed = trio.Event()
            nursery.start_soon(attempt, address, has_failed)
            with trio.move_on_after(NEXT_ADDRESS_SECONDS):
                await has_failed.wait()
    for late in won[1:]:
        await trio.aclose_forcefully(late)
    if won:
        return won[0]
    raise errors[0]


def _code(error: OSError) -> str:
    """Return Chromium's code for a connection that failed."""
    return "ERR_CONNECTION_REFUSED" if _is_due_to(error, ConnectionRefusedError) else SILENT


def _why(error: Exception) -> str:
    """Say why there is no connection to a proxy, or why it makes none."""
    if _is_due_to(error, ConnectionRefusedError):
        return "nothing listens there"
    if _is_due_to(error, socket.gaierror):
        return "its host name can't be resolved (DNS)"
    return str(error) or str(error.__cause__)  # a handshake that fails is the cause of trio's error


def _is_due_to(error: BaseException, kind: type[BaseException]) -> bool:
    """Whether an error is of a kind, or has one of that kind as its cause."""
    if isinstance(error, BaseExceptionGroup):
        return any(_is_due_to(each, kind) for each in cast("BaseExceptionGroup[BaseException]", error).exceptions)
    return isinstance(error, kind) or (error.__cause__ is not None and _is_due_to(error.__cause__, kind))


async def _tunnel(proxy: Proxy, address: str, host: str, port: int) -> trio.abc.Stream:
    """Connect to a host through a proxy at an address of its own. Raises ProxyError and OSError."""
    upstream = Upstream(
        _TYPES[proxy.scheme],
        address,
        proxy.port,
        proxy.username or None,
        proxy.password or None,
        rdns=True,
        proxy_ssl=_tls() if proxy.scheme == "https" else None,
    )
    stream = await upstream.connect(host, port, timeout=CONNECT_SECONDS)
    return cast("trio.abc.Stream", stream.trio_stream)  # pyright: ignore[reportUnknownMemberType]


def _tls() -> ssl.SSLContext:
    """Return the settings for proxies with TLS."""
    return _tls_that_trusts(ssl.get_default_verify_paths())


@lru_cache(maxsize=1)
def _tls_that_trusts(_: ssl.DefaultVerifyPaths) -> ssl.SSLContext:
    """Return settings that trust the certificates at these places. It takes 26 ms to read those of Debian."""
    return ssl.create_default_context()


async def _with_tls(stream: trio.SocketStream, host: str) -> trio.SSLStream[trio.SocketStream]:
    """Return a connection to a proxy, encrypted. Raises trio.BrokenResourceError."""
    encrypted = trio.SSLStream(stream, _tls(), server_hostname=host, https_compatible=True)
    try:
        await encrypted.do_handshake()
    except BaseException:
        await trio.aclose_forcefully(stream)
        raise
    return encrypted


async def carry(client: trio.SocketStream, upstream: trio.abc.Stream) -> None:
    """Copy bytes in both directions until both have ended, or one side has closed the connection."""

    async def back() -> None:
        await _pump(upstream, client)
        await client.send_eof()

    async with upstream, trio.open_nursery() as nursery:
        nursery.start_soon(_quietly, back)
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await _pump(client, upstream)
            # TLS cannot close one direction alone: the other end decides when to close the connection.
            if isinstance(upstream, trio.SocketStream):
                await upstream.send_eof()


async def _quietly(carry: Callable[[], Awaitable[None]]) -> None:
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        await carry()


async def _pump(source: trio.abc.ReceiveStream, sink: trio.abc.SendStream) -> None:
    """Copy bytes until the source ends."""
    while data := await source.receive_some():
        await sink.send_all(data)


def bypasses(proxy: Proxy, request: Request, addresses: Sequence[Address]) -> bool:
    """Whether a host is one of those that a proxy is not for."""
    return any(_fits(rule.lower(), request, addresses) for rule in proxy.bypass)


def _fits(rule: str, request: Request, addresses: Sequence[Address]) -> bool:
    host, colon, port = rule.rpartition(":") if re.search(r":\d+$", rule) else (rule, "", "")
    if colon and int(port) != request.port:
        return False
    if "/" in host:
        with suppress(ValueError):
            return any(address in ip_network(host) for address in addresses)
    pattern = f"*{host}" if host.startswith(".") else host
    return fnmatchcase(request.host.strip("[]"), pattern.strip("[]")) or request.host == pattern.removeprefix("*.")
