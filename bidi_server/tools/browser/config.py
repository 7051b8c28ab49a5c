"""The configuration of the server."""

import json

from bidi_server.browser.sessions.session import Session
from bidi_server.config import without_secrets
from bidi_server.tools.base import SessionTool
from bidi_server.tools.outcome import Outcome


class BrowserGetConfig(SessionTool):
    """Read the options in effect, merged from arguments, environment and file, without secrets."""

    capabilities = ("config",)
    read_only = True
    ignores_dialog = True

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        out.say(*json.dumps(without_secrets(session.config), indent=1).split("\n"))
