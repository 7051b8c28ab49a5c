"""Actions on elements (seed 004, section 3)."""

from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import trio
from pydantic import Field

from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.clicks import click
from bidi_server.browser.actions.scroll import farthest, scroll_by, scroll_into_view, scroll_to_end, viewport_of
from bidi_server.browser.actions.target import Target
from bidi_server.browser.actions.text import check_pace, press, type_text
from bidi_server.browser.actions.upload import for_browser, upload
from bidi_server.browser.actions.values import select
from bidi_server.browser.files.reachable import existing, within
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.settling.effects import Effects
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import describe
from bidi_server.config import File
from bidi_server.errors import InvalidParametersError
from bidi_server.page.api import Inserted
from bidi_server.secret.parameters import WithSecrets
from bidi_server.secret.text import in_one_piece
from bidi_server.tools.extract.base import CamelResult, Result, SessionQuery, TabQuery, target_of, waited
from bidi_server.tools.loading import Milliseconds
from bidi_server.tools.outcome import Outcome

SCREEN = 0.8
"""Default distance of a scroll, as a fraction of the viewport's height."""


class Done(Result):
    """An action on an element."""

    status: str
    element: str
    """What it was done to."""
    url: str
    """Where the tab is now."""


class Scrolled(CamelResult):
    """Where the page is scrolled to, in CSS pixels."""

    status: Literal["scrolled"] = "scrolled"
    scroll_x: int
    scroll_y: int
    max_scroll_y: int


def _named(effects: Effects[object]) -> str:
    return describe({**effects.element.info, "ref": ""}) if effects.element else ""


class Click(TabQuery):
    """Click an element."""

    selector: str
    """CSS, xpath=//a, text=Sign in (text="Sign in" exactly), role=button[name="Save"] or getByLabel('Email')."""
    wait_for_selector: bool = True
    """Wait until the element is there."""
    timeout: Milliseconds = 30_000
    """Milliseconds."""

    async def answer(self, tab: Tab, out: Outcome) -> Done:
        """See the class."""
        limit = self.timeout / 1000
        target = await waited(tab, self.selector, limit if self.wait_for_selector else 0)
        effects = await out.settle(tab, lambda: click(tab, target))
        return Done(status="clicked", element=_named(effects), url=tab.url)


class TypeText(TabQuery):
    """Type text into an input field."""

    selector: str
    text: WithSecrets
    clear_first: bool = True
    delay: Annotated[float, Field(ge=0, le=5000)] = 0
    """Delay between keystrokes in milliseconds."""

    async def answer(self, tab: Tab, out: Outcome) -> Done:
        """See the class."""
        target = await waited(tab, self.selector, tab.limits.action / 2)
        target = target.taking(self.text)  # before the text is divided
        pause = self.delay / 1000
        if in_one_piece(self.text):
            check_pace(slowly=bool(pause))
        limit = tab.limits.action + pause * len(self.text)
        first, *rest = list(self.text) if pause and self.text else [self.text]

        def begin(part: str, *, clear: bool = False) -> Awaitable[Action[Inserted]]:
            return type_text(tab, target, part, clear=clear, submit=False, slowly=bool(pause))

        async def begin_all() -> Action[Inserted]:
            action = await begin(first, clear=self.clear_first)

            async def perform() -> Inserted:
                entered = await action.perform()
                for part in rest:
                    await trio.sleep(pause)
                    entered = await (await begin(part)).perform()
                return entered

            return replace(action, perform=perform)

        effects = await out.settle(tab, begin_all, limit)
        return Done(status="typed", element=_named(effects), url=tab.url)


class SelectOption(TabQuery):
    """Select options of a <select> by value or label."""

    selector: str
    values: list[str]

    async def answer(self, tab: Tab, out: Outcome) -> Done:
        """See the class."""
        target = await waited(tab, self.selector, tab.limits.action / 2)
        effects = await out.settle(tab, lambda: select(tab, target, self.values))
        return Done(status="selected", element=_named(effects), url=tab.url)


class PressKey(TabQuery):
    """Press a key or a combination on the focused element: Enter, Tab, Escape, Control+a."""

    key: str

    async def answer(self, tab: Tab, out: Outcome) -> Done:
        """See the class."""
        await out.settle(tab, press(tab, self.key))
        return Done(status="pressed", element="the focus", url=tab.url)


class Scroll(TabQuery):
    """Scroll the page, or to an element."""

    direction: Literal["down", "up", "to_element", "to_bottom"] = "down"
    selector: str | None = None
    """Required if direction is to_element; else the element to scroll."""
    pixels: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    """For up and down; default: most of the viewport's height."""

    async def answer(self, tab: Tab, out: Outcome) -> Scrolled:
        """See the class."""
        target = target_of(self.selector) if self.selector is not None else None
        await out.settle(tab, lambda: self._begin(tab, target))
        found = await tab.ask(lambda: viewport_of(tab))
        return Scrolled(scroll_x=found.scroll_x, scroll_y=found.scroll_y, max_scroll_y=farthest(found)[1])

    async def _begin(self, tab: Tab, target: Target | None) -> Action[None]:
        match self.direction:
            case "to_element":
                if target is None:
                    raise InvalidParametersError("to_element needs a selector.", "Pass selector.")
                return await scroll_into_view(tab, target)
            case "to_bottom":
                return scroll_to_end(tab)
            case "down" | "up":
                distance = self.pixels or round((await viewport_of(tab)).height * SCREEN)
                return await scroll_by(tab, (0, distance if self.direction == "down" else -distance), target)


class UploadFile(SessionQuery):
    """Upload files of the output folder, or of --upload-dirs, to a file input."""

    selector: str
    path: File | list[File]
    """Path of a file, or of several."""

    async def answer(self, session: Session, out: Outcome) -> Done:
        """See the class."""
        tab = await session.tab()
        wanted = [self.path] if isinstance(self.path, Path) else self.path
        files = await existing([await within(path, session.files.folders) for path in wanted])
        target = await waited(tab, self.selector)
        paths = await for_browser(tab, files)
        effects = await out.settle(tab, lambda: upload(tab, paths, target))
        return Done(status="uploaded", element=effects.result or "", url=tab.url)
