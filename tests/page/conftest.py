"""One browser for all tests of the page scripts, behind a small synchronous client.

`BIDI_TEST_BROWSER` (chromium, firefox or webkit) says which; without it these tests are skipped.
"""

import json
import os
import queue
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar, cast

import pytest
import trio

from bidi_server.bidi import browsing_context, script, session
from bidi_server.bidi.connection import Connection
from bidi_server.bidi.values import context_of, from_remote, to_local
from bidi_server.bidi.wire import Command, Result
from bidi_server.classic.connect import serve_classic
from bidi_server.page import bundle
from drivers import LaunchOptions, launch
from fixtures.site import open_site


class Row(NamedTuple):
    """One row of a walk; `ref` is '' where there is none."""

    depth: int
    role: str
    name: str
    ref: str
    props: dict[str, object]


class Suspects(NamedTuple):
    """Elements that may host a closed shadow root, serialised with it, and what they are called together."""

    id: str
    hosts: list[dict[str, object]]


class Walk(NamedTuple):
    """The answer of a walk; `windows` are context ids."""

    url: str
    title: str
    rows: list[Row]
    suspects: Suspects
    windows: list[str | None]


R = TypeVar("R", bound=Result)

SANDBOX = "walker-tests"
DEADLINE = 60.0


class Browser:
    """A browser whose event loop lives in a thread of its own, so that every test of a session can share it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.connection = Connection()
        self._ready: queue.Queue[BaseException | None] = queue.Queue()
        self._thread = threading.Thread(target=self._main, name="browser of the page tests")
        self._token: trio.lowlevel.TrioToken | None = None
        self._stop = trio.Event()

    def start(self) -> None:
        self._thread.start()
        if failure := self._ready.get(timeout=DEADLINE):
            raise failure

    def stop(self) -> None:
        if self._token is not None:
            trio.from_thread.run_sync(self._stop.set, trio_token=self._token)
        self._thread.join()

    def send(self, command: Command[R]) -> R:
        async def send() -> R:
            with trio.fail_after(DEADLINE):
                return await self.connection.send(command)

        return trio.from_thread.run(send, trio_token=self._token)

    def serve(self, body: str, content_type: str) -> str:
        """Return the address of a page with this body."""
        serve = partial(self.site.serve, body, content_type=content_type)
        return trio.from_thread.run_sync(serve, trio_token=self._token)

    def _main(self) -> None:
        try:
            trio.run(self._serve)
        except BaseException as failure:  # it belongs to the thread that waits for the browser
            self._ready.put(failure)

    async def _serve(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        assert self.name in ("chromium", "firefox", "webkit")
        launched = await launch(LaunchOptions(browser=self.name))
        try:
            async with trio.open_nursery() as nursery:
                if launched.classic is not None and launched.first_session is not None:
                    await nursery.start(serve_classic, self.connection, launched.classic, launched.first_session)
                else:
                    await nursery.start(self.connection.run, launched.web_socket_url)
                if not launched.session_ready:
                    wanted = session.CapabilitiesRequest(
                        always_match=session.CapabilityRequest.model_validate(dict(launched.capabilities))
                    )
                    await self.connection.send(session.New(capabilities=wanted))
                # As the product does: sending a hundred kilobytes at every page would be most of a test's time.
                installed = script.AddPreloadScript(
                    function_declaration=f"() => {{ {bundle(as_text=self.name == 'firefox')} }}", sandbox=SANDBOX
                )
                await self.connection.send(installed)
                async with open_site() as self.site:
                    self._ready.put(None)
                    await self._stop.wait()
                self.connection.close()
        finally:
            await launched.aclose()


class Page:
    """A tab with the walker in it."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.context = browser.send(browsing_context.Create(type="tab")).context

    def close(self) -> None:
        self.browser.send(browsing_context.Close(context=self.context))

    def load(self, html: str, *, mime: str = "text/html", title: str = "T") -> None:
        """Show a document; HTML without a doctype gets one, and a title."""
        if mime == "text/html" and not html.lstrip().lower().startswith(("<!doctype", "<html")):
            html = f"<!DOCTYPE html><meta charset=utf-8><title>{title}</title>{html}"
        self.goto(self.browser.serve(html, f"{mime}; charset=utf-8"))

    def goto(self, url: str) -> None:
        self.browser.send(browsing_context.Navigate(context=self.context, url=url, wait="complete"))

    def reload(self) -> None:
        self.browser.send(browsing_context.Reload(context=self.context, wait="complete"))

    def run(self, code: str, *arguments: object, sandbox: str | None = None, context: str | None = None) -> object:
        """Call a function in the page itself, or in a sandbox of it."""
        return from_remote(self._call(code, arguments, sandbox, context))

    def ask(self, code: str, *arguments: object) -> object:
        """Call a function where `__bidi` is."""
        return self.run(code, *arguments, sandbox=SANDBOX)

    def install(self) -> None:
        """Do it once more."""
        self.run(f"() => {{ {bundle()} }}", sandbox=SANDBOX)

    def install_where_missing(self) -> None:
        """Do what the product does in documents in which Firefox 140 runs no preload scripts, such as data: images."""
        if not self.ask("() => typeof __bidi !== 'undefined'"):
            self.install()

    def walk_all(self, options: str = "{prefix: 'p'}", context: str | None = None) -> Walk:
        """Return everything that a walk answers."""
        parts = cast("list[dict[str, object]]", self._call(f"() => __bidi.walk({options})", (), SANDBOX, context).value)
        answer = json.loads(cast("str", parts[0]["value"]))
        frames = 1 + answer["windows"]
        windows = [context_of(part) if part["type"] == "window" else None for part in parts[1:frames]]
        rows = [Row(row[0], row[1], row[2], row[3] or "", row[4] or {}) for row in answer["rows"]]
        rows = [row for row in rows if "empty" not in row.props]
        suspects = Suspects(answer["suspects"], parts[frames:])
        return Walk(answer["url"], answer["title"], rows, suspects, windows)

    def walk(self, options: str = "{prefix: 'p'}") -> list[Row]:
        """Return the rows below the document's own."""
        first, *rows = self.walk_all(options).rows
        assert (first.depth, first.role) == (0, "document")
        return rows

    def outline(self, html: str | None = None) -> list[str]:
        """Return the rows as indented lines of role, name, and `*` at those that have a ref."""
        if html is not None:
            self.load(html)
        return [
            "  " * (depth - 1) + role + (f" {name!r}" if name else "") + (" *" if ref else "")
            for depth, role, name, ref, _ in self.walk()
        ]

    def row(self, html: str, role: str) -> Row:
        """Return the one row of that role."""
        self.load(html)
        found = [row for row in self.walk() if row.role == role]
        assert len(found) == 1, found
        return found[0]

    def props(self, html: str, role: str) -> dict[str, object]:
        """Return the properties of the one row of that role, without its tier."""
        return {key: value for key, value in self.row(html, role).props.items() if key != "tier"}

    def adopt_closed_roots(self) -> int:
        """Do what the server does about suspects, until there are none; return how many roots were found."""
        found, seen = 0, ""
        for _ in range(5):
            seen, hosts = self.walk_all(f"{{prefix: 'p', seen: '{seen}'}}").suspects
            if not hosts:
                return found
            pairs: list[object] = []
            for host in hosts:
                root = cast("dict[str, object] | None", cast("dict[str, object]", host["value"]).get("shadowRoot"))
                if root:
                    pairs += [script.SharedReference(shared_id=str(each["sharedId"])) for each in (host, root)]
                    found += 1
            self.run("(...pairs) => __bidi.adopt(...pairs)", *pairs, sandbox=SANDBOX)
        raise AssertionError("there are always new suspects")

    def _call(
        self,
        code: str,
        arguments: Sequence[object],
        sandbox: str | None,
        context: str | None,
    ) -> script.RemoteValue:
        command = script.CallFunction(
            function_declaration=code,
            await_promise=True,
            target=script.ContextTarget(context=context or self.context, sandbox=sandbox)
            if sandbox
            else script.ContextTarget(context=context or self.context),
            arguments=[to_local(argument) for argument in arguments],
            serialization_options=script.SerializationOptions(max_dom_depth=0, include_shadow_tree="all"),
        )
        answer = self.browser.send(command)
        if answer.exception_details is not None:
            frames = answer.exception_details.stack_trace.call_frames
            where = " < ".join(frame.function_name for frame in frames[:8])
            raise AssertionError(f"{answer.exception_details.text} in {where}")
        assert answer.result is not None
        return answer.result


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    name = os.environ.get("BIDI_TEST_BROWSER")
    if not name:
        pytest.skip("set BIDI_TEST_BROWSER to chromium, firefox or webkit")
    browser = Browser(name)
    browser.start()
    yield browser
    browser.stop()


@pytest.fixture(scope="session")
def shared_page(browser: Browser) -> Iterator[Page]:
    page = Page(browser)
    yield page
    page.close()


@pytest.fixture
def page(shared_page: Page) -> Page:
    """A tab that other tests used before: each test loads its own document."""
    return shared_page
