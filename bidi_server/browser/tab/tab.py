"""A tab: a top-level browsing context, its frames, and everything the browser reports of them."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

import trio

from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi import cdp
from bidi_server.bidi.connection import Connection, Sent
from bidi_server.bidi.errors import BidiError, NoSuchAlertError
from bidi_server.bidi.input import FileDialogOpened
from bidi_server.bidi.log import EntryAdded
from bidi_server.bidi.network import BaseParameters
from bidi_server.bidi.permissions import PermissionDescriptor, SetPermission
from bidi_server.bidi.script import EvaluateResult
from bidi_server.bidi.wire import Event
from bidi_server.browser.bounded import Ring
from bidi_server.browser.console.messages import Console
from bidi_server.browser.network.requests import Requests
from bidi_server.browser.origin import origin_of
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError
from bidi_server.browser.snapshot.model import Snapshot
from bidi_server.browser.tab.dialogs import Answer, Dialog, Dialogs, handling, unasked
from bidi_server.browser.tab.downloads import Downloads
from bidi_server.browser.tab.state import Shared
from bidi_server.browser.words import MAX_TITLE, clip
from bidi_server.errors import BrowserUnavailableError, DeadlineError

T = TypeVar("T")

CRASHED = "about:tabcrashed"
"""What Firefox shows in place of a page that has crashed."""

LEAVE_TIMEOUT = 1.0
"""Seconds between the page's word that it leaves and the browser's word that it does."""

OPENING = 0.3
"""Seconds between the creation of a tab and its way to a page."""


@dataclass(frozen=True, slots=True)
class PageStart:
    """Marks of the tab's logs."""

    console: int = 0
    requests: int = 0


@dataclass(frozen=True, slots=True)
class SuspendedScript:
    """A script of the agent's that waits for the answer to a dialog. ``sent`` is the command that runs it."""

    frame: Frame
    sent: Sent[EvaluateResult]
    script: str


