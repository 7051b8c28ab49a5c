"""Search in the page."""

from bidi_server.browser.pattern import Pattern
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.settling.settle import look
from bidi_server.browser.snapshot.search import Search
from bidi_server.browser.snapshot.take import take_snapshot
from bidi_server.errors import InvalidParametersError
from bidi_server.tools.base import SessionTool
from bidi_server.tools.outcome import Outcome


class BrowserFind(SessionTool):
    """Find elements and texts of the page: the matching lines of its snapshot, with refs, and what they are in."""

    read_only = True

    text: str | None = None
    """Text in any case."""
    regex: str | None = None
    role: str | None = None
    """ARIA role, such as button."""
    name: str | None = None
    """Part of the element's name, in any case."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        if not (self.text or self.regex or self.role or self.name):
            raise InvalidParametersError("There is nothing to find.", "Pass text, regex, role or name.")
        pattern = Pattern(self.regex) if self.regex else None
        tab = await session.tab()
        tab.dialogs.check_none()
        out.snapshot = await look(tab, lambda: take_snapshot(tab))
        out.tab = tab
        out.search = Search(self.text or "", pattern, self.role or "", self.name or "")
