"""A client without a connection, over HTTP: it names its session in each call."""

from __future__ import annotations

from secrets import token_urlsafe
from typing import TYPE_CHECKING

import trio

from bidi_server.browser.sessions.client import CLOSING_SECONDS, Client
from bidi_server.errors import NotSupportedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bidi_server.browser.bounded import Recent
    from bidi_server.browser.sessions.handles import Handles
    from bidi_server.browser.sessions.registry import Sessions
    from bidi_server.browser.sessions.session import Session
    from bidi_server.config import Capability, Config


class Visitor(Client):
    """A client without a connection: each of its calls passes the handle of a session, or begins a session.

    ``identity`` identifies the client: the sessions of other identities are out of its reach. ``known`` contains the
    session names that it has used.
    """

    is_visitor = True

    def __init__(self, sessions: Sessions, identity: str, config: Config, handles: Handles, known: Recent[str]) -> None:
        super().__init__(sessions, ("token", identity), config, known)
        self._identity = identity
        self._handles = handles
        self._given: str | None = None
        """The handle or name of a session that the call passes, if any."""
        self._used = ""
        """Name of the call's session, if the call passes a handle or begins the session."""

    async def enable(self, capabilities: Iterable[Capability]) -> None:
        """Raise `NotSupportedError`: nothing is kept for a client between its calls but its sessions."""
        raise NotSupportedError(
            "A client without a connection can't enable tools.",
            f"Start the server with --caps {','.join(capabilities)}, or connect with initialize.",
        )

    def session(self, name: str | None = None) -> Session:
        """Return a session; without a handle a new one. Raises `SessionNotFoundError`, `LimitError`."""
        if name is None:
            return self._begin()
        session = super().session(self._named(name))
        self._given = name
        return session

    def opened(self, name: str | None = None) -> Session | None:
        """Return the session here that has this name or handle; None if there is none."""
        handle = self._handles.open(self._identity, name) if name is not None else None
        return self.sessions.get(handle.name if handle is not None else name or "")

    def visit(self, name: str | None) -> Session:
        """Return a session, created if needed; without a name a new one."""
        if name is None:
            return self._begin()
        self._given = name
        return super().visit(self._named(name))

    def has(self, name: str) -> bool:
        """Whether there is a session with this name or handle, here or elsewhere."""
        return super().has(self._named(name))

    async def close(self, name: str, *, graceful: bool = True) -> None:
        """End a session. Raises `SessionNotFoundError`."""
        await super().close(self._named(name), graceful=graceful)

    def label(self, name: str) -> str:
        """Return the session's handle."""
        session = self.sessions.get(name)
        return self._handles.seal(self._identity, session.handle(name)) if session is not None else name

    async def news(self, parameter: str) -> str:
        """Return a notice with the handle of a session that has just begun, or that has moved to another browser.

        Close a session that has just begun but has no browser.
        """
        session = self.sessions.get(self._used)
        if session is None or session.closed:
            return ""
        if self._given is None and not session.started:
            await self.abandon()
            return ""
        label = self.label(self._used)
        if label == self._given:
            return ""
        if self._given is None:
            return f"This is the session {label}: pass it as {parameter}."
        return f"The session is now {label}: pass it as {parameter} from now on."

    async def abandon(self) -> None:
        """Close the session that the call has begun: the client does not know its handle, or it has no browser."""
        if self._used and self._given is None:
            with trio.move_on_after(CLOSING_SECONDS, shield=True):
                await self._sessions.close(self._key(self._used))

    def _begin(self) -> Session:
        self._used = self._new_name()
        self._known.add(self._used)
        outlives = self._outlives(self.config)
        return self._sessions.get(self._key(self._used), self.config, outlives=outlives, allowance=self.allowance)

    def _named(self, text: str) -> str:
        """Return the name of the session that a handle identifies; any other text is a name itself.

        A session that is elsewhere will be resumed here.
        """
        handle = self._handles.open(self._identity, text)
        if handle is None:
            return text
        session = self.sessions.get(handle.name)
        if handle.place is not None:
            if session is None or session.closed:
                key = self._key(handle.name)
                self._sessions.get(key, self.config, handle=handle, outlives=True, allowance=self.allowance)
            else:
                session.follow(handle)
        self._used = handle.name
        return handle.name

    def _outlives(self, config: Config) -> bool:
        return config.handle_key is not None and bool(config.grid_url or config.endpoint)

    def _new_name(self) -> str:
        return token_urlsafe(6)
