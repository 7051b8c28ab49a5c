"""Inspection of a page: snapshot, screenshot, evaluation, waiting."""

import sys
from collections.abc import Awaitable, Callable
from typing import Annotated, Literal

import trio
from pydantic import Field

from bidi_server.bidi.browsing_context import BoxClipRectangle
from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.target import Target, on_element
from bidi_server.browser.files.outputs import timestamp
from bidi_server.browser.files.picture import scaled
from bidi_server.browser.pages.capture import Encoding, Format, image_format, screenshot
from bidi_server.browser.pages.evaluate import evaluate, show
from bidi_server.browser.pages.text_page import extract, found_lines, whole_text
from bidi_server.browser.pages.wait import ElementState, either, wait_response, wait_state, wait_text, wait_url
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.settling.settle import look
from bidi_server.browser.snapshot.frame import Question
from bidi_server.browser.snapshot.model import Snapshot, WalkOptions
from bidi_server.browser.snapshot.search import Search
from bidi_server.browser.snapshot.take import take_part, take_snapshot
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import address, page_line
from bidi_server.errors import DeadlineError, InvalidParametersError
from bidi_server.page.api import Look
from bidi_server.tools.base import SessionTool, TabTool
from bidi_server.tools.outcome import TOKEN, Outcome, Picture
from bidi_server.tools.page_text import written
from bidi_server.tools.report import asked

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
    filename: str | None = None
    """Write all of it to this file instead."""

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
        out.all_refs, out.max_depth = self.all_refs, self.depth
        out.search = Search(self.search) if self.search else None
        if scope is None and (out.snapshot.source or self.offset):
            await self._tell_text(session, tab, out, out.snapshot.title)
        elif self.filename is not None:
            out.max_depth = sys.maxsize if self.depth is None else self.depth
            text, out.snapshot = written(asked(tab, out, out.snapshot)), None
            await out.say_or_save(session.outputs, text, "snapshot", filename=self.filename)

    async def _tell_text(self, session: Session, tab: Tab, out: Outcome, title: str) -> None:
        text = await whole_text(tab)
        if self.filename is not None:
            out.snapshot = None
            await out.say_or_save(session.outputs, text, "page", filename=self.filename)
            return
        if self.search:
            out.quote(found_lines(text, self.search))
            return
        if self.offset > len(text):
            raise InvalidParametersError(f"The text has {len(text):,} characters.", "Pass a smaller offset.")
        told = extract(text[self.offset :], len(text), max(out.snapshot_budget * TOKEN, MOST_TEXT), self.offset)
        out.say(f"Page: {page_line(title, tab.url)}")
        out.quote(str(told))
        if told.end < len(text):
            path = await session.outputs.save_text(text, "page")
            out.say(f"All of it: {path}")
            out.links.append(path)


async def _part(tab: Tab, scope: Target, out: Outcome, options: WalkOptions) -> Snapshot:
    found = await on_element(tab, scope, Look, "act.look")
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
    clip: Annotated[list[float], Field(min_length=4, max_length=4)] | None = None
    """x, y, width, height in CSS pixels: a part of the viewport or, with fullPage, of the page."""
    type: Format = "png"
    """Default: from the ending of filename."""
    quality: Annotated[int, Field(ge=1, le=100)] = 80
    """Of JPEG and WebP."""
    scale: Literal["css", "device"] = "css"
    """Pixels of the picture."""
    filename: str | None = None
    mask: list[str] | None = None
    """Refs or selectors to cover."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab = await session.tab()
        target = Target.parse(self.ref, self.selector, self.element) if self.ref or self.selector else None
        masks = [Target.of(each) for each in self.mask or ()]
        if target and (self.full_page or self.clip):
            other = "fullPage" if self.full_page else "clip"
            raise InvalidParametersError(f"{other} does not go with an element.", "Leave one of them out.")
        kind = image_format(self.filename, self.type if "type" in self.model_fields_set else None)
        form = Encoding(kind, self.quality, by_css=self.scale == "css")
        region = None
        if self.clip:
            x, y, width, height = self.clip
            region = BoxClipRectangle(x=x, y=y, width=width, height=height)
        shot = await tab.ask(
            lambda: screenshot(tab, target=target, full_page=self.full_page, region=region, encoding=form, masks=masks)
        )
        path = await session.outputs.save(shot.data, self.filename or f"page-{timestamp()}.{shot.suffix}")
        out.files.append(path)
        out.say(shot.note)
        if session.config.image_responses == "omit":
            out.say(f"Took a screenshot of the {shot.of}.")
            return
        out.say(f"Screenshot of the {shot.of}: {path}")
        if session.config.image_responses == "inline":
            out.pictures.append(Picture(await scaled(shot.data), "image/jpeg"))


class BrowserEvaluate(SessionTool):
    """Run JavaScript in the page and return its value; promises are awaited."""

    function: str
    """() => { … }, or (element) => { … } with ref or selector; an expression will do."""
    ref: str | None = None
    selector: str | None = None
    element: str | None = None
    filename: str | None = None
    """Write the value to this file instead."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab = await session.tab()
        tab.dialogs.check_none()
        target = Target.parse(self.ref, self.selector, self.element) if self.ref or self.selector else None
        leaving = Question(tab.main)

        async def perform() -> None:
            value = out.value = await evaluate(tab, self.function, target, leaving=leaving)
            if self.filename is None:
                out.quote(show(value))
            else:
                full = value if isinstance(value, str) else show(value)
                await out.say_or_save(session.outputs, full, "value", filename=self.filename)

        await out.settle(tab, Action(perform, leaving=leaving), until="load")


