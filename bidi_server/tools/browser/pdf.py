"""The page as PDF: ``--caps pdf``."""

from typing import Annotated, Literal

from pydantic import Field

from bidi_server.browser.files.outputs import timestamp
from bidi_server.browser.pages.capture import print_page
from bidi_server.browser.sessions.session import Session
from bidi_server.tools.base import SessionTool
from bidi_server.tools.outcome import Outcome


class BrowserPdfSave(SessionTool):
    """Save the page as PDF; answers with the file's path."""

    capabilities = ("pdf",)
    read_only = True

    filename: str | None = None
    """Default: page-TIME.pdf."""
    landscape: bool = False
    scale: Annotated[float, Field(ge=0.1, le=2)] = 1
    pages: str = ""
    """Such as 1-3,5; default all."""
    format: Literal["letter", "legal", "a3", "a4", "a5"] = "a4"

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab = await session.tab()
        printed = await tab.ask(
            lambda: print_page(
                tab, landscape=self.landscape, scale=self.scale, pages=self.pages, paper=PAPERS[self.format]
            ),
            tab.limits.navigation,
        )
        path = await session.outputs.save(printed.data, self.filename or f"page-{timestamp()}.pdf")
        out.files.append(path)
        out.say(f"PDF of the page: {path}")


PAPERS = {"letter": (21.59, 27.94), "legal": (21.59, 35.56), "a3": (29.7, 42), "a4": (21, 29.7), "a5": (14.8, 21)}
"""Sizes in centimetres: https://www.iso.org/standard/36631.html, and the formats of the United States."""
