"""Navigate to a page, and explain why a page cannot be reached."""

import math
import re
from contextlib import suppress
from enum import Enum, auto
from functools import partial
from itertools import count
from typing import Literal

import trio
from ada_url import URL, check_url

from bidi_server.advice import Advice, Operation
from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi.errors import BidiError, InvalidArgumentError, NoSuchHistoryEntryError
from bidi_server.bidi.network import SetCacheBehavior
from bidi_server.browser.actions.action import Action, CutOffError
from bidi_server.browser.loading.document_request import document_since, stop_unanswered
from bidi_server.browser.loading.page_load import POLL, StallWatch, unfinished_parts, wait_loaded
from bidi_server.browser.loading.unfinished import Cause, Unfinished
from bidi_server.browser.network.allow_list import is_of_the_web, not_allowed, was_not_opened
from bidi_server.browser.network.net_errors import ABORTED, reason_of
from bidi_server.browser.network.proxy import LOGIN_NEEDED, LOGIN_REFUSED
from bidi_server.browser.network.refusals import place_of
from bidi_server.browser.network.requests import Request
from bidi_server.browser.network.rules import OUT_OF_REACH
from bidi_server.browser.tab.downloads import Download
from bidi_server.browser.tab.tab import Committed, CutShort, Navigated, Refused, Tab
from bidi_server.errors import DeadlineError, InvalidParametersError, NavigationError, NotAllowedError, ToolError

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_LOCAL = re.compile(
    r"(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0|[\w-]+\.localhost)(:\d+)?(?=[/?#]|$)", re.IGNORECASE
)
_HOST_AND_PORT = re.compile(r"[\w.-]+:\d{1,5}(?=[/?#]|$)")


ATTEMPTS = 5
"""Maximum attempts to start a navigation while the present page, such as one that refreshes itself, interrupts it."""

ABORT_TIMEOUT = 0.5
"""Timeout for the events that show why a navigation was aborted, in seconds.

Firefox 140 sends them 4 to 13 ms after the command's error; on a busy machine, 300 ms after it.
"""

_SILENCE = 0.1
"""Seconds without any event after which the browser is asked for the URL of a tab."""


def complete_url(text: str) -> str:
    """Return a URL with a scheme: by default ``https``, or ``http`` on loopback. Raises `InvalidParametersError`."""
    text = text.strip()
    if text.startswith("data:"):
        return text  # including spaces, as in a browser's address bar
    if not text or any(character.isspace() for character in text.split("?")[0].split("#")[0]):
        raise InvalidParametersError(f"{text!r} is not a URL.", "Pass one such as https://example.com.")
    if _LOCAL.match(text):
        return f"http://{text}"
    if _SCHEME.match(text) and not _HOST_AND_PORT.match(text):
        return text
    return f"https://{text}"


Until = Literal["usable", "load", "interactive"]
"""State that a page must reach: loaded or stalled (see `StallWatch`), its load event, or parsed."""


def navigate(tab: Tab, url: str, *, until: Until = "usable", limit: float | None = None) -> Action[Request | None]:
    """Return the action of loading a page. Its result is the request for it: None for ``about:blank`` or a download.

    Raises `InvalidParametersError` and `NotAllowedError`. Performing the action raises them too, `NavigationError`, and
    `DeadlineError` if the server does not respond within ``limit`` seconds.
    """
    address = complete_url(url)
    limit = limit or tab.limits.navigation
    if tab.shared.interception.web_only and not is_of_the_web(address):
        raise NotAllowedError(
            was_not_opened(address, OUT_OF_REACH),
            "Use http, https or data.",
            {"url": address},
        )
    allowed = tab.shared.interception.allowed
    if allowed is not None and (reason := allowed.why_not(address)):
        tab.shared.interception.refusals.add(place_of(address), reason)
        raise not_allowed(address, reason)
    if address.lower().startswith("javascript:"):
        # If the script does not result in a page, Firefox does not report the end of the navigation.
        raise InvalidParametersError("A javascript: URL is not a page.", "Run the script with the tool for JavaScript.")
    return Action(partial(_navigate, tab, address, until, limit), keeps_time=True)


