"""Navigation to pages and actions on them (seed 003)."""

import re
from http.client import responses
from typing import Annotated, Literal

from pydantic import Field

from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.clicks import click
from bidi_server.browser.actions.scroll import place_of, scroll_by
from bidi_server.browser.actions.values import fill
from bidi_server.browser.loading.unfinished import Cause
from bidi_server.browser.network.requests import Request
from bidi_server.browser.pages.evaluate import evaluate, show
from bidi_server.browser.pages.wait import wait_navigation
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.snapshot.frame import Question
from bidi_server.browser.tab.tab import Navigated, Opened, Tab
from bidi_server.browser.words import address, spoken
from bidi_server.errors import DeadlineError, NotAllowedError, NotSupportedError
from bidi_server.secret.parameters import WithSecrets
from bidi_server.tools.loading import Milliseconds, WaitUntil, load
from bidi_server.tools.outcome import Outcome
from bidi_server.tools.vision.base import VisionSessionTool, VisionTabTool, target_of

BLOCKED = {
    "eval(": re.compile(r"\beval\s*(\?\.)?\s*\("),
    "Function(": re.compile(r"\bFunction\s*(\?\.)?\s*\("),
    "document.cookie": re.compile(r"\bdocument\s*(\?\.|\.|\[\s*['\"`])\s*cookie\b"),
    "localStorage": re.compile(r"\blocalStorage\b"),
    "sessionStorage": re.compile(r"\bsessionStorage\b"),
}
"""Code that scripts must not contain: a guard rail against accidents. Any such list can be bypassed on purpose."""

SANDBOX = "vision"
"""Sandbox of scripts that must not touch the page's globals."""


def status_of(document: Request) -> str:
    """Return a status with a reason phrase, such as 200 OK, also for HTTP/2, which sends only numbers."""
    return f"{document.status} {document.status_words or responses.get(document.status, '')}".strip()


class Navigate(VisionSessionTool):
    """Navigate to a URL and wait for the page."""

    url: str
    wait_until: WaitUntil = "load"
    timeout: Milliseconds = 30_000
    """Milliseconds."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        loaded = await load(session, out, self.url, self.wait_until, self.timeout / 1000)
        if loaded.effects.downloads and not loaded.effects.navigated:
            return
        status = f" ({status_of(loaded.document)})" if loaded.document and loaded.document.status else ""
        out.say(f"Successfully navigated to {address(loaded.tab.url)}{status}")


class Click(VisionSessionTool):
    """Click an element."""

    selector: str
    """CSS, xpath=…, text=…, role=…[name="…"], getByLabel(…), or @e3 from the snapshot."""
    wait_for_navigation: bool = False
    timeout: Milliseconds = 5000
    """Milliseconds to wait for the element, and for the navigation."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab = await session.tab()
        limit = self.timeout / 1000
        target = await target_of(tab, self.selector, limit)
        effects = await out.settle(tab, lambda: click(tab, target), navigation=limit)
        if effects.stopped_by(Cause.LOADING, Cause.NO_ANSWER):
            raise DeadlineError(
                f"{self.selector} was clicked, and the next page did not load within {limit:g} s.",
                "Look where the page is now, or pass a longer timeout.",
                {"timeout": self.timeout},
            )
        if self.wait_for_navigation:
            await wait_navigation(tab, effects.cursor, limit)
        out.say(f"Clicked element: {self.selector}")
        if effects.element is not None:
            out.say(effects.element.note)
        if moved := tab.journal.since(effects.cursor, Navigated):
            out.say(f"Now at {address(moved[-1].url)}")
        if opened := [entry.tab for entry in effects.of(Opened) if not entry.tab.closed]:
            context = await session.context()
            tab = await context.follow(opened[-1])
            out.say(f"A new tab was opened and is the current one: {address(tab.url)}")
            out.effects = effects.without(Opened)


class Fill(VisionTabTool):
    """Fill a field: text, a checkbox (true or false), the option of a select, a date, a slider."""

    selector: str
    """CSS, xpath=…, text=…, role=…[name="…"], getByLabel(…), or @e3 from the snapshot."""
    value: WithSecrets
    clear_first: bool = True

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        target = await target_of(tab, self.selector, tab.limits.action / 2)
        effects = await out.settle(tab, lambda: fill(tab, target, self.value, clear=self.clear_first))
        said = spoken(effects.element.info, self.value) if effects.element is not None else ""
        out.say(f"Filled {self.selector} with {said}")


class Scroll(VisionTabTool):
    """Scroll the page, or a scrollable part of it."""

    direction: Literal["up", "down", "left", "right"] = "down"
    pixels: Annotated[float, Field(gt=0, le=1_000_000)] = 300
    selector: str | None = None
    """Element to scroll."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        target = await target_of(tab, self.selector) if self.selector is not None else None
        x, y = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[self.direction]
        effects = await out.settle(tab, lambda: scroll_by(tab, (x * self.pixels, y * self.pixels), target))
        frame = effects.element.frame if effects.element else tab.main
        place = await tab.ask(lambda: place_of(tab, frame))
        wanted = round(self.pixels)
        moved = abs(place.moved.x if x else place.moved.y) if place.moved else wanted
        out.say(f"Scrolled {self.direction} by {moved if moved == wanted else f'{moved} of {wanted}'} pixels")
        left = {
            "up": place.y,
            "down": place.most_y - place.y,
            "left": place.x,
            "right": place.most_x - place.x,
        }
        if left[self.direction] < 1:
            out.say(f"It can't be scrolled further {self.direction}")


class Evaluate(VisionSessionTool):
    """Execute JavaScript in the page. Not allowed: eval, Function, cookies, localStorage, sessionStorage."""

    script: str
    """Statements with return, an expression, or a function."""
    args: list[object] = Field(default_factory=list[object])
    """Arguments of a function; statements get them as args."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        for name, pattern in BLOCKED.items():
            if pattern.search(self.script):
                raise NotAllowedError(f"The script contains {name}, which is blocked.", "Read the page instead.")
        tab = await session.tab()
        sandbox = SANDBOX if session.config.evaluate_in == "sandbox" else None
        if sandbox is not None and not tab.shared.quirks.has_sandboxes:
            raise NotSupportedError(
                "Scripts of this browser have no realm but the page's.", "Leave out --evaluate-in sandbox."
            )
        leaving = Question(tab.main)

        async def perform() -> None:
            value = await evaluate(tab, self.script, arguments=self.args, sandbox=sandbox, leaving=leaving)
            out.quote(show(value))

        await out.settle(tab, Action(perform, leaving=leaving), until="load")
