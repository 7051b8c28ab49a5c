"""Many pages and whole tables at once (seed 004, section 9)."""

from typing import Annotated

from pydantic import Field

from bidi_server.browser.pages.pagination import on_all_pages
from bidi_server.browser.pages.read import table_of
from bidi_server.browser.tab.tab import Tab
from bidi_server.tools.extract.base import Part, Result, TabQuery, target_of
from bidi_server.tools.outcome import Outcome


class PageData(Part):
    """What the script gave on one page."""

    page: int
    data: object


class AllPages(Result):
    """What the script gave on every page."""

    results: list[PageData]
    total_pages: int
    stopped: str
    """Why there is no further page: there is no link, it is disabled or hidden, content repeats, max_pages, error."""


class Table(Result):
    """A table's rows."""

    data: list[dict[str, str]]
    row_count: int


class ExecuteJsOnAllPages(TabQuery):
    """Execute JavaScript on this page, go to the next and repeat until the last."""

    script: str
    next_page_selector: str
    """Selector of the link or button to the next page."""
    max_pages: Annotated[int, Field(ge=1, le=10_000)] = 100
    wait_between_pages: Annotated[float, Field(ge=0, le=600_000)] = 1000
    """Minimum milliseconds from one click to the next page's script."""

    async def answer(self, tab: Tab, out: Outcome) -> AllPages:
        """See the class."""

        async def progress(done: int) -> None:
            await out.progress(done, self.max_pages, f"page {done}: {tab.url}")

        pages = await on_all_pages(
            tab,
            self.script,
            target_of(self.next_page_selector),
            most=self.max_pages,
            pause=self.wait_between_pages / 1000,
            progress=progress,
        )
        results = [PageData(page=number, data=data) for number, data in enumerate(pages.results, 1)]
        return AllPages(results=results, total_pages=len(results), stopped=pages.stopped)


class ExtractTable(TabQuery):
    """Extract a table as an array of objects."""

    read_only = True

    selector: str
    use_first_row_as_headers: bool = True
    """Otherwise columns are named Column 1, Column 2 …"""

    async def answer(self, tab: Tab, out: Outcome) -> Table:
        """See the class."""
        target = target_of(self.selector)
        table = await tab.ask(lambda: table_of(tab, target, headers=self.use_first_row_as_headers))
        if table.all > table.there:
            out.notices.append(
                f"The page holds {table.there} of the table's {table.all} rows: scroll it for the others."
            )
        return Table(data=table.rows, row_count=len(table.rows))
