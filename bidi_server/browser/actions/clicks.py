"""Clicking elements and moving the pointer over them."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.actionable import actionable
from bidi_server.browser.actions.pointer import Button, Step, clicked, moved, perform_pointer, point_of
from bidi_server.browser.actions.target import Asked, Target
from bidi_server.browser.tab.tab import Tab
from bidi_server.page.api import Ready

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
    found = await _ready(tab, target, enabled=True, guard=guard)
    steps = [*_left(found), *clicked(point_of(found.answer.point), button, count)]
    again = partial(click, tab, target, button=button, count=count, modifiers=modifiers, guard="present")
    return Action(
        partial(perform_pointer, found.frame, steps, modifiers), found, again=again if guard == "others" else None
    )


async def hover(tab: Tab, target: Target) -> Action[None]:
    """Begin to move the pointer over an element. Raises the errors of `actionable`."""
    found = await _ready(tab, target, enabled=False)
    return Action(
        partial(perform_pointer, found.frame, [*_left(found), *moved(point_of(found.answer.point))]),
        found,
        scripts_only=True,
    )


async def _ready(tab: Tab, target: Target, *, enabled: bool, guard: Guard = "none") -> Asked[Ready]:
    return await actionable(tab, target, Ready, "act.ready", enabled=enabled, guard=guard)


def _left(found: Asked[Ready]) -> list[Step]:
    """Return a move of the mouse by one pixel if an element has appeared under it while it was at rest.

    Menus wait for it: jQuery UI 1.12 activates no item of a menu that opened under the pointer until the pointer has
    moved on the menu.
    """
    if found.answer.leave is None:
        return []
    x, y = point_of(found.answer.leave)
    return moved((x - 1 if x >= 1 else x + 1, y))
