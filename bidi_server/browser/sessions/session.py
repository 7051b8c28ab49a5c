"""A session: one agent's browser state, and its location."""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import TYPE_CHECKING

import trio

from bidi_server.advice import Advice, Operation
from bidi_server.browser.engine.pool import Browsers, launch_options
from bidi_server.browser.files.budget import FileBudget
from bidi_server.browser.files.outputs import Outputs
from bidi_server.browser.files.reachable import Files
from bidi_server.browser.limits import Limits
from bidi_server.browser.sessions.allowance import Allowance
from bidi_server.browser.sessions.handles import Handle, Place
from bidi_server.browser.sessions.rate import Rate
from bidi_server.errors import (
    BrowserUnavailableError,
    DeadlineError,
    InvalidParametersError,
    LimitError,
    SessionEndedError,
    SessionNotFoundError,
)
from bidi_server.plan.steps import Steps

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from bidi_server.browser.contexts.context import Context, ContextOptions
    from bidi_server.browser.contexts.emulation import Emulation
    from bidi_server.browser.contexts.storage_state import StorageState
    from bidi_server.browser.engine.browser import Browser
    from bidi_server.browser.engine.pool import Tell
    from bidi_server.browser.network.proxy import Proxy
    from bidi_server.browser.pattern import Pattern
    from bidi_server.browser.sessions.holding import Held
    from bidi_server.browser.tab.state import Shared
    from bidi_server.browser.tab.tab import Tab
    from bidi_server.config import Config

logger = logging.getLogger(__name__)

DEFAULT = "default"
"""Name of the context that every session begins with, and of a client's default session."""


@dataclass(frozen=True, slots=True)
class Preset:
    """Initial settings for the contexts of a session."""

    emulation: Emulation | None = None
    proxy: Proxy | None = None


