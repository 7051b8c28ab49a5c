"""Closing of sessions, which are created implicitly (seed 003)."""

from bidi_server.browser.sessions.client import Client
from bidi_server.tools.base import ClientTool
from bidi_server.tools.outcome import Outcome
from bidi_server.tools.vision.base import VISION, SessionId


class Close(ClientTool):
    """Close a browser session with its tabs, cookies and storage."""

    toolset = VISION

    session: SessionId = None
    """Session to close. Default: all of them."""
    graceful: bool = True
    """Wait for running calls."""

    async def run(self, client: Client, out: Outcome) -> None:
        """See the class."""
        names = client.used if self.session is None else [self.session]
        labels = [client.label(name) for name in names]
        for name in names:
            await client.close(name, graceful=self.graceful)
        what = "session" if len(names) == 1 else "sessions"
        out.say(f"Closed {what}: {', '.join(labels)}" if names else "No session is open.")
