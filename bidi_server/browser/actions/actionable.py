"""Waiting until an element can be acted on, as somebody at the screen would: with the pointer where it is to be."""

import trio

from bidi_server.browser.actions.pointer import moved, perform_pointer, point_of
from bidi_server.browser.actions.target import Found, Target, on_element, unblocked
from bidi_server.browser.tab.tab import Tab

_PASSING = {"disabled", "hidden", "covered", "outside", "detached"}
"""What stands in the way and may go by itself, as the page's ``ready`` says it."""

SHARE = 0.5
"""Part of an action's time for which its element is waited for; the rest is for the action and its answer."""

ROUND = {"patience": 200, "pause": 100}
"""Milliseconds that the page itself waits at a time once the pointer is there, and between two of its attempts."""


def waited_until(tab: Tab) -> float:
    """Return the time of trio's clock until which an action that begins now waits for its element."""
    now = trio.current_time()
    return now + SHARE * (min(trio.current_effective_deadline(), now + tab.limits.action) - now)


async def actionable(tab: Tab, target: Target, function: str, *arguments: object, **options: object) -> Found:
    """Call one of the page's functions that make an element ready for the pointer, until nothing is in the way.

    Much is shown, or lets itself be clicked, only while the pointer is over it. Raises `ElementNotActionableError` when
    half of the action's time is over, and what `on_element` does.
    """
    until = waited_until(tab)
    found = await on_element(tab, target, function, *arguments, options)
    pointed: object = None
    while found.result.get("blocked") in _PASSING and trio.current_time() < until:
        around = found.result.get("around")
        if around and around != pointed:
            await perform_pointer(found.frame, moved(point_of(around)))
            pointed = around
        found = await on_element(tab, target, function, *arguments, {**options, **ROUND})
    return unblocked(found)
