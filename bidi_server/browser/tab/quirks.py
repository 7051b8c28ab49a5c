"""Differences of an engine from the specifications that matter for tabs and actions."""

from contextlib import suppress

import trio

from bidi_server.bidi.browsing_context import CaptureScreenshot, CaptureScreenshotResult
from bidi_server.bidi.errors import BidiError
from bidi_server.bidi.log import EntryAdded
from bidi_server.browser.console.messages import Console, Message
from bidi_server.browser.journal import Journal
from bidi_server.browser.network.requests import Requests
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError
from bidi_server.errors import ScriptError

STOPPING = 1.0
"""Timeout for the browser to stop loading, in seconds."""


class Quirks:
    """An engine that follows the specifications. The folder of each engine overrides the differences."""

    engine = "chromium"
    """The name of the engine."""

    tells_late = False
    """Whether the browser reports requests a moment after the page has made them."""

    tells_when_asked = False
    """Whether the browser reports what a page has done only when it has answered a command to the page."""

    compiles_anew = False
    """Whether our scripts are compiled anew in each document."""

    packs_answers = False
    """Whether long answers of our script are slow, so that it compresses them."""

    told_within = 0.0
    """If it `tells_late`: timeout for the report of a request that the page has made, in seconds."""

    quiet_with_worker = 0.0
    """If it `tells_late`: minimum time without a change where a service worker handles requests, in seconds; else 0."""

    frame_within = 0.0
    """If frames come late: timeout for the first one after an action, in seconds; else 0."""

    replies_while_leaving = True
    """Whether the current page answers commands while the server of the next page has not responded."""

    rejects_files_for_folder = True
    """Whether the command fails that gives files to an input which takes a folder."""

    fails_for_frames = False
    """Whether the command for a navigation fails when only a frame of the page can't be loaded."""

    adds_conditions = False
    """Whether the browser has the conditions that WebDriver BiDi lacks; see contexts/conditions.py."""

    reports_service_workers = True
    """Whether the browser reports the console messages of service workers."""

    has_sandboxes = True
    """Whether scripts can run in a realm of their own."""

    needs_downloads_folder = False
    """Whether a browser on a Grid must be told the folder that its node keeps downloads in."""

    withheld_permissions: tuple[str, ...] = ()
    """Permissions that the browser grants after a person's input, but not if it is headless."""

    reads_by_header = True
    """Whether a page may read a response that gets an Access-Control-Allow-Origin header on its way."""

    shares_focus = False
    """Whether only one window of all contexts has the focus, which a new one takes."""

    focused = ""
    """If windows share the focus: the browsing context of the tab that has it; "" if that is not known."""

    def quiet(self, wanted: float) -> float:
        """Return the time without a change after which a page is settled, for an action that wants one, in seconds."""
        return wanted

    def requests(self, journal: Journal) -> Requests:
        """Create the record of a tab's requests."""
        return Requests(journal)

    def printed(self, event: EntryAdded, message: Message, console: Console) -> None:
        """Handle a message that was just recorded in a tab's console."""

    async def capture(self, frame: Frame, command: CaptureScreenshot) -> CaptureScreenshotResult:
        """Take a screenshot of a frame. Raises `BidiError`."""
        return await frame.connection.send(command)

    async def bypass_service_workers(self, frame: Frame) -> None:
        """Send the requests of a tab past service workers, if the browser can."""

    async def stop_loading(self, frame: Frame) -> None:
        """Stop loading the next document of a frame whose server has not responded.

        https://html.spec.whatwg.org/#dom-window-stop ends the navigation; WebDriver BiDi has no command for it.
        """
        with trio.move_on_after(STOPPING, shield=True), suppress(BidiError, FrameGoneError, ScriptError):
            await frame.call("stopLoading")
