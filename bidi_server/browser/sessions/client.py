"""One client's view of the sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import trio

from bidi_server.browser.bounded import Recent
from bidi_server.browser.sessions.allowance import Allowance
from bidi_server.browser.sessions.session import DEFAULT
from bidi_server.errors import InvalidParametersError, NotAllowedError, SessionNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

    from bidi_server.browser.engine.pool import Tell
    from bidi_server.browser.sessions.registry import Key, Sessions
    from bidi_server.browser.sessions.session import Preset, Session
    from bidi_server.config import Capability, Config

CLOSING_SECONDS = 10.0
"""Timeout for closing a session that no caller waits for, in seconds."""

_EVERYBODY = "everybody"
"""Owner of shared sessions."""

MAX_KNOWN = 10_000
"""Maximum number of session names to remember. Fewer sessions than that are open."""


def known_names() -> Recent[str]:
    """Return an empty set for the names of the sessions that a client has used."""
    return Recent(MAX_KNOWN)


def _with(config: Config, capabilities: Iterable[Capability]) -> Config:
    return config.model_copy(update={"caps": tuple(dict.fromkeys([*config.caps, *capabilities]))})


class Client:
    """One client's sessions, by the client's names for them.

    Sessions of other clients are out of its reach, unless the configuration shares named sessions (seed 003).
    """

    is_visitor = False
    """Whether only the name in a call identifies its session."""

    def __init__(self, sessions: Sessions, owner: object, config: Config, known: Recent[str] | None = None) -> None:
        self._sessions = sessions
        self._owner = owner
        self.config = config
        self._known = known_names() if known is None else known
        self._current = DEFAULT
        self.allowance = Allowance()
        """What the client may do; over HTTP, what the token of its newest request allows."""

    @property
    def sessions(self) -> dict[str, Session]:
        """The open sessions by name. The session of calls without a name is called `DEFAULT`."""
        own = self._sessions.of(self._owner)
        return {**own, **self._sessions.of(_EVERYBODY)} if self.config.allow_shared_sessions else own

    @property
    def used(self) -> list[str]:
        """The names of the open sessions that this client itself has used."""
        return [name for name in self.sessions if name == DEFAULT or name in self._known]

    @property
    def has_first_call(self) -> bool:
        """Whether a first call goes on, see `Sessions.has_first_call`."""
        return self._sessions.has_first_call

    @property
    def fence(self) -> str:
        """The word that marks texts of pages in answers; "" for none."""
        return self._sessions.fence

    async def wait_for_browser(self) -> None:
        """Wait until no browser is being started any more."""
        await self._sessions.browsers.wait_for_starts()

    async def prepare(self) -> None:
        """Import what a first call needs, see `Sessions.prepare`."""
        await self._sessions.prepare()

    async def enable(self, capabilities: Iterable[Capability]) -> None:
        """Give the client more capabilities, for as long as it is connected. Raises `NotAllowedError`."""
        if self.allowance.caps is not None and not self.allowance.caps.issuperset(capabilities):
            raise NotAllowedError(f"{self.allowance.holder} may not enable these tools.", self.allowance.way_out)
        self.config = _with(self.config, capabilities)
        for session in self.sessions.values():
            await session.apply(_with(session.config, capabilities))

    def ahead(self) -> AbstractContextManager[None]:
        """Start the browser for a first call in this block, see `Sessions.ahead`."""
        return self._sessions.ahead(self.config)

    def session(self, name: str | None = None) -> Session:
        """Return a session; without a name the default one, created if needed. Raises `SessionNotFoundError`."""
        if name is not None and name != DEFAULT and name not in self.sessions:
            known = ", ".join(map(repr, self.sessions)) or "none"
            closed = " any more: it was closed, or idle for too long" if name in self._known else ""
            raise SessionNotFoundError(f"There is no session {name!r}{closed}. Open: {known}.", "Create it first.")
        return self._sessions.get(self._key(name or DEFAULT), self.config, allowance=self.allowance)

    def opened(self, name: str | None = None) -> Session | None:
        """Return an open session, without a name the default one; None if there is none."""
        return self.sessions.get(name or DEFAULT)

    def visit(self, name: str | None) -> Session:
        """Return a session, created if needed; without a name the one that was visited last (seed 003)."""
        self._current = name or self._current
        self._known.add(self._current)
        return self._sessions.get(self._key(self._current), self.config, allowance=self.allowance)

    def has(self, name: str) -> bool:
        """Whether there is a session of this name."""
        return name in self.sessions

    async def create(
        self,
        name: str | None,
        changes: Mapping[str, object],
        tell: Tell,
        *,
        preset: Preset | None = None,
        start: bool = False,
    ) -> str:
        """Open a session with its own options and return its name, one that can't be guessed if none is given.

        Its browser starts when it is first needed, or now with ``start`` or if the session outlives the server.
        ``tell`` receives progress then. Raises `InvalidParametersError` for a name that is taken, `LimitError` if there
        are too many sessions, `BrowserUnavailableError`.
        """
        name = name or self._new_name()
        if name == DEFAULT or name in self.sessions:
            raise InvalidParametersError(f"There is a session {name!r} already.", "Use another name, or none.")
        config = self.config.model_copy(update=dict(changes))
        outlives = self._outlives(config)
        session = self._sessions.get(self._key(name), config, preset, outlives=outlives, allowance=self.allowance)
        self._known.add(name)
        if start or session.outlives:
            try:
                async with session.call(tell):
                    await session.tab()
            except BaseException:
                with trio.move_on_after(CLOSING_SECONDS, shield=True):
                    await self._sessions.close(self._key(name))
                raise
        return self.label(name)

    def label(self, name: str) -> str:
        """Return the text that the client passes to identify a session."""
        return name

    async def news(self, _parameter: str) -> str:
        """Return a notice about the session of a call at its end, or "". Calls name their session in this parameter."""
        return ""

    async def abandon(self) -> None:
        """Clean up after a call that was cancelled."""

    async def close(self, name: str, *, graceful: bool = True) -> None:
        """End a session. Raises `SessionNotFoundError`."""
        if name not in self.sessions:
            self.session(name)
        if name == self._current:
            self._current = DEFAULT
        await self._sessions.close(self._key(name), graceful=graceful)

    async def aclose(self) -> None:
        """End the sessions that belong to this client alone."""
        for name in self._sessions.of(self._owner):
            await self._sessions.close((self._owner, name))

    def _outlives(self, _config: Config) -> bool:
        return False

    def _new_name(self) -> str:
        return str(uuid4())

    def _key(self, name: str) -> Key:
        return (_EVERYBODY if self.config.allow_shared_sessions and name != DEFAULT else self._owner, name)
