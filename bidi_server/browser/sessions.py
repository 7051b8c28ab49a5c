"""Sessions: one agent's browser state each, and the browsers that they share."""

from __future__ import annotations

import logging
import secrets
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from bidi_server.browser.addresses import AllowList
from bidi_server.browser.browsers import Browsers, launch_options
from bidi_server.browser.files import within
from bidi_server.browser.limits import Limits
from bidi_server.browser.outputs import Outputs
from bidi_server.browser.rate import Rate
from bidi_server.errors import InvalidParametersError, LimitError, SessionNotFoundError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from bidi_server.browser.browser import Browser
    from bidi_server.browser.context import Context
    from bidi_server.browser.emulation import Emulation
    from bidi_server.browser.pattern import Pattern
    from bidi_server.browser.proxy import Proxy
    from bidi_server.browser.storage_state import StorageState
    from bidi_server.browser.tab import Tab
    from bidi_server.config import Config

logger = logging.getLogger(__name__)

DEFAULT = "default"
"""Name of the context that every session begins with."""

Key = tuple[object, str]
"""Whose session it is, and what it is called."""

REAP_INTERVAL = 10.0
"""Seconds between two looks for idle sessions; shorter than a short idle timeout."""


@dataclass(slots=True)
class _Held:
    browser: Browser
    contexts: dict[str, Context]
    active: Context

    def label_refs(self) -> None:
        """Put the context's name before refs while there are several contexts (seed 002)."""
        for name, context in self.contexts.items():
            context.shared.ref_prefix = f"{name}:" if len(self.contexts) > 1 else ""


@dataclass(frozen=True, slots=True)
class Preset:
    """What the contexts of a session begin with."""

    emulation: Emulation | None = None
    proxy: Proxy | None = None


