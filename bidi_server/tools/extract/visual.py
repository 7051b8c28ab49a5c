"""Screenshots, and the viewport (seed 004, section 7)."""

import base64

from bidi_server.browser.actions.scroll import viewport_of
from bidi_server.browser.files.outputs import timestamp
from bidi_server.browser.pages.capture import Encoding, Format, image_format, screenshot
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import InvalidParametersError
from bidi_server.tools.extract.base import CamelResult, Result, SessionQuery, TabQuery, target_of
from bidi_server.tools.outcome import Outcome


class ScreenshotFile(Result):
    """A picture."""

    base64: str
    """The file's content; empty with --image-responses omit."""
    path: str


class ViewportInfo(CamelResult):
    """Sizes in CSS pixels."""

    width: int
    height: int
    scroll_x: int
    scroll_y: int
    scroll_width: int
    scroll_height: int
    device_pixel_ratio: float


class TakeScreenshot(SessionQuery):
    """Take a picture of the viewport, the full page or an element."""

    read_only = True

    selector: str | None = None
    """Only this element."""
    full_page: bool = False
    format: Format = "png"
    """Default: from the suffix of path."""
    path: str | None = None
    """File to save it in, within the output folder."""

    async def answer(self, session: Session, out: Outcome) -> ScreenshotFile:
        """See the class."""
        tab = await session.tab()
        target = target_of(self.selector) if self.selector is not None else None
        if target is not None and self.full_page:
            raise InvalidParametersError("full_page does not go with a selector.", "Leave one of them out.")
        form = Encoding(image_format(self.path, self.format if "format" in self.model_fields_set else None))
        shot = await tab.ask(lambda: screenshot(tab, target=target, full_page=self.full_page, encoding=form))
        path = await session.outputs.save(shot.data, self.path or f"screenshot-{timestamp()}.{shot.suffix}")
        out.files.append(path)
        omit = session.config.image_responses == "omit"
        return ScreenshotFile(base64="" if omit else base64.b64encode(shot.data).decode(), path=str(path.absolute()))


class GetViewportInfo(TabQuery):
    """Get the viewport's size and the scroll position."""

    read_only = True

    async def answer(self, tab: Tab, out: Outcome) -> ViewportInfo:
        """See the class."""
        return ViewportInfo.model_validate((await tab.ask(lambda: viewport_of(tab))).model_dump())
