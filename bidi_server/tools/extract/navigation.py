"""Going to pages (seed 004, section 2)."""

from typing import Annotated, Literal

import trio
from pydantic import Field

from bidi_server.browser.navigate import back, navigate, reload
from bidi_server.browser.requests import Request
from bidi_server.browser.sessions import Session
from bidi_server.browser.settle import STILL_LOADING, Receipt
from bidi_server.browser.tab import Tab
from bidi_server.browser.wait import wait_network_idle
from bidi_server.errors import DeadlineError
from bidi_server.tools.extract.base import Result, SessionQuery, TabQuery
from bidi_server.tools.outcome import Outcome

Milliseconds = Annotated[float, Field(gt=0, le=600_000)]


class Page(Result):
    """Where the tab is now."""

    url: str
    title: str
    status: int | None
    """HTTP status; null where no server answered."""


async def page_of(tab: Tab, document: Request | None = None) -> Page:
    """Return where a tab is."""
    return Page(url=tab.url, title=await tab.read_title(), status=document.status if document else None)


class Navigate(SessionQuery):
    """Navigate to a URL."""

    url: str
    wait_until: Literal["load", "domcontentloaded", "networkidle"] = "load"
    timeout: Milliseconds = 30_000
    """Milliseconds."""

    async def answer(self, session: Session, out: Outcome) -> Page:
        """See the class."""
        tab = await (await session.context()).responsive_tab()
        limit = self.timeout / 1000
        end = trio.current_time() + limit
        until = "interactive" if self.wait_until == "domcontentloaded" else "load"
        async with out.settled(tab, limit + 1, until="done" if until == "interactive" else "load") as receipt:
            document = await navigate(tab, receipt, self.url, until=until, limit=limit)
        _check_loaded(tab, receipt, limit)
        if self.wait_until == "networkidle":
            await wait_network_idle(tab, max(0.1, end - trio.current_time()))
        return await page_of(tab, document)


class GoBack(TabQuery):
    """Navigate back in history."""

    async def answer(self, tab: Tab, out: Outcome) -> Page:
        """See the class."""
        requests = tab.requests.all.mark()
        async with out.settled(tab, tab.limits.navigation + 1, until="load"):
            await back(tab)
        document = next((each for each in tab.requests.all.since(requests) if each.navigation is not None), None)
        return await page_of(tab, document)


class Reload(TabQuery):
    """Reload the current page."""

    ignore_cache: bool = False

    async def answer(self, tab: Tab, out: Outcome) -> Page:
        """See the class."""
        async with out.settled(tab, tab.limits.navigation + 1, until="load") as receipt:
            document = await reload(tab, receipt, ignore_cache=self.ignore_cache)
        _check_loaded(tab, receipt, tab.limits.navigation)
        return await page_of(tab, document)


def _check_loaded(tab: Tab, receipt: Receipt, limit: float) -> None:
    if STILL_LOADING in receipt.cut:
        raise DeadlineError(
            f"{tab.url} has not loaded within {limit:g} s.",
            "What is there can be read already; or wait_until domcontentloaded.",
            {"url": tab.url, "timeout": round(limit * 1000)},
        )
