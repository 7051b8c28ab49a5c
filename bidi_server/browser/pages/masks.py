"""Boxes of the elements that a picture is to leave out, in all frames that it shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor

import trio

from bidi_server.bidi.browsing_context import BoxClipRectangle, CaptureScreenshot
from bidi_server.bidi.errors import BidiError
from bidi_server.bidi.values import context_of
from bidi_server.browser.actions.target import Target, check_context, no_match, raise_if_wrong, unknown_ref
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError, read_answer
from bidi_server.browser.snapshot.take import FRAME_TIMEOUT, MAX_FRAME_DEPTH
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import ScriptError
from bidi_server.page.api import Masked
from bidi_server.secret.redaction import REDACTOR, visible_forms
from drivers.json_values import objects

Rectangle = tuple[float, float, float, float]
"""Left, top, right and bottom."""


@dataclass(frozen=True, slots=True)
class Boxes:
    """Boxes in CSS pixels of a frame's viewport, and its scroll position."""

    rectangles: list[Rectangle]
    scroll: tuple[float, float]
    secrets: int = 0
    """Number of elements that show a secret."""

    def in_picture(self, command: CaptureScreenshot, ratio: float) -> Iterator[Rectangle]:
        """Yield the boxes in pixels of a picture of the frame; ``ratio`` is in such pixels per CSS pixel."""
        x, y = (-value for value in self.scroll) if command.origin == "document" else (0, 0)
        if isinstance(command.clip, BoxClipRectangle):
            x, y = x + max(command.clip.x, 0), y + max(command.clip.y, 0)
        # Browsers begin a picture at whole pixels, and Firefox 153 moves those of elements by up to one.
        for left, top, right, bottom in self.rectangles:
            begin, end = (left - ceil(x), top - ceil(y)), (right - floor(x), bottom - floor(y))
            yield (begin[0] * ratio, begin[1] * ratio, end[0] * ratio, end[1] * ratio)


async def boxes_in(tab: Tab, frame: Frame, targets: Sequence[Target], *, needs_all: bool = True) -> Boxes:
    """Return the boxes of all elements in a frame and the frames in it that targets name or that show a secret.

    Raises `ElementNotFoundError` for a target without an element if it ``needs_all``, and `InvalidParametersError` for
    an invalid target.
    """
    for target in targets:
        check_context(tab, target)
    found = await _ask(_Question(tab, targets, visible_forms(REDACTOR.values)), frame, 0)
    for target, count in zip(targets, found.counts, strict=True) if needs_all else ():
        if count == 0 and target.ref is not None:
            raise unknown_ref(target)
        if count == 0:
            raise await no_match(tab, target)
    return Boxes(found.rectangles, found.scroll, found.secrets)


@dataclass(frozen=True, slots=True)
class _Question:
    tab: Tab
    targets: Sequence[Target]
    secrets: Sequence[str]


@dataclass(slots=True)
class _Found:
    counts: list[int]
    secrets: int
    rectangles: list[Rectangle]
    scroll: tuple[float, float]


async def _ask(question: _Question, frame: Frame, level: int) -> _Found:
    tab, targets = question.tab, question.targets
    try:
        value = await frame.call("extra.masked", [target.wire() for target in targets], question.secrets)
    except ScriptError as error:
        for target in targets:
            raise_if_wrong(target.selector, error)
        raise
    text, *windows = objects(value.value)
    answer = read_answer(Masked, str(text.get("value")))
    found = _Found(
        answer.counts,
        answer.secrets,
        [(x, y, x + width, y + height) for x, y, width, height in answer.boxes],
        answer.scroll,
    )
    for place, window in zip(answer.frames, windows, strict=True):
        child = tab.frames.get(context_of(window) or "")
        if child is None:
            continue
        x, y, width, height = place.box
        inner = await _ask_child(question, child, level + 1)
        if inner is None:
            # A frame that does not tell what it shows must not show it.
            found.rectangles.append((x, y, x + width, y + height))
            found.secrets += bool(question.secrets)
            continue
        found.secrets += inner.secrets
        found.counts = [sum(pair) for pair in zip(found.counts, inner.counts, strict=True)]
        across, down = place.scale
        for left, top, right, bottom in inner.rectangles:
            shown = (max(x + left * across, x), max(y + top * down, y))
            found.rectangles.append((*shown, min(x + right * across, x + width), min(y + bottom * down, y + height)))
    return found


async def _ask_child(question: _Question, frame: Frame, level: int) -> _Found | None:
    """Return what a child frame says; None if it does not answer."""
    if level <= MAX_FRAME_DEPTH:
        with trio.move_on_after(FRAME_TIMEOUT):
            try:
                return await _ask(question, frame, level)
            except (FrameGoneError, BidiError, ScriptError):
                return None
    return None
