"""Several sessions for one client: ``--caps sessions``."""

from pydantic import Field

from bidi_server.browser.sessions.client import Client
from bidi_server.browser.words import address
from bidi_server.config import BrowserName, Config, GridUrl, Viewport
from bidi_server.errors import NotAllowedError
from bidi_server.tools.base import ClientTool
from bidi_server.tools.outcome import Outcome


class BrowserSessionCreate(ClientTool):
    """Open another session: its own tabs, cookies and storage, in a browser of your choice."""

    capabilities = ("sessions",)

    name: str | None = Field(default=None, min_length=1, max_length=100)
    """Default: an unguessable one."""
    browser: BrowserName | None = None
    viewport: Viewport | None = None
    """WIDTHxHEIGHT in CSS pixels."""
    grid_url: GridUrl | None = None
    """Selenium Grid to start the browser on: http://HOST:4444."""

    async def run(self, client: Client, out: Outcome) -> None:
        """See the class."""
        changes = {"browser": self.browser, "viewport": self.viewport, "grid_url": self.grid_url}
        given = {key: value for key, value in changes.items() if value is not None}
        _check_grid(self.grid_url, client.config)
        name = await client.create(self.name, given, out.progress)
        out.say(f"Session {name!r} is open. Give its name to other tools as session.")


def _check_grid(url: str | None, config: Config) -> None:
    """Raise `NotAllowedError` for a Grid that the client must not choose, because the server sends requests there."""
    restricted = "--allowed-urls" if config.allowed_urls else "--blocked-urls" if config.blocked_urls else ""
    if url in (None, config.grid_url) or (config.transport != "http" and not restricted):
        return
    option = "over HTTP" if config.transport == "http" else f"with {restricted}"
    missing = "" if config.grid_url else "; none is configured"
    raise NotAllowedError(f"gridUrl {option} must be the --grid-url of the server{missing}.", "Leave it out.")


class BrowserSessionList(ClientTool):
    """List the sessions."""

    capabilities = ("sessions",)
    read_only = True

    async def run(self, client: Client, out: Outcome) -> None:
        """See the class."""
        for name, session in client.sessions.items():
            tabs = [address(tab.url) for context in session.contexts.values() for tab in context.tabs]
            browser = session.config.browser or "the default browser"
            out.say(f"- {client.label(name)}: {browser}, {', '.join(tabs) or 'no tab'}")
        if not out.lines:
            out.say("No session is open.")


class BrowserSessionClose(ClientTool):
    """Close a session with its tabs, cookies and storage."""

    capabilities = ("sessions",)

    name: str

    async def run(self, client: Client, out: Outcome) -> None:
        """See the class."""
        await client.close(self.name)
        out.say(f"Session {self.name!r} is closed.")
