"""Settling: wait until the effects of an action are over, and collect them.

There are no fixed sleeps. The browser's events and an observer in the page show when the page is quiet.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Literal, cast

import trio

from bidi_server.bidi.browsing_context import Activate, GetTree
from bidi_server.bidi.errors import BidiError
from bidi_server.browser.actions.actionable import waited_until
from bidi_server.browser.actions.receipt import QUIET, Receipt
from bidi_server.browser.loading.document_request import destination, stop_unanswered
from bidi_server.browser.loading.page_load import Load, unfinished_parts, wait_loaded
from bidi_server.browser.loading.unfinished import Cause, Unfinished
from bidi_server.browser.machine_load import is_busy
from bidi_server.browser.network.requests import Request
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError, Question, read_answer
from bidi_server.browser.snapshot.model import DEFAULT_OPTIONS, Snapshot
from bidi_server.browser.snapshot.take import Walk, read_walk, take_snapshot
from bidi_server.browser.tab.tab import LEAVE_TIMEOUT, PageStart, Tab
from bidi_server.browser.words import describe
from bidi_server.errors import ElementNotActionableError
from bidi_server.page.api import Settled

if TYPE_CHECKING:
    from bidi_server.bidi.script import RemoteValue

BUSY_QUIET = 0.12
"""Like `QUIET`, for a browser that reports requests late, on a busy machine; in seconds."""

DOUBT = 0.15
"""Like `QUIET`, for an action without a visible effect in a browser that reports requests late; in seconds.

Also used after the requests of a worker that has not answered a message.
"""

_FIELDS = {"textbox", "searchbox", "spinbutton"}
"""Roles of elements that are expected only to get the focus when they are clicked."""

TOLD = 0.5
"""Timeout for a browser that reports late to report a request, in seconds.

Six instances of Firefox on two processors needed 0.13 s.
"""

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

Until = Literal["rest", "load", "done"]
"""The end of a wait.

"rest": until the page is settled. "load": the same, but only if the action has begun to load a page. "done": until the
action itself ends.
"""


@dataclass(frozen=True, slots=True)
class _Marks:
    """Cursors of the tab's logs, taken before the action."""

    requests: int
    console: int
    navigations: int
    downloads: int
    opened: int
    file_dialogs: int
    answered: int
    refused: int
    page_start: PageStart

    @classmethod
    def of(cls, tab: Tab) -> "_Marks":
        return cls(
            requests=tab.requests.all.mark(),
            console=tab.console.messages.mark(),
            navigations=tab.navigations.mark(),
            downloads=tab.downloads.all.mark(),
            opened=tab.opened.mark(),
            file_dialogs=tab.file_dialogs.mark(),
            answered=tab.dialogs.answered.mark(),
            refused=tab.refused.mark(),
            page_start=tab.page_start,
        )


@asynccontextmanager
async def settled(
    tab: Tab,
    limit: float | None = None,
    *,
    navigation: float | None = None,
    until: Until = "rest",
    through_dialog: bool = False,
    snapshot: bool = True,
) -> AsyncGenerator[Receipt]:
    """Run an action, then wait until its effects are over. The receipt is complete after the block.

    The timeout of the action is ``limit``, and that of a page that it loads is ``navigation``, both in seconds; the
    defaults are the tab's timeouts. Set ``through_dialog`` for an action that closes a dialog. Unless ``snapshot`` is
    set, the receipt of a settled page has no snapshot. Raises `DialogOpenError` if a dialog is already open,
    `DeadlineError` if the action times out, and `BrowserUnavailableError` if the page has crashed.
    """
    tab.check_alive()
    if not through_dialog:
        tab.dialogs.check_none()
    limit = limit or tab.limits.action
    marks = _Marks.of(tab)
    tab.acted = marks.navigations
    loading = tab.loading.get(tab.context)
    question = Question(tab.main) if until == "load" else None
    receipt = Receipt(leaving=question)
    gone = False
    try:
        with trio.move_on_after(limit) as deadline, nullcontext() if through_dialog else tab.interruptible():
            try:
                yield receipt
            except FrameGoneError:
                gone = True
        if deadline.cancelled_caught and not tab.is_stopped:
            raise await tab.unresponsive(limit)
        await _stay_in_front(tab, marks)
        rest = _Rest(tab, marks, receipt, navigation or tab.limits.navigation, walks=snapshot)
        if receipt.unfinished:
            await rest.snapshot_as_it_is()
        elif until == "rest" or (question is not None and (gone or await rest.left(loading, question))):
            await rest.wait(receipt.found.frame if receipt.found else tab.main)
    except trio.Cancelled:
        if tab.context in tab.loading:
            await stop_unanswered(tab, marks.requests)
        raise
    tab.check_alive()
    _fill(receipt, tab, marks)


