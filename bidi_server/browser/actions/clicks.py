"""Clicking elements and moving the pointer over them."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.actionable import actionable
from bidi_server.browser.actions.pointer import Button, Point, Step, clicked, moved, perform_pointer, point_of
from bidi_server.browser.actions.target import Found, Target
from bidi_server.browser.tab.tab import Tab

Guard = Literal["none", "others", "present"]
"""Presses that our script in the page blocks; see page/src/act/ready.js.

"none": no press. "others": a press on another element than the intended one, or on that element when its picture has
changed. "present": the same, but only while the intended element is in the document; it is for elements that the page
replaces whenever the pointer moves.
"""


async def click(
    tab: Tab,
    target: Target,
    *,
    button: Button = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
    guard: Guard = "others",
) -> Action[None]:
    """Begin to click an element with real pointer events, once it is in view, stable, enabled and not covered.

    If another element is there when the pointer arrives, our script in the page blocks the press, and the action can be
    begun `again`. Raises the errors of `actionable`.
    """
    found, point = await _point(tab, target, enabled=True, guard=guard)
    steps = [*_left(found), *clicked(point, button, count)]
    again = partial(click, tab, target, button=button, count=count, modifiers=modifiers, guard="present")
    return Action(
        partial(perform_pointer, found.frame, steps, modifiers), found, again=again if guard == "others" else None
    )


async def hover(tab: Tab, target: Target) -> Action[None]:
    """Begin to move the pointer over an element. Raises the errors of `actionable`."""
    found, point = await _point(tab, target, enabled=False)
    return Action(partial(perform_pointer, found.frame, [*_left(found), *moved(point)]), found, scripts_only=True)


async def _point(tab: Tab, target: Target, *, enabled: bool, guard: Guard = "none") -> tuple[Found, Point]:
    found = await actionable(tab, target, "ready", enabled=enabled, guard=guard)
    return found, point_of(found.result["point"])


def _left(found: Found) -> list[Step]:
    """Return a move of the mouse by one pixel if an element has appeared under it while it was at rest.

    Menus wait for it: jQuery UI 1.12 activates no item of a menu that opened under the pointer until the pointer has
    moved on the menu.
    """
    if not (leave := found.result.get("leave")):
        return []
    x, y = point_of(leave)
    return moved((x - 1 if x >= 1 else x + 1, y))
