"""An HTTP proxy on loopback for one context, which connects only where the policy of ``--egress`` allows it.

It looks up names itself and connects to the address that it has checked, so that a name can't change its address in
between (DNS rebinding). Everything of the context goes through it: the browser has no other way, and each redirect is a
new request. The browser logs in with a password of the context, so that no other process can use it.
https://www.rfc-editor.org/rfc/rfc9110#name-connect, https://www.rfc-editor.org/rfc/rfc9112
"""

from __future__ import annotations

import hmac
import logging
import re
import secrets
import socket
from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, cast

import h11
import trio
from ada_url import URL
from python_socks import ProxyError

from bidi_server.addresses import address_of, looked_up
from bidi_server.browser.network.net_errors import reason_of
from bidi_server.browser.network.proxy import LOGIN_NEEDED, NOT_REACHED, REFUSED, Entrance, Failure, Proxy
from bidi_server.browser.network.proxy_relay import CONNECT_SECONDS, carry, opened, with_tls
from bidi_server.egress import Request, port_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from bidi_server.addresses import Address
    from bidi_server.egress import EgressPolicy

logger = logging.getLogger(__name__)

NEXT_ADDRESS_SECONDS = 0.25
"""Time after which the next address of a host is tried too, in seconds: RFC 8305, section 5."""

DEFAULT_PORT = 80

MAX_HEAD = 1_000_000
"""Maximum size of the head of a request, in bytes. Browsers limit URLs to 2 MB; servers take heads of 8 to 100 kB."""

USER = "bidi-server"

LINGER_SECONDS = 5
"""Maximum time to read what a browser sends after it was refused, in seconds: as nginx's ``lingering_timeout``."""

_OF_THE_CONNECTION = {
    *(b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"upgrade"),
    b"host",
}
"""Headers that are for us (https://www.rfc-editor.org/rfc/rfc9110#name-connection); ``Host`` follows from the URL."""

_PARTS = (h11.InformationalResponse, h11.Response, h11.Data, h11.EndOfMessage)

_LOST = (OSError, EOFError, h11.ProtocolError, trio.BrokenResourceError, trio.ClosedResourceError)
"""Errors of a connection that one side has ended, or on which it does not speak HTTP."""


_CHALLENGE = 'Proxy-Authenticate: Basic realm="bidi-server"\r\n'

_NOT_FOUND = "ERR_NAME_NOT_RESOLVED"

_SILENT = "ERR_TIMED_OUT"


class _Unanswered(Exception):  # noqa: N818 - an answer to the browser, not an error of ours
    """No connection is made, for this reason."""

    advice = "Use another page."

    def __init__(self, reason: str, status: str) -> None:
        super().__init__(reason)
        self.status = status