async def look(tab: Tab, take: Callable[[], Awaitable[Snapshot]]) -> Snapshot:
    """Take a snapshot of the page, or of the next page if this one is leaving. Raises the errors of `Tab.ask`."""
    await wait_loaded(tab, tab.limits.action)
    downloads = tab.downloads.all.mark()
    snapshot = await tab.ask(take)
    if snapshot.leaving and await _leaves(tab, downloads):
        await wait_loaded(tab, tab.limits.action)
        snapshot = await tab.ask(take)
    return snapshot


async def _leaves(tab: Tab, downloads: int) -> bool:
    """Wait for the navigation that the page has announced. Return False if it does not begin.

    It may become a download, which counts as a beginning.
    """
    with trio.move_on_after(LEAVE_TIMEOUT):
        while not tab.is_stopped:
            if tab.context in tab.loading or tab.downloads.all.mark() > downloads:
                return True
            await tab.activity.park()
        return True
    return False


async def _stay_in_front(tab: Tab, marks: _Marks) -> None:
    """Bring the tab back to the front if the action opened another: browsers throttle pages in the background."""
    if tab.opened.mark() > marks.opened and not tab.is_stopped:
        for opened in tab.opened.since(marks.opened):
            await opened.begins()
        with trio.move_on_after(LEAVE_TIMEOUT), tab.interruptible(), suppress(BidiError):
            await tab.connection.send(Activate(context=tab.context))


def _fill(receipt: Receipt, tab: Tab, marks: _Marks) -> None:
    receipt.navigated = tab.navigations.since(marks.navigations)
    receipt.dialog = tab.dialogs.open
    receipt.answered = tab.dialogs.answered.since(marks.answered)
    receipt.opened = [opened for opened in tab.opened.since(marks.opened) if not opened.closed]
    refused = [*tab.refused.since(marks.refused), *(url for opened in receipt.opened for url in opened.refused)]
    receipt.refused = list(dict.fromkeys(refused))
    receipt.downloads = tab.downloads.all.since(marks.downloads)
    receipt.console = [message for message in tab.console.messages.since(marks.console) if message.level == "error"]
    receipt.file_dialog = tab.file_dialogs.mark() > marks.file_dialogs
    receipt.closed = tab.closed


