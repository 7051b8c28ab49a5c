"""An HTTP proxy of ours on loopback, which the browser uses in place of the proxy of a context, or of none.

https://www.rfc-editor.org/rfc/rfc9110#name-connect, https://www.rfc-editor.org/rfc/rfc9112
"""

from __future__ import annotations

import hmac
import logging
import re
from abc import ABC, abstractmethod
from base64 import b64encode
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import h11
import trio
from ada_url import URL

from bidi_server.browser.network.connections import (
    CONNECT_SECONDS,
    MAX_HEAD,
    SILENT,
    Server,
    UnansweredError,
    UnreachableError,
    carry,
)
from bidi_server.browser.network.proxy import LOGIN_NEEDED, LOGIN_REFUSED, REFUSED, Failure, Failures
from bidi_server.egress import Request, port_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bidi_server.addresses import Address
    from bidi_server.browser.network.proxy import Proxy

logger = logging.getLogger(__name__)

DEFAULT_PORT = 80

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


class RefusedError(UnansweredError):
    """The policy does not allow it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, f"{REFUSED} Refused by --egress")


class Entrance(ABC):
    """A proxy of ours. Without a ``login``, every process of this machine can use it."""

    def __init__(self, login: str = "") -> None:
        self.port = 0
        """The port on loopback, once it runs."""
        self.failures = Failures()
        self._scope = trio.CancelScope()
        self._login = b"Basic " + b64encode(login.encode()) if login else b""

    @property
    @abstractmethod
    def proxy(self) -> Proxy:
        """The address and the login that a browser uses it with."""

    @abstractmethod
    async def _open(self, request: Request) -> Server:
        """Connect to the host of a request. Raises `UnansweredError`."""

    def _why_not(self, request: Request, addresses: Sequence[Address]) -> str:
        """Return the reason why a request must not be sent to a host with these addresses; "" if it may be."""
        return ""

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve until `close`. It has started when it listens."""
        with self._scope:
            listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
            self.port = int(listeners[0].socket.getsockname()[1])
            task_status.started()
            await trio.serve_listeners(self._serve, listeners)

    def close(self) -> None:
        """Stop it and close all of its connections."""
        self._scope.cancel()

    async def _serve(self, client: trio.SocketStream) -> None:
        async with client:
            with suppress(*_LOST):
                await self._answer(client)

    async def _answer(self, client: trio.SocketStream) -> None:
        """Answer the requests of a connection: one after the other, or those within a tunnel."""
        browser = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)
        server: Server | None = None
        try:
            while isinstance(head := await _next(browser, client), h11.Request):
                if self._login and not hmac.compare_digest(_header(head, b"proxy-authorization"), self._login):
                    await _refuse(client, f"{LOGIN_NEEDED} Login needed", _CHALLENGE)
                    return
                request = _request(head)
                if request is None:
                    await _refuse(client, "400 Not a request for a proxy")
                    return
                try:
                    server = await self._server(request, server)
                    connected = partial(self.failures.forget, str(request))
                    if request.is_encrypted:
                        connected()
                        await _carry_tunnel(browser, client, server)
                        return
                    await _exchange(_sent_on(head, request, server), browser, client, server, connected)
                except UnansweredError as error:
                    is_refusal = isinstance(error, RefusedError)
                    logger.log(logging.INFO if is_refusal else logging.DEBUG, "no connection to %s: %s", request, error)
                    self.failures.note(str(request), Failure(str(error), error.advice, is_refusal=is_refusal))
                    await _refuse(client, error.status)
                    return
                if not (browser.our_state is browser.their_state is h11.DONE):
                    return
                browser.start_next_cycle()
        finally:
            if server is not None:
                await trio.aclose_forcefully(server.stream)

    async def _server(self, request: Request, last: Server | None) -> Server:
        """Return the connection for a request: the last one if it leads there. Raises `UnansweredError`."""
        if last is not None and last.place == str(request) and not request.is_encrypted and last.is_idle:
            if why := self._why_not(request, last.addresses):
                raise RefusedError(why)
            last.http.start_next_cycle()
            return last
        if last is not None:
            await trio.aclose_forcefully(last.stream)
        with trio.move_on_after(CONNECT_SECONDS):
            return await self._open(request)
        raise UnreachableError.from_code(SILENT)


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


def _sent_on(head: h11.Request, request: Request, server: Server) -> h11.Request:
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


async def _carry_tunnel(browser: h11.Connection, client: trio.SocketStream, server: Server) -> None:
    """Carry what is encrypted in both directions, and first what the browser has sent behind its request."""
    await client.send_all(b"HTTP/1.1 200 Connected\r\n\r\n")
    if early := browser.trailing_data[0]:
        await server.stream.send_all(bytes(early))
    await carry(client, server.stream)


async def _exchange(
    head: h11.Request,
    browser: h11.Connection,
    client: trio.SocketStream,
    server: Server,
    connected: Callable[[], None],
) -> None:
    """Carry a request to its server and the response back, until the response is complete or the browser leaves.

    Both are parsed and written anew: a server that sends more than one response would otherwise answer the browser's
    next request, which may be for another site. ``connected`` is called when the server answers. Raises
    `UnreachableError` if another proxy does not accept its login.
    """
    is_refused = False

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
                    is_refused = server.takes_urls and part.status_code == LOGIN_NEEDED
                    if is_refused:
                        break
                    connected()
                    part = h11.Response(status_code=part.status_code, reason=part.reason, headers=_passed_on(part))
                await client.send_all(browser.send(part) or b"")
                if isinstance(part, h11.EndOfMessage):
                    break
        nursery.cancel_scope.cancel()
    if is_refused:
        raise UnreachableError(*LOGIN_REFUSED)


async def _refuse(client: trio.SocketStream, status: str, header: str = "") -> None:
    """Answer a request without a connection, and read what the browser still sends: it would miss the answer."""
    answer = f"HTTP/1.1 {status}\r\n{header}Content-Length: 0\r\nConnection: close\r\n\r\n"
    await client.send_all(answer.encode("ascii"))
    await client.send_eof()
    with trio.move_on_after(LINGER_SECONDS):
        while await client.receive_some():
            pass
