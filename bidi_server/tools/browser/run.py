"""Several calls in one."""

from collections.abc import Sequence
from dataclasses import replace
from textwrap import indent
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from bidi_server.bidi.input import FileDialogOpened
from bidi_server.browser.console.messages import Message
from bidi_server.browser.pages.wait import wait_text, wait_url
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Opened, Tab
from bidi_server.browser.tab.view import View
from bidi_server.errors import InvalidParametersError, ToolError
from bidi_server.tools.base import InSession, SessionTool, Tool, offered, unknown_tool
from bidi_server.tools.outcome import Outcome
from bidi_server.tools.page_text import PageText, Part, ours
from bidi_server.tools.report import told

MAX_STEPS = 50

StopOn = Literal["error", "dialog", "navigation", "unexpected"]


class Expect(BaseModel):
    """Conditions that must be true after a step, within the timeout of an action."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    text: str | None = None
    gone: str | None = None
    """Text that must not be there."""
    url: str | None = None
    """Part of the page's URL."""

    async def check(self, tab: Tab) -> None:
        """Wait for it. Raises `DeadlineError`, `DialogOpenError`."""
        limit, wanted = tab.limits.action, self.url
        if self.text:
            await wait_text(tab, [self.text], gone=False, limit=limit)
        if self.gone:
            await wait_text(tab, [self.gone], gone=True, limit=limit)
        if wanted:
            await wait_url(tab, lambda url: wanted in url, wanted, limit)


class Step(BaseModel):
    """A call of a tool."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    tool: str
    """Such as browser_click."""
    arguments: dict[str, object] = {}
    expect: Expect | None = None
    optional: bool = False
    """Go on after its error."""


class BrowserRun(SessionTool):
    """Call several tools in turn, each checked as always. One answer: a line a step, then what changed."""

    is_step = False

    steps: Annotated[list[Step], Field(min_length=1, max_length=MAX_STEPS)]
    stop_on: StopOn = "error"
    """Besides errors: a dialog, a navigation, or any of these, new tabs, downloads and console errors."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        parts = self._parse(session)
        views: dict[Tab, View] = {}
        for number, (step, tool) in enumerate(zip(self.steps, parts, strict=True), 1):
            part = Outcome(
                progress=out.progress,
                snapshot_mode=out.snapshot_mode,
                snapshot_budget=out.snapshot_budget,
                console_level=out.console_level,
            )
            for tab in (await session.context()).tabs:
                views.setdefault(tab, tab.view)
            error = await _work(session, tool, step.expect, part)
            said = error and (error.message if step.optional else error.spelled(self.toolset.names))
            out.lines += _numbered(number, [*ours(part.notices), *told(part, self.toolset.names)], said)
            out.pictures += part.pictures
            out.links += part.links
            out.files += part.files
            failed = not step.optional and (error is not None or bool(part.failure))
            if failed or self._stops(part):
                left = len(self.steps) - number
                why = "after the error" if failed else f"because of stopOn: {self.stop_on}"
                if left:
                    out.say(f"Stopped {why}; {left} step{'s' if left > 1 else ''} not done.")
                out.failure = out.failure or (f"step {number} failed" if failed else "")
                break
        await _show(session, out, views)

    def _parse(self, session: Session) -> Sequence[InSession]:
        """Return the tools with their arguments. Raises `InvalidParametersError` before any of them has run."""
        config = session.config
        tools = offered(["browser"], config.caps, far=config.transport == "http")
        return [self._tool(number, step, tools) for number, step in enumerate(self.steps, 1)]

    def _tool(self, number: int, step: Step, tools: dict[str, type[Tool]]) -> InSession:
        tool = tools.get(step.tool)
        if tool is None:
            raise InvalidParametersError(f"Step {number}: {unknown_tool(step.tool, list(tools))}")
        if not issubclass(tool, InSession) or issubclass(tool, BrowserRun):
            raise InvalidParametersError(f"Step {number}: {step.tool} can't be a step.", "Call it by itself.")
        try:
            return tool.parse(step.arguments)
        except InvalidParametersError as error:
            raise InvalidParametersError(f"Step {number}: {error.message}", error.advice) from error

    def _stops(self, part: Outcome) -> bool:
        effects = part.effects
        if effects is None or self.stop_on == "error":
            return False
        if effects.dialog is not None and self.stop_on != "navigation":
            return True
        if effects.navigated and self.stop_on != "dialog":
            return True
        errors = any(message.level == "error" for message in effects.of(Message))
        others = effects.of(Opened) or effects.downloads or effects.of(FileDialogOpened) or effects.closed
        return self.stop_on == "unexpected" and (errors or bool(others))


async def _work(session: Session, tool: InSession, expect: Expect | None, part: Outcome) -> ToolError | None:
    """Do a step, and remember what it shows, which the next one is compared with. Return its error."""
    try:
        await tool.perform(session, part)
        if part.tab is not None and part.effects is not None and part.effects.snapshot is not None:
            part.tab.view = part.tab.view.showing(part.effects.snapshot)
        if expect is not None:
            await expect.check(await session.tab())
    except ToolError as error:
        return error
    return None


async def _show(session: Session, out: Outcome, views: dict[Tab, View]) -> None:
    """Show what has changed since the agent's own view of the tab, from before the first step."""
    for tab, view in views.items():
        tab.view = replace(view, acted=tab.view.acted)
    tab = (await session.context()).active
    if tab is not None and tab.dialogs.open is None:
        await out.shows(tab)


def _numbered(number: int, parts: Sequence[Part], error: str | None) -> list[Part]:
    """Return what a step says: its number, its first sentence, and the others and the page's texts indented."""
    said = [part for part in [*parts, error or ""] if part] or ["Done."]
    first, rest = (said[0], said[1:]) if isinstance(said[0], str) else ("Answer:", said)
    return [f"{number}. {first}", *map(_indented, rest)]


def _indented(part: Part) -> Part:
    margin = " " * 3
    if isinstance(part, PageText):
        return PageText(indent(part.text, margin), indent(part.head, margin))
    return indent(part, margin)