class _RefusedError(_Unanswered):
    """The policy does not allow it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, f"{REFUSED} Refused by --egress")


class _UnreachableError(_Unanswered):
    """The host was not found or does not answer: the code that Chromium has for it, or the words of a proxy."""

    def __init__(self, code: str) -> None:
        reason, self.advice = reason_of(code) or (f"the proxy said {code!r}", "Check the proxy.")
        super().__init__(reason, f"{NOT_REACHED} Not reached")


@dataclass(frozen=True, slots=True, eq=False)
class _Server:
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


class EgressProxy(Entrance):
    """The proxy of a context.

    All connections go through ``upstream``, the proxy of the context itself, if it has one; the policy is for the hosts
    behind that, and for the proxy itself unless the operator has chosen it. The policy never allows a port of
    ``reserved`` on this machine: ChromeDriver starts programs for every process that reaches its port.
    """

    def __init__(self, policy: EgressPolicy, upstream: Proxy | None = None, reserved: Collection[int] = ()) -> None:
        super().__init__()
        self._reserved = reserved
        self._policy = policy
        self._upstream = upstream
        self._password = secrets.token_urlsafe(32)
        self._login = b"Basic " + b64encode(f"{USER}:{self._password}".encode())

    @property
    def proxy(self) -> Proxy:
        """The address of this proxy, with a login that no other context has."""
        return Proxy("http", "127.0.0.1", self.port, USER, self._password)

    async def _serve(self, client: trio.SocketStream) -> None:
        async with client:
            with suppress(*_LOST):
                await self._answer(client)

    async def _answer(self, client: trio.SocketStream) -> None:
        """Answer the requests of a connection: one after the other, or those within a tunnel."""
        browser = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)
        server: _Server | None = None
        try:
            while isinstance(head := await _next(browser, client), h11.Request):
                if not hmac.compare_digest(_header(head, b"proxy-authorization"), self._login):
                    await _refuse(client, f"{LOGIN_NEEDED} Login needed", _CHALLENGE)
                    return
                request = _request(head)
                if request is None:
                    await _refuse(client, "400 Not a request for a proxy")
                    return
                try:
                    server = await self._server(request, server)
                except _Unanswered as error:
                    is_refusal = isinstance(error, _RefusedError)
                    logger.log(logging.INFO if is_refusal else logging.DEBUG, "no connection to %s: %s", request, error)
                    self.failures.note(str(request), Failure(str(error), error.advice, is_refusal=is_refusal))
                    await _refuse(client, error.status)
                    return
                self.failures.forget(str(request))
                if request.is_encrypted:
                    await client.send_all(b"HTTP/1.1 200 Connected\r\n\r\n")
                    if early := browser.trailing_data[0]:
                        await server.stream.send_all(bytes(early))
                    await carry(client, server.stream)
                    return
                await _exchange(_sent_on(head, request, server), browser, client, server)
                if not (browser.our_state is browser.their_state is h11.DONE):
                    return
                browser.start_next_cycle()
        finally:
            if server is not None:
                await trio.aclose_forcefully(server.stream)

    async def _server(self, request: Request, last: _Server | None) -> _Server:
        """Return the connection for a request: the last one if it leads there. Raises `_Unanswered`."""
        if last is not None and last.place == str(request) and not request.is_encrypted and last.is_idle:
            if why := self._policy.why_not(request, last.addresses):
                raise _RefusedError(why)
            last.http.start_next_cycle()
            return last
        if last is not None:
            await trio.aclose_forcefully(last.stream)
        with trio.move_on_after(CONNECT_SECONDS):
            return await self._open(request)
        raise _UnreachableError(_SILENT)

    async def _open(self, request: Request) -> _Server:
        """Connect to the host of a request. Raises `_Unanswered`."""
        found = await self._look_up(request)
        addresses = list(found.values())
        is_named = self._policy.names(request)
        if not found and not is_named and self._policy.heeds_addresses and self._upstream is None:
            raise _UnreachableError(_NOT_FOUND)
        if why := self._policy.why_not(request, addresses):
            raise _RefusedError(why)
        if request.port in self._reserved and any(address.is_loopback for address in addresses):
            raise _RefusedError("the port is the one that the server drives the browser by")
        usable = [spelled for spelled, address in found.items() if is_named or self._policy.lets(address)]
        try:
            if self._upstream is not None and not _bypasses(self._upstream, request, addresses):
                return await self._open_behind(self._upstream, request, addresses, usable)
            if not usable:
                raise _UnreachableError(_NOT_FOUND)
            return _Server(str(request), addresses, await _connect(usable, request.port))
        except (OSError, ProxyError) as error:
            raise _UnreachableError(_code(error) if isinstance(error, OSError) else str(error)) from error

    async def _open_behind(
        self, proxy: Proxy, request: Request, addresses: Sequence[Address], usable: Sequence[str]
    ) -> _Server:
        """Connect to the host of a request through another proxy. Raises `_Unanswered`, OSError and ProxyError."""
        place = proxy.host
        if not proxy.trusted:
            its_own = Request(proxy.host, proxy.port)
            its_addresses = await self._look_up(its_own)
            if why := self._policy.why_not(its_own, list(its_addresses.values())):
                raise _RefusedError(f"the proxy {proxy}: {why}")
            # A certificate shows that a name leads to the host that was checked.
            place = next(iter(its_addresses), place) if proxy.scheme != "https" else place
        if request.is_encrypted or proxy.scheme.startswith("socks"):
            host = usable[0] if usable else request.host.strip("[]")
            return _Server(str(request), addresses, await opened(proxy, place, host, request.port))
        plain = await trio.open_tcp_stream(place, proxy.port)
        stream = with_tls(plain, proxy.host) if proxy.scheme == "https" else plain
        login = b64encode(f"{proxy.username}:{proxy.password}".encode()) if proxy.username else b""
        return _Server(str(request), addresses, stream, takes_urls=True, login=login)

    async def _look_up(self, request: Request) -> dict[str, Address]:
        """Return the addresses of a host by their spelling, those within others as `address_of` has them."""
        host = looked_up(request.host)
        try:
            spelled = [str(ip_address(host))]
        except ValueError:
            if not (self._policy.heeds_addresses or self._policy.names(request)):
                return {}  # refused by its name; a look-up could carry data
            try:
                infos = await trio.socket.getaddrinfo(host, request.port, type=socket.SOCK_STREAM)
            except (socket.gaierror, UnicodeError):
                infos = []
            spelled = [str(info[4][0]) for info in infos]
        return {each: address for each in spelled if (address := address_of(each)) is not None}


def _code(error: OSError) -> str:
    """Return Chromium's code for a connection that failed."""
    cause = error.__cause__ or error
    causes = (
        cast("BaseExceptionGroup[BaseException]", cause).exceptions
        if isinstance(cause, BaseExceptionGroup)
        else [cause]
    )
    is_refused = any(isinstance(each, ConnectionRefusedError) for each in causes)
    return "ERR_CONNECTION_REFUSED" if is_refused else _SILENT


