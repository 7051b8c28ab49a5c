"""Requests to a driver of classic WebDriver, over HTTP connections that are used again.

https://www.w3.org/TR/webdriver2/#protocol
"""

import json
from collections.abc import Mapping
from urllib.parse import urlsplit

import h11
import trio

from bidi_server.bidi.errors import BidiError, ConnectionLostError, InvalidSessionIdError, NoSuchFrameError, from_code
from bidi_server.bidi.stream import CHUNK_SIZE, authorization, open_stream
from bidi_server.bidi.wire import read_json
from drivers.json_values import fields

_LOST = (OSError, EOFError, h11.ProtocolError, trio.BrokenResourceError, trio.ClosedResourceError)
"""Errors of a connection that the driver has ended, or on which it does not speak HTTP."""


class UnexpectedAlertOpenError(BidiError):
    """A dialog is open, so that the driver does not execute the request."""

    code = "unexpected alert open"


class ScriptTimeoutError(BidiError):
    """A script has not ended in time. The driver does not stop it."""

    code = "script timeout"


_OWN = {kind.code: kind for kind in (UnexpectedAlertOpenError, ScriptTimeoutError)}


def parse_reply(status: int, body: bytes) -> object:
    """Return the value of a reply. Raises the `BidiError` of the driver's error code."""
    try:
        value = fields(read_json(body)).get("value")
    except ValueError:
        raise from_code("unknown error", f"the driver answered HTTP {status} without JSON") from None
    told = fields(value)
    if status == 200 and "error" not in told:
        return value
    code, message = str(told.get("error", "unknown error")), str(told.get("message", ""))
    kind = _OWN.get(code)
    message = message or "the driver gives no reason."  # as WebKitWebDriver 2.50 for scripts in a page that breaks them
    raise kind(message) if kind is not None else from_code(code, message)


class _Connection:
    """One connection to the driver. It serves one request at a time."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.http = h11.Connection(h11.CLIENT)

    async def request(
        self, method: str, target: str, headers: list[tuple[bytes, bytes]], body: bytes
    ) -> tuple[int, bytes]:
        if method == "POST":
            headers = [*headers, (b"Content-Length", str(len(body)).encode())]
        head = self.http.send(h11.Request(method=method, target=target, headers=headers)) or b""
        data = self.http.send(h11.Data(data=body)) if body else b""
        await self.stream.send_all(head + (data or b"") + (self.http.send(h11.EndOfMessage()) or b""))
        status, parts = 0, list[bytes]()
        while True:
            match self.http.next_event():
                case h11.NEED_DATA:
                    self.http.receive_data(bytes(await self.stream.receive_some(CHUNK_SIZE)))
                case h11.Response(status_code=status):
                    pass
                case h11.Data(data=part):
                    parts.append(bytes(part))
                case h11.EndOfMessage():
                    return status, b"".join(parts)
                case h11.ConnectionClosed():
                    raise EOFError("the driver closed the connection")
                case _:
                    pass

    @property
    def is_idle(self) -> bool:
        return self.http.our_state is self.http.their_state is h11.DONE


class DriverClient:
    """Requests to one driver. WebKitWebDriver 2.50 executes requests of several connections side by side.

    A request that a page's script holds up therefore never blocks other requests.
    """

    def __init__(self, address: str, session: str) -> None:
        self._parts = urlsplit(address)
        self._path = f"{self._parts.path.rstrip('/')}/session/{session}"
        host = self._parts.netloc.rpartition("@")[2].encode()
        self._headers = [
            (b"Host", host),
            (b"Content-Type", b"application/json; charset=utf-8"),
            *authorization(self._parts),
        ]
        self._idle: list[_Connection] = []
        self._is_closed = False

    async def request(self, method: str, path: str, body: Mapping[str, object] | None = None) -> object:
        """Send a request of the session and return the value of its reply.

        Raises the `BidiError` of the driver's error code, `NoSuchFrameError` in a session that we have ended, and
        `ConnectionLostError`. After a cancellation, the driver may still execute the request.
        """
        data = json.dumps(body or {}).encode() if method == "POST" else b""
        try:
            status, reply = await self._exchange(method, path, data)
        except _LOST as error:
            if self._is_closed:
                raise NoSuchFrameError("the session has ended") from error
            # The end of one connection need not be the end of the driver.
            if await self._is_there():
                raise from_code("unknown error", f"the driver did not answer {method} {path} ({error})") from error
            raise ConnectionLostError(f"the driver ended ({error})") from error
        try:
            return parse_reply(status, reply)
        except InvalidSessionIdError as error:
            if self._is_closed:
                raise NoSuchFrameError("the session has ended") from error
            raise ConnectionLostError(f"the driver has no session any more ({error.message})") from error

    async def _exchange(self, method: str, path: str, data: bytes) -> tuple[int, bytes]:
        connection = self._idle.pop() if self._idle else None
        try:
            if connection is None:
                connection = _Connection(await open_stream(self._parts))
            answer = await connection.request(method, self._path + path, self._headers, data)
        except BaseException:
            if connection is not None:
                await trio.aclose_forcefully(connection.stream)
            raise
        if connection.is_idle and not self._is_closed:
            connection.http.start_next_cycle()
            self._idle.append(connection)
        else:
            await trio.aclose_forcefully(connection.stream)
        return answer

    async def _is_there(self) -> bool:
        """Return whether the driver still serves the session, on a new connection."""
        await self._close_idle()
        try:
            status, _ = await self._exchange("GET", "/timeouts", b"")
        except _LOST:
            return False
        return status == 200

    async def aclose(self) -> None:
        """Close the connections that no request uses, and the others when their requests have ended."""
        self._is_closed = True
        await self._close_idle()

    async def _close_idle(self) -> None:
        with trio.CancelScope(shield=True):  # the caller may be cancelled already, and all are closed nevertheless
            while self._idle:
                await trio.aclose_forcefully(self._idle.pop().stream)
