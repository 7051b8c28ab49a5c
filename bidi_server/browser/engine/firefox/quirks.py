"""The quirks of Firefox 140 to 153."""

from bidi_server.browser.engine.firefox.machine_load import is_busy
from bidi_server.browser.engine.firefox.requests import FirefoxRequests
from bidi_server.browser.engine.quirks import EngineQuirks
from bidi_server.browser.journal import Journal
from bidi_server.browser.tab.tab import Tab

BUSY_QUIET = 0.12
"""Minimum time without a change after which a page is settled on a busy machine, in seconds."""


class Firefox(EngineQuirks):
    """The quirks of one running Firefox."""

    engine = "firefox"

    # Firefox 140 and 153 report requests from the main process, 3 to 10 ms after the page's process has made them. Six
    # instances on two processors needed 0.13 s.
    tells_late = True
    told_within = 0.5
    # They compile preload scripts in each document. Text in them costs little before it is evaluated.
    compiles_anew = True
    # They report a request only when the service worker that handles it has started.
    quiet_with_worker = 0.25
    # Firefox 153 reports the error of a frame (X-Frame-Options) as the page's.
    fails_for_frames = True
    reports_service_workers = False
    # Headless Chromium shows the page of a 401 response at once; Firefox 153 shows a login prompt that nobody sees.
    waits_for_login = True
    # Firefox 140 and 153 have one active window. Each session has a window of its own.
    shares_focus = True

    async def created(self, tab: Tab) -> None:
        """Note that the new tab may have taken the focus from another."""
        self.focused = ""

    def quiet(self, wanted: float) -> float:
        """Return the time without a change after which a page is settled, for an action that wants one, in seconds."""
        return max(wanted, BUSY_QUIET) if is_busy() else wanted

    def requests(self, journal: Journal) -> FirefoxRequests:
        """Create the record of a tab's requests."""
        return FirefoxRequests(journal)
