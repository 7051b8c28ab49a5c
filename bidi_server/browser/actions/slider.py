"""Setting sliders with the arrow keys, as keyboard users do: pages accept a value that was set with keys."""

from bidi_server.bidi.input import KeySourceActions
from bidi_server.browser.actions.clicks import click
from bidi_server.browser.actions.keys import chord
from bidi_server.browser.actions.pointer import perform
from bidi_server.browser.actions.target import Asked, Target, on_element
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import ElementNotActionableError
from bidi_server.page.api import Slider

MOST_STEPS = 200
"""Maximum number of presses of an arrow key in one command."""

ROUNDS = 4
"""Maximum number of times to measure the remaining distance: a step may be larger than the first one suggests."""


async def slide(tab: Tab, target: Target, wanted: float) -> Asked[Slider]:
    """Set an element with the role slider as near to a number as its keys can.

    Raises `ElementNotActionableError` if it is disabled or does not report its value, and the errors of `on_element`.
    """
    found = await on_element(tab, target, Slider, "act.focusSlider")
    if found.answer.is_unfocused:
        await (await click(tab, target, guard="none")).perform()
        found = await on_element(tab, target, Slider, "act.focusSlider")
    if (now := found.answer.now) is None:
        raise ElementNotActionableError(f"{found} does not say where it stands.", "Drag it, or use its keys.")
    step = 0.0
    for _ in range(ROUNDS):
        if now == wanted or (step and abs(wanted - now) < step / 2):
            break
        count = min(MOST_STEPS, round(abs(wanted - now) / step)) if step else 1
        keys = chord("ArrowUp" if wanted > now else "ArrowDown") * count
        await perform(found.frame, [KeySourceActions(id="keyboard", actions=[*keys])])
        found = await on_element(tab, target, Slider, "act.focusSlider")
        before, now = now, found.answer.now or 0.0
        if now == before:
            break
        step = abs(now - before) / count
    return found