class Session:
    """One agent's browser state: named contexts, the active one, and pending notices.

    ``server`` is the id of this process. A session that ``outlives`` the process can be served by other servers too.
    """

    def __init__(
        self,
        config: Config,
        browsers: Browsers,
        preset: Preset | None = None,
        *,
        handle: Handle | None = None,
        server: str = "",
        outlives: bool = False,
        budget: FileBudget | None = None,
    ) -> None:
        self.outlives = outlives
        self._budget = budget or FileBudget(config.output_max_size)
        self.rate = Rate(config.rate_limit)
        self.recorded: list[Pattern] = []
        """URL patterns of the requests whose bodies the agent wants."""
        self.steps = Steps()
        """The steps that a plan or a test can be made of."""
        self._preset = preset or Preset()
        self.id = token_hex(4)
        """Names the session in the audit log: clients use the same names again."""
        self.allowance = Allowance()
        """What the client of the call in progress may do."""
        self.performed: list[str] = []
        """Names of the tools that the call in progress has run: several, if it has steps."""
        self.limits = Limits(config.action_timeout, config.navigation_timeout)
        self.last_used = trio.current_time()
        self.notices: list[str] = []
        """Notices of events between two calls, see `take_notices`."""
        self._browsers = browsers
        self._server = server
        # The same for all browsers of the session: by this key the pool finds a lost browser and ends it.
        self._owner = token_hex(8) if config.isolation == "process" else ""
        self._held: Held | None = None
        self.belong(config)
        self._elsewhere = self._place = handle.place if handle is not None else None
        self._move = handle.move if handle is not None else 0
        self._lock = trio.Lock()
        self._calls: set[trio.CancelScope] = set()
        self._tell: Tell | None = None
        """Progress callback of the call in progress."""
        self.closed = False

    def belong(self, config: Config) -> None:
        """Apply a configuration. It may differ from the one before in folders for files and in capabilities only."""
        self.config, self.outputs = config, Outputs(config.output_dir, self._budget, overwrite=config.overwrite)
        self.files = Files(self.outputs, config.upload_dirs, is_far=config.transport == "http")
        if self._held is not None:
            self._held.download_into(self._options(self.outlives).downloads)

    async def apply(self, config: Config) -> None:
        """Apply a configuration with more capabilities."""
        added = set(config.caps).difference(self.config.caps)
        self.belong(config)
        if self._held is not None:
            await self._held.apply(self._options(self.outlives), added)

    @property
    def busy(self) -> bool:
        """Whether calls are in progress. Such a session is not idle."""
        return bool(self._calls)

    def touch(self) -> None:
        """Record that the session was used just now."""
        self.last_used = trio.current_time()

    def take_notices(self) -> list[str]:
        """Return the notices that the agent has not received yet, and clear them."""
        found, self.notices = self.notices, []
        for shared in self._shared():
            found += shared.notices
            shared.notices.clear()
        return found

    def take_untold(self) -> list[object]:
        """Return the events that no answer has told yet, see `Shared.untold`, and clear them."""
        found: list[object] = []
        for shared in self._shared():
            found += shared.untold
            shared.untold.clear()
        return found

    def _shared(self) -> list[Shared]:
        return [context.shared for context in self._held.contexts.values()] if self._held is not None else []

    @asynccontextmanager
    async def call(self, tell: Tell) -> AsyncGenerator[None]:
        """Run a call in the block, after earlier calls have ended.

        ``tell`` receives progress while the call waits for a browser.

        Raises `SessionNotFoundError` if the session is closed meanwhile, `DeadlineError` if its browser does not reply.
        """
        closed = SessionNotFoundError("The session was closed during the call.", "Call again: it begins anew.")
        with trio.CancelScope() as scope:
            self._calls.add(scope)
            try:
                async with self._lock:
                    if self.closed:
                        raise closed
                    self._tell = tell
                    await self._catch_up()
                    try:
                        yield
                    finally:
                        await self._write_down()
            finally:
                self._calls.discard(scope)
                self.touch()
        if scope.cancelled_caught:
            raise closed

    @property
    def started(self) -> bool:
        """Whether the session has a browser."""
        return self._held is not None

    def handle(self, name: str) -> Handle:
        """Return the handle of the session. ``name`` is its name at this server."""
        place = self._elsewhere
        if place is None and self._held is not None and self.outlives:
            place = self._held.place
        if place != self._place:
            self._move += self._place is not None
            self._place = place
        return Handle(name, place, self._move)

    def follow(self, handle: Handle) -> None:
        """Follow a handle to another browser if the session has moved there since it was last used here."""
        if handle.move > self._move:
            self._move, self._place, self._elsewhere = handle.move, handle.place, handle.place

    async def context(self) -> Context:
        """Return the active context, in a live browser. Resume or start the browser if needed.

        Raises `BrowserUnavailableError`, and `SessionNotFoundError` if other servers may have ended the session.
        """
        if self._elsewhere is not None:
            await self._left()
            try:
                self._held = await self._resumed(self._elsewhere)
            except (BrowserUnavailableError, SessionNotFoundError) as error:
                self.closed, self._elsewhere = True, None
                said = error.message.rstrip(".")
                raise SessionEndedError(f"The session cannot be resumed: {said}.") from error
            self.notices.append(
                "Another server of this service has resumed the session: earlier console messages, requests and "
                "dialogs are not known here; its blocked, answered and throttled requests are forgotten."
            )
        self._elsewhere = None
        if self._held is not None and self._held.browser.lost:
            self._held = await self._reconnected(self._held)
        if self._held is None:
            self._held = await self._begun()
        return self._held.active

    async def _begun(self) -> Held:
        # Imported late: a server without a browser does not need the protocol's modules.
        from bidi_server.browser.sessions.holding import Held

        wanted = launch_options(self.config)
        if self._preset.emulation is not None and self._preset.emulation.is_of_phone:
            wanted = replace(wanted, whole=True)
        browser = await self._browsers.get(wanted, self._owner, self._tell)
        try:
            options = self._options(self.outlives and browser.session is not None)
            persistent = self.config.user_data_dir is not None
            context = await self._new_context(browser, options, DEFAULT, persistent=persistent)
            if self.config.storage_state is not None:
                await self._restore(context, self.config.storage_state)
        except BaseException:
            with trio.CancelScope(shield=True):
                await self._browsers.release(browser)
            raise
        self.notices += browser.shortcomings
        held = Held(browser, options, {DEFAULT: context}, context)
        held.download_into(self._options(self.outlives).downloads)  # `belong` may have changed the folder
        return held

    async def _restore(self, context: Context, file: Path) -> None:
        from bidi_server.browser.contexts.storage_state import read_state, restore

        async with context.closed_on_failure():
            refused = await restore(context, await read_state(file))
        self.notices += [f"Not taken from {file}: {what}" for what in refused]

    async def _reconnected(self, held: Held) -> Held:
        if held.place is not None:
            with suppress(BrowserUnavailableError, SessionNotFoundError):
                found = await self._resumed(held.place)
                self.notices.append(f"The connection to the browser was lost ({held.browser.lost}); it is there again.")
                return found
        logger.warning("browser lost: %s\n%s", held.browser.lost, held.browser.died())
        said, losses = f"The browser ended ({held.browser.lost}).", held.losses(DEFAULT)
        if self.outlives:
            self.closed = True
            await self._left()
            raise SessionEndedError(said + losses)
        self._held = None
        try:
            found = await self._begun()
        except BaseException:  # the next call reports it if this one was cancelled
            self.notices.append(said + losses)
            raise
        again = "Connected to --endpoint again." if self.config.endpoint else "A new one was started."
        self.notices.append(f"{said} {again}{losses}")
        return found

    async def _resumed(self, place: Place) -> Held:
        from bidi_server.browser.sessions.holding import resumed

        return await resumed(self._browsers, self.config, self._options(self.outlives), place)

    async def _catch_up(self) -> None:
        held = self._held
        if held is None or not self.outlives or held.browser.lost or self._elsewhere is not None:
            return
        from bidi_server.bidi.errors import BidiError, ConnectionLostError, NoSuchUserContextError

        try:
            with trio.fail_after(self.limits.action):
                await held.catch_up(self._server)
        except trio.TooSlowError:
            said = f"The browser did not answer within {self.limits.action:g} s."
            raise DeadlineError(said, "Try again, or begin a new session.") from None
        except NoSuchUserContextError as error:
            self.closed = True
            await self._left()
            raise SessionEndedError("The session was closed.") from error
        except (BidiError, ConnectionLostError) as error:
            logger.info("a session's record can't be read: %s", error)  # `context` handles a lost browser

    async def _write_down(self) -> None:
        held = self._held
        if held is None or held.place is None or held.browser.lost:
            return
        from bidi_server.bidi.errors import ConnectionLostError

        with trio.move_on_after(self.limits.action, shield=True), suppress(ConnectionLostError):
            await held.write_down(self._server, self.config.idle_timeout)

    def _options(self, outlives: bool) -> ContextOptions:
        from bidi_server.browser.contexts.context import ContextOptions

        return ContextOptions.of(self.config, self.limits, self._budget, outlives=outlives)

    async def _new_context(
        self,
        browser: Browser,
        options: ContextOptions,
        name: str,
        *,
        persistent: bool = False,
        proxy: Proxy | None = None,
    ) -> Context:
        if persistent and browser.profile_in_use:
            raise LimitError("Another session uses this profile.", "Close that, or use another profile.")
        from bidi_server.browser.contexts.beginning import begin, proxy_of

        proxy = proxy or self._preset.proxy or proxy_of(self.config)
        context = await browser.new_context(name, options, persistent=persistent, proxy=proxy)
        async with context.closed_on_failure():
            await begin(context, self.config, self._preset.emulation)
        return context

    @property
    def contexts(self) -> dict[str, Context]:
        """The contexts by name; the active one is what `context` returns."""
        return dict(self._held.contexts) if self._held else {}

    @property
    def active_context(self) -> Context | None:
        """The active context; None before the browser is started."""
        return self._held.active if self._held else None

    @property
    def active_tab(self) -> Tab | None:
        """The active tab of the active context, without starting a browser; None if there is none."""
        return self.active_context.active if self.active_context is not None else None

    async def create_context(
        self, name: str, *, proxy: Proxy | None = None, state: StorageState | None = None
    ) -> tuple[Context, list[str]]:
        """Create a context and make it the active one. Return it, and what could not be restored of the state.

        Raises `InvalidParametersError` for a name that is taken or cannot be a prefix of refs.
        """
        if not name.strip() or ":" in name:
            raise InvalidParametersError(f"{name!r} is not a valid context name.", "Use a word without a colon.")
        await self.context()
        held = self._holding()
        if name in held.contexts:
            raise InvalidParametersError(f"There is a context {name!r} already.", "Switch to it, or use another name.")
        from bidi_server.browser.contexts.storage_state import restore

        context = await self._new_context(held.browser, held.options, name, proxy=proxy)
        async with context.closed_on_failure():
            refused = await restore(context, state) if state else []
        held.contexts[name] = held.active = context
        held.label_refs()
        return context, refused

    async def switch_context(self, name: str) -> Context:
        """Make a context the active one. Raises `InvalidParametersError` if there is none of that name."""
        await self.context()
        context = self._holding().active = self.context_named(name)
        if context.active is not None and not context.active.closed:
            await context.select(context.tabs.index(context.active))
        return context

    async def close_context(self, name: str) -> Context:
        """Close a context with its tabs, and return the context that is active afterwards.

        Raises `InvalidParametersError` for the only context, and if there is none of that name.
        """
        await self.context()
        held = self._holding()
        context = self.context_named(name)
        if len(held.contexts) == 1:
            raise InvalidParametersError(
                "Cannot close the only remaining context.", Advice.of("To close its pages: ", Operation.CLOSE, ".")
            )
        del held.contexts[name]
        if held.active is context:
            held.active = held.contexts.get(DEFAULT) or next(iter(held.contexts.values()))
        held.label_refs()
        await held.browser.close_context(context)
        return held.active

    def context_named(self, name: str) -> Context:
        """Return the context of this name. Raises `InvalidParametersError`."""
        context = self.contexts.get(name)
        if context is None:
            there = ", ".join(map(repr, self.contexts)) or "none"
            raise InvalidParametersError(f"There is no context {name!r}.", f"There are: {there}.")
        return context

    def _holding(self) -> Held:
        assert self._held is not None
        return self._held

    async def tab(self) -> Tab:
        """Return the active tab, in a live browser."""
        return await (await self.context()).tab()

    async def aclose(self, *, graceful: bool = False) -> None:
        """Close the contexts, and the browser if no other session uses it.

        Cancel the calls in progress. With ``graceful``, wait for them first, for as long as one call may take.
        """
        if graceful:
            with trio.move_on_after(self.limits.navigation + self.limits.action):
                async with self._lock:
                    self.closed = True
        self.closed = True
        for call in self._calls:
            call.cancel()
        if self._elsewhere is not None:
            await self._left()
            # The session must be resumed here before it can be closed.
            with suppress(BrowserUnavailableError, SessionNotFoundError):
                self._held = await self._resumed(self._elsewhere)
        held, self._held = self._held, None
        if held is None:
            return
        try:
            async with trio.open_nursery() as nursery:
                for context in held.contexts.values():
                    nursery.start_soon(held.browser.close_context, context)
        finally:
            with trio.CancelScope(shield=True):
                await self._browsers.release(held.browser)

    async def expire(self) -> None:
        """Close the session after it was idle for too long here, unless another server uses it."""
        with suppress(SessionNotFoundError, DeadlineError):
            await self._catch_up()
        told = self._held.told if self._held is not None and self.outlives else None
        if told is not None and not told.lapsed:
            await self._left()
        await self.aclose()

    async def look(self) -> None:
        """Check whether the session was closed at another server, as is possible if it has no tabs left."""
        if self._held is not None and not any(context.tabs for context in self._held.contexts.values()):
            async with self._lock:
                with suppress(SessionNotFoundError, DeadlineError):
                    await self._catch_up()

    async def _left(self) -> None:
        """Release the browser and its contexts without closing them, so that other servers can resume the session."""
        held, self._held = self._held, None
        if held is not None:
            held.leave()
            await self._browsers.release(held.browser)
