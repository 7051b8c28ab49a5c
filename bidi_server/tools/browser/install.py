"""Installation of a browser."""

from bidi_server.browser.engine.installation import provide
from bidi_server.browser.sessions.session import Session
from bidi_server.config import BrowserName
from bidi_server.tools.base import SessionTool
from bidi_server.tools.outcome import Outcome


class BrowserInstall(SessionTool):
    """Install the browser if it is missing: call it when an answer says so."""

    local = True  # it may run the system's package manager
    ignores_dialog = True
    is_step = False

    browser: BrowserName | None = None
    """Default: the one that the server drives."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        out.say(*await provide(self.browser or session.config.browser))
        out.say("The browser is ready.")
