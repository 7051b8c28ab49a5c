"""Clicking elements and moving the pointer over them."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from bidi_server.browser.actions.actionable import actionable
from bidi_server.browser.actions.pointer import Button, Point, Step, clicked, moved, perform_pointer, point_of
from bidi_server.browser.actions.receipt import Receipt
from bidi_server.browser.actions.target import Found, Target
from bidi_server.browser.tab.tab import Tab

Guard = Literal["none", "others", "present"]
"""Which presses the page's code keeps from what they are not meant for; see page/src/ready.js."""


async def click(
    tab: Tab,
    receipt: Receipt,
    target: Target,
    *,
    button: Button = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
) -> None:
    """Click an element with real pointer events, after it is in view, still, enabled and not covered.

    The page's code keeps the press from anything else that is there when the pointer has come; the receipt says how it
    is done once more then.
    """
    attempt = partial(click_once, tab, receipt, target, button=button, count=count, modifiers=modifiers)
    receipt.again = partial(attempt, guard="present")
    await attempt(guard="others")


async def click_once(
    tab: Tab,
    receipt: Receipt,
    target: Target,
    *,
    button: Button = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
    guard: Guard = "none",
) -> None:
    """Click an element, whatever the pointer meets; the ``guard`` keeps the press from some of that."""
    found, point = await _point(tab, target, enabled=True, guard=guard)
    receipt.found = found
    await perform_pointer(found.frame, [*_left(found), *clicked(point, button, count)], modifiers)


async def hover(tab: Tab, receipt: Receipt, target: Target) -> None:
    """Move the pointer over an element."""
    found, point = await _point(tab, target, enabled=False)
    receipt.found, receipt.plain = found, True
    await perform_pointer(found.frame, [*_left(found), *moved(point)])


async def _point(tab: Tab, target: Target, *, enabled: bool, guard: Guard = "none") -> tuple[Found, Point]:
    found = await actionable(tab, target, "ready", enabled=enabled, guard=guard)
    return found, point_of(found.result["point"])


def _left(found: Found) -> list[Step]:
    """Return the move with which a mouse leaves what has come under it while it rested.

    Menus wait for it: jQuery UI 1.12 makes no item the active one before the pointer has moved on a menu that opened
    under it.
    """
    if not (leave := found.result.get("leave")):
        return []
    x, y = point_of(leave)
    return moved((x - 1 if x >= 1 else x + 1, y))
