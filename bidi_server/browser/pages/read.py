"""Read the content of pages and elements."""

import json
from dataclasses import dataclass
from typing import TypedDict, cast

from bidi_server.bidi.wire import read_json
from bidi_server.browser.actions.pointer import check_within
from bidi_server.browser.actions.target import Target, on_element
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import ElementNotActionableError

PAGE = Target(selector="xpath=/*")
"""The document element."""


class Info(TypedDict):
    """A description of an element; the bounding box is in CSS pixels from the top left of the page."""

    text: str
    attributes: dict[str, str]
    boundingBox: dict[str, float]
    isVisible: bool
    tagName: str
    selector: str


class Match(TypedDict):
    """An element that matches a query; ``selector`` matches this element only."""

    selector: str
    text: str
    attributes: dict[str, str]
    tagName: str


class Hit(TypedDict, total=False):
    """The element at a point of the viewport."""

    selector: str
    info: dict[str, str]
    viewport: list[int]


async def html_of(tab: Tab, target: Target | None, *, outer: bool = True) -> str:
    """Return the HTML of an element, or of the page with its doctype."""
    found = await on_element(tab, target or PAGE, "read", "html", {"outer": outer or target is None})
    return str(found.result["html"])


async def text_of(tab: Tab, target: Target | None) -> str:
    """Return the visible text of an element or of the page."""
    found = await on_element(tab, target or Target(selector="body"), "read", "text")
    return str(found.result["text"])


async def info_of(tab: Tab, target: Target) -> Info:
    """Return a description of an element."""
    return cast("Info", (await on_element(tab, target, "read", "info")).result)


async def leads_on(tab: Tab, target: Target) -> bool:
    """Whether a link or button can be used: it is visible and not marked as disabled."""
    return bool((await on_element(tab, target, "read", "leads")).result["leads"])


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
    found = await on_element(tab, target, "read", "table", {"headers": headers})
    result = found.result
    if "blocked" in result:
        raise ElementNotActionableError(f"{found} is not a table and contains none.", "Name the table.")
    # A JavaScript object would move keys such as 2024 before all others.
    names, rows = cast("list[str]", result["headers"]), cast("list[list[str]]", result["rows"])
    data = [dict(zip(names, row, strict=True)) for row in rows]
    return Table(data, cast("int", result["there"]), cast("int", result["all"]))


async def find_elements(
    tab: Tab, text: str | None, role: str | None, attributes: dict[str, str], limit: int
) -> tuple[list[Match], int]:
    """Return the first elements of the page that match all given criteria, and the number of all matches."""
    query = {"text": text, "role": role, "attributes": attributes}
    query = {name: value for name, value in query.items() if value}
    answer = await tab.main.call_json("findElements", query, limit)
    return cast("list[Match]", answer["elements"]), int(cast("int", answer["total"]))


async def local_storage(tab: Tab) -> dict[str, str]:
    """Return the localStorage entries of the page's origin. Raises `ScriptError` for a page without localStorage."""
    return dict(cast("list[tuple[str, str]]", json.loads(str((await tab.main.call("storage")).value))))


async def selector_at(tab: Tab, x: float, y: float) -> Hit:
    """Return the element that a click at a point would hit. Raises `InvalidParametersError` outside of the viewport."""
    hit = cast("Hit", read_json(str((await tab.main.call("selectorAt", {"x": x, "y": y})).value)))
    check_within((x, y), hit.get("viewport", [0, 0]))
    return hit
