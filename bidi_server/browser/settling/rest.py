"""The wait until a page is settled: its requests, loads, scripts and animations are over.

There are no fixed sleeps. The browser's events and an observer in the page show when the page is quiet.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Literal

import trio

from bidi_server.bidi.browsing_context import GetTree
from bidi_server.bidi.errors import BidiError
from bidi_server.bidi.input import FileDialogOpened
from bidi_server.browser.actions.action import QUIET, Action
from bidi_server.browser.actions.actionable import waited_until
from bidi_server.browser.console.messages import Message
from bidi_server.browser.loading.document_request import destination, stop_unanswered
from bidi_server.browser.loading.page_load import Load, unfinished_parts, wait_loaded
from bidi_server.browser.loading.unfinished import Cause, Unfinished
from bidi_server.browser.network.requests import Request
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError, Question, read_answer
from bidi_server.browser.snapshot.model import DEFAULT_OPTIONS, Snapshot
from bidi_server.browser.snapshot.take import Walk, read_walk, take_snapshot
from bidi_server.browser.tab.dialogs import AnsweredDialog
from bidi_server.browser.tab.downloads import Download
from bidi_server.browser.tab.tab import LEAVE_TIMEOUT, Committed, CutShort, Navigated, Opened, Refused, Tab
from bidi_server.browser.words import describe
from bidi_server.errors import ElementNotActionableError
from bidi_server.page.api import Settled
from drivers.json_values import objects

DOUBT = 0.15
"""Like `QUIET`, for an action without a visible effect in a browser that reports requests late; in seconds.

Also used after the requests of a worker that has not answered a message.
"""

_FIELDS = {"textbox", "searchbox", "spinbutton"}
"""Roles of elements that are expected only to get the focus when they are clicked."""

LATE_ANSWERS = 3
"""Maximum number of times to read the page again because a request ended just after it was read."""

CEILING = 5.0
"""Maximum time to wait after an action for its requests, changes and animations, in seconds.

Effects that are still under way then are reported as unfinished.
"""

BUSY_TIMEOUT = 2.0
"""Timeout for the snapshot of a page that has not settled in time, in seconds."""

MOST_PAGES = 20
"""Maximum number of successive navigations to wait for when pages navigate by themselves."""

_SHOWN = (Request, Message, Navigated, Download, Opened, FileDialogOpened, AnsweredDialog, Refused)
"""Entries of a tab's journal that are effects of an action."""