class BrowserWaitFor(TabTool):
    """Wait until all that is given is true: text, the state of an element, a URL, a response. Or for some seconds."""

    text: str | list[str] | None = None
    """Of several, one is enough."""
    text_gone: str | list[str] | None = None
    url: str | None = None
    """Part of the page's URL."""
    response: str | None = None
    """Part of the URL of a response since the last action."""
    ref: str | None = None
    selector: str | None = None
    state: ElementState = "visible"
    """Of the element with ref or selector."""
    time: Annotated[float, Field(ge=0, le=300)] | None = None
    """Seconds to wait; with anything else, the maximum."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        target = Target.parse(self.ref, self.selector) if self.ref or self.selector else None
        waits = self._waits(tab, target, tab.view.acted)
        if not waits and self.time is None:
            raise InvalidParametersError(
                "There is nothing to wait for.", "Pass text, textGone, url, response, ref, selector or time."
            )
        limit = tab.limits.navigation if self.time is None else self.time

        async def wait() -> None:
            end = trio.current_time() + limit
            try:
                for index, each in enumerate(waits):
                    out.say(await each(round(max(0.0, end - trio.current_time()), 1) if index else limit))
            except DeadlineError as error:
                # The changes that came instead say more than a snapshot would.
                out.failure = error.message
                out.say(out.failure)
            if not waits:
                await trio.sleep(limit)
                out.say(f"Waited {limit:g} s.")

        await out.settle(tab, Action(wait, keeps_time=True))

    def _waits(self, tab: Tab, target: Target | None, acted: int) -> list[Callable[[float], Awaitable[str]]]:
        """Return a function for each condition: it waits, at most for some seconds, and returns what has come."""

        async def text(limit: float) -> str:
            await wait_text(tab, _listed(self.text), gone=False, limit=limit)
            return f"The text {either(_listed(self.text))} is there."

        async def text_gone(limit: float) -> str:
            await wait_text(tab, _listed(self.text_gone), gone=True, limit=limit)
            return f"The text {either(_listed(self.text_gone))} is gone."

        async def state(limit: float) -> str:
            if target is not None:
                await wait_state(tab, target, self.state, limit)
            return f"The element with {target} is {self.state}."

        async def url(limit: float) -> str:
            wanted = self.url or ""
            await wait_url(tab, lambda url: wanted in url, wanted, limit)
            return f"The page is {address(tab.url)}."

        async def response(limit: float) -> str:
            request = await wait_response(tab, self.response or "", acted, limit)
            status = f": {request.status_line}" if request.status else ""
            return f"{request.method} {address(request.url)} was answered{status}."

        asked: list[tuple[object, Callable[[float], Awaitable[str]]]] = [
            (self.text, text),
            (self.text_gone, text_gone),
            (target, state),
            (self.url, url),
            (self.response, response),
        ]
        return [wait for given, wait in asked if given]


def _listed(texts: str | list[str] | None) -> list[str]:
    return texts if isinstance(texts, list) else [texts or ""]
