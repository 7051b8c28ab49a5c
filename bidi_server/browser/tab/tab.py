"""A tab: a top-level browsing context, its frames, and everything that the browser reports about them."""

import math
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import trio

from bidi_server.advice import Advice, Operation
from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi.connection import Connection, Sent
from bidi_server.bidi.errors import BidiError, ConnectionLostError, NoSuchAlertError
from bidi_server.bidi.input import FileDialogOpened
from bidi_server.bidi.log import EntryAdded
from bidi_server.bidi.network import BaseParameters, FetchError, ResponseCompleted
from bidi_server.bidi.script import EvaluateResult
from bidi_server.bidi.wire import Event
from bidi_server.browser.console.messages import Console, Message
from bidi_server.browser.journal import Journal
from bidi_server.browser.network.proxy import Failures
from bidi_server.browser.origin import origin_of
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError
from bidi_server.browser.tab.dialogs import Answer, AnsweredDialog, Dialog, Dialogs, handling, unasked
from bidi_server.browser.tab.downloads import Downloads
from bidi_server.browser.tab.state import Shared
from bidi_server.browser.tab.view import View
from bidi_server.browser.words import MAX_TITLE, clip
from bidi_server.errors import BrowserUnavailableError, DeadlineError
from bidi_server.page.api import Description

T = TypeVar("T")

CRASHED = "about:tabcrashed"
"""Start of the URL of the page that Firefox shows in place of a crashed one."""

LEAVE_TIMEOUT = 1.0
"""Timeout for the browser to report a navigation that the page has announced, in seconds."""

TO_FRONT = 1.0
"""Timeout for the browser to report that a tab is in front, in seconds.

Of 470 switches in three busy Firefoxes the slowest took 0.7 s, and half of them 0.03 s.
"""

ASKING = 0.1
"""Time between questions to a browser that tells only when it is asked, in seconds. WebKitGTK 2.50 answers in 8 ms."""

OPENING = 0.3
"""Timeout for a new tab to begin its first navigation, in seconds."""


@dataclass(frozen=True, slots=True)
class Navigated:
    """The main frame has navigated to a document or history entry of this URL."""

    url: str


@dataclass(frozen=True, slots=True)
class Located:
    """An element was found for a call."""

    target: str
    """The ref or the selector that named it."""
    info: Description
    frame: tuple[str, ...]
    """URLs of the frames that it is in, outermost first; empty in the main frame."""


@dataclass(frozen=True, slots=True)
class Committed:
    """The navigation of this ID has given the main frame a new document."""

    navigation: str
    wanted: str
    """The URL that it began for, before redirects; "" if unknown."""


@dataclass(frozen=True, slots=True)
class CutShort:
    """The main frame's navigation of this ID failed or was aborted before the document had loaded."""

    navigation: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A page of this URL was not opened because it is not allowed, for this reason."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class Opened:
    """The page has opened another tab."""

    tab: "Tab"


@dataclass(frozen=True, slots=True)
class SuspendedScript:
    """A script of the agent that a dialog blocks. ``sent`` is the command that runs it."""

    frame: Frame
    sent: Sent[EvaluateResult]
    script: str