async def _navigate(tab: Tab, address: str, until: Until, limit: float) -> Request | None:
    cursor = tab.journal.cursor()
    arrival = _Arrival.LATE
    with trio.move_on_after(limit):
        try:
            arrival = await _go(tab, address, until)
        except trio.Cancelled:
            await stop_unanswered(tab, cursor)
            raise
    if arrival is _Arrival.DOWNLOAD:
        return None
    document = document_since(tab, cursor)
    if arrival is _Arrival.LATE and (document is None or not document.is_answered):
        raise DeadlineError(
            f"{address} did not answer within {limit:g} s.",
            "Try again, or start the server with a longer --navigation-timeout.",
        )
    if document is not None and document.status == LOGIN_NEEDED:
        raise _login_refused(address)
    if document is not None and document.url == tab.url and (error := _not_connected(tab, document.url)):
        raise error
    if arrival is not _Arrival.PAGE:
        tab.count_as_loaded()
        raise CutOffError(unfinished_parts(tab, Cause.STALLED if arrival is _Arrival.STALLED else Cause.LOADING))
    return document


class _Arrival(Enum):
    """The outcome of a navigation."""

    PAGE = auto()
    STALLED = auto()
    DOWNLOAD = auto()
    LATE = auto()


async def _go(tab: Tab, address: str, until: Until) -> _Arrival:
    """Load a page. Raises `NavigationError`, `InvalidParametersError`, `NotAllowedError`."""
    start = tab.journal.cursor()
    command = bc.Navigate(
        context=tab.context, url=address, wait="interactive" if until == "interactive" else "complete"
    )
    for attempt in count(1):
        cursor = tab.journal.cursor()
        try:
            loaded = await _load(tab, command, stalls=until == "usable")
        except BidiError as error:
            if refused := tab.journal.since(start, Refused):
                raise not_allowed(refused[0].url, refused[0].reason) from error
            if tab.journal.grown_since(start, Download):
                return _Arrival.DOWNLOAD
            if any(sign in error.message for sign in ABORTED):
                if await _came_and_left(tab, cursor, address):
                    return _Arrival.PAGE
                if await _became_download(tab, cursor):
                    return _Arrival.DOWNLOAD
                if attempt < ATTEMPTS and tab.journal.grown_since(cursor, Navigated):
                    continue  # the present page navigated elsewhere at the same time
            elif await _comes(tab, cursor):
                return _Arrival.PAGE
            raise _failure(tab, address, cursor, error) from error
        return _Arrival.PAGE if loaded else _Arrival.STALLED
    raise AssertionError("the loop has no end")


async def _load(tab: Tab, command: bc.Navigate | bc.Reload, *, stalls: bool) -> bool:
    """Send a command that loads a page. Return False if the page stalled before the reply."""
    watch = StallWatch(tab)
    cursor = tab.journal.cursor()
    sent = tab.connection.post(command)
    try:
        while True:
            with trio.move_on_after(POLL):
                await sent.answer()
                return True
            if stalls and await watch.has_stalled():
                return False
            if _was_cut_off(tab, cursor, command.url if isinstance(command, bc.Navigate) else None):
                return True
    finally:
        sent.forget()


def _was_cut_off(tab: Tab, cursor: int, address: str | None) -> bool:
    """Whether the requested page went on to another one that did not come, while it was loading.

    Chromium 156 does not load the rest of it, and never replies to the command that waits for that.
    """
    if tab.context in tab.loading or not tab.journal.grown_since(cursor, CutShort, Refused):
        return False
    came = tab.journal.since(cursor, Committed)
    return any(address is None or _is_for(entry, address) for entry in came)


def _failure(tab: Tab, address: str, cursor: int, error: BidiError) -> ToolError:
    if isinstance(error, InvalidArgumentError):
        return InvalidParametersError(f"{address} is not a URL.", "Pass one such as https://example.com.")
    document = document_since(tab, cursor)
    if not_connected := _not_connected(tab, document.url if document is not None else address):
        return not_connected
    return _login_refused(address) if tab.shared.login_refused else _explain(address, error)


async def _comes(tab: Tab, cursor: int) -> bool:
    """Wait for a page that loads despite an error; False if there is none."""
    navigated = tab.journal.grown_since(cursor, Navigated)
    if not (tab.shared.quirks.fails_for_frames and navigated) or tab.url.startswith("about:"):
        return False
    document = document_since(tab, cursor)
    # Firefox 140 commits a navigation that failed as well, and then shows its page about the failure.
    if document is None or not document.is_answered or document.error:
        return False
    await wait_loaded(tab, tab.limits.navigation)
    return True


async def _came_and_left(tab: Tab, cursor: int, address: str) -> bool:
    """Whether the requested page was committed, and then stopped loading or navigated on by itself.

    Chromium fails the command in both cases. Firefox 140 fails it for `window.stop()`, and reports the page afterwards.
    """
    with trio.move_on_after(ABORT_TIMEOUT):
        while tab.journal.grown_since(cursor, Committed) and not tab.journal.grown_since(cursor, CutShort):
            await tab.activity.park()
    cut_short = {entry.navigation for entry in tab.journal.since(cursor, CutShort)}
    came = tab.journal.since(cursor, Committed)
    return any(entry.navigation in cut_short and _is_for(entry, address) for entry in came)


