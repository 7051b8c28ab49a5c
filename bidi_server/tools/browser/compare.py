"""Comparison of a page in several engines and sizes: ``--caps testing``."""

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from bidi_server.browser.contexts.storage_state import collect
from bidi_server.browser.pages.audit import Impact
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.words import address
from bidi_server.config import BrowserName, Viewport
from bidi_server.errors import InvalidParametersError
from bidi_server.tools.base import ClientTool
from bidi_server.tools.outcome import Outcome


def _both() -> list[BrowserName]:
    from bidi_server.tools.looks import BROWSERS

    return [*BROWSERS]


class BrowserCompare(ClientTool):
    """Compare a page in several engines and sizes: elements, layout, states, console, requests, pictures."""

    capabilities = ("testing",)
    local = True
    read_only = True

    url: str | None = None
    """Default: the current page's. It is opened in new sessions."""
    with_storage: bool = False
    """Open it with this session's cookies and localStorage."""
    browsers: Annotated[list[BrowserName], Field(min_length=1)] = Field(default_factory=_both)
    """Default: both. The first is what the others are compared with."""
    viewports: Annotated[list[Viewport], Field(min_length=1, max_length=5)] | None = None
    """Sizes, WIDTHxHEIGHT. Default: the session's."""
    audit: bool = False
    """Compare violations of accessibility too."""
    impact: Impact = "serious"
    """The least that counts in an audit."""
    filename: str | None = None
    """Write an HTML report with pictures, or JSON for .json."""

    async def run(self, client: Client, out: Outcome) -> None:
        """See the class."""
        from bidi_server.tools.comparison import as_html, as_json, compare_looks, told
        from bidi_server.tools.looks import LookOptions, take_looks

        session = self.toolset.find_session(client, self.session)
        tab = session.active_tab
        url = self.url or (tab.url if tab is not None else "")
        if url in ("", "about:blank"):
            raise InvalidParametersError("No page is open.", "Pass url.")
        viewports = self.viewports or [session.config.viewport]
        options = LookOptions.of(url, self.browsers, viewports, impact=self.impact if self.audit else None)
        if self.with_storage and session.active_context is not None:
            async with session.call(out.progress):
                state, left_out = await collect(await session.context())
            options = replace(options, state=state)
            out.say(*(f"Not taken: localStorage of {address(each)}" for each in left_out))
        comparison = await compare_looks(str(options.page), await take_looks(client, options, out.progress))
        out.say(*told(comparison))
        if self.filename is not None:
            is_json = self.filename.lower().endswith(".json")
            text = as_json(comparison) if is_json else await as_html(comparison)
            path = await session.outputs.save(text.encode(errors="replace"), self.filename)
            out.files.append(path)
            out.say(f"Written to {path}")
