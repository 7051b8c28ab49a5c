"""Looks: what a page, or the page after the steps of a plan, is like in an engine and at a size of the viewport."""

import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import cast

import trio

from bidi_server.browser.actions.scroll import viewport_of
from bidi_server.browser.contexts.storage_state import StorageState, restore
from bidi_server.browser.pages.audit import AuditOptions, Impact, audit, read_rules
from bidi_server.browser.pages.capture import Encoding, screenshot
from bidi_server.browser.pages.navigate import complete_url
from bidi_server.browser.pages.stillness import still_screenshot
from bidi_server.browser.sessions.client import CLOSING_SECONDS, Client
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.settling.settle import look
from bidi_server.browser.snapshot.model import Row, WalkOptions
from bidi_server.browser.snapshot.take import take_snapshot
from bidi_server.browser.tab.tab import Tab
from bidi_server.config import BrowserName, Config
from bidi_server.errors import DeadlineError, InvalidParametersError, ToolError
from bidi_server.plan.faults import ConsoleError, FailedRequest
from bidi_server.plan.model import Plan
from bidi_server.tools.browser.navigation import go
from bidi_server.tools.outcome import Outcome
from bidi_server.tools.replay import picture_of_failure, replay

Tell = Callable[[float, float | None, str], Awaitable[None]]
"""Receives progress: the amount done, the total if known, and a message."""

Size = tuple[int, int]
"""Width and height in CSS pixels."""

Box = tuple[int, int, int, int]
"""Left, top, width and height in CSS pixels of the viewport."""

BROWSERS: tuple[BrowserName, ...] = ("chromium", "firefox")
"""The browsers of a comparison by default."""

MOST_FLAWS = 1000
"""Maximum number of elements that violate a rule, for each frame."""

STILL = 3.0
"""Maximum time to wait for a page to stand still, in seconds."""

WALK = WalkOptions(every_ref=True, boxes=True, whole=True)
"""Only rows with refs have boxes."""

STATES = (
    *("busy", "checked", "current", "description", "disabled", "expanded", "haspopup", "invalid", "level", "modal"),
    *("multiline", "multiselectable", "options", "optionCount", "orientation", "placeholder", "pressed", "readonly"),
    *("required", "selected", "sort", "target", "url", "value", "valuemax", "valuemin", "valuetext"),
)
"""The states and properties that are compared. The focus is not: only the window in front has one."""

OF_ONE_ENGINE = ("endpoint", "executable", "driver", "browser_arg", "browser_pref")
"""Options that are for one engine only."""


@dataclass(frozen=True, slots=True)
class Element:
    """A row of a snapshot: an element or a text."""

    role: str
    name: str
    depth: int = 0
    state: tuple[tuple[str, str], ...] = ()
    """Names and values of its states and properties."""
    box: Box | None = None
    """None for a text."""
    is_control: bool = False
    type: str = ""
    """Type of an ``<input>`` that is not for plain text."""
    is_select: bool = False
    """Whether it is a ``<select>``."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """An element that violates a rule of accessibility."""

    rule: str
    """Name of the rule and its impact: ``color-contrast (serious)``."""
    help: str
    """The rule in a sentence, and its URL."""
    element: Element
    selector: str
    page: str = ""
    """URL of the document that the element is in."""

    @property
    def key(self) -> tuple[str, str, str]:
        """The same for the same flaw in another look."""
        return self.rule, self.page, self.selector


@dataclass(frozen=True, slots=True)
class Flaws:
    """The result of an accessibility audit."""

    all: tuple[Flaw, ...] = ()
    unfinished: tuple[str, ...] = ()
    """Names of the rules for which there was not enough time."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a page is like in an engine and at a size of the viewport."""

    engine: str
    viewport: Size
    elements: tuple[Element, ...] = ()
    """In page order."""
    errors: tuple[ConsoleError, ...] = ()
    failed: tuple[FailedRequest, ...] = ()
    picture: bytes = b""
    """A PNG of the viewport, with one pixel for each CSS pixel."""
    width: int = 0
    """Width of the content, in CSS pixels. A wider one than the viewport scrolls to the right."""
    failure: str = ""
    """Why the page did not load, or which step of the plan failed."""
    flaws: Flaws | None = None
    """The violated rules of accessibility; None without an audit."""

    @property
    def name(self) -> str:
        """The engine and the size: ``firefox 390x844``."""
        return f"{self.engine} {size_name(self.viewport)}"


def size_name(size: Size) -> str:
    """Return a size as WIDTHxHEIGHT."""
    return f"{size[0]}x{size[1]}"


@dataclass(frozen=True, slots=True)
class LookOptions:
    """The looks to take."""

    page: str | Plan
    browsers: Sequence[BrowserName]
    viewports: Sequence[Size]
    impact: Impact | None = None
    """The least impact of violations of accessibility to look for; None: no audit."""
    state: StorageState | None = None
    """Cookies and localStorage to begin with."""

    @classmethod
    def of(
        cls, page: str | Plan, browsers: Sequence[BrowserName], viewports: Sequence[Size], *, impact: Impact | None
    ) -> "LookOptions":
        """Return the options for a URL or a plan, with each browser and size once.

        Raises `InvalidParametersError` if there would be one look only, or if the URL is none.
        """
        options = cls(
            complete_url(page) if isinstance(page, str) else page,
            list(dict.fromkeys(browsers)),
            list(dict.fromkeys(viewports)),
            impact,
        )
        if len(options.browsers) * len(options.viewports) == 1:
            raise InvalidParametersError("There is nothing to compare with.", "Name several browsers or viewports.")
        return options


