import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

import pytest
import trio
import trustme
from trio_websocket import (
    ConnectionClosed,
    WebSocketConnection,
    WebSocketRequest,
    serve_websocket,
)
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, Event, Ping, Pong, Request, TextMessage

from bidi_server.bidi.connection import Connection
from bidi_server.bidi.errors import ConnectionLostError
from bidi_server.bidi.transport import Transport, open_websocket
from tests.support.fakes import ScriptedTransport

MEGABYTES = "äx" * 1_700_000
"""5.1 MB of UTF-8."""


class Peer(Protocol):
    """The browser's side of a transport."""

    async def hear(self) -> str: ...
    async def say(self, text: str) -> None: ...
    async def end(self) -> None: ...


class ScriptedPeer:
    def __init__(self, browser: ScriptedTransport) -> None:
        self._browser = browser

    async def hear(self) -> str:
        return await self._browser.next_text()

    async def say(self, text: str) -> None:
        self._browser.say(text)

    async def end(self) -> None:
        self._browser.end("the end")


class WebSocketPeer:
    def __init__(self, websocket: WebSocketConnection) -> None:
        self._websocket = websocket

    async def hear(self) -> str:
        message = await self._websocket.get_message()
        assert isinstance(message, str)
        return message

    async def say(self, text: str) -> None:
        await self._websocket.send_message(text)

    async def end(self) -> None:
        await self._websocket.aclose(1001, "the end")


@asynccontextmanager
async def open_server(
    handle: Callable[[WebSocketRequest], Awaitable[None]], ssl_context: ssl.SSLContext | None = None
) -> AsyncGenerator[int]:
    """Run a real WebSocket server; the value is its port."""
    async with trio.open_nursery() as nursery:
        serve = partial(serve_websocket, max_message_size=1 << 24)
        server = await nursery.start(serve, handle, "127.0.0.1", 0, ssl_context)
        yield server.port
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def open_tcp_server(handle: Callable[[trio.SocketStream], Awaitable[object]]) -> AsyncGenerator[int]:
    """Run something that listens but need not be a WebSocket server; the value is its port."""
    async with trio.open_nursery() as nursery:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, handle, [listener])
        yield int(listener.socket.getsockname()[1])
        nursery.cancel_scope.cancel()


async def accept(stream: trio.SocketStream) -> WSConnection:
    """Do the server's handshake by hand, for tests that need to choose the frames."""
    protocol = WSConnection(ConnectionType.SERVER)
    protocol.receive_data(bytes(await stream.receive_some()))
    assert isinstance(next(protocol.events()), Request)
    await stream.send_all(protocol.send(AcceptConnection()))
    return protocol


@pytest.fixture(params=["scripted", "websocket"])
async def pair(request: pytest.FixtureRequest) -> AsyncGenerator[tuple[Transport, Peer]]:
    if request.param == "scripted":
        browser = ScriptedTransport()
        yield browser, ScriptedPeer(browser)
        return
    to_test, peers = trio.open_memory_channel[WebSocketPeer](1)

    async def handle(request: WebSocketRequest) -> None:
        websocket = await request.accept()
        to_test.send_nowait(WebSocketPeer(websocket))
        await trio.sleep_forever()

    async with open_server(handle) as port, open_websocket(f"ws://127.0.0.1:{port}/session") as transport:
        yield transport, await peers.receive()


async def test_messages_travel_both_ways_in_order(pair: tuple[Transport, Peer]) -> None:
    transport, peer = pair
    for text in ("1", "2", "drei ä 🙂"):
        await transport.send(text)
        await peer.say(text)
    assert [await peer.hear() for _ in range(3)] == ["1", "2", "drei ä 🙂"]
    assert [await transport.receive() for _ in range(3)] == ["1", "2", "drei ä 🙂"]


async def test_a_message_of_megabytes_arrives_whole(pair: tuple[Transport, Peer]) -> None:
    transport, peer = pair
    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.say, MEGABYTES)
        assert await transport.receive() == MEGABYTES
        nursery.start_soon(transport.send, MEGABYTES)
        assert await peer.hear() == MEGABYTES


async def test_after_the_end_what_was_said_arrives_and_then_the_reason(pair: tuple[Transport, Peer]) -> None:
    transport, peer = pair
    await peer.say("last words")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.end)
        assert await transport.receive() == "last words"
        for _ in range(2):
            with pytest.raises(ConnectionLostError, match="the end"):
                await transport.receive()


async def test_a_cancelled_receive_loses_nothing(pair: tuple[Transport, Peer]) -> None:
    transport, peer = pair
    with trio.move_on_after(0) as scope:
        await transport.receive()
    assert scope.cancelled_caught
    await peer.say("still here")
    assert await transport.receive() == "still here"


async def test_send_after_the_end_says_so(pair: tuple[Transport, Peer]) -> None:
    transport, peer = pair
    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.end)
        with pytest.raises(ConnectionLostError):
            await transport.receive()
        with pytest.raises(ConnectionLostError):
            await transport.send("anybody there?")


async def test_nobody_listens() -> None:
    async with open_tcp_server(trio.aclose_forcefully) as port:
        pass
    with pytest.raises(ConnectionLostError, match=f"no WebDriver BiDi at ws://127.0.0.1:{port}/session"):
        async with open_websocket(f"ws://127.0.0.1:{port}/session"):
            pytest.fail("connected to nobody")


