"""One client's view of the sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from bidi_server.browser.sessions import DEFAULT, Key
from bidi_server.errors import InvalidParametersError, SessionNotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bidi_server.browser.sessions import Preset, Session, Sessions
    from bidi_server.config import Config

_EVERYBODY = "everybody"
"""Owner of shared sessions."""


class Client:
    """One client's sessions, by the names that it gave them: another's are out of its reach.

    Unless the options say that named sessions are shared (seed 003).
    """

    is_visitor = False
    """Whether nothing but the name of a session says which one a call is for."""
    opened = ""
    """Name of the session that this call has begun, where the client must be told."""

    def __init__(self, sessions: Sessions, owner: object, config: Config, known: set[str] | None = None) -> None:
        self._sessions = sessions
        self._owner = owner
        self.config = config
        self._known: set[str] = set() if known is None else known
        self._current = DEFAULT

    @property
    def sessions(self) -> dict[str, Session]:
        """The sessions that are open; the one that needs no name is called `DEFAULT`."""
        own = self._sessions.of(self._owner)
        return {**own, **self._sessions.of(_EVERYBODY)} if self.config.allow_shared_sessions else own

    @property
    def used(self) -> list[str]:
        """Names of those that this client has used itself."""
        return [name for name in self.sessions if name == DEFAULT or name in self._known]

    def session(self, name: str | None = None) -> Session:
        """Return a session; the one without a name is made when it is needed. Raises `SessionNotFoundError`."""
        if name is not None and name != DEFAULT and name not in self.sessions:
            known = ", ".join(map(repr, self.sessions)) or "none"
            closed = " any more: it was closed, or idle for too long" if name in self._known else ""
            raise SessionNotFoundError(f"There is no session {name!r}{closed}. Open: {known}.", "Create it first.")
        return self._sessions.get(self._key(name or DEFAULT), self.config)

    def visit(self, name: str | None) -> Session:
        """Return a session, made when it is needed; without a name the one visited last (seed 003)."""
        self._current = name or self._current
        self._known.add(self._current)
        return self._sessions.get(self._key(self._current), self.config)

    def create(self, name: str | None, changes: Mapping[str, object], preset: Preset | None = None) -> str:
        """Open a session with options of its own and return its name, one that can't be guessed if none is given.

        Raises `InvalidParametersError` for a name that is taken, `LimitError` when there are too many.
        """
        name = name or str(uuid4())
        if name == DEFAULT or name in self.sessions:
            raise InvalidParametersError(f"There is a session {name!r} already.", "Use another name, or none.")
        self._sessions.get(self._key(name), self.config.model_copy(update=dict(changes)), preset)
        self._known.add(name)
        return name

    async def close(self, name: str, *, graceful: bool = True) -> None:
        """End a session. Raises `SessionNotFoundError`."""
        if name not in self.sessions:
            self.session(name)
        if name == self._current:
            self._current = DEFAULT
        await self._sessions.close(self._key(name), graceful=graceful)

    async def aclose(self) -> None:
        """End those that are this client's own."""
        for name in self._sessions.of(self._owner):
            await self._sessions.close((self._owner, name))

    def _key(self, name: str) -> Key:
        return (_EVERYBODY if self.config.allow_shared_sessions and name != DEFAULT else self._owner, name)


class Visitor(Client):
    """A client without a connection: each of its calls names a session, or begins one.

    ``owner`` is who it says it is: the sessions of another are out of its reach. ``known`` are the names that this
    owner has used.
    """

    is_visitor = True

    def session(self, name: str | None = None) -> Session:
        """Return a session; without a name a new one. Raises `SessionNotFoundError`, `LimitError`."""
        return super().session(self._begun() if name is None else name)

    def visit(self, name: str | None) -> Session:
        """Return a session, made when it is needed; without a name a new one."""
        return super().visit(name or self._begun())

    def _begun(self) -> str:
        self.opened = self.create(None, {})
        return self.opened
