"""Screenshots and PDFs of pages, as the browser makes them."""

import base64
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi.errors import BidiError, UnknownCommandError, UnsupportedOperationError
from bidi_server.browser.actions.target import Asked, Target, on_element
from bidi_server.browser.files.picture import encoded
from bidi_server.browser.network.allow_list import not_allowed
from bidi_server.browser.pages.masks import Rectangle, boxes_in
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import MAX_PATH, clip
from bidi_server.errors import ElementNotActionableError, InvalidParametersError, NotAllowedError, ToolError
from bidi_server.page.api import Picture, Viewport
from bidi_server.secret.redaction import REDACTOR

Format = Literal["png", "jpeg", "webp"]
"""Image formats of screenshots."""

_FORMATS: dict[str, Format] = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp"}


@dataclass(frozen=True, slots=True)
class Encoding:
    """The form of a screenshot. ``quality`` is from 1 to 100, for other formats than PNG."""

    format: Format = "png"
    quality: int = 80
    by_css: bool = False
    """Whether each pixel is a CSS pixel, whatever the screen's pixel ratio is."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A screenshot or a PDF as the browser made it."""

    data: bytes
    suffix: str
    of: str
    note: str = ""
    """Note for the answer on the choice of the element."""


PNG = Encoding()


def image_format(name: str | None, asked: Format | None) -> Format:
    """Return the image format from a file name and the requested format; PNG if neither is given.

    Raises `InvalidParametersError` for a name with another ending, or with one that contradicts the format.
    """
    suffix = PurePath(name or "").suffix
    if not suffix:
        return asked or "png"
    named = _FORMATS.get(suffix.lower())
    if named is None:
        raise InvalidParametersError(
            f"{clip(name or suffix, MAX_PATH)!r} does not end in .png, .jpg, .jpeg or .webp.",
            "Pass a name with one of these endings.",
        )
    if asked not in {None, named}:
        raise InvalidParametersError(
            f"The ending {suffix} does not go with the format {asked}.", "Leave the format out, or change the name."
        )
    return named


async def screenshot(
    tab: Tab,
    *,
    target: Target | None = None,
    full_page: bool = False,
    region: bc.BoxClipRectangle | None = None,
    encoding: Encoding = PNG,
    masks: Sequence[Target] = (),
) -> Shot:
    """Take a screenshot of the viewport, of the whole page, of a region of either, or of one element.

    All elements that the ``masks`` name, and those that show a secret, are covered in it. Raises
    `ElementNotActionableError`, `ElementNotFoundError`, and `NotAllowedError` if the page must not be opened.
    """
    covers = bool(masks or REDACTOR.values)
    image = bc.ImageFormat(type="image/png")
    if encoding.format == "jpeg" and not covers:
        image = bc.ImageFormat(type="image/jpeg", quality=encoding.quality / 100)
    what, note, frame = "viewport", "", tab.main
    if target is not None:
        found = await on_element(tab, target, Picture, "extra.picture")
        what = f"{found} (only the part that the page shows)" if found.answer.cut else str(found)
        note, frame = found.note, found.frame
        command = _of_element(found, image)
    else:
        command = bc.CaptureScreenshot(context=tab.context, format=image, origin="viewport")
        if full_page:
            what = "full page"
            command = command.model_copy(update={"origin": "document"})
        if region is not None:
            what = f"region {region.width:g}x{region.height:g}"
            command = command.model_copy(update={"clip": region})
    # A page that moves may show the elements where they are before or after.
    covered = await boxes_in(tab, frame, masks) if covers else None
    with tab.main.asked(Viewport, "act.viewport") if encoding.by_css or covers else nullcontext() as viewport:
        try:
            result = await tab.shared.quirks.capture(frame, command)
        except BidiError as error:
            raise ElementNotActionableError(
                f"No picture of the {what}: {error.first_line.removesuffix('.')}.",
                "It may have no size, be too large or, in Chromium, be in a frame: take one of the viewport.",
            ) from error
        ratio = (await viewport()).device_pixel_ratio if viewport is not None else 1
    _check_allowed(tab)
    data = base64.b64decode(result.data)
    rectangles: list[Rectangle] = []
    if covered is not None:
        after = await boxes_in(tab, frame, masks, needs_all=False)
        for boxes in (covered, after):
            rectangles += boxes.in_picture(command, ratio)
        if covered.secrets or after.secrets:
            note = f"{note} What shows a secret is covered.".strip()
    factor = 1 / ratio if encoding.by_css else 1
    if factor != 1 or rectangles or encoding.format == "webp" or (covers and encoding.format != "png"):
        data = await encoded(data, encoding.format, encoding.quality, factor, rectangles)
    return Shot(data, encoding.format, what, note)


def _of_element(found: Asked[Picture], image: bc.ImageFormat) -> bc.CaptureScreenshot:
    # BiDi's clip for an element is cut off at the viewport. Chromium also places it as if the page were not scrolled.
    box, origin = found.answer.box, found.answer.origin
    clip = bc.BoxClipRectangle(x=box.x, y=box.y, width=box.width, height=box.height)
    return bc.CaptureScreenshot(context=found.frame.context, format=image, origin=origin, clip=clip)


def _check_allowed(tab: Tab) -> None:
    """Raise `NotAllowedError` if the page that was just taken must not be opened."""
    if url := tab.main.forbidden:
        raise not_allowed(url, tab.shared.interception.forbids(url))


async def print_page(tab: Tab, *, landscape: bool, scale: float, pages: str, paper: tuple[float, float]) -> Shot:
    """Return the page as a PDF. ``paper`` is width and height in centimetres; ``pages`` are ranges such as "1-3,5".

    Raises `ToolError`, and `NotAllowedError` if the page must not be opened, or shows a secret.
    """
    if REDACTOR.values and (await boxes_in(tab, tab.main, ())).secrets:
        raise NotAllowedError(
            "The page shows a secret, which cannot be covered in a PDF.",
            "Clear the field, or take a screenshot: it covers what shows the secret.",
        )
    width, height = paper
    command = bc.Print(
        context=tab.context,
        background=True,
        orientation="landscape" if landscape else "portrait",
        page=bc.PrintPageParameters(width=width, height=height),
        page_ranges=[part.strip() for part in pages.split(",") if part.strip()],
        scale=scale,
    )
    try:
        result = await tab.connection.send(command)
    except (UnknownCommandError, UnsupportedOperationError):
        raise
    except BidiError as error:
        raise ToolError(f"The page can't be printed: {error.first_line}", "Check pages and scale.") from error
    _check_allowed(tab)
    return Shot(base64.b64decode(result.data), "pdf", "page")