class Session:
    """One agent's state: named contexts, the active one, and what it must still be told."""

    def __init__(self, handle: str, config: Config, browsers: Browsers, preset: Preset | None = None) -> None:
        self.handle = handle
        self.config = config
        self.rate = Rate(config.rate_limit)
        self.recorded: list[Pattern] = []
        """What is in URLs of requests whose bodies the agent wants."""
        self._preset = preset or Preset()
        self.limits = Limits(config.action_timeout, config.navigation_timeout)
        self.downloads = (config.screenshot_dir / "downloads").absolute()
        self.outputs = Outputs(config.screenshot_dir)
        self.last_used = trio.current_time()
        self.notices: list[str] = []
        """What happened between two calls, for the next answer."""
        self.folders = (config.screenshot_dir, *config.upload_dirs)
        """Folders whose files may be used by clients that may not use all."""
        self._is_far = config.transport == "http"
        self._browsers = browsers
        self._held: _Held | None = None
        self._lock = trio.Lock()
        self._calls: set[trio.CancelScope] = set()
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether calls are under way: a session at work is not idle."""
        return bool(self._calls)

    def touch(self) -> None:
        """The session was used just now."""
        self.last_used = trio.current_time()

    @asynccontextmanager
    async def call(self) -> AsyncGenerator[None]:
        """Run a call in the block, after those that came before.

        Raises `SessionNotFoundError` if the session is closed meanwhile.
        """
        closed = SessionNotFoundError("The session was closed during the call.", "Call again: it begins anew.")
        with trio.CancelScope() as scope:
            self._calls.add(scope)
            try:
                async with self._lock:
                    if self._closed:
                        raise closed
                    yield
            finally:
                self._calls.discard(scope)
                self.touch()
        if scope.cancelled_caught:
            raise closed

    async def readable(self, path: Path) -> Path:
        """Return where a file is that the client names: anywhere, since it started us, or over HTTP in `folders`.

        Raises `InvalidParametersError`.
        """
        return await within(path, self.folders) if self._is_far else path

    async def writable(self, path: Path) -> Path:
        """Return where to write a file that the client names: anywhere, or over HTTP in the folder for screenshots.

        Raises `InvalidParametersError`.
        """
        return await self.outputs.place(str(path)) if self._is_far else path

    @property
    def started(self) -> bool:
        """Whether the session has a browser."""
        return self._held is not None

    async def context(self) -> Context:
        """Return the active context, with a browser that is alive."""
        held = self._held
        if held is not None and held.browser.lost:
            lost = [tab.url for context in held.contexts.values() for tab in context.tabs]
            lost += [f"the context {name!r}" for name in held.contexts if name != DEFAULT]
            what = f" Lost: {', '.join(lost)}." if lost else ""
            self.notices.append(f"The browser ended ({held.browser.lost}); a new one was started.{what}")
            logger.warning("browser lost: %s\n%s", held.browser.lost, held.browser.died())
            held = self._held = None
        if held is None:
            owner = self.handle if self.config.isolation == "process" else ""
            browser = await self._browsers.get(launch_options(self.config), owner)
            try:
                context = await self._new_context(browser, DEFAULT, persistent=self.config.user_data_dir is not None)
            except BaseException:
                with trio.CancelScope(shield=True):
                    await self._browsers.release(browser)
                raise
            held = self._held = _Held(browser, {DEFAULT: context}, context)
        return held.active

    async def _new_context(
        self, browser: Browser, name: str, *, persistent: bool = False, proxy: Proxy | None = None
    ) -> Context:
        if persistent and browser.profile_in_use:
            raise LimitError("Another session uses this profile.", "Close that, or use another profile.")
        context = await browser.new_context(
            name,
            viewport=self.config.viewport,
            downloads=self.downloads,
            limits=self.limits,
            persistent=persistent,
            proxy=proxy or self._preset.proxy,
            watched="dev" in self.config.caps,
            answers_dialogs="browser" not in self.config.toolset,
            allowed=AllowList(self.config.allowed_urls) if self.config.allowed_urls else None,
            web_only=self._is_far,
        )
        if self._preset.emulation is not None:
            try:
                await self._preset.emulation.apply(context)
            except BaseException:
                with trio.CancelScope(shield=True):
                    await browser.close_context(context)
                raise
        return context

    @property
    def contexts(self) -> dict[str, Context]:
        """The contexts by name; the active one is what `context` returns."""
        return dict(self._held.contexts) if self._held else {}

    async def create_context(
        self, name: str, *, proxy: Proxy | None = None, state: StorageState | None = None
    ) -> tuple[Context, list[str]]:
        """Make another context and the active one of it; return it, and what it did not take of the state.

        Raises `InvalidParametersError` for a name that is taken or can't stand before a ref.
        """
        if not name.strip() or ":" in name:
            raise InvalidParametersError(f"{name!r} is no name for a context.", "Use a word without a colon.")
        await self.context()
        held = self._holding()
        if name in held.contexts:
            raise InvalidParametersError(f"There is a context {name!r} already.", "Switch to it, or use another name.")
        # Imports the protocol, which a server that has no browser yet doesn't need.
        from bidi_server.browser.storage_state import restore

        context = await self._new_context(held.browser, name, proxy=proxy)
        try:
            refused = await restore(context, state) if state else []
        except BaseException:
            with trio.CancelScope(shield=True):
                await held.browser.close_context(context)
            raise
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
        """Close a context with its tabs, and return the one that is active then.

        Raises `InvalidParametersError` for the only one, and if there is none of that name.
        """
        await self.context()
        held = self._holding()
        context = self.context_named(name)
        if len(held.contexts) == 1:
            raise InvalidParametersError(
                "Cannot close the only remaining context.", "To close its pages: browser_close."
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

    def _holding(self) -> _Held:
        assert self._held is not None
        return self._held

    async def tab(self) -> Tab:
        """Return the active tab, with a browser that is alive."""
        return await (await self.context()).tab()

    async def aclose(self, *, graceful: bool = False) -> None:
        """Close the contexts, and the browser if nobody else uses it.

        Calls under way are ended, or waited for if that is wanted, for as long as one may take.
        """
        if graceful:
            with trio.move_on_after(self.limits.navigation + self.limits.action):
                async with self._lock:
                    self._closed = True
        self._closed = True
        for call in self._calls:
            call.cancel()
        held, self._held = self._held, None
        if held is None:
            return
        for context in held.contexts.values():
            await held.browser.close_context(context)
        await self._browsers.release(held.browser)


class Sessions:
    """Every session of the server, by its owner and the owner's name for it."""

    def __init__(self, config: Config, browsers: Browsers) -> None:
        self.browsers = browsers
        self._config = config
        self._by_key: dict[Key, Session] = {}
        self._expired: set[Key] = set()

    def __len__(self) -> int:
        return len(self._by_key)

    def get(self, key: Key, config: Config | None = None, preset: Preset | None = None) -> Session:
        """Return the session of this key; a new key gets a new one, with a configuration of its own if that is given.

        Raises `LimitError`.
        """
        session = self._by_key.get(key)
        if session is None:
            if len(self._by_key) >= self._config.max_sessions:
                raise LimitError(
                    f"All {self._config.max_sessions} sessions are in use.",
                    "Close one, or start the server with a higher --max-sessions.",
                )
            session = self._by_key[key] = Session(
                secrets.token_urlsafe(16), config or self._config, self.browsers, preset
            )
            if key in self._expired:
                self._expired.discard(key)
                idle = f"{self._config.idle_timeout:g} idle seconds"
                session.notices.append(f"The session was closed after {idle}; its tabs and cookies are gone.")
        session.touch()
        return session

    def of(self, owner: object) -> dict[str, Session]:
        """Return an owner's sessions by name, in the order in which they were opened."""
        return {key[1]: session for key, session in self._by_key.items() if key[0] == owner}

    async def close(self, key: Key, *, graceful: bool = False) -> None:
        """End the session of this key, if there is one."""
        self._expired.discard(key)
        session = self._by_key.pop(key, None)
        if session is not None:
            await session.aclose(graceful=graceful)

    async def reap(self) -> None:
        """Close sessions that have been idle too long, for ever."""
        limit = self._config.idle_timeout
        while True:
            await trio.sleep(min(REAP_INTERVAL, limit / 2))
            now = trio.current_time()
            for key, session in list(self._by_key.items()):
                if not session.busy and now - session.last_used > limit:
                    logger.info("closing a session after %g idle seconds", limit)
                    del self._by_key[key]
                    self._expired.add(key)
                    with trio.move_on_after(10):
                        await session.aclose()


@asynccontextmanager
async def open_sessions(config: Config) -> AsyncGenerator[Sessions]:
    """Hold the sessions of one server; at the end every browser is closed."""
    async with trio.open_nursery() as nursery:
        browsers = Browsers(nursery)
        sessions = Sessions(config, browsers)
        nursery.start_soon(sessions.reap)
        try:
            yield sessions
        finally:
            with trio.CancelScope(shield=True):
                await browsers.aclose()
            nursery.cancel_scope.cancel()
