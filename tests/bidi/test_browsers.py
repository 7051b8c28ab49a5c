"""What real browsers send fits our classes, and they understand what we send.

`BIDI_TEST_BROWSER` (chromium or firefox) says which browser; without it these tests are skipped.
"""

import math
import os
from base64 import b64decode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar, cast

import pytest
import trio

from bidi_server.bidi import browser, browsing_context, input, log, network, script, session, storage  # noqa: A004
from bidi_server.bidi.connection import Connection
from bidi_server.bidi.errors import BidiError
from bidi_server.bidi.values import CIRCULAR, from_remote, shared_id_of, to_local
from bidi_server.bidi.wire import Event
from drivers import BrowserName, LaunchOptions, launch
from fixtures.site import open_site

E = TypeVar("E", bound=Event)

DEADLINE = 60

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif("BIDI_TEST_BROWSER" not in os.environ, reason="set BIDI_TEST_BROWSER to chromium or firefox"),
]


class Heard:
    """Every event so far, and waiting for the next."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._news = trio.lowlevel.ParkingLot()

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        self._news.unpark_all()

    async def wait(self, kind: type[E], **fields: object) -> E:
        """Return the first event of that kind with these fields, whether it came already or not."""
        with trio.move_on_after(20):
            while True:
                for event in self.events:
                    if isinstance(event, kind) and all(getattr(event, key) == value for key, value in fields.items()):
                        return event
                await self._news.park()
        pytest.fail(f"no {kind.__name__} with {fields} among {[event.method for event in self.events]}")


@asynccontextmanager
async def open_browser() -> AsyncGenerator[Connection]:
    name = cast("BrowserName", os.environ["BIDI_TEST_BROWSER"])
    connection = Connection()
    with trio.fail_after(DEADLINE):
        launched = await launch(LaunchOptions(browser=name))
        try:
            async with trio.open_nursery() as nursery:
                await nursery.start(connection.run, launched.web_socket_url)
                if not launched.session_ready:
                    wanted = session.CapabilityRequest.model_validate(dict(launched.capabilities))
                    await connection.send(session.New(capabilities=session.CapabilitiesRequest(always_match=wanted)))
                yield connection
                connection.close()
        finally:
            await launched.aclose()


async def run(connection: Connection, context: str, code: str, *arguments: object) -> object:
    """Call a function in a page."""
    answer = await connection.send(
        script.CallFunction(
            function_declaration=code,
            await_promise=True,
            target=script.ContextTarget(context=context),
            arguments=[to_local(argument) for argument in arguments],
        )
    )
    assert answer.result is not None, answer.exception_details
    return from_remote(answer.result)


async def test_every_event_of_real_pages_fits(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    heard = Heard()
    async with open_site() as site, open_browser() as connection:
        connection.add_listener(heard)
        await connection.send(session.Subscribe(events=["browsingContext", "input", "log", "network", "script"]))
        user_context = (await connection.send(browser.CreateUserContext())).user_context
        folder = browser.DownloadBehaviorAllowed(destination_folder=str(tmp_path))
        await connection.send(browser.SetDownloadBehavior(download_behavior=folder, user_contexts=[user_context]))
        tab = (await connection.send(browsing_context.Create(type="tab", user_context=user_context))).context

        async def goto(path: str) -> None:
            await connection.send(browsing_context.Navigate(context=tab, url=site.url_for(path), wait="complete"))

        await goto("/frames")
        await goto("/worker")
        await run(connection, tab, "() => { console.warn('tea', {cups: [2]}, document); }")
        line = await heard.wait(log.EntryAdded, level="warn", console_method="warn")
        assert [from_remote(argument) for argument in line.args] == ["tea", {"cups": [2]}, "#document"]
        await run(connection, tab, "() => { setTimeout(() => { throw new TypeError('spilt'); }); }")
        await heard.wait(log.EntryAdded, type="javascript", level="error")
        await run(connection, tab, "() => { location.hash = 'leaf'; history.pushState({}, '', '?brewed'); }")
        await heard.wait(browsing_context.FragmentNavigated)
        await heard.wait(browsing_context.HistoryUpdated)
        channel = script.ChannelValue(value=script.ChannelProperties(channel="kitchen"))
        await run(connection, tab, "(tell) => tell({water: 'boils'})", channel)
        assert from_remote((await heard.wait(script.Message, channel="kitchen")).data) == {"water": "boils"}

        await run(connection, tab, "() => { setTimeout(() => prompt('Milk?', 'oat')); }")
        prompt = await heard.wait(browsing_context.UserPromptOpened, context=tab)
        assert (prompt.type, prompt.message, prompt.default_value) == ("prompt", "Milk?", "oat")
        await connection.send(browsing_context.HandleUserPrompt(context=tab, accept=True, user_text="soy"))
        await heard.wait(browsing_context.UserPromptClosed, context=tab, accepted=True)

        await run(connection, tab, "() => fetch('/redirect?to=/json').then(() => 1)")
        # A busy ChromeDriver tells neither the begin nor the end of one request in fifty that was redirected.
        await heard.wait(network.ResponseStarted, redirect_count=1)
        await run(connection, tab, "() => fetch('/reset').catch(() => 1)")
        await heard.wait(network.FetchError)
        page = next(
            e for e in heard.events if isinstance(e, network.ResponseCompleted) and e.request.url.endswith("/worker")
        )
        assert (
            "text/html" in {header.name.lower(): str(header.value) for header in page.response.headers}["content-type"]
        )
        assert all(header.name and header.value.type == "string" for header in page.request.headers)

        await run(connection, tab, "() => { const a = document.createElement('a'); a.href = 'data:text/plain,leaves';"
                  " a.download = 'leaves.txt'; a.click(); }")  # fmt: skip
        await heard.wait(browsing_context.DownloadWillBegin, suggested_filename="leaves.txt")
        done = await heard.wait(browsing_context.DownloadEnd, status="complete")
        assert done.filepath is None or await trio.Path(done.filepath).read_text() == "leaves"
        await connection.send(browsing_context.Close(context=tab))
        await heard.wait(browsing_context.ContextDestroyed, context=tab)
        await connection.send(browser.RemoveUserContext(user_context=user_context))
    assert [record.getMessage() for record in caplog.records if record.name.startswith("bidi_server")] == []
    kinds = {event.method for event in heard.events}
    assert kinds >= {"browsingContext.navigationCommitted", "browsingContext.domContentLoaded", "script.realmDestroyed"}


async def test_values_survive_the_way_to_the_page_and_back() -> None:
    async with open_browser() as connection:
        tab = (await connection.send(browsing_context.Create(type="tab"))).context
        for value in (
            None,
            True,
            1,
            -1.5,
            math.inf,
            2**70,
            "ä🙂",
            [1, ["a"]],
            {"a": {"b": None}},
            [[1, "a"], ["k", 2]],
        ):
            assert await run(connection, tab, "value => value", value) == value
        assert await run(connection, tab, "value => value", {1: "a", "k": 2}) == [[1, "a"], ["k", 2]]
        assert await run(connection, tab, "value => value", {4}) == [4]
        moment = datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)
        assert await run(connection, tab, "value => value", moment) == "2026-01-02T03:04:05.678Z"
        assert await run(connection, tab, "value => [Object.is(value, NaN), Object.is(value, -0)]", -0.0) == [
            False,
            True,
        ]
        assert await run(connection, tab, "() => { const a = {n: 1}; a.self = a; return [a, a.n]; }") == [
            {"n": 1, "self": CIRCULAR},
            1,
        ]
        assert await run(connection, tab, "() => { const a = {n: 1}; return [a, a]; }") == [{"n": 1}, {"n": 1}]
        assert await run(connection, tab, "() => [undefined, 1n, /a/g, () => 1, new Error('x'), new Set([1])]") == [
            None,
            1,
            "/a/g",
            "function",
            "Error",
            [1],
        ]


async def test_nodes_are_found_shown_and_acted_upon() -> None:
    async with open_site() as site, open_browser() as connection:
        tab = (await connection.send(browsing_context.Create(type="tab"))).context
        url = site.html("<button id=go style='width: 40px; height: 20px' onclick='this.title = event.type'>Go</button>")
        await connection.send(browsing_context.Navigate(context=tab, url=url, wait="complete"))
        locator = browsing_context.CssLocator(value="#go")
        (node,) = (await connection.send(browsing_context.LocateNodes(context=tab, locator=locator))).nodes
        assert from_remote(node) == '<button id="go">'
        shared_id = shared_id_of(node)
        assert shared_id is not None
        reference = script.SharedReference(shared_id=shared_id)
        press = [
            input.PointerMove(x=0, y=0, origin=input.ElementOrigin(element=reference)),
            input.PointerDown(button=0),
            input.PointerUp(button=0),
        ]
        mouse = input.PointerSourceActions(id="mouse", actions=[*press])
        await connection.send(input.PerformActions(context=tab, actions=[mouse]))
        assert await run(connection, tab, "button => button.title", node) == "click"
        clip = browsing_context.ElementClipRectangle(element=reference)
        shot = await connection.send(browsing_context.CaptureScreenshot(context=tab, clip=clip))
        assert b64decode(shot.data).startswith(b"\x89PNG")

        cookie = storage.PartialCookie(name="tea", value=network.StringValue(value="green"), domain="127.0.0.1")
        await connection.send(storage.SetCookie(cookie=cookie))
        cookies = (await connection.send(storage.GetCookies(filter=storage.CookieFilter(name="tea")))).cookies
        assert [(cookie.name, str(cookie.value), cookie.domain) for cookie in cookies] == [
            ("tea", "green", "127.0.0.1")
        ]


@pytest.mark.skipif(
    os.environ.get("BIDI_TEST_BROWSER") == "chromium", reason="ChromeDriver never answers with half a surrogate pair"
)
async def test_half_a_surrogate_pair_does_not_lose_the_answer() -> None:
    async with open_browser() as connection:
        tab = (await connection.send(browsing_context.Create(type="tab"))).context
        assert await run(connection, tab, "() => 'tea 🙂'.slice(0, 5)") == "tea \ufffd"


async def test_a_mistake_is_the_browsers_error_and_costs_nothing_else() -> None:
    async with open_browser() as connection:
        with pytest.raises(BidiError, match="no such frame"):
            await connection.send(browsing_context.Activate(context="nowhere"))
        assert (await connection.send(browsing_context.GetTree())).contexts
