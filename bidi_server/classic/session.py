"""One session of a driver: a user context with its windows."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import trio

from bidi_server.bidi.errors import (
    BidiError,
    ConnectionLostError,
    NoSuchAlertError,
    NoSuchFrameError,
    NoSuchWindowError,
    UnsupportedOperationError,
)
from bidi_server.classic.contexts import BrowsingContext, new_id
from bidi_server.classic.http import DriverClient, UnexpectedAlertOpenError
from bidi_server.classic.input_state import InputState
from bidi_server.classic.inspected import Inspected
from bidi_server.classic.scripts import (
    ELSEWHERE,
    MISSING,
    Preload,
    State,
    bootstrap,
    call,
    dialog_of,
    in_realm,
    install,
    parse,
)
from drivers.json_values import Json, fields, is_object, items

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from bidi_server.classic.inspector import Setting
    from bidi_server.classic.tracker import Tracker
    from drivers.classic import ClassicSession

logger = logging.getLogger(__name__)

HOLD = 0.01
"""Time for which a request holds up those that need another window or frame, in seconds.

A script of WebKitGTK 2.50 that waits for nothing took 1 to 8 ms. What takes longer goes on beside other requests.
"""

FRAME_TIMEOUT = 1.0
"""Timeout for a page to name the element of a frame in it, in seconds. Other tabs of the session wait for that long."""

END_TIMEOUT = 1.0
"""Timeout for the scripts of a page that is closed to end, in seconds. WebKitGTK 2.50 ends them within 10 ms."""

WINDOW_TIMEOUT, BUSY_TIMEOUT = 5.0, 1.0
"""Timeouts for the choice of a window, and of one in which a script has not ended, in seconds.

WebKitGTK 2.50 took up to 0.5 s where nothing else ran, and more than 1 s on a loaded machine. A busy page holds it up.
"""

LEAVE_TIMEOUT = 1.0
"""Time for which a request that leaves a document holds up others, in seconds. WebKitGTK 2.50 answered within 20 ms."""

DIALOG_TIMEOUT = 0.1
"""Timeout for the question whether a page that does not answer has a dialog, in seconds. WebKitGTK 2.50 took 1 ms."""

DOWNLOAD_TIMEOUT = 1.0
"""Timeout for the file of a download to be there, in seconds. WebKitGTK 2.50 took 10 to 200 ms."""

STAY_TIMEOUT = 0.5
"""Timeout for a document to take note that it stays, in seconds. Scripts of WebKitGTK 2.50 took 1 to 8 ms."""

POPUP_TIMEOUT = 1.0
"""Timeout for the driver to know a window that a page has asked for, in seconds.

WebKitWebDriver 2.50 mostly knew it at once, else after 30 to 110 ms, and up to 220 ms on a loaded machine.
"""

LOOK = 0.01
"""Interval between two looks at what is on its way, a document or a window; in seconds.

A look takes WebKitGTK 2.50 2 to 4 ms.
"""

PAGES = ("http:", "https:", "file:", "blob:", "data:")
"""Schemes of URLs from which documents are loaded."""

ATTEMPTS = 4
"""Maximum number of attempts to reach a document while documents replace each other."""

IS_NEW_ENOUGH = "return 'checkVisibility' in Element.prototype"
"""Script that finds the newest feature of WebKit that our scripts need. WebKitGTK 2.50 has it, WPE 2.38 has not."""

T = TypeVar("T")

Body = Mapping[str, object] | None
"""Parameters of a request; None for one without parameters."""


class _Pending:
    """A request whose reply may take long."""

    def __init__(self) -> None:
        self.done = trio.Event()
        self._value: object = None
        self._error: Exception | None = None

    async def run(self, request: Callable[[], Awaitable[object]]) -> None:
        try:
            self._value = await request()
        except Exception as error:
            self._error = error
        finally:
            self.done.set()

    async def ends_within(self, seconds: float) -> bool:
        with trio.move_on_after(seconds):
            await self.done.wait()
        return self.done.is_set()

    async def value(self) -> object:
        await self.done.wait()
        if self._error is not None:
            raise self._error
        return self._value


@dataclass(slots=True)
class Popups:
    """Windows that pages have opened since the last action began."""

    asked: list[str] = field(default_factory=list[str])
    """URLs for which pages have asked for windows."""
    found: list[BrowsingContext] = field(default_factory=list[BrowsingContext])
    """The windows that the driver knows, which may be before we hear of the page's request."""

    @property
    def missing(self) -> bool:
        """Whether the driver does not know all windows yet."""
        return len(self.found) < len(self.asked)

    def clear(self) -> None:
        """Begin anew."""
        self.asked, self.found = [], []


