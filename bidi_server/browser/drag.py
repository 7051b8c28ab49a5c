"""Dragging one element to another."""

from contextlib import suppress
from typing import cast

import trio

from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.bidi.input import ReleaseActions
from bidi_server.browser.element import Found, Target, on_element, unblocked
from bidi_server.browser.frame import Frame, FrameGoneError
from bidi_server.browser.pointer import dropped, lifted, perform_pointer, point_of
from bidi_server.browser.settle import Receipt
from bidi_server.browser.tab import Tab
from bidi_server.errors import ElementNotActionableError, ScriptError

DROP_QUIET = 0.25
"""Seconds without a change after a drop: what was dragged glides to its place, and then the page takes it there."""

PATIENCE = 1.0
"""Seconds that a page may take to say where what was dragged is now, or to see the button released."""


async def drag(tab: Tab, receipt: Receipt, source: Target, destination: Target) -> Found:
    """Drag with real pointer events; the browser makes drag-and-drop events of them where the element is draggable.

    Return what it was dropped on; the receipt's element is the one that was dragged.
    """
    end = await on_element(tab, destination, "look")
    start = unblocked(await on_element(tab, source, "grab", destination.wire()))
    frame = start.frame
    if end.frame is not frame:
        raise ElementNotActionableError(
            f"{start} and {end} are in different frames.", "Drag within one frame, or do it in another way."
        )
    receipt.found, receipt.quiet = start, DROP_QUIET
    begin = point_of(start.result["point"])
    # Until both ends have been seen together the page is scrolled with the button held down.
    reached = start.result.get("end")
    if reached is not None:
        await perform_pointer(frame, [*lifted(begin), *dropped(begin, point_of(reached))])
        await frame.call("act.endDrag")
        return end
    try:
        await perform_pointer(frame, lifted(begin))
        there = await on_element(tab, destination, "scrollTo")
        finish = cast("dict[str, float] | None", there.result.get("point"))
        await perform_pointer(frame, dropped(begin, point_of(finish) if finish else begin))
    except BaseException:
        await _let_go(tab)
        raise
    await frame.call("act.endDrag")
    return end


async def _let_go(tab: Tab) -> None:
    """Release the button, which would stay pressed in all that comes."""
    with trio.move_on_after(PATIENCE, shield=True), suppress(BidiError, ConnectionLostError):
        await tab.connection.send(ReleaseActions(context=tab.context))


async def moved_by(tab: Tab, frame: Frame) -> tuple[int, int]:
    """Return how far to the right and down the last drag in a frame has moved its element, in CSS pixels."""
    with trio.move_on_after(PATIENCE), tab.interruptible(), suppress(FrameGoneError, BidiError, ScriptError):
        moved = await frame.call_json("act.movedBy")
        return cast("int", moved["x"]), cast("int", moved["y"])
    return 0, 0
