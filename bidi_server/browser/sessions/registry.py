"""The sessions of one server."""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager, nullcontext, suppress
from secrets import token_hex
from typing import TYPE_CHECKING

import trio

from bidi_server.browser.bounded import Recent
from bidi_server.browser.engine.pool import Browsers, launch_options, prepare
from bidi_server.browser.files.budget import FileBudget
from bidi_server.browser.sessions.session import Session
from bidi_server.errors import LimitError, ToolError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from contextlib import AbstractContextManager

    from bidi_server.browser.sessions.allowance import Allowance
    from bidi_server.browser.sessions.handles import Handle
    from bidi_server.browser.sessions.session import Preset
    from bidi_server.config import Config

logger = logging.getLogger(__name__)

Key = tuple[object, str]
"""The owner and the name of a session."""

REAP_INTERVAL = 10.0
"""Maximum interval between two checks for idle sessions, in seconds. It is shorter for a short idle timeout."""

EXPIRE_SECONDS = 10.0
"""Timeout for the browser to close an idle session, in seconds."""

MAX_EXPIRED = 1000
"""Maximum number of sessions closed as idle to remember, to notify their clients when they return."""

REAP_GRID_INTERVAL = 60.0
"""Maximum interval between two checks for sessions that a crashed server has left on the Grid, in seconds."""


async def _tell_nobody(_done: float, _of: float | None, _what: str) -> None:
    pass


class Sessions:
    """All sessions of the server, by owner and by the owner's name for each."""

    def __init__(self, config: Config, browsers: Browsers, fence: str = "") -> None:
        self.browsers = browsers
        self.fence = fence
        """The word that marks texts of pages in answers; "" for none."""
        self.server = token_hex(4)
        """Random id that distinguishes this server from others that serve the same sessions."""
        self._config = config
        self._budget = FileBudget(config.output_max_size)
        self._by_key: dict[Key, Session] = {}
        self._expired = Recent[Key](MAX_EXPIRED)
        self._ready: Session | None = None
        """A session with an open tab, for the first client."""

    def __len__(self) -> int:
        return len(self._by_key)

    async def prelaunch(self) -> None:
        """Start the browser, and in it a session with an open tab for the first client."""
        # There is only one profile: the first client may need it for a session with other options.
        if not await self.browsers.prelaunch(self._config) or self._by_key or self._config.user_data_dir is not None:
            return
        from bidi_server.bidi.errors import BidiError, ConnectionLostError

        session = self._ready = Session(self._config, self.browsers, server=self.server, budget=self._budget)
        try:
            async with session.call(_tell_nobody):
                await session.tab()
        except (ToolError, BidiError, ConnectionLostError) as error:
            logger.info("no tab could be opened beforehand: %s", error)

    @property
    def has_first_call(self) -> bool:
        """Whether a browser was started ahead of a first call that goes on, see `ahead`."""
        return self.browsers.first_calls > 0

    async def prepare(self) -> None:
        """Import what the start of a browser needs, before a call needs one."""
        with suppress(ToolError):  # the first call reports what is wrong with the configuration
            await prepare(launch_options(self._config))

    def ahead(self, config: Config | None = None) -> AbstractContextManager[None]:
        """Start the browser for a client's first call in this block, while the modules of its tool are imported.

        Not a browser that there may be only one of: with a profile, of a Grid, or of a session by itself.
        """
        config = config or self._config
        only = config.user_data_dir or config.endpoint or config.grid_url or config.isolation == "process"
        if only or self._by_key or self.browsers.running:
            return nullcontext()
        return self.browsers.ahead(launch_options(config))

    def get(
        self,
        key: Key,
        config: Config | None = None,
        preset: Preset | None = None,
        *,
        handle: Handle | None = None,
        outlives: bool = False,
        allowance: Allowance | None = None,
    ) -> Session:
        """Return the session of this key. A new key gets a new session, with its own configuration if one is given.

        With a ``handle``, the new session continues one that began elsewhere. With ``outlives``, other servers can
        resume it. ``allowance`` is of the client that asks. Raises `LimitError` if there are too many sessions.
        """
        self._by_key = {key: session for key, session in self._by_key.items() if not session.closed}
        session = self._by_key.get(key)
        if session is None:
            if len(self._by_key) >= self._config.max_sessions:
                raise LimitError(
                    f"All {self._config.max_sessions} sessions are in use.",
                    "Close one, or start the server with a higher --max-sessions.",
                )
            if allowance is not None:
                allowance.check_session()
            config = config or self._config
            is_plain = preset is None and handle is None and not outlives
            session = self._take_ready(config) if is_plain else None
            session = self._by_key[key] = session or Session(
                config,
                self.browsers,
                preset,
                handle=handle,
                server=self.server,
                outlives=outlives,
                budget=self._budget,
            )
            if allowance is not None:
                session.allowance = allowance  # a tool may run steps in sessions that it opens
                allowance.usage.sessions.add(session)
            if key in self._expired:
                self._expired.discard(key)
                idle = f"{self._config.idle_timeout:g} idle seconds"
                session.notices.append(f"The session was closed after {idle}; its tabs and cookies are gone.")
        session.touch()
        return session

    def _take_ready(self, config: Config) -> Session | None:
        session = self._ready
        folders = {"output_dir": config.output_dir, "baseline_dir": config.baseline_dir}
        if session is None or session.config.model_copy(update=folders) != config:
            return None
        self._ready = None
        session.belong(config)
        is_lost = any(context.browser.lost for context in session.contexts.values())
        return None if is_lost else session

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
        """Close sessions that have been idle for too long, until cancelled."""
        limit = self._config.idle_timeout
        while True:
            await trio.sleep(min(REAP_INTERVAL, limit / 2))
            now = trio.current_time()
            for key, session in list(self._by_key.items()):
                try:
                    await self._reap_one(key, session, now - limit)
                except Exception:  # an error in one session must not end the others
                    logger.exception("an idle session did not close in order")

    async def _reap_one(self, key: Key, session: Session, used_before: float) -> None:
        if session.busy:
            return
        await session.look()
        if session.closed:
            self._by_key.pop(key, None)
        elif session.last_used < used_before:
            logger.info("closing a session after %g idle seconds", self._config.idle_timeout)
            self._by_key.pop(key, None)
            self._expired.add(key)
            with trio.move_on_after(EXPIRE_SECONDS):
                await session.expire()

    async def reap_grid(self, url: str) -> None:
        """End sessions that other servers have left behind on the Grid, until cancelled."""
        while True:
            await trio.sleep(min(REAP_GRID_INTERVAL, self._config.idle_timeout / 2))
            await self.browsers.reap(url, self._config.idle_timeout)


@asynccontextmanager
async def open_sessions(config: Config, fence: str = "") -> AsyncGenerator[Sessions]:
    """Provide the sessions of a server. Close all browsers at the end. ``fence`` as for `Sessions`."""
    async with trio.open_nursery() as nursery:
        browsers = Browsers(nursery)
        sessions = Sessions(config, browsers, fence)
        nursery.start_soon(sessions.reap)
        if config.prelaunch:
            nursery.start_soon(sessions.prelaunch)
        if config.grid_url is not None and config.endpoint is None:
            nursery.start_soon(sessions.reap_grid, config.grid_url)
        try:
            yield sessions
        finally:
            with trio.CancelScope(shield=True):
                await browsers.aclose()
            nursery.cancel_scope.cancel()
