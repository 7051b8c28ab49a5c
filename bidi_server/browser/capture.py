"""Pictures of pages as the browser makes them."""

import base64
from dataclasses import dataclass

from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi.errors import BidiError
from bidi_server.browser.element import Target, on_element
from bidi_server.browser.tab import Tab
from bidi_server.errors import ElementNotActionableError, ElementNotFoundError, ToolError


@dataclass(frozen=True, slots=True)
class Shot:
    """A screenshot or a PDF as the browser made it."""

    data: bytes
    suffix: str
    of: str


async def screenshot(tab: Tab, *, target: Target | None = None, full_page: bool = False, jpeg: bool = False) -> Shot:
    """Take a picture of the viewport, of the whole page, or of one element."""
    image = bc.ImageFormat(type="image/jpeg", quality=0.8) if jpeg else bc.ImageFormat(type="image/png")
    context, what = tab.context, "viewport"
    if target is not None:
        found = await on_element(tab, target, "scrollTo")
        reference = await found.frame.element(target.wire())
        if reference is None:
            raise ElementNotFoundError(f"{found} has just gone.", "Take a new snapshot.")
        context, what = found.frame.context, str(found)
        command = bc.CaptureScreenshot(context=context, format=image, clip=bc.ElementClipRectangle(element=reference))
    elif full_page:
        what = "full page"
        command = bc.CaptureScreenshot(context=context, format=image, origin="document")
    else:
        command = bc.CaptureScreenshot(context=context, format=image)
    try:
        result = await tab.connection.send(command)
    except BidiError as error:
        raise ElementNotActionableError(
            f"No picture of the {what}: {error.message.splitlines()[0]}", "It may have no size, or be too large."
        ) from error
    return Shot(base64.b64decode(result.data), "jpeg" if jpeg else "png", what)


async def print_page(tab: Tab, *, landscape: bool, scale: float, pages: str, paper: tuple[float, float]) -> Shot:
    """Return the page as PDF. ``paper`` is width and height in centimetres, ``pages`` is such as "1-3,5"."""
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
    except BidiError as error:
        raise ToolError(
            f"The page can't be printed: {error.message.splitlines()[0]}", "Check pages and scale."
        ) from error
    return Shot(base64.b64decode(result.data), "pdf", "page")
