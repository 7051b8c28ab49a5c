"""Popups in Chromium whose server does not answer.

A tab without an opener (``target=_blank``, ``rel=noopener``) has no page in Chromium until its server answers.
ChromeDriver waits for that page and reports nothing of any other tab meanwhile: every call in that browser would wait.
"""

from typing import TYPE_CHECKING

import trio

from bidi_server.bidi.browsing_context import ContextCreated, NavigationStarted
from bidi_server.browser.words import address
from drivers.json_values import objects

if TYPE_CHECKING:
    from bidi_server.bidi.wire import Event
    from bidi_server.browser.engine.quirks import Host
    from drivers.options import DevTools

PATIENCE = 5.0
"""Time without a reply to a command after which to check whether the browser waits for such a tab, in seconds."""

INTERVAL = 1.5
"""Interval between two checks, in seconds. A tab that both have found is closed."""


class UnansweredTabs:
    """A watcher that closes stalled popups of our contexts, and adds a notice about each to the session's answers."""

    def __init__(self, host: "Host", devtools: "DevTools") -> None:
        self._host = host
        self._connection = host.connection
        self._devtools = devtools
        self._closing: dict[str, str] = {}
        """User contexts of the tabs that are being closed, by browsing context."""
        host.connection.add_listener(self._on_event)

    async def watch(self) -> None:
        """Check for stalled popups until the connection ends."""
        seen: set[str] = set()
        while not self._connection.closed.is_set():
            with trio.move_on_after(INTERVAL):
                await self._connection.closed.wait()
            now = await self._find() if self._connection.owed_for > PATIENCE else set[str]()
            for target in seen & now:
                self._closing[target] = "default"
                await self._devtools("Target.closeTarget", {"targetId": target})
            seen = now

    async def _find(self) -> set[str]:
        """Return the ids of tabs that pages have opened and that have no page yet, not even an empty one."""
        found = await self._devtools("Target.getTargets", {})
        return {
            str(each["targetId"])
            for each in objects(found.get("targetInfos"))
            if each.get("type") == "page"
            and "openerId" in each
            and not each.get("url")
            and self._host.has_context(str(each.get("browserContextId")))
        }

    def _on_event(self, event: "Event") -> None:
        # The browser reports the tab and its navigation only once the tab is closed.
        if not isinstance(event, (ContextCreated, NavigationStarted)) or event.context not in self._closing:
            return
        if isinstance(event, ContextCreated):
            # The user context is not in the event of the navigation in Chromium 150.
            self._closing[event.context] = event.user_context or "default"
            return
        self._host.notify(
            self._closing.pop(event.context),
            f"Closed the new tab for {address(event.url)}: its server did not respond, which blocks all other tabs in "
            "Chromium. Navigate there to wait longer.",
        )
