"""Scrolling to an element, to the end of the page, or by the wheel."""

from functools import partial

import trio

from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.actionable import actionable, waited_until
from bidi_server.browser.actions.pointer import Point, point_of, scroll_wheel
from bidi_server.browser.actions.target import Target, on_element
from bidi_server.browser.snapshot.frame import Frame
from bidi_server.browser.tab.tab import Tab
from bidi_server.page.api import InView, Missing, Ready, ScrollPlace, Viewport

SCROLL_TIMEOUT = 0.3
"""Timeout for a turn of the wheel to scroll something, in seconds. After it, there is nothing to scroll."""


async def scroll_into_view(tab: Tab, target: Target) -> Action[None]:
    """Scroll an element to the middle of the viewport, in the call that finds it. Raises the errors of `on_element`."""
    found = await on_element(tab, target, InView, "act.scrollTo")
    return Action(trio.lowlevel.checkpoint, found)


async def scroll_by(tab: Tab, delta: Point, target: Target | None) -> Action[None]:
    """Begin to turn the wheel by a distance in CSS pixels.

    The pointer is over the target, or without one in the middle of the viewport. Raises the errors of `actionable`.
    """
    if target is not None:
        found = await actionable(tab, target, Ready, "act.ready", enabled=False)
        return Action(partial(_turn_wheel, tab, found.frame, point_of(found.answer.point), delta), found)
    viewport = await viewport_of(tab)
    return Action(partial(_turn_wheel, tab, tab.main, (viewport.width / 2, viewport.height / 2), delta))


async def _turn_wheel(tab: Tab, frame: Frame, point: Point, delta: Point) -> None:
    """Turn the wheel, and repeat it for the distance that a turn has not scrolled.

    There is no repetition after the time for which an action waits for its element.
    """
    at, distance = ({"x": x, "y": y} for x, y in (point, delta))
    end = waited_until(tab)
    missing, again = delta, False
    while any(missing) and not (again and trio.current_time() > end):
        await frame.call("act.watchScroll", at, again)
        await scroll_wheel(frame, point, missing)
        # A busy Firefox scrolls only after its reply, and the document does not change until then.
        left = await frame.ask(Missing, "act.scrolled", SCROLL_TIMEOUT * 1000, at, distance)
        missing, again = (left.x, left.y), True


async def place_of(tab: Tab, frame: Frame) -> ScrollPlace:
    """Return the scroll position of the element or document that the last `scroll_by` in a frame has scrolled.

    If that turn of the wheel scrolled nothing, it is the one that would have been scrolled had it not been at its end.
    """
    there = frame if frame.context in tab.frames else tab.main
    return await there.ask(ScrollPlace, "act.scrollPlace")


def scroll_to_end(tab: Tab) -> Action[None]:
    """Return the action of scrolling to the current end of the page."""

    async def perform() -> None:
        await tab.main.call("act.scrollToEnd")

    return Action(perform)


async def viewport_of(tab: Tab) -> Viewport:
    """Return the sizes of the viewport and the page, and the page's scroll position."""
    return await tab.main.ask(Viewport, "act.viewport")


def farthest(viewport: Viewport) -> tuple[int, int]:
    """Return the maximum scroll position of a page, to the right and down, in CSS pixels."""
    return (
        max(0, viewport.scroll_width - viewport.width),
        max(0, viewport.scroll_height - viewport.height),
    )
