"""Waiting for text to come or to go."""

import trio

from bidi_server.bidi.errors import BidiError
from bidi_server.browser.frame import Frame, FrameGoneError
from bidi_server.browser.tab import Tab
from bidi_server.errors import DeadlineError

TURN = 0.25
"""Seconds that each frame is watched in turn, where a page has several."""


async def wait_text(tab: Tab, text: str, *, gone: bool, limit: float) -> None:
    """Wait until a text is on the page, in any of its frames, or is in none of them.

    Raises `DeadlineError` after ``limit`` seconds, `DialogOpenError` when a dialog opens.
    """
    with trio.move_on_after(limit), tab.interruptible():
        while not await _round(tab, text, gone=gone, limit=limit):
            await trio.lowlevel.checkpoint()
        return
    tab.dialogs.check_none()
    state = "is still on the page" if gone else "did not appear"
    raise DeadlineError(
        f"The text {text!r} {state} after {limit:g} s.", "Take a browser_snapshot to see what is there."
    )


async def _round(tab: Tab, text: str, *, gone: bool, limit: float) -> bool:
    frames = list(tab.frames.values())
    turn = limit if len(frames) == 1 else TURN
    answers = [await _watch(tab, frame, text, gone=gone, turn=turn if frame is tab.main else 0) for frame in frames]
    return all(answers) if gone else any(answers)


async def _watch(tab: Tab, frame: Frame, text: str, *, gone: bool, turn: float) -> bool:
    """Return whether the frame shows the text (or does not) within its turn."""
    try:
        value = await frame.call("waitForText", {"text": text, "gone": gone, "timeout": turn * 1000})
    except (FrameGoneError, BidiError):
        # The next document is asked in the next round.
        with trio.move_on_after(TURN):
            await tab.activity.park()
        return gone and frame.parent is not None
    return value.value is True
