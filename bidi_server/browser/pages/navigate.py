"""Navigate to a page, and explain why a page cannot be reached."""

import math
import re
from contextlib import suppress
from enum import Enum, auto
from itertools import count
from typing import Literal

import trio

from bidi_server.advice import Advice, Operation
from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi.errors import BidiError, InvalidArgumentError, NoSuchHistoryEntryError
from bidi_server.bidi.network import SetCacheBehavior
from bidi_server.browser.actions.receipt import Receipt
from bidi_server.browser.loading.document_request import document_since, stop_unanswered
from bidi_server.browser.loading.page_load import POLL, StallWatch, unfinished_parts, wait_loaded
from bidi_server.browser.loading.unfinished import Cause, Unfinished
from bidi_server.browser.network.allow_list import is_of_the_web, not_allowed
from bidi_server.browser.network.net_errors import ABORTED, reason_of
from bidi_server.browser.network.requests import Request
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import DeadlineError, InvalidParametersError, NavigationError, NotAllowedError

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_LOCAL = re.compile(
    r"(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0|[\w-]+\.localhost)(:\d+)?(?=[/?#]|$)", re.IGNORECASE
)
_HOST_AND_PORT = re.compile(r"[\w.-]+:\d{1,5}(?=[/?#]|$)")

_PROXY_LOGIN_NEEDED = 407

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


async def navigate(
    tab: Tab, receipt: Receipt, url: str, *, until: Until = "usable", limit: float | None = None
) -> Request | None:
    """Load a page and return the request for it, if there was one: None for ``about:blank`` or a download.

    If the wait ends before the page has loaded, the unfinished parts are added to ``receipt``. Raises
    `NavigationError`, `InvalidParametersError`, `NotAllowedError`, and `DeadlineError` if the server does not respond
    in time.
    """
    address = complete_url(url)
    limit = limit or tab.limits.navigation
    if tab.shared.web_only and not is_of_the_web(address):
        raise NotAllowedError(
            f"{address} was not opened: over HTTP, the server's files and the browser's own pages are out of reach.",
            "Use http, https or data.",
            {"url": address},
        )
    allowed = tab.shared.interception.allowed
    if allowed is not None and not allowed.allows(address):
        raise not_allowed(address)
    if address.lower().startswith("javascript:"):
        # If the script does not result in a page, Firefox does not report the end of the navigation.
        raise InvalidParametersError("A javascript: URL is not a page.", "Run the script with the tool for JavaScript.")
    requests = tab.requests.all.mark()
    with trio.move_on_after(limit) as deadline:
        try:
            arrival = await _go(tab, address, until)
            if arrival is _Arrival.DOWNLOAD:
                return None
            if arrival is _Arrival.STALLED:
                receipt.unfinished += unfinished_parts(tab, Cause.STALLED)
                tab.loading.pop(tab.context, None)
        except trio.Cancelled:
            await stop_unanswered(tab, requests)
            raise
    document = document_since(tab, requests)
    if deadline.cancelled_caught:
        if document is None or not document.status:
            raise DeadlineError(
                f"{address} did not answer within {limit:g} s.",
                "Try again, or start the server with a longer --navigation-timeout.",
            )
        receipt.unfinished += unfinished_parts(tab, Cause.LOADING)
        tab.loading.pop(tab.context, None)
    if document is not None and document.status == _PROXY_LOGIN_NEEDED:
        raise _login_refused(address)
    return document


class _Arrival(Enum):
    """The outcome of a navigation."""

    PAGE = auto()
    STALLED = auto()
    DOWNLOAD = auto()


async def _go(tab: Tab, address: str, until: Until) -> _Arrival:
    """Load a page. Raises `NavigationError`, `InvalidParametersError`, `NotAllowedError`."""
    downloads, refusals = tab.downloads.all.mark(), tab.refused.mark()
    command = bc.Navigate(
        context=tab.context, url=address, wait="interactive" if until == "interactive" else "complete"
    )
    for attempt in count(1):
        pages, requests = tab.navigations.mark(), tab.requests.all.mark()
        commits, cut_short = tab.commits.mark(), tab.cut_short.mark()
        try:
            loaded = await _load(tab, command, stalls=until == "usable")
        except BidiError as error:
            if refused := tab.refused.since(refusals):
                raise not_allowed(refused[0]) from error
            if tab.downloads.all.mark() > downloads:
                return _Arrival.DOWNLOAD
            if any(sign in error.message for sign in ABORTED):
                if await _came_and_left(tab, commits, cut_short):
                    return _Arrival.PAGE
                if await _became_download(tab, downloads, pages):
                    return _Arrival.DOWNLOAD
                if attempt < ATTEMPTS and tab.navigations.mark() > pages:
                    continue  # the present page navigated elsewhere at the same time
            elif await _comes(tab, pages, requests):
                return _Arrival.PAGE
            raise _failure(tab, address, error) from error
        return _Arrival.PAGE if loaded else _Arrival.STALLED
    raise AssertionError("the loop has no end")


