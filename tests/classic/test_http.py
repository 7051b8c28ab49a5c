"""The HTTP client of drivers, with a driver that drops connections."""

from functools import partial

import pytest
import trio

from bidi_server.bidi.errors import BidiError, ConnectionLostError, NoSuchFrameError
from bidi_server.classic.http import DriverClient

VALUE = b'HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{"value": null}'


async def serve(stream: trio.SocketStream, *, dropped: bytes) -> None:
    """Answer requests of a connection as a driver does, and end it at one whose first line has some text."""
    async with stream:
        async for data in stream:
            if dropped in bytes(data).partition(b"\r\n")[0]:
                return
            await stream.send_all(VALUE)


async def client_of(dropped: bytes, nursery: trio.Nursery) -> DriverClient:
    listeners = await nursery.start(trio.serve_tcp, partial(serve, dropped=dropped), 0)
    return DriverClient(f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}", "1")


async def test_a_request_without_an_answer_is_not_the_end_of_the_driver(nursery: trio.Nursery) -> None:
    client = await client_of(b"DELETE /session/1/window", nursery)
    assert await client.request("GET", "/window") is None
    with pytest.raises(BidiError, match="the driver did not answer DELETE /window"):
        await client.request("DELETE", "/window")
    assert await client.request("GET", "/window") is None
    await client.aclose()


async def test_a_session_that_we_have_ended_is_not_the_end_of_the_driver(nursery: trio.Nursery) -> None:
    """A request that was on its way is answered with an error, while other sessions go on."""
    client = await client_of(b"/session/1", nursery)
    await client.aclose()
    with pytest.raises(NoSuchFrameError):
        await client.request("GET", "/window")


async def test_a_driver_that_answers_nothing_has_ended(nursery: trio.Nursery) -> None:
    client = await client_of(b"/session/1", nursery)
    with pytest.raises(ConnectionLostError, match="the driver ended"):
        await client.request("GET", "/window")
