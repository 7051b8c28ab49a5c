"""Search for elements and for their selectors (seed 004, section 5)."""

from typing import Annotated

from pydantic import Field

from bidi_server.browser.pages.read import find_elements, selector_at
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import ElementNotFoundError, InvalidParametersError
from bidi_server.tools.extract.base import Part, Result, TabQuery
from bidi_server.tools.outcome import Outcome


class Tag(Part):
    """An element in short."""

    tagName: str  # noqa: N815 - the seed's word
    text: str


class AtPoint(Result):
    """What is at a point."""

    selector: str
    """CSS that names no other element."""
    element_info: Tag


class Found(Part):
    """An element."""

    selector: str
    """CSS that names no other element."""
    text: str
    attributes: dict[str, str]
    tagName: str  # noqa: N815 - the seed's word


class FoundElements(Result):
    """Elements in their order on the page."""

    elements: list[Found]
    total: int
    """How many there are."""


class Query(Part):
    """What an element must have; everything that is given."""

    text: str | None = None
    """A part of its text, in any case."""
    role: str | None = None
    """ARIA role."""
    attributes: dict[str, str] = Field(default_factory=dict[str, str])
    """Values; for class, names that are among others."""


class GetSelectorForPoint(TabQuery):
    """Get a CSS selector for the element at a point of the viewport."""

    read_only = True

    x: float
    """CSS pixels."""
    y: float

    async def answer(self, tab: Tab, out: Outcome) -> AtPoint:
        """See the class."""
        hit = await tab.ask(lambda: selector_at(tab, self.x, self.y))
        if hit.selector is None or hit.info is None:
            raise ElementNotFoundError(f"Nothing is at {self.x:g}, {self.y:g}.", "Pass another point.")
        return AtPoint(selector=hit.selector, element_info=Tag.model_validate(hit.info.model_dump(by_alias=True)))


class FindElements(TabQuery):
    """Find elements by text, role and attributes."""

    read_only = True

    query: Query
    limit: Annotated[int, Field(ge=1, le=1000)] = 10

    async def answer(self, tab: Tab, out: Outcome) -> FoundElements:
        """See the class."""
        wanted = self.query
        if not (wanted.text or wanted.role or wanted.attributes):
            raise InvalidParametersError("The query is empty.", "Pass text, role or attributes.")
        found = await tab.ask(lambda: find_elements(tab, wanted.text, wanted.role, dict(wanted.attributes), self.limit))
        return FoundElements.model_validate(found.model_dump(by_alias=True))
