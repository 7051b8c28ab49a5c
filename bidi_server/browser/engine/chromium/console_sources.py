"""Sources of the console messages that Chromium reports over the DevTools protocol, which names only their session."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress

from bidi_server.bidi.cdp import ConsoleApiCalled, GetSession
from bidi_server.bidi.connection import Connection
from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.browser.bounded import keep
from bidi_server.browser.console.messages import PAGE
from bidi_server.browser.tab.tab import Tab

MOST_SESSIONS = 1000
"""Maximum number of DevTools sessions to remember, those that printed last: pages can create workers without limit."""

NOBODY = ("", PAGE)
"""Placeholder source of messages that are not recorded here: they are reported in another way, if at all."""

WORKERS = {"worker": "dedicated-worker", "service_worker": "service-worker", "shared_worker": "shared-worker"}
"""BiDi names of the DevTools worker types."""


class Printers:
    """Sources of console messages by DevTools session.

    ``record`` is called with each message, the frame that it comes from, and what printed it.
    """

    def __init__(self, record: Callable[[ConsoleApiCalled, str, str], None]) -> None:
        self._record = record
        self._known: dict[str | None, tuple[str, str]] = {}
        self._early: deque[ConsoleApiCalled] = deque(maxlen=100)
        """Messages of sessions that are not known yet."""

    def page(self, session: str | None, frame: str) -> None:
        """Record that a session belongs to a page or frame, unless its source is known."""
        if self._known.get(session, NOBODY) == NOBODY:
            self._learn(session, (frame, PAGE))
            early, self._early = self._early, deque(maxlen=100)
            for event in early:
                self.tell(event)

    def worker(self, session: str, kind: str, parent: str | None) -> None:
        """Record that a session belongs to a worker of the page of its parent session."""
        frame, _ = self._known.get(parent, NOBODY)
        self._learn(session, (frame, WORKERS.get(kind, kind)))

    def ended(self, session: str) -> None:
        """Forget a session that has ended."""
        self._known.pop(session, None)

    def _learn(self, session: str | None, printer: tuple[str, str]) -> None:
        keep(self._known, session, printer, MOST_SESSIONS)

    def forget(self, frame: str) -> None:
        """Forget the sessions of a frame that is gone."""
        self._known = {session: printer for session, printer in self._known.items() if printer[0] != frame}

    def tell(self, event: ConsoleApiCalled) -> bool:
        """Record a message, or keep it while its source is unknown.

        Return False if the caller must start `find`: this is the first message that waits for it.
        """
        if printer := self._known.get(event.session):
            self._learn(event.session, printer)
            self._record(event, *printer)
            return True
        self._early.append(event)
        return len(self._early) > 1

    async def find(self, connection: Connection, tabs: list[Tab]) -> None:
        """Ask the browser for the sessions of tabs."""
        for tab in tabs:
            with suppress(BidiError, ConnectionLostError):
                found = await connection.send(GetSession(context=tab.context))
                self.page(found.session, tab.context)
        # The other sessions belong to workers that are not watched, or to frames that were not reported yet. Do not
        # search for them again.
        for event in self._early:
            self._learn(event.session, NOBODY)
        self._early.clear()