class Tab:
    """One tab. Events change it the moment they come; nothing here waits for the browser."""

    def __init__(self, connection: Connection, created: bc.Info, shared: Shared) -> None:
        self.connection = connection
        self.shared = shared
        self.limits = shared.limits
        self.context = created.context
        self.opener = created.original_opener
        self.main = Frame(connection, created.context, None, created.url)
        self.frames: dict[str, Frame] = {created.context: self.main}
        self.console = Console(shared.printed)
        self.requests = Requests()
        self.downloads = Downloads(shared.downloads, shared.node_files, shared.activity.unpark_all)
        self.dialogs = Dialogs()
        self.opened: Ring[Tab] = Ring(100)
        self.file_dialogs: Ring[FileDialogOpened] = Ring(20)
        self.file_chooser: FileDialogOpened | None = None
        """The file chooser that waits for files."""
        self.navigations: Ring[str] = Ring(100)
        """URLs of the documents and history entries that the main frame went to."""
        self.refused: Ring[str] = Ring(100)
        """URLs of pages that were not opened because they must not be."""
        self.committed: str | None = None
        """Navigation of the main frame's document."""
        self.commits: Ring[str] = Ring(100)
        """Navigations that gave the main frame a new document."""
        self.cut_short: Ring[str] = Ring(100)
        """Navigations of the main frame that ended before the document had loaded."""
        self.acted = 0
        """Mark of `navigations` before the last action."""
        self.loading: dict[str, str | None] = {}
        """Frames that are on their way to another document, each with its navigation."""
        self.closed = False
        self.hangs = False
        """Whether the page did not answer the last time it was asked."""
        self.crashed = False
        self.title = ""
        self.seen: Snapshot | None = None
        """What the agent saw last."""
        self.numbered: list[str] = []
        """Refs that the agent knows by their places, from 1 (seed 003)."""
        self.previous: Snapshot | None = None
        """What it saw before that (seed 002: one is kept)."""
        self._suspended: SuspendedScript | None = None
        self._session: str | None = None
        """Chromium's name for the connection to its page."""
        self.page_start = PageStart()
        """Where the logs stood when the present page began."""
        self._starting: dict[str | None, PageStart] = {}
        self.activity = shared.activity
        self._interrupts: dict[trio.CancelScope, bool] = {}

    @property
    def url(self) -> str:
        """The main document's URL."""
        return self.main.url

    @property
    def is_stopped(self) -> bool:
        """Whether nothing more is to be waited for: it is closed or has crashed, or a dialog is open."""
        return self.closed or self.crashed or self.dialogs.open is not None

    @property
    def is_under_way(self) -> bool:
        """Whether it is to show another page: one that it loads, or none in place of one that must not be opened."""
        return self.context in self.loading or bool(self.main.forbidden)

    def check_alive(self) -> None:
        """Raise `BrowserUnavailableError` if the page has crashed."""
        if self.crashed:
            advice = "Go on in a fresh tab: browser_navigate."
            raise BrowserUnavailableError("The page has crashed; it may have taken too much memory.", advice)

    def saw(self, snapshot: Snapshot) -> None:
        """Remember what the agent has been shown."""
        if self.seen is not snapshot:
            self.previous, self.seen = self.seen, snapshot
        self.title = snapshot.title

    @contextmanager
    def interruptible(self, *, by_navigation: bool = False) -> Generator[trio.CancelScope]:
        """Cancel the block when a dialog opens or the tab goes away; if wanted also when another document comes.

        Until the dialog is handled the browser may not answer at all.
        """
        with trio.CancelScope() as scope:
            if self.is_stopped:
                scope.cancel()
            self._interrupts[scope] = by_navigation
            try:
                yield scope
            finally:
                del self._interrupts[scope]

    async def begins(self) -> None:
        """Wait until a tab that a page has opened is on its way: it is empty at first, and goes on a moment later."""
        with trio.move_on_after(OPENING):
            while (self.url == "about:blank" and not (self.loading or self.refused)) or self.url in self.refused:
                if self.closed:
                    return
                await self.activity.park()

    async def ask(self, question: Callable[[], Awaitable[T]], limit: float | None = None) -> T:
        """Return what the page answers to a question that changes nothing.

        Raises `DialogOpenError` when a dialog is open or opens meanwhile, `DeadlineError` after ``limit`` seconds.
        A document that goes away meanwhile is asked again in its next form.
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
            raise BrowserUnavailableError("The tab was closed.", "Open another: browser_navigate.")
        raise await self.unresponsive(limit)

    def on_event(self, event: Event) -> None:
        """Take an event of this tab or of one of its frames."""
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
                self.file_dialogs.append(event)
                self.file_chooser = event
            case _:
                pass
        self.activity.unpark_all()

    def on_request(self, event: BaseParameters, *, by_worker: bool) -> None:
        """Take what happened to a request."""
        self.requests.record(event, by_worker=by_worker)
        self.activity.unpark_all()

    def on_cdp(self, event: cdp.CdpEvent) -> None:
        """Take what Chromium says in its own way of this tab, or of a request that may be this tab's."""
        match event:
            case cdp.RequestWillBeSent():
                if event.type == "Document" and event.frame == self.context:
                    self._session = event.session
                self.requests.announce(event)
            case cdp.ResponseReceived():
                self.requests.explain(event)
            case cdp.LoadingFailed() | cdp.LoadingFinished():
                if isinstance(event, cdp.LoadingFailed):
                    self.requests.explain(event)
                if self.requests.concluded(event):
                    self.activity.unpark_all()
            case cdp.TargetCrashed():
                if event.session == self._session:
                    self._crash()
            case _:
                pass

    def on_refusal(self, event: BaseParameters) -> None:
        """Take a page's request that was stopped because the page must not be opened. Firefox tells of no end to it."""
        self.refused.append(event.request.url)
        if event.context is not None and self.loading.get(event.context) == event.navigation:
            del self.loading[event.context]
        self.activity.unpark_all()

    def on_log(self, event: EntryAdded | cdp.ConsoleApiCalled, origin: str) -> None:
        """Take a message of the console; ``origin`` is what printed it."""
        self.console.record(event, origin)
        if isinstance(event, EntryAdded) and event.type != "console":
            self.requests.refused(event.text or "")
        self.activity.unpark_all()

    def add_frame(self, created: bc.Info) -> None:
        """Take a new child frame."""
        self.frames[created.context] = Frame(self.connection, created.context, created.parent, created.url)

    def remove_frame(self, context: str) -> None:
        """Take the end of a frame, or of the tab itself."""
        self.frames.pop(context, None)
        self.loading.pop(context, None)
        self.requests.forget_frame(context)
        self.dialogs.remove_all_of(context)
        if context == self.context:
            self.close()
        self.activity.unpark_all()

    def close(self) -> None:
        """The tab is no more."""
        self.closed = True
        self.suspend(None)
        self.dialogs.clear()
        self._interrupt(navigation=False)
        self.activity.unpark_all()

    def _crash(self) -> None:
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
                    self.cut_short.append(event.navigation or "")
                self._stopped(event)
            case bc.DomContentLoaded() if event.url.startswith("about:"):
                self._stopped(event)  # Firefox 153 tells no load of its error pages
            case _:
                pass

    def _on_start(self, event: bc.NavigationStarted) -> None:
        self._visits(event.url)
        self.loading[event.context] = event.navigation
        if event.context == self.context:
            start = PageStart(self.console.messages.mark(), self.requests.all.mark())
            self._starting = {event.navigation: start}
            if self.shared.has_cdp:  # until the server answers, it answers nothing for the page that is there
                self._interrupt(navigation=True)

    def _on_commit(self, event: bc.NavigationCommitted) -> None:
        context = event.context
        frame = self.frames.get(context)
        self.requests.leave(context, frame.url if frame is not None else "about:blank", event)
        self._moved(context, event.url)
        self.loading.setdefault(context, event.navigation)
        if context == self.context:
            self.committed = event.navigation
            self.commits.append(event.navigation or "")
            self.file_chooser = None
            self.page_start = self._starting.get(event.navigation, self.page_start)
            self._interrupt(navigation=True)
            if event.url.startswith(CRASHED):
                self._crash()

    def _on_load(self, event: bc.Load) -> None:
        context = event.context
        frame = self.frames.get(context)
        if frame is not None and frame.url == "about:blank" != event.url:
            self._moved(context, event.url)  # Chromium 156 does not tell what commits first in a new tab
        # A load that belongs to an earlier document must not end the wait for the next one.
        if event.navigation is None or self.loading.get(context, event.navigation) == event.navigation:
            self.loading.pop(context, None)

    def _stopped(self, event: bc.NavigationInfo) -> None:
        if event.navigation is not None and self.loading.get(event.context) == event.navigation:
            del self.loading[event.context]

    async def locate(self) -> None:
        """Ask the browser where the tab is, and take it for a navigation if that is elsewhere than we thought.

        Firefox 153 reports no event when history goes from ``/#part`` to ``/`` in the same document.
        """
        tree = await self.connection.send(bc.GetTree(root=self.context, max_depth=0))
        if tree.contexts and tree.contexts[0].url != self.url:
            self._moved(self.context, tree.contexts[0].url)

    def _moved(self, context: str, url: str) -> None:
        frame = self.frames.get(context)
        if frame is not None:
            frame.url = url
        self._visits(url)
        if context == self.context:
            self.navigations.append(url)

    def _visits(self, url: str) -> None:
        origin = origin_of(url)
        if not origin or origin in self.shared.origins:
            return
        self.shared.origins.add(origin)
        for name in self.shared.granted:
            self.connection.send_nowait(
                SetPermission(
                    descriptor=PermissionDescriptor(name=name),
                    state="granted",
                    origin=origin,
                    user_context=self.shared.user_context,
                )
            )

    def _on_dialog(self, event: bc.UserPromptOpened) -> None:
        dialog = Dialog(event.type, event.message, event.context, event.default_value or "")
        answer, self.dialogs.prepared = self.dialogs.prepared, None
        if answer is None and self.shared.answers_dialogs:
            answer = unasked(dialog)
        if answer is not None:
            self.connection.send_nowait(handling(dialog, answer))
            self.dialogs.answered.append((dialog, answer))
            return
        self.dialogs.add(dialog)
        self._interrupt(navigation=False)

    def _interrupt(self, *, navigation: bool) -> None:
        for scope, by_navigation in self._interrupts.items():
            if by_navigation or not navigation:
                scope.cancel()

    async def unresponsive(self, limit: float) -> DeadlineError:
        """Return the error for what did not end within so many seconds; of a page that hangs remember that."""
        if self.connection.in_doubt:
            return DeadlineError(
                f"The browser did not answer within {limit:g} s.", "Try again: the next call says whether it is lost."
            )
        if await self.main.reacts():
            what = f"It did not end within {limit:g} s, though the page reacts: a promise may never settle."
            return DeadlineError(what, "Let it run without waiting for it, and look for its result later.")
        self.hangs = True
        return DeadlineError(
            f"The page did not react within {limit:g} s; one of its scripts may be running without end.",
            "Wait and try again, or leave it: browser_navigate continues in a fresh tab.",
        )

    def suspend(self, script: SuspendedScript | None) -> None:
        """Keep a script whose dialog is open, in the place of an earlier one."""
        if self._suspended is not None:
            self._suspended.sent.forget()
        self._suspended = script

    def take_suspended(self) -> SuspendedScript | None:
        """Return the script whose dialog was open. The caller waits for its reply."""
        script, self._suspended = self._suspended, None
        return script

    async def read_title(self) -> str:
        """Return the page's title as it is now, or as it was when the page does not answer at once."""
        with trio.move_on_after(1), suppress(FrameGoneError, BidiError):
            if self.dialogs.open is None and not self.hangs:
                self.title = clip(str((await self.main.call("title")).value), MAX_TITLE)
        return self.title

    async def handle_dialog(self, answer: Answer) -> Dialog | None:
        """Answer the open dialog and return it."""
        dialog = self.dialogs.open
        if dialog is None:
            return None
        before = self.navigations.mark()
        with suppress(NoSuchAlertError):
            await self.connection.send(handling(dialog, answer))
        # Chromium reports the page's next dialog before this reply: only the answered one may go.
        self.dialogs.remove(dialog)
        if dialog.kind == "beforeunload" and answer.accept:
            # What was asked for goes on now; a busy browser says so a moment later.
            with trio.move_on_after(LEAVE_TIMEOUT):
                while self.context not in self.loading and self.navigations.mark() == before and not self.closed:
                    await self.activity.park()
        return dialog
