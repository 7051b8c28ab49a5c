"""Navigation to pages (seed 004, section 2)."""

from bidi_server.browser.loading.document_request import document_since
from bidi_server.browser.network.requests import Request
from bidi_server.browser.pages.navigate import reload, traverse
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Tab
from bidi_server.tools.extract.base import Result, SessionQuery, TabQuery
from bidi_server.tools.loading import Milliseconds, WaitUntil, check_loaded, load
from bidi_server.tools.outcome import Outcome


class Page(Result):
    """Where the tab is now."""

    url: str
    title: str
    status: int | None
    """HTTP status; null where no server answered, or the browser does not tell it."""


async def page_of(tab: Tab, document: Request | None = None) -> Page:
    """Return the URL, title and HTTP status of a tab."""
    return Page(url=tab.url, title=await tab.read_title(), status=(document.status or None) if document else None)


class Navigate(SessionQuery):
    """Navigate to a URL."""

    url: str
    wait_until: WaitUntil = "load"
    timeout: Milliseconds = 30_000
    """Milliseconds."""

    async def answer(self, session: Session, out: Outcome) -> Page:
        """See the class."""
        loaded = await load(session, out, self.url, self.wait_until, self.timeout / 1000)
        return await page_of(loaded.tab, loaded.document)


class GoBack(TabQuery):
    """Navigate back in history."""

    async def answer(self, tab: Tab, out: Outcome) -> Page:
        """See the class."""
        effects = await out.settle(tab, traverse(tab, -1), until="load")
        return await page_of(tab, document_since(tab, effects.cursor))


class Reload(TabQuery):
    """Reload the current page."""

    ignore_cache: bool = False

    async def answer(self, tab: Tab, out: Outcome) -> Page:
        """See the class."""
        effects = await out.settle(tab, reload(tab, ignore_cache=self.ignore_cache), until="load")
        check_loaded(tab, effects, tab.limits.navigation)
        return await page_of(tab, effects.result)
