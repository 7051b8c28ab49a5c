"""Inspection of a page: snapshot, screenshot, evaluation, waiting."""

from collections.abc import Awaitable
from typing import Annotated

import trio
from pydantic import Field

from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.target import Target, on_element
from bidi_server.browser.files.outputs import timestamp
from bidi_server.browser.files.picture import scaled
from bidi_server.browser.pages.capture import Format, image_format, screenshot
from bidi_server.browser.pages.evaluate import evaluate, show
from bidi_server.browser.pages.text_page import extract, found_lines, whole_text
from bidi_server.browser.pages.wait import wait_text
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.settling.settle import look
from bidi_server.browser.snapshot.frame import Question
from bidi_server.browser.snapshot.model import Snapshot, WalkOptions
from bidi_server.browser.snapshot.take import take_part, take_snapshot
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import page_line
from bidi_server.errors import DeadlineError, InvalidParametersError
from bidi_server.page.api import Look
from bidi_server.tools.base import SessionTool, TabTool
from bidi_server.tools.outcome import TOKEN, Outcome, Picture

MOST_TEXT = 10_000
"""Maximum length of a requested text page in an answer, in characters, unless the budget of an action is larger."""


class BrowserSnapshot(SessionTool):
    """Read the page as an accessibility tree. Elements that can be acted on have refs."""

    read_only = True

    ref: str | None = None
    """Only this element and its content, with long texts in full."""
    selector: str | None = None
    all_refs: bool = False
    """Show every ref where many are left out."""
    boxes: bool = False
    """With each ref [box=x,y,width,height] in CSS pixels of the viewport."""
    depth: Annotated[int, Field(ge=0)] | None = None
    """Levels of the tree to show; without it very large pages are outlined."""
    search: str | None = None
    """Only lines that contain this."""
    offset: Annotated[int, Field(ge=0)] = 0
    """Of text pages: characters to skip."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab = await session.tab()
        tab.dialogs.check_none()
        scope = Target.parse(self.ref, self.selector) if self.ref or self.selector else None

        options = WalkOptions(boxes=self.boxes)

        def read() -> Awaitable[Snapshot]:
            return take_snapshot(tab, options) if scope is None else _part(tab, scope, out, options)

        out.snapshot = await look(tab, read)
        out.tab, out.partial = tab, scope is not None
        out.all_refs, out.max_depth, out.search = self.all_refs, self.depth, self.search or ""
        if scope is None and (out.snapshot.source or self.offset):
            await self._tell_text(session, tab, out, out.snapshot.title)

    async def _tell_text(self, session: Session, tab: Tab, out: Outcome, title: str) -> None:
        text = await whole_text(tab)
        if self.search:
            out.say_text(found_lines(text, self.search))
            return
        if self.offset > len(text):
            raise InvalidParametersError(f"The text has {len(text):,} characters.", "Pass a smaller offset.")
        told = extract(text[self.offset :], len(text), max(out.snapshot_budget * TOKEN, MOST_TEXT), self.offset)
        out.say(f"Page: {page_line(title, tab.url)}")
        out.say_text(str(told))
        if told.end < len(text):
            path = await session.outputs.save_text(text, "page")
            out.say(f"All of it: {path}")
            out.links.append(path)


async def _part(tab: Tab, scope: Target, out: Outcome, options: WalkOptions) -> Snapshot:
    found = await on_element(tab, scope, Look, "look")
    part = await take_part(tab, found.frame, scope.wire(), options)
    out.say(found.note)
    if found.answer.hidden:
        out.say(f"{found} is hidden.")
    elif not (part.rows or part.empty):
        out.say(f"There is nothing to read in {found}.")
    return part


class BrowserTakeScreenshot(SessionTool):
    """Take a picture of the viewport, an element or the full page. To act on the page use browser_snapshot."""

    read_only = True

    ref: str | None = None
    """Only this element."""
    selector: str | None = None
    element: str | None = None
    full_page: bool = False
    type: Format = "png"
    """Default: from the ending of filename."""
    filename: str | None = None

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab = await session.tab()
        target = Target.parse(self.ref, self.selector, self.element) if self.ref or self.selector else None
        if target and self.full_page:
            raise InvalidParametersError("fullPage does not go with an element.", "Leave one of them out.")
        jpeg = image_format(self.filename, self.type if "type" in self.model_fields_set else None) == "jpeg"
        shot = await tab.ask(lambda: screenshot(tab, target=target, full_page=self.full_page, jpeg=jpeg))
        path = await session.outputs.save(shot.data, self.filename or f"page-{timestamp()}.{shot.suffix}")
        out.files.append(path)
        out.say(shot.note)
        if session.config.image_responses == "omit":
            out.say(f"Took a screenshot of the {shot.of}.")
            return
        out.say(f"Screenshot of the {shot.of}: {path}")
        if session.config.image_responses == "inline":
            out.pictures.append(Picture(await scaled(shot.data), "image/jpeg"))


class BrowserEvaluate(TabTool):
    """Run JavaScript in the page and return its value; promises are awaited."""

    function: str
    """() => { … }, or (element) => { … } with ref or selector; an expression will do."""
    ref: str | None = None
    selector: str | None = None
    element: str | None = None

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        target = Target.parse(self.ref, self.selector, self.element) if self.ref or self.selector else None
        leaving = Question(tab.main)

        async def perform() -> None:
            out.say_text(show(await evaluate(tab, self.function, target, leaving=leaving)))

        await out.settle(tab, Action(perform, leaving=leaving), until="load")


class BrowserWaitFor(TabTool):
    """Wait for text to appear or disappear, or for some seconds."""

    text: str | None = None
    text_gone: str | None = None
    time: Annotated[float, Field(ge=0, le=300)] | None = None
    """Seconds to wait; with a text, the maximum."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        if self.text is None and self.text_gone is None and self.time is None:
            raise InvalidParametersError("There is nothing to wait for.", "Pass text, textGone or time.")
        limit = tab.limits.navigation if self.time is None else self.time

        async def wait() -> None:
            end = trio.current_time() + limit
            try:
                if self.text is not None:
                    await wait_text(tab, self.text, gone=False, limit=limit)
                    out.say(f"The text {self.text!r} is there.")
                if self.text_gone is not None:
                    left = limit if self.text is None else round(max(0.0, end - trio.current_time()), 1)
                    await wait_text(tab, self.text_gone, gone=True, limit=left)
                    out.say(f"The text {self.text_gone!r} is gone.")
            except DeadlineError as error:
                # The changes that came instead say more than a snapshot would.
                out.failure = error.message
                out.say(out.failure)
            if self.text is None and self.text_gone is None:
                await trio.sleep(limit)
                out.say(f"Waited {limit:g} s.")

        await out.settle(tab, Action(wait, keeps_time=True))