async def test_a_connection_that_cannot_be_made_is_one_plain_error() -> None:
    async with trio.open_nursery() as nursery:
        with pytest.raises(ConnectionLostError, match=r"no WebDriver BiDi at ws://nowhere\.invalid/x\?y"):
            await nursery.start(Connection().run, "ws://nowhere.invalid/x?y")


async def test_a_server_that_is_no_websocket() -> None:
    async def handle(request: WebSocketRequest) -> None:
        await request.reject(404)

    async with open_server(handle) as port:
        with pytest.raises(ConnectionLostError, match="HTTP 404"):
            async with open_websocket(f"ws://127.0.0.1:{port}"):
                pytest.fail("was let in")


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-OpenSSH_9.2\r\n\r\n"], ids=["hangs up", "speaks something else"])
async def test_a_server_that_does_not_speak_http(answer: bytes) -> None:
    async def handle(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.receive_some()
            await stream.send_all(answer)

    async with open_tcp_server(handle) as port:
        with trio.fail_after(10), pytest.raises(ConnectionLostError, match=f"127.0.0.1:{port}"):
            async with open_websocket(f"ws://127.0.0.1:{port}"):
                pytest.fail("was let in")


async def test_a_connection_that_is_reset() -> None:
    async def handle(stream: trio.SocketStream) -> None:
        await accept(stream)
        stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        await trio.aclose_forcefully(stream)

    async with open_tcp_server(handle) as port, open_websocket(f"ws://127.0.0.1:{port}") as transport:
        with pytest.raises(ConnectionLostError, match="the browser's socket ended"):
            await transport.receive()


async def test_fragments_become_one_message_and_pings_between_them_are_answered() -> None:
    pongs: list[Event] = []

    async def handle(stream: trio.SocketStream) -> None:
        protocol = await accept(stream)
        for event in (
            TextMessage('{"a":', message_finished=False),
            Ping(b"alive?"),
            TextMessage('"ä', message_finished=False),
            TextMessage("", message_finished=False),
            TextMessage('🙂"}'),
            TextMessage("next"),
        ):
            for byte in protocol.send(event):  # the worst that TCP can do
                await stream.send_all(bytes([byte]))
        protocol.receive_data(bytes(await stream.receive_some()))
        pongs.extend(protocol.events())
        await stream.send_all(protocol.send(TextMessage("thanks")))
        await trio.sleep_forever()

    async with open_tcp_server(handle) as port, open_websocket(f"ws://127.0.0.1:{port}") as transport:
        assert [await transport.receive() for _ in range(3)] == ['{"a":"ä🙂"}', "next", "thanks"]
    assert [event.payload for event in pongs if isinstance(event, Pong)] == [b"alive?"]


async def test_a_flood_leaves_room_for_others() -> None:
    async def handle(stream: trio.SocketStream) -> None:
        protocol = await accept(stream)
        await stream.send_all(b"".join(protocol.send(TextMessage("x")) for _ in range(1000)))
        await trio.sleep_forever()

    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await trio.lowlevel.checkpoint()

    async with open_tcp_server(handle) as port, open_websocket(f"ws://127.0.0.1:{port}") as transport:
        await transport.receive()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(other)
            for _ in range(999):
                await transport.receive()
            nursery.cancel_scope.cancel()
    assert turns > 500


async def test_the_goodbye_is_said() -> None:
    reasons: list[object] = []
    done = trio.Event()

    async def handle(request: WebSocketRequest) -> None:
        websocket = await request.accept()
        try:
            await websocket.get_message()
        except ConnectionClosed as closed:
            reasons.append(closed.reason and closed.reason.code)
        done.set()

    async with open_server(handle) as port:
        async with open_websocket(f"ws://127.0.0.1:{port}"):
            pass
        await done.wait()
    assert reasons == [1000]


async def test_a_login_is_sent_and_stays_out_of_errors() -> None:
    headers: list[tuple[bytes, bytes]] = []

    async def handle(request: WebSocketRequest) -> None:
        headers.extend(request.headers)
        await request.reject(401)

    async with open_server(handle) as port:
        with pytest.raises(ConnectionLostError) as caught:
            async with open_websocket(f"ws://ann:p%40ss@127.0.0.1:{port}/grid?v=1"):
                pytest.fail("was let in")
    assert (b"authorization", b"Basic YW5uOnBAc3M=") in headers
    assert str(caught.value) == f"no WebDriver BiDi at ws://127.0.0.1:{port}/grid?v=1: it answered HTTP 401"


def server_context(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    certificate = authority.issue_cert("localhost")
    certificate.configure_cert(context)  # pyright: ignore[reportUnknownMemberType] - it would take pyOpenSSL's too
    return context


async def echo(request: WebSocketRequest) -> None:
    websocket = await request.accept()
    try:
        while True:
            await websocket.send_message(await websocket.get_message())
    except ConnectionClosed:
        return


async def test_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    async with (
        open_server(echo, server_context(authority)) as port,
        open_websocket(f"wss://localhost:{port}") as transport,
    ):
        await transport.send(MEGABYTES[:100_000])
        assert await transport.receive() == MEGABYTES[:100_000]


async def test_tls_with_a_certificate_that_nobody_vouches_for() -> None:
    async def handle(stream: trio.SocketStream) -> None:
        with pytest.raises(trio.BrokenResourceError):
            await trio.SSLStream(stream, server_context(trustme.CA()), server_side=True).do_handshake()

    async with open_tcp_server(handle) as port:
        with pytest.raises(ConnectionLostError, match="certificate verify failed"):
            async with open_websocket(f"wss://localhost:{port}"):
                pytest.fail("trusted anybody")