def _is_for(entry: Committed, address: str) -> bool:
    """Whether a page came for an address. The present page may go on at the same time, to itself for example."""
    return entry.wanted == "" or _without_scheme(entry.wanted) == _without_scheme(
        URL(address).href if check_url(address) else address
    )


def _without_scheme(url: str) -> str:
    """Return a URL without http or https: browsers go to https where a site wants that for all of its pages."""
    return url.partition("://")[2] if url.startswith(("http://", "https://")) else url


async def _became_download(tab: Tab, cursor: int) -> bool:
    """Wait for the reason why a navigation was aborted: a download or another page. Return whether it is a download."""
    with trio.move_on_after(ABORT_TIMEOUT):
        while not tab.journal.grown_since(cursor, Download, Navigated):
            await tab.activity.park()
    return tab.journal.grown_since(cursor, Download)


def _not_connected(tab: Tab, url: str) -> ToolError | None:
    """Return the error for a page whose host our own proxy did not connect to; None if it did."""
    failure = tab.shared.entrance.failures.of(url) if tab.shared.entrance is not None else None
    if failure is None:
        return None
    if failure.is_refusal:
        return not_allowed(url, failure.reason)
    return NavigationError(f"Can't open {url}: {failure.reason}.", failure.advice)


def _login_refused(url: str) -> NavigationError:
    reason, advice = LOGIN_REFUSED
    return NavigationError(f"Can't open {url}: {reason}.", advice)


def _explain(url: str, error: BidiError) -> NavigationError:
    if found := reason_of(error.message):
        reason, advice = found
        return NavigationError(f"Can't open {url}: {reason}.", advice, {"error": error.message})
    return NavigationError(f"Can't open {url}: {error.first_line}.", "Check the URL.")


def reload(tab: Tab, *, ignore_cache: bool = False) -> Action[Request | None]:
    """Return the action of reloading the page. Its result is the request for the page.

    Performing the action raises `NavigationError`.
    """
    return Action(partial(_reload, tab, ignore_cache=ignore_cache), keeps_time=True)


async def _reload(tab: Tab, *, ignore_cache: bool) -> Request | None:
    cursor = tab.journal.cursor()
    try:
        with trio.move_on_after(tab.limits.navigation) as deadline:
            if ignore_cache:
                # Firefox does not support this as an option of the reload.
                await tab.connection.send(SetCacheBehavior(cache_behavior="bypass", contexts=[tab.context]))
            try:
                await _load(tab, bc.Reload(context=tab.context, wait="complete"), stalls=False)
            except BidiError as error:
                if not await _comes(tab, cursor):
                    raise _explain(tab.url, error) from error
        if deadline.cancelled_caught:
            stopped = await stop_unanswered(tab, cursor)
            tab.count_as_loaded()
            raise CutOffError([Unfinished(Cause.NO_ANSWER)] if stopped else unfinished_parts(tab, Cause.LOADING))
    finally:
        if ignore_cache:
            with trio.move_on_after(1, shield=True), suppress(BidiError):
                await tab.connection.send(SetCacheBehavior(cache_behavior="default", contexts=[tab.context]))
    return document_since(tab, cursor)


def traverse(tab: Tab, entries: Literal[-1, 1]) -> Action[None]:
    """Return the action of going back (-1) or forward (1) one entry in the history.

    Performing it raises `NavigationError` if there is none.
    """
    return Action(partial(_traverse, tab, entries), keeps_time=True)


async def _traverse(tab: Tab, entries: Literal[-1, 1]) -> None:
    cursor, end = tab.journal.cursor(), trio.current_time() + tab.limits.navigation
    with trio.move_on_at(end) as deadline:
        try:
            await tab.connection.send(bc.TraverseHistory(context=tab.context, delta=entries), math.inf)
        except NoSuchHistoryEntryError as error:
            which = "earlier" if entries < 0 else "later"
            raise NavigationError(
                f"There is no {which} page in this tab's history.", Advice.of("Use ", Operation.NAVIGATE, ".")
            ) from error
    if deadline.cancelled_caught:
        raise await tab.unresponsive(tab.limits.navigation)
    with trio.move_on_at(end):
        # The browser replies before it navigates, and a page from its back/forward cache sends no load event.
        while not tab.journal.grown_since(cursor, Navigated) and tab.context not in tab.loading:
            with trio.move_on_after(_SILENCE):
                await tab.activity.park()
                continue
            await tab.locate()
