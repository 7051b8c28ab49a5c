"""Waiting until an element is actionable, with the pointer moved to it meanwhile, as a user would do."""

import trio

from bidi_server.browser.actions.pointer import moved, perform_pointer, point_of
from bidi_server.browser.actions.target import Asked, R, Target, try_element, unblocked
from bidi_server.browser.tab.tab import Tab
from bidi_server.page.api import Obstacle, Point

_PASSING = {"disabled", "hidden", "covered", "outside", "detached"}
"""Obstacles that may go away by themselves, in the words of our script's ``ready`` in the page."""

SHARE = 0.5
"""Share of an action's timeout to wait for its element; the remainder is for the action and its answer."""

ROUND = {"patience": 200, "pause": 100}
"""Time in milliseconds that one call waits in the page once the pointer is in place, and between two attempts."""


def waited_until(tab: Tab) -> float:
    """Return the time on trio's clock until which an action that begins now waits for its element."""
    now = trio.current_time()
    return now + SHARE * (min(trio.current_effective_deadline(), now + tab.limits.action) - now)


async def actionable(
    tab: Tab, target: Target, kind: type[R], function: str, *arguments: object, **options: object
) -> Asked[R]:
    """Call a function of our script in the page that makes an element ready for the pointer, until it is actionable.

    Many elements are visible or clickable only while the pointer is over them, so the pointer is moved to the element.
    Raises `ElementNotActionableError` when half of the action's time is over, and the errors of `on_element`.
    """
    until = waited_until(tab)
    found = await try_element(tab, target, kind, function, *arguments, options)
    pointed: Point | None = None
    while trio.current_time() < until and isinstance(found.answer, Obstacle) and found.answer.blocked in _PASSING:
        around = found.answer.around
        if around is not None and around != pointed:
            await perform_pointer(found.frame, moved(point_of(around)))
            pointed = around
        found = await try_element(tab, target, kind, function, *arguments, {**options, **ROUND})
    return unblocked(found)
