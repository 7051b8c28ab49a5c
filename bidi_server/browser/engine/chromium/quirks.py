"""The quirks of Chromium 150 to 156, its ChromeDriver and the mapper in it."""

from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi import cdp
from bidi_server.bidi.browsing_context import CaptureScreenshot, CaptureScreenshotResult
from bidi_server.bidi.errors import BidiError
from bidi_server.bidi.log import EntryAdded
from bidi_server.browser.console.messages import Console, Message
from bidi_server.browser.engine.chromium.devtools import DevToolsEvents
from bidi_server.browser.engine.chromium.mapper import prepare_mapper, unblock
from bidi_server.browser.engine.chromium.page_commands import commands_to
from bidi_server.browser.engine.chromium.picture import capture
from bidi_server.browser.engine.chromium.requests import ChromiumRequests
from bidi_server.browser.engine.chromium.stalled_popups import UnansweredTabs
from bidi_server.browser.engine.quirks import EngineQuirks, Host
from bidi_server.browser.journal import Journal
from bidi_server.browser.snapshot.frame import Frame
from bidi_server.browser.tab.quirks import STOPPING
from bidi_server.browser.tab.tab import Tab

if TYPE_CHECKING:
    from drivers.options import DevTools


class Chromium(EngineQuirks):
    """The quirks of one running Chromium, Chrome or Edge."""

    # Chromium answers no command to the current page until the server of the next one responds. A query that was
    # sent just before the navigation began waited for 10 s (one of ten clicks on a link that nobody answers, seed 003).
    replies_while_leaving = False
    # Chromium 150 and 156: the command reports success, but leaves the input unchanged.
    rejects_files_for_folder = False
    # Each kilobyte of an answer costs the mapper of Chromium 156 0.25 ms.
    packs_answers = True
    adds_conditions = True
    # Chromium 156 checks the header before the response can be changed, and such a request does not end.
    reads_by_header = False
    needs_downloads_folder = True
    # The headless shell of Chromium 156 denies them to the "Copy" buttons of pages.
    withheld_permissions = ("clipboard-write",)
    events = (
        cdp.ConsoleApiCalled,
        cdp.RequestWillBeSent,
        cdp.LoadingFinished,
        cdp.LoadingFailed,
        cdp.TargetCrashed,
        cdp.TracingComplete,
        cdp.IssueAdded,
    )
    watched_events = (cdp.AttachedToTarget, cdp.DetachedFromTarget, cdp.ResponseReceived)

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._devtools = DevToolsEvents(host)

    def requests(self, journal: Journal) -> ChromiumRequests:
        """Create the record of a tab's requests."""
        return ChromiumRequests(journal)

    def printed(self, event: EntryAdded, message: Message, console: Console) -> None:
        """Wait for Chromium's own event about a message that was just recorded in a tab's console."""
        if event.type == "console":
            self._devtools.printed.await_texts(event, message, console)

    async def capture(self, frame: Frame, command: CaptureScreenshot) -> CaptureScreenshotResult:
        """Take a screenshot of a frame: a PNG of a whole page in a faster way."""
        if frame.parent is None and command.format is not None and command.format.type == "image/png":
            return await capture(frame.connection, command)
        return await super().capture(frame, command)

    async def stop_loading(self, frame: Frame) -> None:
        """Stop loading the next document of a frame. Its current document replies to nothing until then."""
        with trio.move_on_after(STOPPING, shield=True), suppress(BidiError):
            send = await commands_to(frame.connection, frame.context)
            await send("Page.stopLoading")

    async def bypass_service_workers(self, frame: Frame) -> None:
        """Send the requests of a tab past service workers."""
        with suppress(BidiError):
            send = await commands_to(frame.connection, frame.context)
            await send("Network.enable")
            await send("Network.setBypassServiceWorker", bypass=True)

    async def prepare(self) -> None:
        """Prepare the mapper in a browser that was just started."""
        await prepare_mapper(self.host.connection)

    async def watch_over(self, devtools: "DevTools") -> None:
        """Close popups that block ChromeDriver, for as long as the connection lasts."""
        await UnansweredTabs(self.host, devtools).watch()

    async def created(self, tab: Tab) -> None:
        """Have the issues of a tab's pages reported, except for those of frames in other processes; give it the focus.

        Windows of sessions take the focus from each other where they are shown.
        """
        # In Chromium 156, 400 navigations to pages without issues took 0.2 % more processor time, to pages with five
        # issues 0.8 %. A new tab takes 1 to 3 ms longer.
        await self._devtools.prepare(tab)

    async def opened(self, tab: Tab) -> None:
        """Make a popup respond."""
        await unblock(self.host.connection, tab.context)

    def closed(self, tab: Tab) -> None:
        """Forget a tab that is gone."""
        self._devtools.forget(tab.context)