class _Rest:
    """One wait until the page is settled."""

    def __init__(self, tab: Tab, marks: _Marks, receipt: Receipt, navigation_limit: float, *, walks: bool) -> None:
        self.tab = tab
        self.walks = walks
        self.waited = False
        """Whether there was anything to wait for besides the load of the page."""
        self.marks = marks
        self.receipt = receipt
        self.navigation_limit = navigation_limit
        self.ceiling = trio.current_time() + CEILING
        self.tells_late = not tab.shared.has_cdp
        """Whether the browser reports requests a moment after they began, as Firefox's main process does."""
        self.quiet = max(receipt.quiet, BUSY_QUIET if self.tells_late and is_busy() else QUIET)
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
            if trio.current_time() > last or tab.navigations.mark() - self.marks.navigations > MOST_PAGES:
                self.receipt.unfinished.append(Unfinished(Cause.PAGES))
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
                self.receipt.unfinished.append(Unfinished(Cause.UNREADABLE, error.first_line))
                return

    async def _loaded(self) -> bool:
        """Wait for the page that the tab is loading. Return False if it stalls or takes too long."""
        match await wait_loaded(self.tab, self.navigation_limit):
            case Load.LOADED:
                self.ceiling = max(self.ceiling, trio.current_time() + QUIET)
                return True
            case Load.STALLED:
                self.receipt.unfinished += unfinished_parts(self.tab, Cause.STALLED)
            case Load.LATE:
                stopped = await stop_unanswered(self.tab, self.marks.requests)
                late = [Unfinished(Cause.NO_ANSWER)] if stopped else unfinished_parts(self.tab, Cause.LOADING)
                self.receipt.unfinished += late
        await self.snapshot_as_it_is()
        return False

    async def snapshot_as_it_is(self) -> None:
        """Take the snapshot of a page that is not settled. If there is none, the receipt says why."""
        tab = self.tab
        reason: Unfinished | None = Unfinished(Cause.SCRIPT)
        with trio.move_on_after(BUSY_TIMEOUT), tab.interruptible():
            while self.receipt.snapshot is None:
                try:
                    self.receipt.snapshot = await take_snapshot(tab)
                except (FrameGoneError, BidiError) as error:
                    # The old document may be gone while the browser has not reported one that hangs from its start.
                    reason = Unfinished(Cause.UNREADABLE, error.first_line) if isinstance(error, BidiError) else None
                    with trio.move_on_after(QUIET):
                        await tab.activity.park()
        tab.hangs = self.receipt.snapshot is None and not tab.is_stopped
        if tab.hangs and reason is not None:
            self.receipt.unfinished.append(reason)

    def _pending(self) -> list[Unfinished]:
        tab, marks = self.tab, self.marks
        named = {
            Cause.REQUEST: [f"{each.method} {each.url}" for each in self._requests()],
            Cause.FRAME: [tab.frames[context].url for context in tab.loading if context in tab.frames],
            Cause.TAB: [destination(each) for each in tab.opened.since(marks.opened) if each.is_under_way],
            Cause.DOWNLOAD: [each.name for each in tab.downloads.running_since(marks.downloads)],
        }
        return [Unfinished(cause, name) for cause, names in named.items() for name in names]

    def _requests(self) -> list[Request]:
        return self.tab.requests.pending_since(self.marks.requests, of_workers=self.of_workers)

    async def _still_pending(self) -> bool:
        """Wait for a change while something is in flight. Return False if nothing is, or at the ceiling."""
        pending = self._pending()
        if not pending:
            return False
        with trio.move_on_at(self.ceiling) as scope:
            await self.tab.activity.park()
        self.waited = True
        if scope.cancelled_caught:
            self.receipt.unfinished = pending
            return False
        return True

    async def _page_at_rest(self, frame: Frame) -> bool:
        """Wait in the page until it is quiet, and take its snapshot. Return False if there is more to wait for."""
        tab = self.tab
        remaining = max(self.ceiling - trio.current_time(), QUIET)
        fresh = tab.page_start is not self.marks.page_start and not self.waited
        quiet = self.quiet
        if self.doubts == "now":
            quiet, self.doubts = max(quiet, DOUBT), "no more"
        rest = {"quiet": quiet * 1000, "ceiling": remaining * 1000, "plain": fresh or self.receipt.plain}
        self.waited = True
        asked = monotonic()
        with tab.interruptible(by_navigation=True) as scope, trio.move_on_after(remaining + CEILING) as hung:
            inner: Settled | None = None
            if frame is not tab.main and frame.context in tab.frames:
                inner = await frame.ask(Settled, "act.settle", rest)
                self._missed(inner)
                rest["quiet"] = 0
            state, walk = await self._settled_page(rest)
            self._missed(state)
            since = (inner or state).since
            if state.leaving and await _leaves(tab, self.marks.downloads):
                return False
            if self.tells_late and await self._told_more(state, inner or state):
                return False
            states = [state] if inner is None else [state, inner]
            unanswered = _messengers(name for each in states for name in each.unanswered)
            silent = _messengers(name for each in states for name in each.silent)
            self.of_workers = self.of_workers or bool(unanswered)
            if not self.receipt.unfinished and (tab.context in tab.loading or self._pending()):
                self.quiet = max(self.quiet, DOUBT) if unanswered else self.quiet
                return False
            if since is not None and not state.cut and self._answered_since(asked + since / 1000):
                return False
            if state.cut:
                self.receipt.unfinished.append(Unfinished(Cause(state.cut)))
            if walk is not None:
                self.receipt.snapshot = await take_snapshot(tab, first=walk)
            self.receipt.unfinished += unanswered
            if silent and self._seems_effectless():
                self.receipt.unfinished += silent
            if since is not None and self._is_doubtful():
                self.doubts = "now"
                return False
            return True
        if hung.cancelled_caught and not scope.cancelled_caught:
            self.receipt.unfinished.append(Unfinished(Cause.SCRIPT))
            tab.hangs = True
            return True
        return False

    async def _settled_page(self, rest: Mapping[str, float]) -> tuple[Settled, Walk | None]:
        """Return the state of the main frame once it is quiet, and its walk if a snapshot is wanted."""
        main = self.tab.main
        if not self.walks:
            return await main.ask(Settled, "act.settle", rest), None
        value = await main.call("settleAndWalk", rest, DEFAULT_OPTIONS.wire(main))
        answer = cast("list[dict[str, object]]", value.value)
        state = read_answer(Settled, answer[0]["value"])
        return state, read_walk(cast("list[RemoteValue | dict[str, object]]", answer[1:]))

    async def _told_more(self, *states: Settled) -> bool:
        """Wait until the browser has reported the requests that frames have made, or until a deadline.

        Return True if reports arrived during the wait, so that there may be more to wait for; False if no report was
        missing, or if some were still missing at the deadline.
        """
        tab = self.tab
        # Firefox reports requests from its main process: a round trip lets it get to those that the page has made.
        await tab.connection.send(GetTree(root=tab.context, max_depth=0))
        if self.receipt.unfinished:
            return False
        asked = {url for state in states for url in state.asked if url.startswith("http")}

        def untold() -> set[str]:
            told = {each.url.partition("#")[0] for each in tab.requests.all.since(self.marks.requests)}
            return {url for url in asked if url.partition("#")[0] not in told}

        if not untold():
            return False
        served = any(state.served for state in states)
        self.told_by = self.told_by or (self.ceiling if served else trio.current_time() + TOLD)
        with trio.move_on_at(min(self.told_by, self.ceiling)):
            while untold() and not tab.is_stopped:
                await tab.activity.park()
            return True
        if served:
            self.receipt.unfinished += [Unfinished(Cause.REQUEST, url) for url in sorted(untold())]
        return False

    def _answered_since(self, time: float) -> bool:
        """Whether a request ended after a time of `monotonic`, so that its effect may be missing from the snapshot.

        True at most `LATE_ANSWERS` times.
        """
        if self.receipt.unfinished or not self.tab.requests.ended_since(self.marks.requests, time):
            return False
        self.late_answers += 1
        return self.late_answers <= LATE_ANSWERS

    def _is_doubtful(self) -> bool:
        """Whether the action seems to have had no effect, but the browser may not have reported it yet."""
        receipt = self.receipt
        if not self.tells_late or self.doubts != "not yet" or receipt.unfinished or receipt.missed:
            return False
        if receipt.found is not None and receipt.found.info.get("role") in _FIELDS:
            return False
        return self._seems_effectless()

    def _seems_effectless(self) -> bool:
        """Whether no effect of the action is known: neither the logs nor the snapshot have changed."""
        tab, receipt = self.tab, self.receipt
        if tab.seen is None or receipt.snapshot is None or _Marks.of(tab) != self.marks:
            return False
        return tab.seen.shows_what(receipt.snapshot)

    def _missed(self, state: Settled) -> None:
        if state.unclicked:
            self.receipt.unclicked = True
        elif state.missed:
            self.receipt.missed = describe(state.missed)
            self.kept = state.kept

    async def _performed_again(self) -> bool:
        """Repeat the action if its press was blocked: now the pointer is in place and the page is settled.

        Return whether it was repeated. Raises `ElementNotActionableError` when the time to wait for the element is
        over, and `DeadlineError` if the action times out.
        """
        receipt, tab = self.receipt, self.tab
        if not self.kept or receipt.again is None or tab.page_start is not self.marks.page_start:
            return False
        if trio.current_time() > self.repeated_until:
            raise ElementNotActionableError(
                f"Where {receipt.found} was, the pointer met {receipt.missed}; nothing was clicked.",
                "Act on that instead, or do first what keeps the element where it is.",
            )
        self.kept, receipt.missed, receipt.snapshot, receipt.unfinished = False, "", None, []
        with trio.move_on_after(tab.limits.action) as deadline, tab.interruptible():
            await receipt.again()
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
        start = self.marks.page_start if question.was_asked else tab.page_start
        leaving = None
        with trio.move_on_after(LEAVE_TIMEOUT), tab.interruptible(), suppress(BidiError):
            try:
                # The page knows of the navigation a moment before the browser reports it.
                if not await question.is_denied():
                    leaving = (await tab.main.call("act.takeLeaving")).value
            except FrameGoneError:
                return True
            finally:
                question.forget()
        begun = tab.page_start is not start or tab.loading.get(tab.context, loading) != loading
        return begun or (leaving is not None and await _leaves(tab, self.marks.downloads))


def _messengers(names: Iterable[str]) -> list[Unfinished]:
    """Return the workers and servers of these names, whose answers frames still wait for."""
    return [Unfinished(Cause.MESSAGE, name) for name in dict.fromkeys(names)]