class Tab:
    """One tab. Event handlers update it at once, without waiting for the browser."""

    def __init__(self, connection: Connection, created: bc.Info, shared: Shared) -> None:
        self.connection = connection
        self.shared = shared
        self.limits = shared.limits
        self.context = created.context
        self.opener = created.original_opener
        self.main = self._frame(created)
        self.frames: dict[str, Frame] = {created.context: self.main}
        self.journal = Journal()
        self.console = Console(self.journal)
        self.requests = shared.quirks.requests(self.journal)
        self.requests.failures = shared.entrance.failures if shared.entrance is not None else None
        self.downloads = Downloads(
            self.journal, shared.downloads, shared.budget, shared.node_files, shared.activity.unpark_all, shared.untold
        )
        for kind in (Navigated, Located, Committed, CutShort, Refused, Opened, AnsweredDialog, FileDialogOpened):
            self.journal.log(kind)
        self.dialogs = Dialogs()
        self.file_chooser: FileDialogOpened | None = None
        """The open file chooser."""
        self.committed: str | None = None
        """ID of the navigation that loaded the main frame's document."""
        self.loading: dict[str, str | None] = {}
        """Browsing contexts that are loading another document, each with the ID of its navigation."""
        self.closed = False
        self.hangs = False
        """Whether the page did not respond to the last query."""
        self.crashed = False
        self.trace_session = ""
        """DevTools session that records a trace of the tab; "" while none does."""
        self.view = View()
        self._suspended: SuspendedScript | None = None
        self.prepared = trio.Event()
        """Whether the engine has prepared the new tab."""
        self.page_start = 0
        """Cursor of the journal at the start of the current page."""
        self._starting: dict[str | None, tuple[int, str]] = {}
        """Cursor and URL of the last two navigations of the main frame, the newest first, by their IDs."""
        self.activity = shared.activity
        self._interrupts: dict[trio.CancelScope, bool] = {}

    @property
    def url(self) -> str:
        """The main document's URL."""
        return self.main.url

    @property
    def title(self) -> str:
        """The page's title in the snapshot that the agent saw last."""
        return self.view.seen.title if self.view.seen is not None else ""

    @property
    def is_stopped(self) -> bool:
        """Whether there is nothing to wait for: the tab is closed or has crashed, or a dialog is open."""
        return self.closed or self.crashed or self.dialogs.open is not None

    @property
    def is_under_way(self) -> bool:
        """Whether the tab is about to show another page: it is loading one, or leaving one that is not allowed."""
        return self.context in self.loading or bool(self.main.forbidden)

    def count_as_loaded(self) -> None:
        """Count the page as loaded although it is not, so that later calls do not wait for it again."""
        self.loading.pop(self.context, None)

    def check_alive(self) -> None:
        """Raise `BrowserUnavailableError` if the page has crashed."""
        if self.crashed:
            advice = Advice.of("Go on in a fresh tab: ", Operation.NAVIGATE, ".")
            raise BrowserUnavailableError("The page has crashed; it may have taken too much memory.", advice)

    @contextmanager
    def interruptible(self, *, by_navigation: bool = False) -> Generator[trio.CancelScope]:
        """Cancel the block when a dialog opens, or when the tab closes or crashes.

        With ``by_navigation``, also cancel it when the main frame navigates to another document. Until a dialog is
        handled, the browser may not answer at all.
        """
        with trio.CancelScope() as scope:
            if self.is_stopped:
                scope.cancel()
            self._interrupts[scope] = by_navigation
            try:
                yield scope
            finally:
                del self._interrupts[scope]

    async def to_front(self) -> None:
        """Bring the tab to the front of its window. Browsers throttle pages in the background.

        Firefox 153 brings it there and never replies if it was switched away a moment ago: it waits until the page that
        was in front is hidden, and that was never shown.
        """
        self.shared.quirks.focused = self.context
        with trio.move_on_after(TO_FRONT):
            await self.connection.send(bc.Activate(context=self.context))

    async def focus(self) -> None:
        """Give the tab the focus if another session's window has taken it, unless it is in the background.

        Without it pages hear no `focus` and `blur`, and nothing matches ``:focus-within``.
        """
        quirks = self.shared.quirks
        if quirks.shares_focus and quirks.focused != self.context == self.shared.active:
            with self.interruptible(), suppress(BidiError):
                await self.to_front()

    @property
    def latest_start(self) -> int:
        """Cursor at which the newest page began, which may not be shown yet."""
        return self._latest[0]

    @property
    def latest_url(self) -> str:
        """The URL at which the newest page began; "" if none has."""
        return self._latest[1]

    @property
    def _latest(self) -> tuple[int, str]:
        return next(iter(self._starting.values()), (self.page_start, ""))

    async def begins(self) -> None:
        """Wait until a popup begins to load its page. It is empty at first and navigates a moment later."""

        def is_empty() -> bool:
            refused = [entry.url for entry in self.journal.since(0, Refused)]
            return self.url in refused or (self.url == "about:blank" and not (self.loading or refused))

        with trio.move_on_after(OPENING):
            while is_empty():
                if self.closed:
                    return
                await self.activity.park()

    async def ask(self, question: Callable[[], Awaitable[T]], limit: float | None = None) -> T:
        """Return the page's answer to a query without side effects.

        If the document goes away meanwhile, the next one is queried. Raises `DialogOpenError` if a dialog is open or
        opens meanwhile, `DeadlineError` after ``limit`` seconds, and `BrowserUnavailableError` if the tab is closed or
        has crashed.
        """
        limit = limit or self.limits.action
        self.check_alive()
        self.dialogs.check_none()
        with trio.move_on_after(limit), self.interruptible():
            while True:
                try:
                    answer = await question()
                except FrameGoneError:
                    with trio.move_on_after(0.1):
                        await self.activity.park()
                else:
                    self.hangs = False
                    return answer
        self.check_alive()
        self.dialogs.check_none()
        if self.closed:
            raise BrowserUnavailableError("The tab was closed.", Advice.of("Open another: ", Operation.NAVIGATE, "."))
        raise await self.unresponsive(limit)

    def on_event(self, event: Event) -> None:
        """Handle an event of this tab or of one of its frames."""
        match event:
            case bc.NavigationInfo():
                self._on_navigation(event)
            case bc.HistoryUpdated():
                self._moved(event.context, event.url)
                self.requests.stay(event.context)
            case bc.UserPromptOpened():
                self._on_dialog(event)
            case bc.UserPromptClosed():
                self.dialogs.remove_first_of(event.context)
            case FileDialogOpened():
                self.journal.add(event)
                self.file_chooser = event
            case _:
                pass
        self.activity.unpark_all()

    def on_request(self, event: BaseParameters, *, by_worker: bool) -> None:
        """Record an event of a request."""
        self.requests.record(event, by_worker=by_worker)
        if self.shared.entrance is not None and isinstance(event, FetchError | ResponseCompleted):
            self._note_refusal(event, self.shared.entrance.failures)
        self.activity.unpark_all()

    def _note_refusal(self, event: BaseParameters, failures: Failures) -> None:
        """Record that --egress did not allow a page."""
        request = self.requests.by_id.get(event.request.request)
        if request is not None and request.reason and request.navigation is not None and request.frame == self.context:
            failure = failures.of(request.url)
            if failure is not None and failure.is_refusal:
                self.journal.add(Refused(request.url, failure.reason))

    def on_refusal(self, event: BaseParameters, reason: str) -> None:
        """Record the blocked request of a page that is not allowed.

        Firefox does not report that it has ended, so the page counts as no longer loading.
        """
        self.journal.add(Refused(event.request.url, reason))
        if event.context is not None and self.loading.get(event.context) == event.navigation:
            del self.loading[event.context]
        self.activity.unpark_all()

    def on_log(self, event: EntryAdded, origin: str) -> None:
        """Record a console message. ``origin`` is the kind of realm that printed it: the page or a type of worker."""
        message = self.console.record(event, origin)
        self.shared.quirks.printed(event, message, self.console)
        if event.type != "console":
            self.requests.printed(event.text or "")
        self.activity.unpark_all()

    def add_message(self, message: Message) -> None:
        """Record a console message that the browser has reported in another way."""
        self.console.add(message)
        self.activity.unpark_all()

    def add_frame(self, created: bc.Info) -> None:
        """Add a new child frame."""
        self.frames[created.context] = self._frame(created)

    def _frame(self, created: bc.Info) -> Frame:
        return Frame(self.connection, created.context, created.parent, created.url, self.shared.frame_options)

    def remove_frame(self, context: str) -> None:
        """Remove a frame that is gone, or close the tab if it is the tab's own browsing context."""
        self.frames.pop(context, None)
        self.loading.pop(context, None)
        self.requests.forget_frame(context)
        self.dialogs.remove_all_of(context)
        if context == self.context:
            self.close()
        self.activity.unpark_all()

    def close(self) -> None:
        """Mark the tab as closed, and interrupt everything that waits for it."""
        self.closed = True
        self.suspend(None)
        self.dialogs.clear()
        self._interrupt(navigation=False)
        self.activity.unpark_all()

    def crash(self) -> None:
        """Mark the page as crashed, and interrupt everything that waits for it."""
        self.crashed = self.hangs = True
        self.dialogs.clear()
        self.loading.clear()
        self._interrupt(navigation=False)
        self.activity.unpark_all()

    def _on_navigation(self, event: bc.NavigationInfo) -> None:
        match event:
            case bc.NavigationStarted():
                self._on_start(event)
            case bc.NavigationCommitted():
                self._on_commit(event)
            case bc.FragmentNavigated():
                self._moved(event.context, event.url)
                self.requests.stay(event.context)
            case bc.Load():
                self._on_load(event)
            case bc.DownloadWillBegin():
                self.downloads.begun(event)
                self._stopped(event)
            case bc.DownloadEnd():
                self.downloads.ended(event)
            case bc.NavigationFailed() | bc.NavigationAborted():
                if event.context == self.context:
                    self.journal.add(CutShort(event.navigation or ""))
                self._stopped(event)
            case bc.DomContentLoaded() if event.url.startswith("about:"):
                self._stopped(event)  # Firefox 153 reports no load event for its error pages
            case _:
                pass

    def _on_start(self, event: bc.NavigationStarted) -> None:
        self._visits(event.url)
        self.loading[event.context] = event.navigation
        if event.context == self.context:
            # The page before may be on its way too: pages go on by themselves while another one is asked for.
            before = {key: began for key, began in islice(self._starting.items(), 1) if key != event.navigation}
            self._starting = {event.navigation: (self.journal.cursor(), event.url), **before}
            if not self.shared.quirks.replies_while_leaving:
                self._interrupt(navigation=True)

    def _on_commit(self, event: bc.NavigationCommitted) -> None:
        context = event.context
        frame = self.frames.get(context)
        self.requests.leave(context, frame.url if frame is not None else "about:blank", event)
        self._moved(context, event.url)
        self.loading.setdefault(context, event.navigation)
        if context == self.context:
            self.committed = event.navigation
            self.page_start, wanted = self._starting.get(event.navigation, (self.page_start, ""))
            self.journal.add(Committed(event.navigation or "", wanted))
            self.file_chooser = None
            self._interrupt(navigation=True)
            if event.url.startswith(CRASHED):
                self.crash()

    def _on_load(self, event: bc.Load) -> None:
        context = event.context
        frame = self.frames.get(context)
        if frame is not None and frame.url == "about:blank" != event.url:
            self._moved(context, event.url)  # Chromium 156 does not report the first commit in a new tab
        # A load that belongs to an earlier document must not end the wait for the next one.
        if event.navigation is None or self.loading.get(context, event.navigation) == event.navigation:
            self.loading.pop(context, None)

    def _stopped(self, event: bc.NavigationInfo) -> None:
        if event.navigation is not None and self.loading.get(event.context) == event.navigation:
            del self.loading[event.context]

    async def locate(self) -> None:
        """Ask the browser for the tab's URL, and record a navigation if it has changed.

        Firefox 153 sends no event when the history goes from ``/#part`` to ``/`` in the same document.
        """
        tree = await self.connection.send(bc.GetTree(root=self.context, max_depth=0))
        if tree.contexts and tree.contexts[0].url != self.url:
            self._moved(self.context, tree.contexts[0].url)

    async def catch_up(self) -> None:
        """Hear of what the page has done, if the browser tells it only when it is asked."""
        if self.shared.quirks.tells_when_asked:
            with suppress(BidiError, ConnectionLostError):
                await self.locate()

    async def wait_for_news(self) -> None:
        """Wait until something may have happened in the tab."""
        with trio.move_on_after(ASKING if self.shared.quirks.tells_when_asked else math.inf) as turn:
            await self.activity.park()
        if turn.cancelled_caught:
            await self.catch_up()

    def _moved(self, context: str, url: str) -> None:
        frame = self.frames.get(context)
        if frame is not None:
            frame.url = url
        self._visits(url)
        if context == self.context:
            self.journal.add(Navigated(url))

    def _visits(self, url: str) -> None:
        origin = origin_of(url)
        if not origin or origin in self.shared.origins:
            return
        self.shared.origins.add(origin)
        for name in {*self.shared.granted, *self.shared.always_granted}:
            self.connection.send_nowait(self.shared.permission(name, origin))

    def _on_dialog(self, event: bc.UserPromptOpened) -> None:
        dialog = Dialog(event.type, event.message, event.context, event.default_value or "")
        answer, self.dialogs.prepared = self.dialogs.prepared, None
        if answer is None and self.shared.answers_dialogs:
            answer = unasked(dialog)
        if answer is not None:
            self.connection.send_nowait(handling(dialog, answer))
            self.journal.add(AnsweredDialog(dialog, answer))
            return
        self.dialogs.add(dialog)
        self._interrupt(navigation=False)

    def _interrupt(self, *, navigation: bool) -> None:
        for scope, by_navigation in self._interrupts.items():
            if by_navigation or not navigation:
                scope.cancel()

    async def unresponsive(self, limit: float) -> DeadlineError:
        """Return the error for an operation that timed out, and mark the tab as hung if the page does not respond.

        ``limit`` is the timeout of the operation, in seconds.
        """
        if self.connection.in_doubt:
            return DeadlineError(
                f"The browser did not answer within {limit:g} s.", "Try again: the next call says whether it is lost."
            )
        if await self.main.reacts():
            return DeadlineError(
                f"It did not end within {limit:g} s, though the page reacts.",
                "Look at the page before you repeat it; let a script that waits for a promise run without waiting.",
            )
        self.hangs = True
        return DeadlineError(
            f"The page did not react within {limit:g} s; one of its scripts may be running without end.",
            Advice.of("Wait and try again, or leave it: ", Operation.NAVIGATE, " continues in a fresh tab."),
        )

    def suspend(self, script: SuspendedScript | None) -> None:
        """Keep a script that a dialog blocks, in place of an earlier one; None keeps no script."""
        if self._suspended is not None:
            self._suspended.sent.forget()
        self._suspended = script

    def take_suspended(self) -> SuspendedScript | None:
        """Return and forget the script that a dialog blocked, if any. The caller waits for the script's reply."""
        script, self._suspended = self._suspended, None
        return script

    async def read_title(self) -> str:
        """Return the page's title: the current one, or the last one known if the page does not answer within 1 s."""
        with trio.move_on_after(1), suppress(FrameGoneError, BidiError):
            if self.dialogs.open is None and not self.hangs:
                return clip(str((await self.main.call("title")).value), MAX_TITLE)
        return self.title

    async def handle_dialog(self, answer: Answer) -> Dialog | None:
        """Answer the open dialog and return it; None if there is none."""
        dialog = self.dialogs.open
        if dialog is None:
            return None
        before = self.journal.cursor()
        with suppress(NoSuchAlertError):
            await self.connection.send(handling(dialog, answer))
        # Chromium reports the page's next dialog before this reply, so remove only the answered one.
        self.dialogs.remove(dialog)
        if dialog.kind == "beforeunload" and answer.accept:
            # The navigation that the dialog held up continues now. A busy browser reports it a moment later.
            with trio.move_on_after(LEAVE_TIMEOUT):
                while not (self.context in self.loading or self.journal.grown_since(before, Navigated) or self.closed):
                    await self.activity.park()
        return dialog
