"""Whose messages of the console Chromium tells in its own way: it names only the DevTools session they come from."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress

from bidi_server.bidi.cdp import ConsoleApiCalled, GetSession
from bidi_server.bidi.connection import Connection
from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.browser.bounded import keep
from bidi_server.browser.console.messages import MOST_SESSIONS, PAGE
from bidi_server.browser.tab.tab import Tab

NOBODY = ("", PAGE)
"""Stands for the printer of messages that are told of in another way, if at all."""

WORKERS = {"worker": "dedicated-worker", "service_worker": "service-worker", "shared_worker": "shared-worker"}
"""What BiDi calls DevTools' types of workers."""


class Printers:
    """What prints by way of which session. ``record`` gets a message with its frame, and what has printed it."""

    def __init__(self, record: Callable[[ConsoleApiCalled, str, str], None]) -> None:
        self._record = record
        self._known: dict[str | None, tuple[str, str]] = {}
        self._early: deque[ConsoleApiCalled] = deque(maxlen=100)
        """Messages of sessions that nobody knows yet."""

    def page(self, session: str | None, frame: str) -> None:
        """Take it that a session is that of a page or frame, unless it is known already."""
        if self._known.get(session, NOBODY) == NOBODY:
            self._learn(session, (frame, PAGE))
            early, self._early = self._early, deque(maxlen=100)
            for event in early:
                self.tell(event)

    def worker(self, session: str, kind: str, parent: str | None) -> None:
        """Take it that a session is that of a worker of its parent session's page."""
        frame, _ = self._known.get(parent, NOBODY)
        self._learn(session, (frame, WORKERS.get(kind, kind)))

    def ended(self, session: str) -> None:
        """A session is gone, and what it was to."""
        self._known.pop(session, None)

    def _learn(self, session: str | None, printer: tuple[str, str]) -> None:
        keep(self._known, session, printer, MOST_SESSIONS)

    def forget(self, frame: str) -> None:
        """A frame is gone."""
        self._known = {session: printer for session, printer in self._known.items() if printer[0] != frame}

    def tell(self, event: ConsoleApiCalled) -> bool:
        """Record a message; False if somebody has to find out whose it is, and nobody does so yet."""
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
        # The rest are workers that nobody watches, or frames not heard of yet: they are not asked for again.
        for event in self._early:
            self._learn(event.session, NOBODY)
        self._early.clear()
