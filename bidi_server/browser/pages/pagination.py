"""Run a script on consecutive pages."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from hashlib import sha256

import trio

from bidi_server.browser.actions.clicks import click
from bidi_server.browser.actions.target import Target
from bidi_server.browser.pages.evaluate import evaluate_json
from bidi_server.browser.pages.read import leads_on, text_of
from bidi_server.browser.settling.settle import settle
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import ElementNotFoundError, ToolError


@dataclass(slots=True)
class Pages:
    """The result of the script on each page, and the reason why the run ended."""

    results: list[object] = field(default_factory=list[object])
    stopped: str = ""


async def on_all_pages(
    tab: Tab,
    script: str,
    following: Target,
    *,
    most: int,
    pause: float,
    progress: Callable[[int], Awaitable[None]],
) -> Pages:
    """Run a script on this page and on the next pages, which a link or button opens, at least ``pause`` seconds apart.

    Stop when the link is missing, hidden or disabled, at a page that was visited before, after ``most`` pages, and at
    the first failure; return the results so far. Raises `ScriptError` and other errors on the first page.
    """
    pages = Pages()
    seen: set[str] = set()
    while True:
        try:
            data = await tab.ask(lambda: evaluate_json(tab, script), tab.limits.navigation)
            mark = await _fingerprint(tab, data)
            if mark in seen:
                pages.stopped = "repeated content"
                return pages
            seen.add(mark)
            pages.results.append(data)
            await progress(len(pages.results))
            if len(pages.results) >= most:
                pages.stopped = "max_pages"
                return pages
            if reason := await _turn(tab, following, pause):
                pages.stopped = reason
                return pages
        except ToolError as error:
            if not pages.results:
                raise
            pages.stopped = f"error on page {len(pages.results) + 1}: {error.message}"
            return pages


async def _turn(tab: Tab, following: Target, pause: float) -> str:
    """Go to the next page. Return the reason if there is none, else ""."""
    try:
        if not await tab.ask(lambda: leads_on(tab, following)):
            return "next page is disabled or hidden"
    except ElementNotFoundError:
        return "no next page"
    earliest = trio.current_time() + pause
    await settle(tab, lambda: click(tab, following), snapshot=False)
    await trio.sleep_until(earliest)
    return ""


async def _fingerprint(tab: Tab, data: object) -> str:
    # Some pages differ only in their number, in the URL or in the text.
    text = await tab.ask(lambda: text_of(tab, None))
    return sha256(json.dumps([tab.url.partition("#")[0], text, data], sort_keys=True).encode()).hexdigest()