async def _connect(addresses: Sequence[str], port: int) -> trio.SocketStream:
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


async def _next(reader: h11.Connection, stream: trio.abc.Stream) -> object:
    """Return the next part of a request or a response. Raises `h11.RemoteProtocolError` for what is not HTTP."""
    while (event := reader.next_event()) is h11.NEED_DATA:
        reader.receive_data(bytes(await stream.receive_some()))
    return event


def _header(head: h11.Request, name: bytes) -> bytes:
    return next((value for key, value in head.headers if key == name), b"")


def _request(head: h11.Request) -> Request | None:
    """Return what a request is for; None if that is not for a proxy."""
    target = head.target.decode("ascii", errors="replace")
    is_tunnel = head.method == b"CONNECT"
    try:
        url = URL(f"http://{target}" if is_tunnel else target)
    except ValueError:
        return None
    if url.protocol != "http:" or (is_tunnel and not re.fullmatch(r"[^/?#@\\]+:\d+", target)):
        return None
    port = port_of(url)
    return (
        Request(url.hostname, port)
        if is_tunnel
        else Request(url.hostname, port, url.pathname + url.search, head.method.decode("ascii"))
    )


def _sent_on(head: h11.Request, request: Request, server: _Server) -> h11.Request:
    """Return the head of a request for its server, without what is between the browser and us."""
    authority = request.host if request.port == DEFAULT_PORT else str(request)
    target = f"http://{authority}{request.target}" if server.takes_urls else request.target
    headers = [(b"Host", authority.encode()), *_passed_on(head)]
    if server.login:
        headers.append((b"Proxy-Authorization", b"Basic " + server.login))
    return h11.Request(method=head.method, target=target, headers=headers)


def _passed_on(head: h11.Request | h11.Response) -> list[tuple[bytes, bytes]]:
    """Return the headers that are not for a single connection."""
    return [(name, value) for name, value in head.headers.raw_items() if name.lower() not in _OF_THE_CONNECTION]


async def _exchange(head: h11.Request, browser: h11.Connection, client: trio.SocketStream, server: _Server) -> None:
    """Carry a request to its server and the response back, until the response is complete or the browser leaves.

    Both are parsed and written anew: a server that sends more than one response would otherwise answer the browser's
    next request, which may be for another site.
    """

    async def send() -> None:
        with suppress(*_LOST):
            part: object = head
            while isinstance(part, h11.Request | h11.Data):
                await server.stream.send_all(server.http.send(part) or b"")
                part = await _next(browser, client)
            await server.stream.send_all(server.http.send(h11.EndOfMessage()) or b"")
            while early := await client.receive_some():
                browser.receive_data(bytes(early))
        nursery.cancel_scope.cancel()  # the browser has gone

    async with trio.open_nursery() as nursery:
        nursery.start_soon(send)
        with suppress(*_LOST):
            while isinstance(part := await _next(server.http, server.stream), _PARTS):
                if isinstance(part, h11.Response):
                    part = h11.Response(status_code=part.status_code, reason=part.reason, headers=_passed_on(part))
                await client.send_all(browser.send(part) or b"")
                if isinstance(part, h11.EndOfMessage):
                    break
        nursery.cancel_scope.cancel()


async def _refuse(client: trio.SocketStream, status: str, header: str = "") -> None:
    """Answer a request without a connection, and read what the browser still sends: it would miss the answer."""
    answer = f"HTTP/1.1 {status}\r\n{header}Content-Length: 0\r\nConnection: close\r\n\r\n"
    await client.send_all(answer.encode("ascii"))
    await client.send_eof()
    with trio.move_on_after(LINGER_SECONDS):
        while await client.receive_some():
            pass


def _bypasses(proxy: Proxy, request: Request, addresses: Sequence[Address]) -> bool:
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
