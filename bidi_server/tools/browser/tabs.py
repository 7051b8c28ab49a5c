"""Tabs, the viewport, dialogs."""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from bidi_server.bidi import browsing_context as bc
from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.target import is_within
from bidi_server.browser.contexts.emulate import emulate
from bidi_server.browser.loading.document_request import destination
from bidi_server.browser.origin import origin_of
from bidi_server.browser.pages.evaluate import resume_script
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.dialogs import Answer, with_article
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import address, page_line
from bidi_server.errors import InvalidParametersError, ScriptError
from bidi_server.secret.parameters import SECRETS
from bidi_server.secret.text import check_origins
from bidi_server.tools.base import SessionTool, TabTool
from bidi_server.tools.browser.navigation import go
from bidi_server.tools.outcome import Outcome


class BrowserTabs(SessionTool):
    """List, open, close or select tabs."""

    ignores_dialog = True

    action: Literal["list", "new", "close", "select"]
    index: int | None = None
    """Tab, counted from 0; close without it closes the active one."""
    url: str | None = None
    """With new: page to open."""
    background: bool | None = None
    """With new: keep the active tab."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        context = await session.context()
        match self.action:
            case "new":
                tab = await context.new_tab(background=self.background or False)
                if self.url is not None:
                    # Firefox 153 runs the timers of a page in the background once a second: it would not settle.
                    await go(out, tab, self.url, until="rest" if tab is context.active else "done")
            case "select":
                if self.index is None:
                    raise InvalidParametersError("select needs the index of a tab.", "See action list.")
                tab = await context.select(self.index)
                await out.shows(tab)
            case "close":
                active = context.active
                tab = context.tab_at(self.index) if self.index is not None else active or context.tab_at(0)
                await context.close_tab(tab)
                out.say("Closed the tab.")
            case "list":
                pass
        out.say(*await tab_list(session))


class BrowserClose(SessionTool):
    """Close the current page."""

    ignores_dialog = True

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        context = await session.context() if session.started else None
        if context is None or context.active is None:
            out.say("No page is open.")
            return
        url = context.active.url
        await context.close_tab(context.active)
        out.say(f"Closed {address(url)}.")
        out.say(*await tab_list(session))


class BrowserResize(SessionTool):
    """Resize the viewport."""

    width: Annotated[int, Field(ge=1, le=10000)]
    """CSS pixels."""
    height: Annotated[int, Field(ge=1, le=10000)]

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        context = await session.context()
        tab = await context.tab()

        async def resize() -> None:
            if context.emulation.mobile:
                await emulate(context, replace(context.emulation, viewport=(self.width, self.height)))
            else:
                viewport = bc.Viewport(width=self.width, height=self.height)
                await tab.connection.send(bc.SetViewport(context=tab.context, viewport=viewport))
            out.say(f"The viewport is {self.width}x{self.height}.")

        await out.settle(tab, Action(resize))


class BrowserHandleDialog(TabTool):
    """Accept or dismiss the open dialog, or the next one if none is open."""

    ignores_dialog = True

    accept: bool
    prompt_text: Annotated[str | None, SECRETS] = None
    """Text for a prompt."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        check_origins([self.prompt_text], origin_of_dialog(tab), "in this dialog")
        answer = Answer(self.accept, self.prompt_text)
        verb = "accepted" if self.accept else "dismissed"
        if tab.dialogs.open is None:
            tab.dialogs.prepared = answer
            out.say(f"No dialog is open; the next one will be {verb}.")
            return

        async def handle() -> None:
            dialog = await tab.handle_dialog(answer)
            if dialog is not None:
                out.say(f"{with_article(dialog)} was {verb}.")
                try:
                    out.quote(await resume_script(tab))
                except ScriptError as error:
                    out.failure = error.spelled(self.toolset.names)
                    out.say(out.failure)

        await out.settle(tab, Action(handle), through_dialog=True)


def origin_of_dialog(tab: Tab) -> str:
    """Return the origin of the open dialog; "" if there is none, or if its frame is in a page of another origin."""
    dialog = tab.dialogs.open
    frame = tab.frames.get(dialog.frame) if dialog is not None else None
    if frame is None:
        return ""
    origin = origin_of(frame.url)
    return origin if is_within(tab, frame, [origin]) else ""


async def tab_list(session: Session) -> list[str]:
    """Return the tabs, one per line, with a mark at the active one."""
    context = await session.context()
    lines: list[str] = []
    for index, tab in enumerate(context.tabs):
        mark = " (active)" if tab is context.active else ""
        lines.append(f"- {index}:{mark} {page_line(await tab.read_title(), destination(tab))}")
    return lines or ["No tab is open."]
