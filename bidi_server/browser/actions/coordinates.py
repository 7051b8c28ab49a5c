"""Actions at points of the viewport. Each returns a description of the element that was there."""

from typing import cast

from bidi_server.bidi.wire import read_json
from bidi_server.browser.actions.pointer import (
    Button,
    Point,
    check_within,
    clicked,
    dropped,
    lifted,
    moved,
    perform_pointer,
)
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import describe


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


async def drag_at(tab: Tab, start: Point, end: Point) -> str:
    """Drag from one point to another. Raises `InvalidParametersError` if one of them is outside of the viewport."""
    await _hit(tab, end)
    hit = await _hit(tab, start)
    await perform_pointer(tab.main, [*lifted(start), *dropped(start, end)])
    return hit


async def _hit(tab: Tab, point: Point) -> str:
    x, y = point
    answer = cast("dict[str, object]", read_json(str((await tab.main.call("act.at", {"x": x, "y": y})).value)))
    check_within(point, cast("list[int]", answer["viewport"]))
    element = cast("dict[str, object] | None", answer["element"])
    return describe(element) if element else "nothing"
