"""Sizes of viewports, and screenshots."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

from bidi_server.bidi.errors import UnableToCaptureScreenError, UnsupportedOperationError
from bidi_server.classic.actions import offset_of
from drivers.json_values import Json, fields, items

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bidi_server.classic.contexts import BrowsingContext
    from bidi_server.classic.session import Session

ATTEMPTS = 3
"""Maximum number of attempts to give a viewport its size: bars of the window may come and go."""

RESIZE = 1000
"""Timeout for a page to have the size of its new window, in milliseconds.

WebKitWebDriver 2.50 replies earlier: 200 pages had it 5 to 21 ms later, and up to 70 ms on a loaded machine.
"""

LARGEST = 16_000
"""Maximum height of a window for a picture of a whole page, in CSS pixels; X11 allows 32,767."""


FRAMES, PAINT = 3, 1000
"""Frames to wait for before a picture, and the timeout for them in milliseconds.

A screenshot of WebKitGTK 2.50 is of the last frame that is on the screen. On a loaded machine that is an older one: of
12 pictures of pages whose window had just grown, 4 showed the smaller window without this wait, and 0 of 48 with it.
"""


_Box = tuple[float, float, float, float]
"""Left, top, right and bottom in the viewport of the tab, in CSS pixels."""


async def resize(session: Session, context: BrowsingContext, viewport: Mapping[str, object]) -> None:
    """Give the viewport of a tab a size."""
    width, height = int(str(viewport["width"])), int(str(viewport["height"]))
    for _ in range(ATTEMPTS):
        _, _, inner_width, inner_height, *_ = await measure(session, context)
        if (inner_width, inner_height) == (width, height):
            return
        outer = fields(await session.in_window(context, "GET", "/window/rect"))
        wanted = {
            "width": int(str(outer["width"])) + width - int(inner_width),
            "height": int(str(outer["height"])) + height - int(inner_height),
        }
        await session.in_window(context, "POST", "/window/rect", wanted)
        await session.state_of(context, f"$realm.sized({width}, {height}, {RESIZE})")


async def measure(session: Session, context: BrowsingContext) -> list[float]:
    """Return width and height of the page and of the viewport, its position, and the pixels in a CSS pixel."""
    return [float(str(each)) for each in items(await session.value(context, "$realm.size()"))]


async def capture(session: Session, context: BrowsingContext, parameters: Json) -> str:
    """Return a screenshot in Base64. Raises `BidiError`."""
    clip = fields(parameters.get("clip"))
    whole = parameters.get("origin") == "document"
    page_width, page_height, width, height, left, top, ratio = await measure(session, context.top)
    before = None
    if whole and context.parent is None and (page_height > height or page_width > width):
        before = {"width": int(width), "height": int(height)}
        size = {
            "width": int(max(width, min(page_width, LARGEST))),
            "height": int(max(height, min(page_height, LARGEST))),
        }
        await resize(session, context, size)
    try:
        await session.state_of(context.top, f"$realm.painted({FRAMES}, {PAINT})")
        data = str(await session.in_window(context, "GET", "/screenshot"))
    finally:
        if before is not None:
            await resize(session, context, before)
            await session.value(context, f"void scrollTo({{left: {left}, top: {top}, behavior: 'instant'}})")
    box = None
    if context.parent is not None:
        x, y = await offset_of(session, context)
        _, _, inner_width, inner_height, left, top, _ = await measure(session, context)
        box = (x, y, x + inner_width, y + inner_height)
        if whole and clip:
            clip = {**clip, "x": float(str(clip["x"])) - left, "y": float(str(clip["y"])) - top}
    if clip:
        box = _clip(clip, box, may_be_cut=not whole)
    form = fields(parameters.get("format"))
    return _converted(data, box, ratio, form)


def _clip(clip: Json, frame: _Box | None, *, may_be_cut: bool) -> _Box:
    """Return the box of a clip in the viewport of the tab. Raises `BidiError` if its frame does not show all of it."""
    if clip.get("type") != "box":
        raise UnsupportedOperationError("screenshots of elements are taken as parts of the page")
    x, y, width, height = (float(str(clip[key])) for key in ("x", "y", "width", "height"))
    if frame is None:
        return x, y, x + width, y + height
    left, top, right, bottom = frame
    inside = left - 1 <= x + left and top - 1 <= y + top and x + left + width <= right + 1
    if not may_be_cut and not (inside and y + top + height <= bottom + 1):
        raise UnableToCaptureScreenError("the frame shows only a part of it")
    return max(left, x + left), max(top, y + top), min(right, x + left + width), min(bottom, y + top + height)


def _converted(data: str, box: tuple[float, float, float, float] | None, ratio: float, form: Json) -> str:
    kind = str(form.get("type") or "image/png")
    if box is None and kind == "image/png":
        return data
    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(data))) as opened:
        picture = opened.convert("RGB") if kind == "image/jpeg" else opened.copy()
    if box is not None:
        left, top, right, bottom = (round(edge * ratio) for edge in box)
        left, top = max(0, left), max(0, top)
        right, bottom = min(picture.width, right), min(picture.height, bottom)
        if right <= left or bottom <= top:
            raise UnableToCaptureScreenError("the part of the page is outside of the picture")
        picture = picture.crop((left, top, right, bottom))
    made = io.BytesIO()
    quality = form.get("quality")
    options = {"quality": round(quality * 100)} if isinstance(quality, int | float) and kind == "image/jpeg" else {}
    picture.save(made, kind.removeprefix("image/").upper(), **options)
    return base64.b64encode(made.getvalue()).decode()
