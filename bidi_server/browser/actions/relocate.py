"""Finding an element of a plan again, by the first of its locators that still names it."""

from collections.abc import Mapping
from dataclasses import dataclass

from bidi_server.bidi.errors import BidiError
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import clip, describe, literal
from bidi_server.errors import ElementNotFoundError
from bidi_server.page.api import MatchesOfSelectors
from bidi_server.plan.model import POSITIONAL, Element, Locator


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


async def relocate(tab: Tab, element: Element) -> Relocated:
    """Return the locator for an element. Raises `ElementNotFoundError` if none names it alone.

    A locator by role, name, test id or id counts if its only match has the element's role; one by the position in the
    document also needs the name. So a button in the place of another one is not taken for it.
    """
    for frame in _frames(tab, element):
        if (found := await _in_frame(frame, element)) is not None:
            return found
    tried = ", ".join(clip(locator.selector) for locator in element.locators)
    raise ElementNotFoundError(f"{_called(element)} is not on the page any more.", f"Tried: {tried}.")


def _frames(tab: Tab, element: Element) -> list[Frame]:
    """Return the frames to search: those with the URL of the element's frame first."""
    url = element.frame[-1] if element.frame else tab.main.url
    is_inner = bool(element.frame)
    return sorted(tab.frames.values(), key=lambda frame: (frame.url != url, (frame.parent is not None) != is_inner))


async def _in_frame(frame: Frame, element: Element) -> Relocated | None:
    try:
        answer = await frame.ask(
            MatchesOfSelectors, "extra.matches", [locator.selector for locator in element.locators]
        )
    except (FrameGoneError, BidiError):
        return None
    for index, (locator, match) in enumerate(zip(element.locators, answer.matches, strict=True)):
        info = match.element
        if info is None or info["role"] != element.role or match.count not in (1, locator.matches):
            continue
        if locator.kind in POSITIONAL and info["name"] != element.name:
            continue
        return Relocated(locator, _difference(element, index, locator, info))
    return None


def _difference(element: Element, index: int, locator: Locator, info: Mapping[str, object]) -> str:
    if index == 0 and info["name"] == element.name:
        return ""
    what = f"{_called(element)} was found by {locator.selector}, not by {element.locators[0].selector}"
    return what if info["name"] == element.name else f"{what}; it is {describe({**info, 'ref': ''})} now"


def _called(element: Element) -> str:
    return describe({"role": element.role, "name": element.name, "ref": ""})
