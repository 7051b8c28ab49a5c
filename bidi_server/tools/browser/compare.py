"""Comparison of a page in several engines and sizes: ``--caps testing``."""

from typing import Annotated

from pydantic import Field

from bidi_server.browser.pages.navigate import complete_url
from bidi_server.browser.sessions.client import Client
from bidi_server.config import BrowserName, Viewport
from bidi_server.errors import InvalidParametersError
from bidi_server.tools.base import ClientTool
from bidi_server.tools.outcome import Outcome


class BrowserCompare(ClientTool):
    """Compare a page in several engines and sizes: elements, layout, states, console, requests, pictures."""

    capabilities = ("testing",)
    local = True
    read_only = True

    url: str | None = None
    """Default: the current page's. It is opened in new sessions, without this one's cookies."""
    browsers: Annotated[list[BrowserName], Field(min_length=1)] = Field(default_factory=lambda: ["chromium", "firefox"])
    """Default: both. The first is what the others are compared with."""
    viewports: Annotated[list[Viewport], Field(min_length=1, max_length=5)] | None = None
    """Sizes, WIDTHxHEIGHT. Default: the session's."""
    filename: str | None = None
    """Write an HTML report with pictures, or JSON for .json."""

    async def run(self, client: Client, out: Outcome) -> None:
        """See the class."""
        from bidi_server.tools.comparison import as_html, as_json, compare_looks, told
        from bidi_server.tools.looks import take_looks

        session = self.toolset.find_session(client, self.session)
        context = session.active_context
        tab = context.active if context is not None else None
        url = self.url or (tab.url if tab is not None else "")
        if url in ("", "about:blank"):
            raise InvalidParametersError("No page is open.", "Pass url.")
        browsers = list(dict.fromkeys(self.browsers))
        viewports = list(dict.fromkeys(self.viewports or [session.config.viewport]))
        if len(browsers) * len(viewports) == 1:
            raise InvalidParametersError("There is nothing to compare.", "Pass several browsers or viewports.")
        page = complete_url(url)
        comparison = await compare_looks(page, await take_looks(client, page, browsers, viewports, out.progress))
        out.say(*told(comparison))
        if self.filename is not None:
            is_json = self.filename.lower().endswith(".json")
            text = as_json(comparison) if is_json else await as_html(comparison)
            path = await session.outputs.save(text.encode(errors="replace"), self.filename)
            out.files.append(path)
            out.say(f"Written to {path}")