class Rest:
    """One wait until the page is settled after an action. What it found out is in its attributes then."""

    def __init__(
        self, tab: Tab, action: Action[object] | None, cursor: int, navigation_limit: float, *, walks: bool
    ) -> None:
        self.tab = tab
        self.action = action
        self.cursor = cursor
        """Cursor of the tab's journal before the action."""
        self.walks = walks
        """Whether a snapshot is wanted."""
        self.unfinished: list[Unfinished] = []
        self.missed = ""
        self.unclicked = False
        self.snapshot: Snapshot | None = None
        self.waited = False
        """Whether there was anything to wait for besides the load of the page."""
        self.navigation_limit = navigation_limit
        self.ceiling = trio.current_time() + CEILING
        self.quirks = tab.shared.quirks
        self.quiet = self.quirks.quiet(action.quiet if action else QUIET)
        self.late_answers = 0
        self.told_by = 0.0
        """Deadline for the browser to report the page's requests, on trio's clock; 0 before the wait for them."""
        self.doubts: Literal["not yet", "now", "no more"] = "not yet"
        """Whether to observe the page once more when the action seems to have had no effect."""
        self.kept = False
        """Whether our script in the page blocked the press because the pointer met something other than its element."""
        self.repeated_until = waited_until(tab)
        self.of_workers = False
        """Whether to wait for the requests of workers too, because a message to one has not been answered."""

    async def wait(self, frame: Frame) -> None:
        """Wait until the page is settled, and take its snapshot."""
        tab = self.tab
        last = trio.current_time() + self.navigation_limit + CEILING
        while not tab.is_stopped:
            if trio.current_time() > last or len(tab.journal.since(self.cursor, Navigated)) > MOST_PAGES:
                self.unfinished.append(Unfinished(Cause.PAGES))
                await self.snapshot_as_it_is()
                return
            if tab.context in tab.loading:
                if not await self._loaded():
                    return
                continue
            if await self._still_pending():
                continue
            try:
                if await self._page_at_rest(frame) and not await self._performed_again():
                    return
            except FrameGoneError:
                # The events of the new document follow. Until they arrive there is no document to call.
                with trio.move_on_after(QUIET):
                    await tab.activity.park()
                frame = tab.main
            except BidiError as error:
                self.unfinished.append(Unfinished(Cause.UNREADABLE, error.first_line))
                return

    async def _loaded(self) -> bool:
        """Wait for the page that the tab is loading. Return False if it stalls or takes too long."""
        match await wait_loaded(self.tab, self.navigation_limit):
            case Load.LOADED:
                self.ceiling = max(self.ceiling, trio.current_time() + QUIET)
                return True
            case Load.STALLED:
                self.unfinished += unfinished_parts(self.tab, Cause.STALLED)
            case Load.LATE:
                stopped = await stop_unanswered(self.tab, self.cursor)
                late = [Unfinished(Cause.NO_ANSWER)] if stopped else unfinished_parts(self.tab, Cause.LOADING)
                self.unfinished += late
        await self.snapshot_as_it_is()
        return False

    async def snapshot_as_it_is(self) -> None:
        """Take the snapshot of a page that is not settled. If there is none, ``unfinished`` says why."""
        tab = self.tab
        reason: Unfinished | None = Unfinished(Cause.SCRIPT)
        with trio.move_on_after(BUSY_TIMEOUT), tab.interruptible():
            while self.snapshot is None:
                try:
                    self.snapshot = await take_snapshot(tab)
                except (FrameGoneError, BidiError) as error:
                    # The old document may be gone while the browser has not reported one that hangs from its start.
                    reason = Unfinished(Cause.UNREADABLE, error.first_line) if isinstance(error, BidiError) else None
                    with trio.move_on_after(QUIET):
                        await tab.activity.park()
        tab.hangs = self.snapshot is None and not tab.is_stopped
        if tab.hangs and reason is not None:
            self.unfinished.append(reason)

    def _pending(self) -> list[Unfinished]:
        tab = self.tab
        opened = [entry.tab for entry in tab.journal.since(self.cursor, Opened)]
        named = {
            Cause.REQUEST: [f"{each.method} {each.url}" for each in self._requests()],
            Cause.FRAME: [tab.frames[context].url for context in tab.loading if context in tab.frames],
            Cause.TAB: [destination(each) for each in opened if each.is_under_way],
            Cause.DOWNLOAD: [each.name for each in tab.downloads.running_since(self.cursor)],
        }
        return [Unfinished(cause, name) for cause, names in named.items() for name in names]

    def _requests(self) -> list[Request]:
        return self.tab.requests.pending_since(self.cursor, of_workers=self.of_workers)

    async def _still_pending(self) -> bool:
        """Wait for a change while something is in flight. Return False if nothing is, or at the ceiling."""
        pending = self._pending()
        if not pending:
            return False
        with trio.move_on_at(self.ceiling) as scope:
            await self.tab.activity.park()
        self.waited = True
        if scope.cancelled_caught:
            self.unfinished = pending
            return False
        return True

    async def _page_at_rest(self, frame: Frame) -> bool:
        """Wait in the page until it is quiet, and take its snapshot. Return False if there is more to wait for."""
        tab = self.tab
        remaining = max(self.ceiling - trio.current_time(), QUIET)
        fresh = tab.journal.grown_since(self.cursor, Committed) and not self.waited
        quiet = self.quiet
        if self.doubts == "now":
            quiet, self.doubts = max(quiet, DOUBT), "no more"
        rest = {
            "quiet": quiet * 1000,
            "ceiling": remaining * 1000,
            "plain": fresh or (self.action is not None and self.action.scripts_only),
            "late": self.quirks.quiet_with_worker * 1000,
            "frame": self.quirks.frame_within * 1000,
        }
        self.waited = True
        asked = monotonic()
        with tab.interruptible(by_navigation=True) as scope, trio.move_on_after(remaining + CEILING) as hung:
            inner: Settled | None = None
            if frame is not tab.main and frame.context in tab.frames:
                inner = await frame.ask(Settled, "settle", rest)
                self._missed(inner)
                rest["quiet"] = 0
            state, walk = await self._settled_page(rest)
            self._missed(state)
            since = (inner or state).since
            if state.leaving and await leaves(tab, self.cursor):
                return False
            if self.quirks.tells_late and await self._told_more(state, inner or state):
                return False
            states = [state] if inner is None else [state, inner]
            unanswered = _messengers(name for each in states for name in each.unanswered)
            silent = _messengers(name for each in states for name in each.silent)
            self.of_workers = self.of_workers or bool(unanswered)
            if not self.unfinished and (tab.context in tab.loading or self._pending()):
                self.quiet = max(self.quiet, DOUBT) if unanswered else self.quiet
                return False
            if since is not None and not state.cut and self._answered_since(asked + since / 1000):
                return False
            if state.cut:
                self.unfinished.append(Unfinished(Cause(state.cut)))
            if walk is not None:
                self.snapshot = await take_snapshot(tab, first=walk)
            self.unfinished += unanswered
            if silent and self._seems_effectless():
                self.unfinished += silent
            if since is not None and self._is_doubtful():
                self.doubts = "now"
                return False
            return True
        if hung.cancelled_caught and not scope.cancelled_caught:
            self.unfinished.append(Unfinished(Cause.SCRIPT))
            tab.hangs = True
            return True
        return False

    async def _settled_page(self, rest: Mapping[str, float]) -> tuple[Settled, Walk | None]:
        """Return the state of the main frame once it is quiet, and its walk if a snapshot is wanted."""
        main = self.tab.main
        if not self.walks:
            return await main.ask(Settled, "settle", rest), None
        value = await main.call("settleAndWalk", rest, DEFAULT_OPTIONS.wire(main))
        state, *walk = objects(value.value)
        return read_answer(Settled, str(state["value"])), read_walk(walk)

    async def _told_more(self, *states: Settled) -> bool:
        """Wait until the browser has reported the requests that frames have made, or until a deadline.

        Return True if reports arrived during the wait, so that there may be more to wait for; False if no report was
        missing, or if some were still missing at the deadline.
        """
        tab = self.tab
        asked = {url for state in states for url in state.asked if url.startswith("http")}
        if not asked and all(state.since is None for state in states):
            return False  # nothing in the page can have made a request
        # Firefox reports requests from its main process: a round trip lets it get to those that the page has made.
        await tab.connection.send(GetTree(root=tab.context, max_depth=0))
        if self.unfinished:
            return False

        def untold() -> set[str]:
            told = {each.url.partition("#")[0] for each in tab.requests.all.since(self.cursor)}
            return {url for url in asked if url.partition("#")[0] not in told}

        if not untold():
            return False
        served = any(state.served for state in states)
        self.told_by = self.told_by or (self.ceiling if served else trio.current_time() + self.quirks.told_within)
        with trio.move_on_at(min(self.told_by, self.ceiling)):
            while untold() and not tab.is_stopped:
                await tab.activity.park()
            return True
        if served:
            self.unfinished += [Unfinished(Cause.REQUEST, url) for url in sorted(untold())]
        return False

    def _answered_since(self, time: float) -> bool:
        """Whether a request ended after a time of `monotonic`, so that its effect may be missing from the snapshot.

        True at most `LATE_ANSWERS` times.
        """
        if self.unfinished or not self.tab.requests.ended_since(self.cursor, time):
            return False
        self.late_answers += 1
        return self.late_answers <= LATE_ANSWERS

    def _is_doubtful(self) -> bool:
        """Whether the action seems to have had no effect, but the browser may not have reported it yet."""
        if not self.quirks.tells_late or self.doubts != "not yet" or self.unfinished or self.missed:
            return False
        found = self.action.element if self.action else None
        if found is not None and found.info.get("role") in _FIELDS:
            return False
        return self._seems_effectless()

    def _seems_effectless(self) -> bool:
        """Whether no effect of the action is known: neither the logs nor the snapshot have changed."""
        seen = self.tab.view.seen
        if seen is None or self.snapshot is None or self.tab.journal.grown_since(self.cursor, *_SHOWN):
            return False
        return seen.shows_what(self.snapshot)

    def _missed(self, state: Settled) -> None:
        if state.unclicked:
            self.unclicked = True
        elif state.missed:
            element = self.action.element if self.action else None
            shows_refs = element is None or element.shows_refs
            self.missed = describe(state.missed if shows_refs else {**state.missed, "ref": ""})
            self.kept = state.kept

    async def _performed_again(self) -> bool:
        """Repeat the action if its press was blocked: now the pointer is in place and the page is settled.

        Return whether it was repeated. Raises `ElementNotActionableError` when the time to wait for the element is
        over, and `DeadlineError` if the action times out.
        """
        tab, action = self.tab, self.action
        if not self.kept or action is None or action.again is None or tab.journal.grown_since(self.cursor, Committed):
            return False
        if trio.current_time() > self.repeated_until:
            raise ElementNotActionableError(
                f"Where {action.element} was, the pointer met {self.missed}; nothing was clicked.",
                "Act on that instead, or do first what keeps the element where it is.",
            )
        self.kept, self.missed, self.snapshot, self.unfinished = False, "", None, []
        with trio.move_on_after(tab.limits.action) as deadline, tab.interruptible():
            await (await action.again()).perform()
        if deadline.cancelled_caught and not tab.is_stopped:
            raise await tab.unresponsive(tab.limits.action)
        self.ceiling = trio.current_time() + CEILING
        return True

    async def left(self, loading: str | None, question: Question) -> bool:
        """Whether the action has begun to load a page. ``loading`` is the navigation that was under way before it.

        The ``question`` may have been sent right after the action's command. It is forgotten here.
        """
        tab = self.tab
        # The page may have left before the action ended. That does not count if the action was that navigation.
        since = self.cursor if question.was_asked else tab.journal.cursor()
        leaving = None
        with trio.move_on_after(LEAVE_TIMEOUT), tab.interruptible(), suppress(BidiError):
            try:
                # The page knows of the navigation a moment before the browser reports it.
                if not await question.is_denied():
                    leaving = (await tab.main.call("takeLeaving")).value
            except FrameGoneError:
                return True
            finally:
                question.forget()
        begun = tab.journal.grown_since(since, Committed) or tab.loading.get(tab.context, loading) != loading
        return begun or (leaving is not None and await leaves(tab, self.cursor))


async def leaves(tab: Tab, cursor: int) -> bool:
    """Wait for the navigation that the page has announced. Return False if it does not begin.

    It may have ended by then, or become a download, which count as a beginning after the cursor of the tab's journal.
    """
    with trio.move_on_after(LEAVE_TIMEOUT):
        while not tab.is_stopped:
            if tab.context in tab.loading or tab.journal.grown_since(cursor, Download, CutShort, Refused):
                return True
            await tab.activity.park()
        return True
    return False


def _messengers(names: Iterable[str]) -> list[Unfinished]:
    """Return the workers and servers of these names, whose answers frames still wait for."""
    return [Unfinished(Cause.MESSAGE, name) for name in dict.fromkeys(names)]
