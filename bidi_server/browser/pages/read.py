"""Read the content of pages and elements."""

from dataclasses import dataclass

from bidi_server.browser.actions.pointer import check_within
from bidi_server.browser.actions.target import Target, on_element
from bidi_server.browser.tab.tab import Tab
from bidi_server.page.api import Details, Html, Leads, Matches, SelectorAt, TableCells, Text

PAGE = Target(selector="xpath=/*")
"""The document element."""


async def html_of(tab: Tab, target: Target | None, *, outer: bool = True) -> str:
    """Return the HTML of an element, or of the page with its doctype."""
    found = await on_element(tab, target or PAGE, Html, "extra.read", "html", {"outer": outer or target is None})
    return found.answer.html


async def text_of(tab: Tab, target: Target | None) -> str:
    """Return the visible text of an element or of the page."""
    return (await on_element(tab, target or Target(selector="body"), Text, "extra.read", "text")).answer.text


async def info_of(tab: Tab, target: Target) -> Details:
    """Return a description of an element."""
    return (await on_element(tab, target, Details, "extra.read", "info")).answer


async def leads_on(tab: Tab, target: Target) -> bool:
    """Whether a link or button can be used: it is visible and not marked as disabled."""
    return (await on_element(tab, target, Leads, "extra.read", "leads")).answer.leads


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a table, each a dict from header to text in the order of the columns."""

    rows: list[dict[str, str]]
    there: int
    """Number of rows in the document, including the head."""
    all: int
    """Number of rows according to the table itself (``aria-rowcount``); 0 if it does not say."""


async def table_of(tab: Tab, target: Target, *, headers: bool) -> Table:
    """Return the table of an element. Raises `ElementNotActionableError` if it neither is nor contains a table."""
    cells = (await on_element(tab, target, TableCells, "extra.read", "table", {"headers": headers})).answer
    # A JavaScript object would move keys such as 2024 before all others.
    data = [dict(zip(cells.headers, row, strict=True)) for row in cells.rows]
    return Table(data, cells.there, cells.all)


async def find_elements(
    tab: Tab, text: str | None, role: str | None, attributes: dict[str, str], limit: int
) -> Matches:
    """Return the first elements of the page that match all given criteria, and the number of all matches."""
    query = {"text": text, "role": role, "attributes": attributes}
    query = {name: value for name, value in query.items() if value}
    return await tab.main.ask(Matches, "extra.findElements", query, limit)


async def selector_at(tab: Tab, x: float, y: float) -> SelectorAt:
    """Return the element that a click at a point would hit. Raises `InvalidParametersError` outside of the viewport."""
    hit = await tab.main.ask(SelectorAt, "extra.selectorAt", {"x": x, "y": y})
    check_within((x, y), hit.viewport)
    return hit