class _BusyWindowError(Exception):
    """The page of a window is busy, so that the driver cannot choose the window yet."""

    def __init__(self, chosen: trio.Event) -> None:
        super().__init__()
        self.chosen = chosen


class Session:
    """One session of a driver.

    The driver has one current window and one current frame. A lock covers their choice and the start of a request that
    depends on them, not its end: WebKitWebDriver 2.50 takes the choice of a moment after a request arrives. A window
    whose page is busy holds up its own requests, not those of other windows.
    """

    def __init__(
        self,
        opened: ClassicSession,
        user_context: str,
        tracker: Tracker,
        preloads: list[Preload],
        nursery: trio.Nursery,
        emit: Callable[[str, Json], None],
        lose: Callable[[str], None],
    ) -> None:
        self.opened = opened
        self.user_context = user_context
        self.client = DriverClient(opened.address, opened.id)
        self.windows: dict[str, BrowsingContext] = {}
        self.spare: str | None = None
        """Handle of a window that no tab uses."""
        self.dialogs: dict[str, trio.Event] = {}
        """For each window with a dialog, the event that the dialog is closed."""
        self.input = InputState()
        self.popups = Popups()
        self._opening = 0
        """Number of windows that we are opening."""
        self._tracker = tracker
        self._preloads = preloads
        self._nursery = nursery
        self._emit = emit
        self._lose = lose
        self._has_ended = False
        self._lock = trio.Lock()
        self._window = ""
        self._frame: tuple[int, ...] | None = ()
        self._started: list[_Pending] = []
        """Requests for which the driver may not yet have taken the present choice."""
        self._busy: dict[str, trio.Event] = {}
        """For each window with a busy page, the event that the driver has chosen the window at last."""
        self._sequence = 0
        self._scripts: dict[str, int] = {}
        """Number of scripts that have not ended, by window."""
        self._script_ended = trio.Event()
        self._abandoned: set[str] = set()
        """Windows that could not be closed."""
        self._delivered: list[int] = []
        self._call_id = 0
        self.last: BrowsingContext | None = None
        """The context that was used last."""
        self.inspected: Inspected | None = None
        self._spare_target = 0
        """The target of the spare window; 0 if it is not known."""

    # Windows

    async def begin(self) -> None:
        """Learn the first window of the session. Raises `UnsupportedOperationError` in a WebKit that is too old."""
        self.spare = str(await self.client.request("GET", "/window"))
        self._window = self.spare
        if not await self._execute_here(IS_NEW_ENOUGH):
            raise UnsupportedOperationError("Element.checkVisibility is missing")
        # The driver counts the timeout in the page, where our clock would let it pass. Our deadlines hold.
        await self.client.request("POST", "/timeouts", {"script": None})
        await self._begin_early()

    async def _begin_early(self) -> None:
        """Have scripts run before those of pages, if the browser has an inspector server that we reach."""
        if not self.opened.inspector:
            return
        host, _, port = self.opened.inspector.rpartition(":")
        try:
            stream = await trio.open_tcp_stream(host, int(port))
        except (OSError, ValueError) as error:
            logger.warning("no inspector server at %s: %s", self.opened.inspector, error)
            return
        self.inspected = Inspected(stream, self._tracker, self._nursery, self._emit, self.look_at, self._cancelled)
        self._nursery.start_soon(self._inspect, self.inspected)
        await self.preloads_changed()
        windows = items(await self.client.request("GET", "/window/handles"))
        self._spare_target = windows.index(self.spare) + 1
        await self.inspected.inspector.begin(len(windows))
        if self.opened.process is not None and not await self.opened.process.send_at_once(int(port)):
            logger.info("WebKit's messages wait for acknowledgements: the system does not let us change its sockets")

    async def _inspect(self, inspected: Inspected) -> None:
        """Hear of requests. Without the inspector server, those that must not be sent would not wait any more."""
        await inspected.inspector.run()
        if inspected.network.intercepts and not self._has_ended:
            self._lose("the inspector server, which lets requests wait, is gone")

    async def set(self, settings: Iterable[Setting]) -> None:
        """Change all pages of the session, if the browser has an inspector server that we reach."""
        if self.inspected is not None:
            for setting in settings:
                await self.inspected.inspector.set(setting)

    async def preloads_changed(self) -> None:
        """Have the present preload scripts run in documents from now on."""
        if self.inspected is not None:
            source = bootstrap(each for each in self._preloads_here() if not each.contexts)
            await self.inspected.inspector.set_script(source)

    async def aclose(self) -> None:
        """Close the connections to the driver and the browser."""
        self._has_ended = True
        if self.inspected is not None:
            await self.inspected.inspector.aclose()
        await self.client.aclose()

    async def open_window(self, opener: str | None = None) -> BrowsingContext:
        """Open a tab in a window of its own: WebKitGTK hides the pages of tabs that are not in front."""
        handle, self.spare = self.spare, None
        target = self._spare_target if handle is not None else 0
        context = self._add_window(handle or await self._new_window(), opener)
        if self.inspected is not None:
            targets = [target] if target else await self.inspected.inspector.adopt()
            if len(targets) == 1:
                self.inspected.link(targets[0], context)
        return context

    async def _new_window(self) -> str:
        self._opening += 1
        try:
            async with self._lock:
                await self._choose_any()
                made = await self.client.request("POST", "/window/new", {"type": "window"})
        finally:
            self._opening -= 1
        return str(fields(made).get("handle"))

    def _add_window(self, handle: str, opener: str | None) -> BrowsingContext:
        context = BrowsingContext(handle, self.user_context, opener=opener)
        self.windows[handle] = context
        self._tracker.add(context)
        return context

    async def close_window(self, context: BrowsingContext) -> None:
        """Close a tab. The last window of a session would take the session with it, so another one is opened first."""
        if len(self.windows) == 1 and self.spare is None:
            self.spare, self._spare_target = await self._new_window(), 0
        # WebKitWebDriver 2.50.6 crashes when a window is closed in which a script has not ended. It ends with its
        # document; where it does not, the window stays, without anyone who sees it.
        if context.window not in self.dialogs and self._scripts.get(context.window):
            with trio.move_on_after(END_TIMEOUT):
                await self.leave(context, "/url", {"url": "about:blank"})
                await self._scripts_end(context.window)
        if self._scripts.get(context.window) or not await self._has_closed(context.window):
            self._abandoned.add(context.window)
        self.forget_window(context.window)

    async def _has_closed(self, handle: str) -> bool:
        """Close a window. Return whether the driver could: not while its page is busy."""
        try:
            async with self._lock:
                # A look may have begun just before. None begins while we have the lock.
                await self._taken()
                with trio.move_on_after(END_TIMEOUT):
                    await self._scripts_end(handle)
                if self._scripts.get(handle):
                    return False
                await self._choose_window(handle)
                await self.client.request("DELETE", "/window")
                self._window, self._frame = "", None
        except _BusyWindowError:
            return False
        return True

    async def _scripts_end(self, handle: str) -> None:
        """Wait until no script runs in a window."""
        while self._scripts.get(handle):
            await self._script_ended.wait()

    def forget_window(self, handle: str) -> None:
        """Forget a window that is closed."""
        closed = self.dialogs.pop(handle, None)
        if closed is not None:
            closed.set()
        if self._window == handle:
            self._window, self._frame = "", None
        context = self.windows.pop(handle, None)
        if context is not None:
            if self.inspected is not None:
                self.inspected.forget(context)
            self._tracker.remove(context)

    async def look_at_windows(self) -> None:
        """Find windows that pages have opened or closed."""
        known = list(self.windows)  # those that we open or close meanwhile may be missing in the reply, or still in it
        present = [str(handle) for handle in items(await self.client.request("GET", "/window/handles"))]
        # A window that we open is there before the driver has named it to us.
        for handle in present if not self._opening else ():
            if handle not in {*self.windows, *known, *self._abandoned, self.spare}:
                opener = self.last.top.id if self.last is not None and not self.last.gone else None
                popup = self._add_window(handle, opener)
                self.popups.found.append(popup)
                await self._look_at_new(popup)
        for handle in [each for each in known if each in self.windows and each not in present]:
            self.forget_window(handle)

    async def find_popups(self) -> None:
        """Wait for the windows that pages have asked for."""
        popups = self.popups
        with trio.move_on_after(POPUP_TIMEOUT):
            while popups.missing:
                await self.look_at_windows()
                await trio.sleep(LOOK)
        # A page may get another page's window, or none.
        del popups.asked[len(popups.found) :]
        if len(popups.asked) == len(popups.found) == 1:
            self._loads(popups.found[0], popups.asked[0])

    async def _look_at_new(self, context: BrowsingContext) -> None:
        """Find out what a page loads in a new window: its request may have been sent before we knew of the window."""
        with suppress(BidiError):
            await self.look_at(context)
            # The driver names the document that is requested, if there is one.
            self._loads(context, str(await self.in_window(context, "GET", "/url")))

    def _loads(self, context: BrowsingContext, url: str) -> None:
        """Take note of the document that a new window requests, if it has shown none."""
        is_empty = context.url == "about:blank" and context.navigation is None
        if is_empty and url.startswith(PAGES):
            self._tracker.start(context, url)

    async def in_window(self, context: BrowsingContext, method: str, path: str, body: Body = None) -> object:
        """Send a request about a window, in its main frame."""
        return await self.in_frame(context.top, method, path, body)

    async def leave(self, context: BrowsingContext, path: str, body: Body = None) -> None:
        """Send a request that leaves the document of a tab."""

        async def send() -> _Pending:
            async with self._lock:
                await self._choose_window(context.window)
                await self._taken()
                pending = self._begun(lambda: self.client.request("POST", path, body))
                # The driver chooses the main frame before it answers.
                await pending.ends_within(LEAVE_TIMEOUT)
                self._frame = None
                return pending

        await (await self._when_chosen(send)).value()

    async def in_frame(self, context: BrowsingContext, method: str, path: str, body: Body = None) -> object:
        """Send a request about an element of a frame."""
        return await self._sent(context, lambda: self.client.request(method, path, body))

    # The current window and frame

    async def _sent(self, context: BrowsingContext, request: Callable[[], Awaitable[object]]) -> object:
        """Send a request when its context is the current one, and return the value of the reply."""

        async def send() -> _Pending:
            async with self._lock:
                await self._choose(context)
                self._started = [each for each in self._started if not each.done.is_set()]
                pending = self._begun(request)
                self._started.append(pending)
                return pending

        return await (await self._when_chosen(send)).value()

    async def _when_chosen(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Make an attempt again when the driver has chosen a window whose page was busy."""
        while True:
            try:
                return await attempt()
            except _BusyWindowError as error:
                await error.chosen.wait()

    async def _taken(self) -> None:
        """Wait until no started request depends on the choice of window and frame. The caller has the lock."""
        with trio.move_on_after(HOLD):
            for pending in self._started:
                await pending.done.wait()
        if not all(pending.done.is_set() for pending in self._started):
            # The driver asks the browser whether a dialog is open before it takes the choice. The browser answers in
            # turn: when it has answered this, it has answered that.
            with suppress(BidiError):
                await self.client.request("GET", "/alert/text")
        self._started.clear()

    def _begun(self, request: Callable[[], Awaitable[object]]) -> _Pending:
        """Start a request, which goes on when the caller is cancelled."""
        pending = _Pending()
        self._nursery.start_soon(pending.run, request)
        return pending

    async def _choose_window(self, handle: str) -> None:
        """Make a window the current one. Raises `BidiError` if it is gone, and `_BusyWindowError`."""
        if handle in self._busy:
            raise _BusyWindowError(self._busy[handle])
        # The driver may have chosen a busy window a moment ago.
        if self._window == handle and not self._busy:
            return
        await self._taken()
        self._window = ""
        pending = self._begun(lambda: self.client.request("POST", "/window", {"handle": handle}))
        try:
            await pending.ends_within(BUSY_TIMEOUT if self._scripts.get(handle) else WINDOW_TIMEOUT)
        finally:
            if not pending.done.is_set():
                self._busy[handle] = pending.done
                self._nursery.start_soon(self._chosen_late, handle)
        if handle in self._busy:
            raise _BusyWindowError(pending.done)
        await pending.value()
        self._window, self._frame = handle, None

    async def _choose_any(self) -> None:
        """Choose a window if the current one is closed: without one, WebKitWebDriver 2.50 opens no other window."""
        for handle in [] if self._window else [handle for handle in self.windows if handle not in self._busy]:
            with suppress(_BusyWindowError, NoSuchWindowError):
                await self._choose_window(handle)
                return

    async def _chosen_late(self, handle: str) -> None:
        await self._busy[handle].wait()
        # It is the driver's current window now, whichever was chosen meanwhile.
        self._window = ""
        del self._busy[handle]

    async def _choose(self, context: BrowsingContext) -> None:
        """Make a context the current one. Raises `BidiError` if it is gone."""
        if context.gone:
            raise NoSuchFrameError(f"the browsing context {context.id} is gone")
        await self._choose_window(context.window)
        path = context.path
        if self._frame == path:
            return
        await self._taken()
        self._frame = None
        await self.client.request("POST", "/frame", {"id": None})
        for number, holder in zip(path, context.holders, strict=True):
            script = in_realm(f"$realm.frame({number})", holder.id)
            pending = self._begun(lambda script=script: self._execute_here(script))
            if not await pending.ends_within(FRAME_TIMEOUT):
                raise NoSuchFrameError("the page that holds the frame does not react")
            element = await pending.value()
            if not is_object(element):
                raise NoSuchFrameError(f"the browsing context {context.id} is gone")
            await self.client.request("POST", "/frame", {"id": element})
        self._frame = path

    async def _counted(self, window: str, script: str) -> object:
        """Execute a script in the current window, and count it while it has not ended."""
        self._scripts[window] = self._scripts.get(window, 0) + 1
        try:
            return await self._execute_here(script)
        finally:
            self._scripts[window] -= 1
            self._script_ended.set()
            self._script_ended = trio.Event()

    async def _execute_here(self, script: str) -> object:
        return await self.client.request("POST", "/execute/sync", {"script": script, "args": []})

    async def execute(self, context: BrowsingContext, script: str) -> object:
        """Run a script in a context's document, and return the driver's value. None may mean that a dialog opened.

        Raises `BidiError`. A script whose document is left fails with `NoSuchFrameError`.
        """
        while True:
            await self._no_dialog(context)
            try:
                return await self._sent(context, lambda: self._counted(context.window, script))
            except UnexpectedAlertOpenError:
                await self.look_for_dialog(context)
            except NoSuchWindowError as error:
                self._window, self._frame = "", None
                if context.parent is None and context.window not in self.windows:
                    raise
                raise NoSuchFrameError(error.message) from error
            except NoSuchFrameError:
                self._frame = None
                raise

    # Documents

    async def state_of(self, context: BrowsingContext, expression: str) -> State:
        """Evaluate an expression of the realm that answers with the document's state.

        The realm is made where it is missing. Raises `BidiError`.
        """
        return await self._answered(context, expression, "$realm.peek()")

    async def _answered(self, context: BrowsingContext, expression: str, otherwise: str) -> State:
        """Return the answer to an expression, or if a dialog cuts it off, to another one when the dialog is closed."""
        while True:
            sequence = self._next_sequence()
            state = parse(await self._in_realm(context, expression))
            if state is not None:
                break
            await self._after_dialog(context)
            expression = otherwise
        if self.inspected is not None:
            await self.inspected.inspector.catch_up()
        self._tracker.take(context, state, sequence)
        self.popups.asked += context.opens
        context.opens.clear()
        if self.inspected is not None and context.parent is None and self.inspected.target_of(context) is None:
            await self.inspected.find_target(context)
        return state

    def _cancelled(self, context: BrowsingContext, may_be_download: bool) -> None:
        """Take note that the navigation under way ends without a document. A download is found in its folder."""
        if may_be_download:
            self._nursery.start_soon(self._stay_without_download, context, context.navigation)
        else:
            self.stay(context)

    async def _stay_without_download(self, context: BrowsingContext, navigation: str | None) -> None:
        await trio.sleep(DOWNLOAD_TIMEOUT)
        if context.navigation == navigation and context.wanted:
            self.stay(context)

    def stay(self, context: BrowsingContext) -> None:
        """End the navigation under way, which does not replace the document."""
        for each in context.tree():
            self._tracker.stay(each)
            self._nursery.start_soon(self._say_that_it_stays, each)

    async def _say_that_it_stays(self, context: BrowsingContext) -> None:
        try:
            with trio.move_on_after(STAY_TIMEOUT), suppress(BidiError, ConnectionLostError):
                await self.state_of(context, "$realm.stay()")
        except Exception:
            # A mistake of ours ends nothing.
            logger.exception("%s was not told that it stays", context.url)
        finally:
            context.stays = False

    async def value(self, context: BrowsingContext, expression: str) -> object:
        """Return the value of an expression of the realm that does not answer with the state."""
        return await self._in_realm(context, expression)

    async def _in_realm(self, context: BrowsingContext, expression: str) -> object:
        preloads = self._preloads_of(context)
        # Those of single tabs have not run yet in a document whose context was not known.
        adopt = not any(each.contexts for each in preloads)
        for _ in range(ATTEMPTS):
            heard = (context.stamp, context.heard)
            value = await self.execute(context, in_realm(expression, context.id, heard=heard, adopt=adopt))
            if value == ELSEWHERE:
                self._window, self._frame = "", None
                continue
            if value != MISSING:
                return value
            tells_requests = self.inspected is None
            await self.execute(context, install(new_id(), context.id, preloads, tells_requests=tells_requests))
        raise NoSuchFrameError("the document was replaced before it answered")

    def _preloads_of(self, context: BrowsingContext) -> list[Preload]:
        top = context.top.id
        return [each for each in self._preloads_here() if not each.contexts or top in each.contexts]

    def _preloads_here(self) -> list[Preload]:
        return [each for each in self._preloads if not each.user_contexts or self.user_context in each.user_contexts]

    async def call(self, context: BrowsingContext, description: Mapping[str, object], code: str) -> Json:
        """Call a function in a document: see `scripts.call`. Return its outcome. Raises `BidiError`."""
        self.last = context
        self._call_id += 1
        id_ = self._call_id
        delivered, self._delivered = self._delivered, []
        expression = call({**description, "id": id_, "delivered": delivered}, code)
        state = await self._answered(context, expression, f"$realm.take({id_})")
        self._delivered.append(id_)
        await self.find_popups()
        return state.outcome

    def _next_sequence(self) -> int:
        self._sequence += 1
        return self._sequence

    # Dialogs

    async def _no_dialog(self, context: BrowsingContext) -> None:
        closed = self.dialogs.get(context.window)
        if closed is not None:
            await closed.wait()

    async def _after_dialog(self, context: BrowsingContext) -> None:
        await self.look_for_dialog(context)
        await self._no_dialog(context)

    async def look_for_dialog(self, context: BrowsingContext) -> None:
        """Ask the driver for the dialog of a context's window, and report a new one."""
        if context.window in self.dialogs:
            return
        try:
            text = await self._alert(context, "GET", "/alert/text")
        except NoSuchAlertError:
            return
        if context.window in self.dialogs:
            return
        self.dialogs[context.window] = trio.Event()
        kind, message, initially = dialog_of(str(text))
        told: Json = {"context": context.top.id, "userContext": self.user_context, "type": kind, "message": message}
        self._emit(
            "browsingContext.userPromptOpened",
            {**told, "handler": "ignore", **({"defaultValue": initially} if kind == "prompt" else {})},
        )

    async def _alert(self, context: BrowsingContext, method: str, path: str, body: Body = None) -> object:
        async def send() -> object:
            async with self._lock:
                await self._choose_window(context.window)
                return await self.client.request(method, path, body)

        return await self._when_chosen(send)

    async def handle_dialog(self, context: BrowsingContext, *, accept: bool, text: str | None) -> None:
        """Answer the open dialog. Raises `NoSuchAlertError`."""
        await self.look_for_dialog(context)
        if accept and text is not None:
            await self._alert(context, "POST", "/alert/text", {"text": text})
        await self._alert(context, "POST", "/alert/accept" if accept else "/alert/dismiss")
        closed = self.dialogs.pop(context.window, None)
        told: Json = {"context": context.top.id, "userContext": self.user_context, "accepted": accept}
        self._emit("browsingContext.userPromptClosed", told if text is None else {**told, "userText": text})
        if closed is not None:
            closed.set()

    # What happens meanwhile

    async def watch(self) -> bool:
        """Look once for what has happened. Return whether something is under way."""
        await self.look_at_windows()
        for context in list(self.windows.values()):
            if context.window in self.dialogs:
                continue
            # An earlier look that has not ended holds up no other one. The page is busy, or a dialog has opened while
            # the script was on its way: WebKitGTK 2.50 then answers it when the dialog is closed.
            if context.look is not None:
                if context.window not in self._busy:
                    with trio.move_on_after(DIALOG_TIMEOUT):
                        await self.look_for_dialog(context)
                continue
            await self.look_at(context)
            for frame in [each for each in context.tree()[1:] if each.dirty or each.is_busy]:
                await self.look_at(frame)
        return any(each.is_busy for context in self.windows.values() for each in context.tree())

    async def look_at(self, context: BrowsingContext) -> None:
        """Ask a document for its state; what is gone meanwhile is left to the next look.

        A look goes on when the caller is cancelled, since a document tells each event once.
        """
        if context.look is None:
            context.look = trio.Event()
            self._nursery.start_soon(self._look_at, context, context.look)
        await context.look.wait()

    async def _look_at(self, context: BrowsingContext, done: trio.Event) -> None:
        try:
            await self.state_of(context, "$realm.peek()")
        except (BidiError, ConnectionLostError) as error:
            logger.debug("a look at %s failed: %s", context.url, error)
        except Exception:
            logger.exception("a look at %s failed", context.url)
        finally:
            context.dirty = False
            context.look = None
            done.set()
