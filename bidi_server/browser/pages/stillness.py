"""Screenshots of a page that does not change: for comparison with other pictures."""

from collections.abc import Sequence
from contextlib import suppress

import trio

from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.browser.actions.target import Target
from bidi_server.browser.files.picture_difference import Difference, compare
from bidi_server.browser.pages.capture import Encoding, Shot, screenshot
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError
from bidi_server.browser.snapshot.take import FRAME_TIMEOUT
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import DeadlineError, ScriptError
from bidi_server.page.api import Frozen

_LOADING = 0.5
"""Maximum time that a frame waits for its fonts and images before it answers, in seconds."""

_RESTORE = 1.0
"""Timeout for the frames to go on with their animations, in seconds."""


async def still_screenshot(
    tab: Tab, *, target: Target | None = None, full_page: bool = False, masks: Sequence[Target] = ()
) -> Shot:
    """Take a screenshot once two in a row are equal, with one pixel for each CSS pixel.

    Meanwhile finite animations are at their end, others at their beginning, and the caret is hidden; fonts and images
    are loaded. Raises `DeadlineError` if the page changes for longer than an action may take, and the errors of
    `bidi_server.browser.pages.capture.screenshot` and of `Tab.ask`.
    """
    end = trio.current_time() + tab.limits.action
    encoding = Encoding(by_css=True)
    previous: Shot | None = None
    difference: Difference | None = None
    try:
        while True:
            loading = await tab.ask(lambda: _freeze(tab))
            shot = await tab.ask(
                lambda: screenshot(tab, target=target, full_page=full_page, encoding=encoding, masks=masks)
            )
            if previous is not None and not loading:
                difference = await compare(previous.data, shot.data)
                if not difference.pixels:
                    return shot
            if trio.current_time() > end:
                raise _restless(tab, loading, difference)
            previous = shot
    finally:
        with trio.move_on_after(_RESTORE, shield=True):
            await _unfreeze(tab)


async def _freeze(tab: Tab) -> str:
    """Stop the movements in all frames. Return what they are still loading, in words."""
    loading: list[Frozen] = []

    async def freeze(frame: Frame) -> None:
        with trio.move_on_after(FRAME_TIMEOUT), suppress(FrameGoneError, BidiError, ScriptError):
            loading.append(await frame.ask(Frozen, "extra.freeze", _LOADING * 1000))

    loading.append(await tab.main.ask(Frozen, "extra.freeze", _LOADING * 1000))
    async with trio.open_nursery() as nursery:
        for frame in tab.frames.values():
            if frame is not tab.main:
                nursery.start_soon(freeze, frame)
    images = sum(each.images for each in loading)
    fonts = any(each.fonts for each in loading)
    words = ["fonts"] if fonts else []
    words += [f"{images} image{'s' if images > 1 else ''}"] if images else []
    return " and ".join(words)


async def _unfreeze(tab: Tab) -> None:
    async def unfreeze(frame: Frame) -> None:
        with suppress(FrameGoneError, BidiError, ScriptError, ConnectionLostError):
            await frame.call("extra.unfreeze")

    async with trio.open_nursery() as nursery:
        for frame in tab.frames.values():
            nursery.start_soon(unfreeze, frame)


def _restless(tab: Tab, loading: str, difference: Difference | None) -> DeadlineError:
    within = f"within {tab.limits.action:g} s"
    if loading:
        return DeadlineError(
            f"The page did not finish loading {within}: {loading}.", "Check the network, or reload it."
        )
    advice = "Pass the elements that change in mask, or call again once they are still."
    if difference is None or not difference.regions:
        return DeadlineError(f"No two pictures of the page were taken {within}.", advice)
    first = difference.regions[0]
    where = f"{first.pixels} pixels at {first.x},{first.y} {first.width}x{first.height} changed last"
    return DeadlineError(f"The page did not stand still {within}: {where}.", advice)
