"""Differences of an engine from the specifications that matter for the connection to the browser."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import trio

from bidi_server.bidi.connection import Connection
from bidi_server.bidi.wire import Event
from bidi_server.browser.network.proxy import Proxy
from bidi_server.browser.tab.quirks import Quirks
from bidi_server.browser.tab.tab import Tab

if TYPE_CHECKING:
    from drivers.options import DevTools


class Host(Protocol):
    """The browser that an engine's room works for."""

    connection: Connection

    @property
    def nursery(self) -> trio.Nursery:
        """The nursery of the connection's tasks."""
        ...

    @property
    def tabs(self) -> list[Tab]:
        """The tabs of every context."""
        ...

    def tab_of(self, context: str) -> Tab | None:
        """Return the tab of a browsing context, which is a tab or a frame in it."""
        ...

    def worker_started(self, session: str, user_context: str | None) -> None:
        """Apply the network conditions of a user context to a worker, given by its DevTools session."""
        ...

    def worker_ended(self, session: str) -> None:
        """Forget a worker, given by its DevTools session."""
        ...

    def has_context(self, user_context: str) -> bool:
        """Whether a user context is ours."""
        ...

    def notify(self, user_context: str, notice: str) -> None:
        """Add a notice to the next answer of the session with a user context."""
        ...


class EngineQuirks(Quirks):
    """The quirks of one running browser whose engine follows the specifications."""

    protocol = "WebDriver BiDi"
    """The protocol that the browser speaks."""

    gap = "is old"
    """The reason why the browser lacks features, as the predicate of a sentence."""

    gaps: Sequence[str] = ()
    """Features that every version lacks, as the notice to a session says it."""

    events: Sequence[type[Event]] = ()
    """Events to subscribe to beside those of the standard."""

    watched_events: Sequence[type[Event]] = ()
    """The same, for sessions that record requests and messages."""

    waits_for_login = False
    """Whether a headless browser waits for an answer to its login prompt, which WebDriver BiDi cannot give."""

    def __init__(self, host: Host) -> None:
        self.host = host

    def takes_proxy(self, proxy: Proxy) -> bool:
        """Whether the browser can use a proxy: none knows logins for SOCKS, or TLS to a proxy that is set by hand."""
        return proxy.scheme != "https" and not (proxy.scheme.startswith("socks") and proxy.username)

    async def prepare(self) -> None:
        """Prepare a browser that was just started."""

    async def watch_over(self, devtools: "DevTools") -> None:
        """Keep the browser from being blocked for as long as the connection lasts."""

    async def created(self, tab: Tab) -> None:
        """Prepare a new tab."""

    async def opened(self, tab: Tab) -> None:
        """Prepare a tab that a page has opened."""

    def closed(self, tab: Tab) -> None:
        """Forget a tab that is gone."""
