"""Dragging an element to another element or to a point."""

from contextlib import suppress
from dataclasses import dataclass

import trio

from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.bidi.input import ReleaseActions
from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.actionable import actionable
from bidi_server.browser.actions.coordinates import hit_at
from bidi_server.browser.actions.pointer import Point, dropped, lifted, perform_pointer, point_of
from bidi_server.browser.actions.target import Asked, Found, Target, on_element
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import ElementNotActionableError, ScriptError
from bidi_server.page.api import Grip, InView, Look, Moved

DROP_QUIET = 0.25
"""Quiet time after a drop, in seconds: the dragged element glides to its place, and then the page puts it there."""

PATIENCE = 1.0
"""Timeout for the page to report where the dragged element is, and for the release of the button, in seconds."""


@dataclass(frozen=True, slots=True)
class Ends:
    """The start and the end of a drag.

    ``to`` is the element to drop on, or a point of the viewport of the source's frame. ``hold`` and ``drop`` are
    offsets in CSS pixels from the top left corner of the element at that end; the default is its middle.
    """

    source: Target
    to: Target | Point
    hold: Point | None = None
    drop: Point | None = None


async def drag(tab: Tab, ends: Ends) -> Action[None]:
    """Begin to drag with real pointer events; the browser turns them into drag-and-drop events if it is draggable.

    Raises `ElementNotActionableError` if the pointer cannot reach an end, `InvalidParametersError` if ``to`` is a point
    outside of the viewport, and the errors of `on_element`.
    """
    if not isinstance(ends.to, Target):
        return await _drag_to_point(tab, ends, ends.to)
    to = ends.to
    end = await on_element(tab, to, Look, "act.look")
    start = await _grab(tab, ends, to)
    frame = start.frame
    if end.frame is not frame:
        raise ElementNotActionableError(
            f"{start} and {end} are in different frames.", "Drag within one frame, or do it in another way."
        )
    begin = point_of(start.answer.point)

    async def perform() -> None:
        # If both ends do not fit into the viewport together, the page is scrolled while the button is held down.
        if (reached := start.answer.end) is not None:
            await perform_pointer(frame, [*lifted(begin), *dropped(begin, point_of(reached))])
        else:
            try:
                await perform_pointer(frame, lifted(begin))
                there = await on_element(tab, to, InView, "act.scrollTo", _wire(ends.drop))
                await perform_pointer(frame, dropped(begin, _place(start, there)))
            except BaseException:
                await _let_go(tab)
                raise
        await frame.call("act.endDrag")

    return Action(perform, start, onto=str(end), quiet=DROP_QUIET)


async def _drag_to_point(tab: Tab, ends: Ends, point: Point) -> Action[None]:
    start = await _grab(tab, ends, None)
    over = await hit_at(start.frame, point)
    begin = point_of(start.answer.point)

    async def perform() -> None:
        await perform_pointer(start.frame, [*lifted(begin), *dropped(begin, point)])
        await start.frame.call("act.endDrag")

    onto = f"{point[0]:g}, {point[1]:g}{f', over {over}' if over else ''}"
    return Action(perform, start, onto=onto, quiet=DROP_QUIET)


async def _grab(tab: Tab, ends: Ends, to: Target | None) -> Asked[Grip]:
    there = to.wire() if to else None
    return await actionable(tab, ends.source, Grip, "act.grab", there, hold=_wire(ends.hold), drop=_wire(ends.drop))


def _place(start: Found, end: Asked[InView]) -> Point:
    if end.answer.point is None:
        raise ElementNotActionableError(
            f"{end} can't be scrolled into view; {start} was let go where it was.",
            "Drop it on something else, or do first what shows it.",
        )
    return point_of(end.answer.point)


def _wire(offset: Point | None) -> dict[str, float] | None:
    return {"x": offset[0], "y": offset[1]} if offset else None


async def _let_go(tab: Tab) -> None:
    """Release the button, which would otherwise stay pressed during all later actions."""
    with trio.move_on_after(PATIENCE, shield=True), suppress(BidiError, ConnectionLostError):
        await tab.connection.send(ReleaseActions(context=tab.context))


async def moved_by(tab: Tab, frame: Frame) -> tuple[int, int] | None:
    """Return the distance to the right and down that the last drag in a frame moved its element, in CSS pixels.

    None if the element is gone or the page does not respond.
    """
    with trio.move_on_after(PATIENCE), tab.interruptible(), suppress(FrameGoneError, BidiError, ScriptError):
        moved = await frame.ask(Moved, "act.movedBy")
        return None if moved.x is None or moved.y is None else (moved.x, moved.y)
    return None
