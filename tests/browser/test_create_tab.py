"""Opening tabs in a browser that does not always answer."""

import pytest
import trio
from trio.testing import MockClock

from bidi_server.bidi.browsing_context import Create
from bidi_server.browser.contexts.context import CREATION_LIMIT, create_tab
from bidi_server.errors import DeadlineError
from tests.support.fakes import open_scripted_connection

WINDOW = Create(type="window", user_context="u1")


async def test_it_is_asked_again(autojump_clock: MockClock) -> None:
    async with open_scripted_connection() as (connection, browser), trio.open_nursery() as nursery:

        async def answer() -> None:
            await browser.next_command()
            second = await browser.next_command()
            browser.succeed(second["id"], {"context": "t2"})

        nursery.start_soon(answer)
        assert await create_tab(connection, WINDOW, lambda: None) == "t2"
        assert trio.current_time() - CREATION_LIMIT < 1


async def test_what_came_without_an_answer_will_do(autojump_clock: MockClock) -> None:
    async with open_scripted_connection() as (connection, _):
        assert await create_tab(connection, WINDOW, lambda: "t1") == "t1"


async def test_a_browser_that_sends_events_is_not_asked_again(autojump_clock: MockClock) -> None:
    async with open_scripted_connection() as (connection, browser), trio.open_nursery() as nursery:

        async def answer() -> None:
            asked = await browser.next_command()
            for _ in range(3):
                await trio.sleep(0.9 * CREATION_LIMIT)
                browser.emit("log.entryAdded", {})
            browser.succeed(asked["id"], {"context": "t1"})

        nursery.start_soon(answer)
        assert await create_tab(connection, WINDOW, lambda: None) == "t1"


async def test_it_ends_with_an_error(autojump_clock: MockClock) -> None:
    async with open_scripted_connection() as (connection, _):
        with pytest.raises(DeadlineError, match="did not open a tab within 20 s"):
            await create_tab(connection, WINDOW, lambda: None)
