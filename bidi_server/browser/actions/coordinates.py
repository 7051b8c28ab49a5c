"""Actions at points of the viewport. Each returns a description of the element that was there."""

from bidi_server.browser.actions.pointer import (
    Button,
    Point,
    Step,
    check_within,
    clicked,
    dropped,
    lifted,
    moved,
    perform_pointer,
    scroll_wheel,
)
from bidi_server.browser.snapshot.frame import Frame
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import describe
from bidi_server.page.api import At


async def move_to(tab: Tab, point: Point) -> str:
    """Move the mouse to a point. Raises `InvalidParametersError` if it is outside of the viewport."""
    hit = await _hit(tab, point)
    await perform_pointer(tab.main, moved(point))
    return hit


async def click_at(tab: Tab, point: Point, button: Button, count: int) -> str:
    """Click at a point. Raises `InvalidParametersError` if it is outside of the viewport."""
    hit = await _hit(tab, point)
    await perform_pointer(tab.main, clicked(point, button, count))
    return hit


async def step_at(tab: Tab, step: Step, point: Point | None) -> None:
    """Do a step of the mouse at a point, or else where the pointer is. Raises the errors of `move_to`."""
    if point is not None:
        await _hit(tab, point)  # which checks that it is in the viewport
    await perform_pointer(tab.main, [*(moved(point) if point is not None else []), step])


async def wheel_at(tab: Tab, point: Point, delta: Point) -> str:
    """Turn the wheel at a point by a distance in CSS pixels."""
    hit = await _hit(tab, point)
    await scroll_wheel(tab.main, point, delta)
    return hit


async def drag_at(tab: Tab, start: Point, end: Point) -> str:
    """Drag from one point to another. Raises `InvalidParametersError` if one of them is outside of the viewport."""
    await _hit(tab, end)
    hit = await _hit(tab, start)
    await perform_pointer(tab.main, [*lifted(start), *dropped(start, end)])
    return hit


async def hit_at(frame: Frame, point: Point) -> str:
    """Return a description of the element that a click at a point of a frame's viewport would hit; "" for none.

    Raises `InvalidParametersError` for a point outside of the viewport.
    """
    x, y = point
    there = await frame.ask(At, "act.at", {"x": x, "y": y})
    check_within(point, there.viewport)
    return describe(there.element) if there.element else ""


async def _hit(tab: Tab, point: Point) -> str:
    return await hit_at(tab.main, point) or "nothing"
