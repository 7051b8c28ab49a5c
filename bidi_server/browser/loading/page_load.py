"""Waiting for a page to load, for as long as it makes progress."""

from enum import Enum, auto
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi.errors import BidiError
from bidi_server.browser.loading.document_request import document_since
from bidi_server.browser.loading.unfinished import Cause, Unfinished
from bidi_server.browser.snapshot.frame import FrameGoneError
from bidi_server.errors import ScriptError
from bidi_server.page.api import LoadState

if TYPE_CHECKING:
    from bidi_server.browser.tab.tab import Tab

STALL_TIMEOUT = 3.0
"""Time without progress after which a usable page counts as stalled, in seconds.

The requirements set the number. Progress is a change of the document's size, or the end of the request for a
subresource, such as an image or a script. Requests of the page's own scripts are not progress, because a page that
polls would never stall.
"""

GROWTH_TIMEOUT = 10.0
"""Time after which a usable document that still grows counts as stalled, in seconds.

Without this limit, an endless document took the whole navigation timeout, 30 s, at 10 and at 500 lines per second.
"""

POLL = 0.5
"""Interval between two probes of a page that is loading, in seconds. Most pages have loaded before the first probe."""

PROBE_TIMEOUT = 1.0
"""Timeout for a page that is loading to report its size, in seconds.

A page that is too busy to respond in time counts as making progress.
"""


class Load(Enum):
    """The outcome of the wait for a page to load."""

    LOADED = auto()
    STALLED = auto()
    LATE = auto()
    """The page did not load within the limit, and has not stalled."""


class StallWatch:
    """A detector for a page that is usable but has stopped making progress while the tab loads it."""

    def __init__(self, tab: "Tab") -> None:
        self._tab = tab
        self._navigation: str | None = None
        self._since = trio.current_time()
        self._size: object = None
        self._grows_since: float | None = None
        """Time when the document became usable; None if it is parsed or not usable yet."""

    async def has_stalled(self) -> bool:
        """Probe the page once, and return whether it has stalled. Call it every `POLL` seconds."""
        tab = self._tab
        navigation = tab.loading.get(tab.context)
        if navigation != self._navigation:
            self._navigation, self._size, self._grows_since = navigation, None, None
        state: LoadState | None = None
        if navigation is not None and navigation == tab.committed and not tab.is_stopped:
            state = await self._probe()
        usable = state is not None and self._is_usable(state)
        now = trio.current_time()
        if state is not None:
            # A page too busy to answer may still grow, so a probe without an answer does not start GROWTH_TIMEOUT anew.
            self._grows_since = (self._grows_since or now) if usable and not state.parsed else None
        progress = (state.size, tab.requests.parts_ended) if state is not None and usable else None
        if progress is None or progress != self._size:
            self._size, self._since = progress, now
            return self._grows_since is not None and now - self._grows_since >= GROWTH_TIMEOUT
        return now - self._since >= STALL_TIMEOUT

    async def _probe(self) -> LoadState | None:
        """Return the state of the document, or None if the page does not answer within `PROBE_TIMEOUT`."""
        with trio.move_on_after(PROBE_TIMEOUT), self._tab.interruptible(by_navigation=True):
            try:
                return await self._tab.main.ask(LoadState, "loadState")
            except (FrameGoneError, BidiError, ScriptError):
                return None
        return None

    def _is_usable(self, state: LoadState) -> bool:
        """Whether the parser has finished, or has content and waits only for the rest of the document itself.

        A document that waits for a script is not usable: a development server may take ten seconds to build the script.
        """
        if state.parsed:
            return True
        tab = self._tab
        document = document_since(tab, tab.page_start)
        return state.content and document is not None and document.pending


async def wait_loaded(tab: "Tab", limit: float) -> Load:
    """Wait for the page that the tab is loading, if any, for at most ``limit`` seconds.

    After a stall or a timeout the page no longer counts as loading, so that later calls do not wait for it again.
    """
    if tab.context not in tab.loading:
        return Load.LOADED
    watch = StallWatch(tab)
    end = trio.current_time() + limit
    while True:
        with trio.move_on_at(min(end, trio.current_time() + POLL)):
            while tab.context in tab.loading and not tab.is_stopped:
                await tab.activity.park()
            return Load.LOADED
        if trio.current_time() >= end:
            tab.count_as_loaded()
            return Load.LATE
        if await watch.has_stalled():
            tab.count_as_loaded()
            return Load.STALLED


def unfinished_parts(tab: "Tab", cause: Cause) -> list[Unfinished]:
    """Return the pending requests of a page as unfinished items with a cause; a single unnamed item if there are none.

    The requests are those since the page began to load.
    """
    parts = tab.requests.pending_since(tab.page_start)
    names = [Unfinished(cause, f"{part.method} {part.url}") for part in parts]
    return names or [Unfinished(cause)]
