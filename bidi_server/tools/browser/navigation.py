"""Navigation to pages."""

from bidi_server.browser.engine.proxy_auth import login_advice
from bidi_server.browser.loading.document_request import document_since
from bidi_server.browser.pages.navigate import navigate, reload, traverse
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.settling.settle import Until
from bidi_server.browser.tab.tab import Tab
from bidi_server.tools.base import SessionTool, TabTool
from bidi_server.tools.outcome import Outcome

HTTP_ERROR = 400
"""https://www.rfc-editor.org/rfc/rfc9110#name-status-codes"""


UNAUTHORIZED = 401
"""https://www.rfc-editor.org/rfc/rfc9110#name-401-unauthorized"""


async def go(out: Outcome, tab: Tab, url: str, *, until: Until = "rest") -> None:
    """Go to a URL, and report the HTTP error that the server returned for the document, if any."""
    effects = await out.settle(tab, navigate(tab, url), until=until)
    _tell_error(out, tab, effects.cursor)


def _tell_error(out: Outcome, tab: Tab, cursor: int) -> None:
    document = document_since(tab, cursor)
    if document is not None and document.status >= HTTP_ERROR:
        out.say(f"The server answered HTTP {document.status_line}.")
        if document.status == UNAUTHORIZED:
            out.say(login_advice(document.url, tab.shared.http_credentials))


class BrowserNavigate(SessionTool):
    """Go to a URL and wait until the page has loaded. Answers with a snapshot of the page."""

    url: str
    """Without a scheme: https, and http for localhost."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab = await (await session.context()).responsive_tab()
        await go(out, tab, self.url)


class BrowserNavigateBack(TabTool):
    """Go back to the previous page in the history."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        await out.settle(tab, traverse(tab, -1))
        out.say("Went back.")


class BrowserNavigateForward(TabTool):
    """Go forward to the next page in the history."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        await out.settle(tab, traverse(tab, 1))
        out.say("Went forward.")


class BrowserReload(TabTool):
    """Load the page again."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        effects = await out.settle(tab, reload(tab))
        _tell_error(out, tab, effects.cursor)
        out.say("Reloaded the page.")