async def take_looks(client: Client, options: LookOptions, tell: Tell) -> list[Look]:
    """Open a URL, or run a plan, in each browser at each size, and return the looks by size and then by browser.

    Each has a session of its own, which is closed at the end. Raises `BrowserUnavailableError`, `LimitError`, and
    `NotSupportedError` for an audit without axe-core.
    """
    if options.impact is not None:
        await read_rules()
    browsers, viewports = options.browsers, options.viewports
    found: dict[tuple[str, Size], Look] = {}
    for browser in browsers:
        names: list[str] = []
        try:
            for viewport in viewports:
                changes = changes_for(client.config, browser, viewport)
                # The sessions of a browser are open until its last look, so that it is started once.
                names.append(await client.create(None, changes, tell))
                found[browser, viewport] = await _take(client.session(names[-1]), browser, viewport, options, tell)
        finally:
            with trio.move_on_after(CLOSING_SECONDS, shield=True):
                for name in names:
                    await client.close(name, graceful=False)
    return [found[browser, viewport] for viewport in viewports for browser in browsers]


def changes_for(config: Config, browser: BrowserName, viewport: Size) -> dict[str, object]:
    """Return the options of the session for a look that differ from the server's."""
    changes: dict[str, object] = {"browser": browser, "viewport": viewport, "user_data_dir": None}
    if config.browser not in (None, browser):
        changes |= {name: Config.model_fields[name].default for name in OF_ONE_ENGINE}
    return changes


async def _take(session: Session, browser: str, viewport: Size, options: LookOptions, tell: Tell) -> Look:
    page = options.page
    async with session.call(tell):
        context = await session.context()
        try:
            if options.state is not None:
                # An engine may refuse a cookie of another one; the page is compared without it.
                await restore(context, options.state)
            failure = await (_run(session, page) if isinstance(page, Plan) else _open(session, page))
            if failure:
                return await _failed(session, browser, viewport, failure)
            tab = await session.tab()
            seen = await look_at(tab, browser, viewport)
            return seen if options.impact is None else replace(seen, flaws=await _flaws(tab, options.impact))
        except ToolError as error:
            return await _failed(session, browser, viewport, error.message)


async def _flaws(tab: Tab, impact: Impact) -> Flaws:
    """Audit a page. Raises the errors of `audit`."""
    found = await audit(tab, AuditOptions(impact=impact, limit=MOST_FLAWS, whole=True))
    flaws = [
        Flaw(
            f"{violation.rule.id} ({violation.rule.impact})",
            f"{violation.rule.help} {violation.rule.url.partition('?')[0]}",
            Element(str(each.flaw.element["role"]), str(each.flaw.element["name"])),
            each.flaw.selector,
            each.page,
        )
        for violation in found.violations
        for each in violation.elements
    ]
    return Flaws(tuple(flaws), found.unfinished)


async def _open(session: Session, url: str) -> str:
    tab = await session.tab()
    await go(Outcome(snapshot_mode="none"), tab, url)
    return ""


async def _run(session: Session, plan: Plan) -> str:
    """Run a plan. Return the step that failed, or ""."""
    for ran in await replay(session, plan, os.environ):
        if ran.failed:
            return f"Step {ran.number} ({ran.planned.tool}) failed: {' '.join(ran.faults)}"
    return ""


async def _failed(session: Session, browser: str, viewport: Size, failure: str) -> Look:
    picture = await picture_of_failure(await session.tab(), Encoding(by_css=True))
    return Look(browser, viewport, picture=picture, failure=failure)


async def look_at(tab: Tab, engine: str, viewport: Size) -> Look:
    """Return the look of the page of a tab. Raises `DialogOpenError`, and the errors of `Tab.ask`."""
    tab.dialogs.check_none()
    picture = await _picture(tab)
    snapshot = await look(tab, lambda: take_snapshot(tab, WALK))
    view = await tab.ask(lambda: viewport_of(tab))
    return Look(
        engine,
        viewport,
        tuple(_element(row) for row in snapshot.rows),
        tuple(ConsoleError(message.headline(), message.url, message.line) for message in tab.console.at_level("error")),
        tuple(
            FailedRequest(request.method, request.url, request.failure or str(request.status))
            for request in tab.requests.all.since(0)
            if request.has_failed
        ),
        picture,
        view.scroll_width,
    )


async def _picture(tab: Tab) -> bytes:
    """Return a PNG of the viewport, of a page that stands still if possible."""
    with trio.move_on_after(STILL), suppress(DeadlineError):
        return (await still_screenshot(tab)).data
    # Pages that never stand still, such as one with an indeterminate progress bar, are compared too.
    return (await tab.ask(lambda: screenshot(tab, encoding=Encoding(by_css=True)))).data


def _element(row: Row) -> Element:
    props = cast("dict[str, object]", row.props)
    box = row.props.get("box")
    return Element(
        row.role,
        row.name,
        row.depth,
        tuple((name, str(props[name])) for name in STATES if name in props),
        (box[0], box[1], box[2], box[3]) if box else None,
        # An empty box with a colour or a listener has a ref, but no purpose that a person could name.
        is_control=bool(row.props.get("tier")) and (row.role != "generic" or bool(row.name)),
        type=row.props.get("type", ""),
        is_select="options" in props or "optionCount" in props,
    )
