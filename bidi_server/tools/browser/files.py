"""Upload of files into pages."""

from bidi_server.browser.actions.target import Target
from bidi_server.browser.actions.upload import for_browser, upload
from bidi_server.browser.files.reachable import existing
from bidi_server.browser.sessions.session import Session
from bidi_server.config import File
from bidi_server.tools.base import SessionTool
from bidi_server.tools.outcome import Outcome


class BrowserFileUpload(SessionTool):
    """Upload files to the open file chooser, or to a file input, even a hidden one."""

    paths: list[File]
    """Paths of files, or of a folder; an empty list clears the input."""
    ref: str | None = None
    """File input, where the page has several and no chooser is open."""
    selector: str | None = None
    element: str | None = None

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab = await session.tab()
        tab.dialogs.check_none()
        target = Target.parse(self.ref, self.selector, self.element) if self.ref or self.selector else None
        files = await existing([await session.files.readable(path) for path in self.paths], folders=True)
        paths = await for_browser(tab, files)
        effects = await out.settle(tab, lambda: upload(tab, paths, target))
        if effects.result is not None:
            names = ", ".join(file.name for file in files) or "no file"
            out.say(f"Gave {names} to {effects.result}.")
