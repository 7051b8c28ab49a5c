"""Actions of input devices, in the form of classic WebDriver."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi.errors import (
    NoSuchElementError,
    NoSuchFrameError,
    NoSuchNodeError,
    UnsupportedOperationError,
)
from bidi_server.classic.http import UnexpectedAlertOpenError
from drivers.json_values import Json, fields, is_object, items, objects

if TYPE_CHECKING:
    from bidi_server.classic.contexts import BrowsingContext
    from bidi_server.classic.session import Session

WHEEL, WHEEL_ELSEWHERE, WHEEL_FRAME = 500, 100, 3000
"""Timeouts for a wheel event, for one that may be in a frame of the page, and for the next frame; in milliseconds.

WebKitGTK 2.50 sends the event 5 to 20 ms after its reply, on a loaded machine up to 440 ms, and scrolls in the next
frame: after 7 to 40 ms, but 70 to 2,700 ms in a new window on a loaded machine.
"""

DOUBLE_CLICK = 0.4
"""Time in which a second press at the same place is a double click, in seconds: GTK's gtk-double-click-time.

WebKitGTK 2.50 also counts the press of a drag. A press 375 ms after that of a drag selected text and dragged nothing.
"""

LOOK_AFTER = 0.5
"""Timeout for a look at the page after the actions, in seconds: a page may be busy, or about to be replaced."""

_KEPT = frozenset({"type", "value", "button", "x", "y", "duration", "origin", "deltaX", "deltaY"})
"""Properties of actions that classic WebDriver knows too."""

_WHOLE = ("x", "y", "deltaX", "deltaY", "duration")


async def offset_of(
    session: Session, context: BrowsingContext, point: tuple[float, float] | None = None
) -> tuple[float, float]:
    """Return where a frame's viewport begins in the viewport of its tab. Raises `NoSuchFrameError`.

    A ``point`` in the frame is scrolled into view.

    WebKitWebDriver 2.50 takes coordinates in the tab's viewport, whatever frame is current.
    """
    x = y = 0.0
    while context.parent is not None:
        within = "" if point is None else f", {json.dumps([point[0] + x, point[1] + y])}"
        found = items(await session.value(context.parent, f"$realm.offset({context.number}{within})"))
        if len(found) != 2:
            raise NoSuchFrameError(f"the browsing context {context.id} is gone")
        x, y = x + float(str(found[0])), y + float(str(found[1]))
        context = context.parent
    return x, y


async def translated(session: Session, context: BrowsingContext, sources: list[Json]) -> list[Json]:
    """Return actions with coordinates in the tab's viewport. Raises `BidiError`."""
    moves = [action for source in sources for action in objects(source.get("actions")) if "x" in action]
    seen = [move for move in moves if move.get("origin", "viewport") == "viewport"][:1]
    point = (float(str(seen[0]["x"])), float(str(seen[0]["y"]))) if seen else None
    x, y = await offset_of(session, context, point)
    found: list[Json] = []
    for source in sources:
        actions = [await _translated(session, context, action, x, y) for action in objects(source.get("actions"))]
        found.append({**source, "actions": [session.input.next(source, action) for action in actions]})
    return found


async def _translated(session: Session, context: BrowsingContext, action: Json, x: float, y: float) -> Json:
    made = {key: value for key, value in action.items() if key in _KEPT}
    if made.get("type") in {"pointerMove", "scroll"}:
        origin = made.get("origin", "viewport")
        left, top = float(str(made.get("x", 0))), float(str(made.get("y", 0)))
        if is_object(origin):
            id_ = str(fields(origin.get("element")).get("sharedId"))
            centre = items(await session.value(context, f"$realm.centre({json.dumps(id_)})"))
            left, top, made["origin"] = left + float(str(centre[0])), top + float(str(centre[1])), "viewport"
        if made.get("origin", "viewport") == "viewport":
            left, top = left + x, top + y
        made["x"], made["y"] = left, top
    for key in _WHOLE:
        if key in made:
            made[key] = round(float(str(made[key])))
    return made


def _drags(source: Json) -> bool:
    """Whether a button is released after a move, and not right after its press."""
    kinds = [action.get("type") for action in objects(source.get("actions")) if action.get("type") != "pause"]
    return ("pointerMove", "pointerUp") in pairwise(kinds)


def _turned_at(sources: list[Json]) -> list[object] | None:
    """Return the point in the viewport at which a wheel is turned first; None if it is given in another way."""
    turns = [each for source in sources for each in objects(source.get("actions")) if each.get("type") == "scroll"]
    in_viewport = bool(turns) and turns[0].get("origin") in {None, "viewport"}
    return [turns[0].get("x"), turns[0].get("y")] if in_viewport else None


async def perform(session: Session, context: BrowsingContext, sources: list[Json]) -> None:
    """Perform actions. Raises `BidiError`."""
    kinds = {source.get("type") for source in sources}
    begun = trio.current_time()
    try:
        if "key" in kinds and context.parent is None:
            await session.state_of(context, "$realm.takeKeys()")
        if "wheel" in kinds:
            point = _turned_at(sources) if context.parent is None else None
            await session.state_of(context.top, f"$realm.watchWheel({json.dumps(point)}, {WHEEL_FRAME})")
        await session.in_window(context, "POST", "/actions", {"actions": sources})
        if "wheel" in kinds:
            await session.state_of(context.top, f"$realm.wheel({WHEEL}, {WHEEL_ELSEWHERE}, {WHEEL_FRAME})")
        if any(map(_drags, sources)):
            await trio.sleep_until(begun + DOUBLE_CLICK)
    except UnexpectedAlertOpenError:
        await session.look_for_dialog(context)


async def set_files(session: Session, context: BrowsingContext, id_: str, files: list[str]) -> None:
    """Give an input files in place of those it has. Raises `BidiError`."""
    name = json.dumps(id_)
    if not files:
        code = (
            "(input) => { if (input.value) { input.value = ''; input.dispatchEvent(new Event('input', {bubbles: true, \
composed: true})); input.dispatchEvent(new Event('change', {bubbles: true})); } }"
        )
        await session.call(context, {"isFunction": True, "arguments": [{"sharedId": id_}]}, code)
        return
    for file in files:
        # WebKitGTK 2.50 gives the page a file that has the name of the folder and no content.
        if await trio.Path(file).is_dir():
            raise UnsupportedOperationError(f"classic WebDriver gives pages no folder: {file}")
    element = await session.value(context, f"$realm.taker({name})")
    if not is_object(element):
        raise NoSuchElementError("the input is gone")
    identifier = next(iter(element.values()), None)
    if identifier is None:
        raise NoSuchNodeError("the input is gone")
    await session.in_frame(context, "POST", f"/element/{identifier}/value", {"text": "\n".join(files)})
