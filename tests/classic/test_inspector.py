"""The client of WebKit's inspector server, with a server that numbers pages as WebKitGTK 2.50 does."""

import logging

import pytest
import trio
import trio.testing

from bidi_server.classic.inspector import Inspector, Page, Setting
from drivers.json_values import Json
from tests.classic.inspector_server import DRIVER, Server, created, packed, to_client


def ignore(_page: Page, _method: str, _parameters: Json) -> None:
    """Hear an event of a page."""


@pytest.fixture
def both(nursery: trio.Nursery) -> tuple[Inspector, Server]:
    """A client and its server."""
    ours, theirs = trio.testing.memory_stream_pair()
    inspector, server = Inspector(ours, ignore), Server(theirs)
    nursery.start_soon(inspector.run)
    nursery.start_soon(server.run)
    return inspector, server


async def test_each_page_gets_the_script_and_the_drivers_session_is_left_alone(both: tuple[Inspector, Server]) -> None:
    inspector, server = both
    await inspector.set_script("first")
    await inspector.begin(1)
    assert server.scripts() == [(1, "first")]
    server.targets |= {3, 6}
    assert await inspector.adopt() == [3, 6]
    assert server.scripts() == [(3, "first"), (6, "first")]
    assert await inspector.adopt() == []
    assert DRIVER not in server.set_up
    await inspector.set_script("second")
    assert server.scripts() == [(1, "second"), (3, "second"), (6, "second")]
    inspector.forget(3)
    await inspector.set(Setting("Page.overrideUserAgent", {"value": "Ada"}))
    assert server.told == [(number, "Page.overrideUserAgent", {"value": "Ada"}) for number in (1, 6)]
    server.told.clear()
    server.targets.add(7)
    assert await inspector.adopt() == [7]
    assert (7, "Page.overrideUserAgent", {"value": "Ada"}) in server.told
    for number in (1, 6, 7):
        inspector.forget(number)
    assert await inspector.adopt() == []
    server.targets.add(9)
    assert await inspector.adopt() == [9]


async def test_what_a_page_opens_is_found_when_a_process_says_that_its_pages_have_changed(
    both: tuple[Inspector, Server],
) -> None:
    inspector, server = both
    await inspector.begin(1)
    server.targets.add(3)
    await server.send(packed("SetTargetList", bytes(8)))
    with trio.fail_after(5):
        while 3 not in server.set_up:
            await trio.testing.wait_all_tasks_blocked()
    assert await inspector.adopt() == [3]


async def test_a_page_that_goes_to_another_process_waits_for_the_script(both: tuple[Inspector, Server]) -> None:
    inspector, server = both
    await inspector.set_script("it")
    await inspector.begin(1)
    server.told.clear()
    await server.send(to_client(1, created("page-9", is_paused=True)))
    await trio.testing.wait_all_tasks_blocked()
    assert [method for _, method, _ in server.told][-2:] == ["Page.setBootstrapScript", "Target.resume"]


async def test_a_page_that_is_busy_is_not_waited_for(
    both: tuple[Inspector, Server], autojump_clock: trio.testing.MockClock
) -> None:
    inspector, server = both
    await inspector.begin(1)
    server.is_busy = True
    began = trio.current_time()
    await inspector.set_script("late")
    assert trio.current_time() - began < 1


@pytest.mark.parametrize(
    "message",
    [
        b"",
        packed("SendMessageToFrontend", b"short"),
        to_client(1, {})[:-2] + b"!\0",
    ],
)
async def test_a_server_that_is_gone_or_sends_nonsense(
    both: tuple[Inspector, Server], message: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    inspector, server = both
    await inspector.begin(1)
    with caplog.at_level(logging.CRITICAL):
        await (server.send(message) if message else server.close())
        await trio.testing.wait_all_tasks_blocked()
    assert inspector.lost
    with trio.fail_after(2):
        await inspector.set_script("it")
        await inspector.adopt()
        await inspector.aclose()


async def test_a_message_that_is_too_long_is_left_out(
    both: tuple[Inspector, Server], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A page's request with a long body must not end the connection, through which requests wait."""
    inspector, server = both
    await inspector.begin(1)
    monkeypatch.setattr("bidi_server.classic.inspector.MAX_MESSAGE", 1000)
    for length in (1001, 70_000, 300_000):
        await server.send(packed("SendMessageToFrontend", bytes(length)))
    server.targets.add(3)
    assert await inspector.adopt() == [3]
    assert not inspector.lost
    assert caplog.text.count("which is left out") == 3


async def test_nothing_is_heard_of_a_stream_that_is_closed() -> None:
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener:
        inspector = Inspector(await trio.testing.open_stream_to_socket_listener(listener), ignore)
        await inspector.aclose()
        with trio.fail_after(2):
            await inspector.catch_up()
