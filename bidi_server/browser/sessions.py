"""The sessions of one server."""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from secrets import token_hex
from typing import TYPE_CHECKING

import trio

from bidi_server.browser.browsers import Browsers
from bidi_server.browser.session import Session
from bidi_server.errors import LimitError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from bidi_server.browser.handles import Handle
    from bidi_server.browser.session import Preset
    from bidi_server.config import Config

logger = logging.getLogger(__name__)

Key = tuple[object, str]
"""Whose session it is, and what it is called."""

REAP_INTERVAL = 10.0
"""Seconds between two looks for idle sessions; shorter than a short idle timeout."""

REAP_GRID_INTERVAL = 60.0
"""Seconds between two looks for what a server that crashed has left on the Grid."""


class Sessions:
    """Every session of the server, by its owner and the owner's name for it."""

    def __init__(self, config: Config, browsers: Browsers) -> None:
        self.browsers = browsers
        self.server = token_hex(4)
        """Tells it from others that serve the same sessions."""
        self._config = config
        self._by_key: dict[Key, Session] = {}
        self._expired: set[Key] = set()

    def __len__(self) -> int:
        return len(self._by_key)

    def get(
        self,
        key: Key,
        config: Config | None = None,
        preset: Preset | None = None,
        *,
        handle: Handle | None = None,
        outlives: bool = False,
    ) -> Session:
        """Return the session of this key; a new key gets a new one, with a configuration of its own if that is given.

        With a ``handle`` it is one that began elsewhere; one that ``outlives`` this server can go on elsewhere. Raises
        `LimitError`.
        """
        self._by_key = {key: session for key, session in self._by_key.items() if not session.closed}
        session = self._by_key.get(key)
        if session is None:
            if len(self._by_key) >= self._config.max_sessions:
                raise LimitError(
                    f"All {self._config.max_sessions} sessions are in use.",
                    "Close one, or start the server with a higher --max-sessions.",
                )
            session = self._by_key[key] = Session(
                config or self._config, self.browsers, preset, handle=handle, server=self.server, outlives=outlives
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
                if session.busy:
                    continue
                await session.look()
                if session.closed:
                    self._by_key.pop(key, None)
                elif now - session.last_used > limit:
                    logger.info("closing a session after %g idle seconds", limit)
                    self._by_key.pop(key, None)
                    self._expired.add(key)
                    with trio.move_on_after(10):
                        await session.expire()

    async def reap_grid(self, url: str) -> None:
        """End what other servers have left on the Grid, for ever."""
        while True:
            await trio.sleep(min(REAP_GRID_INTERVAL, self._config.idle_timeout / 2))
            await self.browsers.reap(url, self._config.idle_timeout)


@asynccontextmanager
async def open_sessions(config: Config) -> AsyncGenerator[Sessions]:
    """Hold the sessions of one server; at the end every browser is closed."""
    async with trio.open_nursery() as nursery:
        browsers = Browsers(nursery)
        sessions = Sessions(config, browsers)
        nursery.start_soon(sessions.reap)
        if config.grid_url is not None and config.endpoint is None:
            nursery.start_soon(sessions.reap_grid, config.grid_url)
        try:
            yield sessions
        finally:
            with trio.CancelScope(shield=True):
                await browsers.aclose()
            nursery.cancel_scope.cancel()
