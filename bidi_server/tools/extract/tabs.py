"""Tabs and downloads of a session."""

from pydantic import Field

from bidi_server.browser.pages.navigate import navigate
from bidi_server.browser.sessions.session import Session
from bidi_server.tools.extract.base import Part, Result, SessionQuery
from bidi_server.tools.outcome import Outcome


class TabInfo(Part):
    """A tab."""

    index: int
    url: str
    title: str
    active: bool


class Tabs(Result):
    """The tabs of the session."""

    tabs: list[TabInfo]


class DownloadInfo(Part):
    """A download."""

    url: str
    name: str
    status: str
    """running, complete or canceled."""
    path: str | None
    missing: str
    """Why the file is not here although the browser has it."""


class Downloads(Result):
    """Downloads, newest first."""

    downloads: list[DownloadInfo]


async def tabs_of(session: Session) -> Tabs:
    """Return a session's tabs."""
    context = await session.context()
    found = [
        TabInfo(index=index, url=tab.url, title=await tab.read_title(), active=tab is context.active)
        for index, tab in enumerate(context.tabs)
    ]
    return Tabs(tabs=found)


class ListTabs(SessionQuery):
    """List the tabs."""

    read_only = True

    async def answer(self, session: Session, out: Outcome) -> Tabs:
        """See the class."""
        return await tabs_of(session)


class NewTab(SessionQuery):
    """Open a tab and make it the active one for other tools."""

    url: str | None = None
    """Page to open."""

    async def answer(self, session: Session, out: Outcome) -> Tabs:
        """See the class."""
        tab = await (await session.context()).new_tab()
        if self.url is not None:
            await out.settle(tab, navigate(tab, self.url))
        return await tabs_of(session)


class SwitchTab(SessionQuery):
    """Make another tab the active one."""

    index: int = Field(ge=0)

    async def answer(self, session: Session, out: Outcome) -> Tabs:
        """See the class."""
        await (await session.context()).select(self.index)
        return await tabs_of(session)


class CloseTab(SessionQuery):
    """Close a tab."""

    index: int | None = Field(default=None, ge=0)
    """Default: the active one."""

    async def answer(self, session: Session, out: Outcome) -> Tabs:
        """See the class."""
        context = await session.context()
        await context.close_tab(await context.tab() if self.index is None else context.tab_at(self.index))
        return await tabs_of(session)


class GetDownloads(SessionQuery):
    """List the downloads of the session's tabs, and where the files are."""

    read_only = True

    async def answer(self, session: Session, out: Outcome) -> Downloads:
        """See the class."""
        found = [
            DownloadInfo(url=each.url, name=each.name, status=each.status, path=each.path, missing=each.missing)
            for tab in (await session.context()).tabs
            for each in tab.downloads.all
        ]
        return Downloads(downloads=found[::-1])