async def _load(tab: Tab, command: bc.Navigate | bc.Reload, *, stalls: bool) -> bool:
    """Send a command that loads a page. Return False if the page stalled before the reply."""
    watch = StallWatch(tab)
    sent = tab.connection.post(command)
    try:
        while True:
            with trio.move_on_after(POLL if stalls else math.inf):
                await sent.answer()
                return True
            if await watch.has_stalled():
                return False
    finally:
        sent.forget()


def _failure(tab: Tab, address: str, error: BidiError) -> NavigationError | InvalidParametersError:
    if isinstance(error, InvalidArgumentError):
        return InvalidParametersError(f"{address} is not a URL.", "Pass one such as https://example.com.")
    return _login_refused(address) if tab.shared.login_refused else _explain(address, error)


async def _comes(tab: Tab, pages: int, requests: int) -> bool:
    """Wait for a page that loads despite an error; False if there is none.

    Firefox 153 reports the error of a frame (X-Frame-Options) as the page's.
    """
    if tab.shared.has_cdp or tab.navigations.mark() == pages or tab.url.startswith("about:"):
        return False
    document = document_since(tab, requests)
    # Firefox 140 commits a navigation that failed as well, and then shows its page about the failure.
    if document is None or not document.status or document.error:
        return False
    await wait_loaded(tab, tab.limits.navigation)
    return True


async def _came_and_left(tab: Tab, commits: int, cut_short: int) -> bool:
    """Whether the requested page was committed, and then stopped loading or navigated on by itself.

    Chromium fails the command in both cases. Firefox 140 fails it for `window.stop()`, and reports the page afterwards.
    """
    with trio.move_on_after(ABORT_TIMEOUT):
        while tab.commits.mark() > commits and tab.cut_short.mark() == cut_short:
            await tab.activity.park()
    return bool(set(tab.cut_short.since(cut_short)).intersection(tab.commits.since(commits)))


async def _became_download(tab: Tab, mark: int, pages: int) -> bool:
    """Wait for the reason why a navigation was aborted: a download or another page. Return whether it is a download."""
    with trio.move_on_after(ABORT_TIMEOUT):
        while tab.downloads.all.mark() == mark and tab.navigations.mark() == pages:
            await tab.activity.park()
    return tab.downloads.all.mark() > mark


def _login_refused(url: str) -> NavigationError:
    return NavigationError(
        f"Can't open {url}: the proxy does not accept the login.",
        "Create the context again with another username and password.",
    )


def _explain(url: str, error: BidiError) -> NavigationError:
    if found := reason_of(error.message):
        reason, advice = found
        return NavigationError(f"Can't open {url}: {reason}.", advice, {"error": error.message})
    return NavigationError(f"Can't open {url}: {error.first_line}.", "Check the URL.")


async def reload(tab: Tab, receipt: Receipt, *, ignore_cache: bool = False) -> Request | None:
    """Reload the page and return the request for it. If that takes too long, the unfinished parts are in ``receipt``.

    Raises `NavigationError`.
    """
    requests, pages = tab.requests.all.mark(), tab.navigations.mark()
    if ignore_cache:
        # Firefox does not support this as an option of the reload.
        await tab.connection.send(SetCacheBehavior(cache_behavior="bypass", contexts=[tab.context]))
    try:
        with trio.move_on_after(tab.limits.navigation) as deadline:
            try:
                await _load(tab, bc.Reload(context=tab.context, wait="complete"), stalls=False)
            except BidiError as error:
                if not await _comes(tab, pages, requests):
                    raise _explain(tab.url, error) from error
        if deadline.cancelled_caught:
            stopped = await stop_unanswered(tab, requests)
            receipt.unfinished += [Unfinished(Cause.NO_ANSWER)] if stopped else unfinished_parts(tab, Cause.LOADING)
            tab.loading.pop(tab.context, None)
    finally:
        if ignore_cache:
            with trio.move_on_after(1, shield=True), suppress(BidiError):
                await tab.connection.send(SetCacheBehavior(cache_behavior="default", contexts=[tab.context]))
    return document_since(tab, requests)


async def back(tab: Tab) -> None:
    """Go back one entry in the history. Raises `NavigationError` if there is none."""
    before = tab.navigations.mark()
    try:
        await tab.connection.send(bc.TraverseHistory(context=tab.context, delta=-1))
    except NoSuchHistoryEntryError as error:
        raise NavigationError(
            "There is no earlier page in this tab's history.", Advice.of("Use ", Operation.NAVIGATE, ".")
        ) from error
    # The browser replies before it navigates, and a page from its back/forward cache sends no load event.
    with trio.move_on_after(tab.limits.navigation):
        while tab.navigations.mark() == before and tab.context not in tab.loading:
            with trio.move_on_after(_SILENCE):
                await tab.activity.park()
                continue
            await tab.locate()
