"""Screenshots in Chromium over the DevTools protocol."""

from bidi_server.bidi.browsing_context import BoxClipRectangle, CaptureScreenshot, CaptureScreenshotResult
from bidi_server.bidi.connection import Connection
from bidi_server.bidi.wire import Result
from bidi_server.browser.engine.chromium.page_commands import commands_to


class _ContentSize(Result):
    width: float
    height: float


class _VisualViewport(Result):
    page_x: float
    page_y: float
    client_width: float
    client_height: float


class _LayoutMetrics(Result):
    """Sizes of a page. https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-getLayoutMetrics ."""

    css_content_size: _ContentSize
    css_visual_viewport: _VisualViewport


async def capture(connection: Connection, command: CaptureScreenshot) -> CaptureScreenshotResult:
    """Take a screenshot as the command says, as a PNG that is compressed less.

    The command of BiDi takes a third longer, for the compression (Chromium 156, 1280 x 720). Raises `BidiError`.
    """
    send = await commands_to(connection, command.context)
    metrics = _LayoutMetrics.model_validate(await send("Page.getLayoutMetrics"))
    picture = await send(
        "Page.captureScreenshot",
        format="png",
        optimizeForSpeed=True,
        captureBeyondViewport=command.origin == "document",
        clip=_region(command, metrics),
    )
    return CaptureScreenshotResult.model_validate(picture)


def _region(command: CaptureScreenshot, metrics: _LayoutMetrics) -> dict[str, float]:
    """Return the region to take, in CSS pixels of the document, as chromium-bidi does for the command."""
    left, top, width, height = 0.0, 0.0, metrics.css_content_size.width, metrics.css_content_size.height
    if command.origin == "viewport":
        seen = metrics.css_visual_viewport
        left, top, width, height = seen.page_x, seen.page_y, seen.client_width, seen.client_height
    right, bottom = left + width, top + height
    if isinstance(command.clip, BoxClipRectangle):
        x, y = left + command.clip.x, top + command.clip.y
        right, bottom = min(right, x + command.clip.width), min(bottom, y + command.clip.height)
        left, top = max(left, x), max(top, y)
    return {"x": left, "y": top, "width": max(0, right - left), "height": max(0, bottom - top), "scale": 1}
