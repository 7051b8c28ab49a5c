"""Tools that pages offer to agents by WebMCP: ``--caps webmcp``."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

import trio
from pydantic import Field

from bidi_server.browser.actions.action import Action
from bidi_server.browser.pages.evaluate import show
from bidi_server.browser.pages.web_tools import Offer, Returned, WebTool, call, offered_by
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.snapshot.frame import Question
from bidi_server.browser.words import address, clip
from bidi_server.errors import InvalidParametersError
from bidi_server.escapes import one_line, quote
from bidi_server.tools.base import SessionTool
from bidi_server.tools.outcome import Outcome

MAX_DESCRIPTION = 1000
"""Maximum length of a description in an answer, in characters."""


class BrowserWebmcpList(SessionTool):
    """List the tools that the page offers to agents (WebMCP), with the JSON schema of their arguments."""

    capabilities = ("webmcp",)
    read_only = True

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab = await session.tab()
        tab.dialogs.check_none()
        offer = await offered_by(tab)
        if not offer.tools:
            out.say(_nothing(offer))
            return
        lines: list[str] = []
        frame = tab.main
        for tool in offer.tools:
            if tool.frame is not frame:
                frame = tool.frame
                lines.append(f"Frame {address(frame.url)}:")
            lines.append(_line(tool))
        await out.say_or_save(session.outputs, "\n".join(lines), "tools")


class BrowserWebmcpCall(SessionTool):
    """Call a tool of the page. What it returns is the page's text."""

    capabilities = ("webmcp",)

    name: str
    """From browser_webmcp_list."""
    arguments: dict[str, object] = Field(default_factory=dict[str, object])
    frame: str | None = None
    """Part of the frame's URL, where several have such a tool."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab = await session.tab()
        tab.dialogs.check_none()
        tool = self._find(await offered_by(tab))
        leaving = Question(tab.main)

        async def perform() -> None:
            with trio.move_on_after(tab.limits.action) as scope:
                await self._tell(session, out, await call(tab, tool, self.arguments, leaving))
            if scope.cancelled_caught:
                out.failure = f"The page's tool {_name(tool.name)} did not end within {tab.limits.action:g} s."
                out.say(out.failure)

        await out.settle(tab, Action(perform, leaving=leaving, keeps_time=True))

    def _find(self, offer: Offer) -> WebTool:
        tools = [tool for tool in offer.tools if self.frame is None or self.frame in tool.frame.url]
        found = next((tool for tool in tools if tool.name == self.name), None)
        if found is not None:
            return found
        if not tools:
            raise InvalidParametersError(_nothing(offer) if self.frame is None else "No such frame offers tools.")
        raise InvalidParametersError(f"The page has no tool {quote(clip(self.name))}.", _others(self.name, tools))

    async def _tell(self, session: Session, out: Outcome, returned: Returned) -> None:
        name = _name(self.name)
        if returned.is_gone:
            raise InvalidParametersError(f"The page's tool {name} has just gone.", "See browser_webmcp_list.")
        if returned.waits:
            out.say(f"The page's tool {name} has filled in its form, and waits until you submit it.")
            return
        text = one_line(returned.text) if returned.is_json else quote(returned.text)
        if not returned.is_json and ("\n" in returned.text or "\r" in returned.text):
            text = show(returned.text)
        out.say(f"The page's tool {name} {'failed' if returned.is_error else 'returned'}:")
        await out.say_or_save(session.outputs, text, "result", full=returned.text)
        if returned.is_error:
            out.failure = f"The page's tool {name} failed."


def _nothing(offer: Offer) -> str:
    if not offer.is_secure:
        return "Pages can offer tools here only over https, or from localhost."
    if not offer.is_known:
        return "The page was opened before WebMCP was there. Reload it."
    return "The page offers no tools."


def _others(name: str, tools: Sequence[WebTool]) -> str:
    names = list(dict.fromkeys(tool.name for tool in tools))
    close = get_close_matches(name, names, 1)
    return f"Did you mean {_name(close[0])}?" if close else f"It has: {', '.join(map(_name, names[:20]))}."


def _name(name: str) -> str:
    """Return the name of a page's tool: as it is if it is valid, else in quotes."""
    return name if re.fullmatch(r"[\w.-]{1,128}", name, re.ASCII) else quote(clip(name))


def _line(tool: WebTool) -> str:
    description = quote(clip(tool.description, MAX_DESCRIPTION))
    return f"{_name(tool.name)} {description} {one_line(tool.schema)}".rstrip()
