"""Actions of a mouse, each sent as one ``input.performActions``. Points are CSS pixels of the frame's viewport.

https://w3c.github.io/webdriver-bidi/#command-input-performActions
"""

import math
from collections.abc import Sequence
from typing import Literal

from bidi_server.bidi.errors import BidiError
from bidi_server.bidi.input import (
    KeyDown,
    KeySourceActions,
    KeyUp,
    Pause,
    PerformActions,
    PointerDown,
    PointerMove,
    PointerParameters,
    PointerSourceActions,
    PointerUp,
    SourceActions,
    WheelScroll,
    WheelSourceActions,
)
from bidi_server.browser.actions.keys import code_of
from bidi_server.browser.snapshot.frame import Frame
from bidi_server.errors import InvalidParametersError
from bidi_server.page import api

Button = Literal["left", "middle", "right"]
Point = tuple[float, float]
Step = Pause | PointerDown | PointerUp | PointerMove

_BUTTONS: dict[Button, int] = {"left": 0, "middle": 1, "right": 2}
_MOUSE = PointerParameters(pointer_type="mouse")

DRAG_STEPS = 8
"""Number of pointer moves from the start of a drag to its end: widgets use moves to distinguish a drag from a click."""


def point_of(point: api.Point) -> Point:
    """Convert a point that our script in the page returned."""
    return point.x, point.y


def check_within(point: Point, viewport: Sequence[int]) -> None:
    """Raise `InvalidParametersError` if a point is outside of a viewport of a width and a height."""
    (x, y), (width, height) = point, viewport
    if not (0 <= x < width and 0 <= y < height):
        raise InvalidParametersError(
            f"The point {x:g}, {y:g} is outside of the viewport, which is {width}x{height}.",
            "Scroll the page or pass another point.",
        )


def moved(point: Point) -> list[Step]:
    """Return the step that moves the pointer to a point."""
    x, y = point
    return [PointerMove(x=int(x), y=int(y))]


def down(button: Button) -> Step:
    """Return the step that presses a button."""
    return PointerDown(button=_BUTTONS[button])


def up(button: Button) -> Step:
    """Return the step that releases a button."""
    return PointerUp(button=_BUTTONS[button])


def clicked(point: Point, button: Button = "left", count: int = 1) -> list[Step]:
    """Return the steps of ``count`` clicks at a point."""
    return moved(point) + [down(button), up(button)] * count


def lifted(start: Point) -> list[Step]:
    """Return the steps that press the button at a point and move the pointer far enough to start a drag."""
    x, y = start
    return [*moved(start), PointerDown(button=0), *moved((x + 3, y + 3)), *moved((x + 6, y + 6))]


def dropped(start: Point, end: Point) -> list[Step]:
    """Return the steps that drag from the start to a point and release the button there."""
    (x, y), (to_x, to_y) = start, end
    ways = [step / DRAG_STEPS for step in range(1, DRAG_STEPS)]
    path = [step for way in ways for step in moved((x + (to_x - x) * way, y + (to_y - y) * way))]
    # Pages often check the position of a drag only once per frame, and lists ignore moves for a while after each change
    # (Sortable for 30 ms). Stay at the end for longer, and move there: a pointer at rest causes no events.
    beside = moved((to_x, to_y - 1 if to_y > y else to_y + 1))
    return [*path, *moved(end), Pause(duration=50), *beside, *moved(end), Pause(duration=20), PointerUp(button=0)]


async def perform_pointer(frame: Frame, steps: Sequence[Step], modifiers: Sequence[str] = ()) -> None:
    """Perform steps of the mouse while the keys in ``modifiers`` are held down."""
    codes = [code_of(name) for name in modifiers]
    # All devices act tick by tick in parallel. The keys go down before the pointer's first step and up after its last.
    held: list[Step] = [Pause() for _ in codes]
    actions: list[SourceActions] = [PointerSourceActions(id="mouse", parameters=_MOUSE, actions=[*held, *steps])]
    if codes:
        pressed = [KeyDown(value=code) for code in codes]
        released = [KeyUp(value=code) for code in reversed(codes)]
        actions.insert(0, KeySourceActions(id="keyboard", actions=[*pressed, *(Pause() for _ in steps), *released]))
    await perform(frame, actions)


async def scroll_wheel(frame: Frame, point: Point, delta: Point) -> None:
    """Turn the wheel at a point by a distance in CSS pixels."""
    turn = WheelScroll(x=int(point[0]), y=int(point[1]), delta_x=int(delta[0]), delta_y=int(delta[1]))
    await perform(frame, [WheelSourceActions(id="wheel", actions=[turn])])


async def perform(frame: Frame, actions: list[SourceActions]) -> None:
    """Perform actions of input devices. Raises `FrameGoneError` if the document goes away meanwhile."""
    try:
        # The timeout is that of the action.
        await frame.connection.send(PerformActions(context=frame.context, actions=actions), math.inf)
    except BidiError as error:
        frame.raise_if_gone(error)
        raise
