"""Scrolling: to an element, or by the wheel."""

from typing import TypedDict, cast

import trio

from bidi_server.browser.actions.actionable import actionable
from bidi_server.browser.actions.pointer import Point, point_of, scroll_wheel
from bidi_server.browser.actions.receipt import Receipt
from bidi_server.browser.actions.target import Target, on_element
from bidi_server.browser.snapshot.frame import Frame
from bidi_server.browser.tab.tab import Tab

SCROLL_TIMEOUT = 0.3
"""Seconds until a turn of the wheel that has scrolled nothing counts as one that can't."""


async def scroll_into_view(tab: Tab, receipt: Receipt, target: Target) -> None:
    """Scroll an element to the middle of the viewport."""
    receipt.found = await on_element(tab, target, "scrollTo")


async def scroll_by(tab: Tab, receipt: Receipt, delta: Point, target: Target | None) -> Frame:
    """Turn the wheel by so many CSS pixels, over an element or in the middle of the viewport; return in which frame."""
    if target is not None:
        found = receipt.found = await actionable(tab, target, "ready", enabled=False)
        await _turn_wheel(found.frame, point_of(found.result["point"]), delta, tab.limits.action)
        return found.frame
    viewport = await viewport_of(tab)
    await _turn_wheel(tab.main, (viewport["width"] / 2, viewport["height"] / 2), delta, tab.limits.action)
    return tab.main


async def _turn_wheel(frame: Frame, point: Point, delta: Point, limit: float) -> None:
    """Turn the wheel, again for what a turn leaves out, for half of the action's time ``limit``."""
    at, distance = ({"x": x, "y": y} for x, y in (point, delta))
    end = trio.current_time() + limit / 2
    missing, again = delta, False
    while any(missing) and not (again and trio.current_time() > end):
        await frame.call("act.watchScroll", at, again)
        await scroll_wheel(frame, point, missing)
        # A busy Firefox scrolls after it has answered, and nothing changes in the document meanwhile.
        left = await frame.call_json("act.scrolled", SCROLL_TIMEOUT * 1000, at, distance)
        missing, again = (cast("float", left["x"]), cast("float", left["y"])), True


class _Distance(TypedDict):
    x: int
    y: int


class ScrollPlace(TypedDict):
    """How far something is scrolled, and how far it can be, in CSS pixels: an element, or without one a document."""

    element: dict[str, object] | None
    moved: _Distance | None
    """By how much the last `scroll_by` has scrolled it; None where that is not known."""
    x: int
    y: int
    mostX: int
    mostY: int


async def place_of(tab: Tab, frame: Frame) -> ScrollPlace:
    """Return where what `scroll_by` has scrolled is now, or what it would have if that were not at its end."""
    there = frame if frame.context in tab.frames else tab.main
    return cast("ScrollPlace", await there.call_json("act.scrollPlace"))


async def scroll_to_end(tab: Tab) -> None:
    """Scroll to where the page ends now."""
    await tab.main.call("act.scrollToEnd")


class Viewport(TypedDict):
    """The viewport and the page in it, in CSS pixels."""

    width: int
    height: int
    scrollX: int
    scrollY: int
    scrollWidth: int
    scrollHeight: int
    devicePixelRatio: float


async def viewport_of(tab: Tab) -> Viewport:
    """Return the sizes of the viewport and of the page, and where that is scrolled to."""
    return cast("Viewport", await tab.main.call_json("act.viewport"))


def farthest(viewport: Viewport) -> tuple[int, int]:
    """Return how far to the right and down a page can be scrolled."""
    return (
        max(0, viewport["scrollWidth"] - viewport["width"]),
        max(0, viewport["scrollHeight"] - viewport["height"]),
    )
