"""Finding an element of a plan again, by the first of its locators that still names it."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from bidi_server.bidi.errors import BidiError
from bidi_server.browser.pages.wait import Question, wait_element
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import clip, describe, literal
from bidi_server.errors import ElementNotFoundError
from bidi_server.page.api import FoundAgain, Relocation
from bidi_server.plan.model import Element, Locator


@dataclass(frozen=True, slots=True)
class Relocated:
    """The locator that names the element now."""

    locator: Locator
    healed: str = ""
    """Its differences from the element of the plan; "" if there are none."""


def any_of(element: Element) -> str:
    """Return a selector for the matches of all locators of the element."""
    first, *others = [_nested(locator.selector) for locator in element.locators]
    return first + "".join(f".or({other})" for other in others)


def _nested(selector: str) -> str:
    return selector if selector.startswith("getBy") else f"locator({literal(selector)})"


async def relocate(tab: Tab, element: Element, limit: float = 0) -> Relocated:
    """Wait up to ``limit`` seconds until a locator names an element, and return it.

    Raises `ElementNotFoundError` if none does, `DialogOpenError` when a dialog opens, and `InvalidParametersError` for
    an invalid selector.
    """
    element = replace(element, locators=(*element.locators, *_by_text(element)))
    wanted: dict[str, object] = {
        "role": element.role,
        "name": element.name,
        "locators": [_wire(each) for each in element.locators],
    }
    await wait_element(tab, element.locators[0].selector, Question("extra.waitForRelocated", wanted), limit)
    for frame in _frames(tab, element):
        with suppress(FrameGoneError, BidiError):
            found = (await frame.ask(Relocation, "extra.relocated", wanted)).found
            if found is not None:
                return Relocated(element.locators[found.place], _difference(element, found))
    tried = ", ".join(clip(locator.selector) for locator in element.locators)
    raise ElementNotFoundError(f"{_called(element)} is not on the page any more.", f"Tried: {tried}.")


def _by_text(element: Element) -> Iterator[Locator]:
    """Yield a locator by text for an element without a role: none was recorded, since it takes a walk of the document.

    Its other locators have its tag, its class or its place.
    """
    if element.role == "generic" and element.name and not any(each.kind == "text" for each in element.locators):
        yield Locator("text", f"getByText({literal(element.name)}, {{ exact: true }})", 1)


def _wire(locator: Locator) -> dict[str, object]:
    return {"selector": locator.selector, "matches": locator.matches, "isPositional": locator.is_positional}


def _frames(tab: Tab, element: Element) -> list[Frame]:
    """Return the frames to search: those with the URL of the element's frame first."""
    url = element.frame[-1] if element.frame else tab.main.url
    is_inner = bool(element.frame)
    return sorted(tab.frames.values(), key=lambda frame: (frame.url != url, (frame.parent is not None) != is_inner))


def _difference(element: Element, found: FoundAgain) -> str:
    has_name = found.element["name"] == element.name
    if found.place == 0 and has_name:
        return ""
    locator, first = element.locators[found.place], element.locators[0]
    what = f"{_called(element)} was found by {locator.selector}, not by {first.selector}"
    return what if has_name else f"{what}; it is {describe({**found.element, 'ref': ''})} now"


def _called(element: Element) -> str:
    return describe({"role": element.role, "name": element.name, "ref": ""})
