"""Accessibility audits of pages, by axe-core in the sandbox realm of each frame."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import trio

from bidi_server.bidi.errors import BidiError
from bidi_server.bidi.values import context_of
from bidi_server.browser.actions.target import Target, on_element
from bidi_server.browser.settling.settle import look
from bidi_server.browser.snapshot.frame import PROMPT, Frame, FrameGoneError, read_answer
from bidi_server.browser.snapshot.take import MAX_FRAME_DEPTH, take_snapshot
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import clip
from bidi_server.errors import InvalidParametersError, NotSupportedError, ScriptError
from bidi_server.page.api import Audited, Flaw, Look, PlaceOfFrame, Violated
from drivers.axe import COMMAND, VERSION, read_axe
from drivers.json_values import objects

Impact = Literal["minor", "moderate", "serious", "critical"]

IMPACTS: tuple[Impact, ...] = get_args(Impact)
"""Severities of violations in axe-core's words, the least severe first."""

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa")
"""The rules of a usual audit: WCAG 2.1, levels A and AA."""

RULES_SHARE = 0.6
"""Fraction of the time limit of an audit that rules may take; the tree before and the descriptions after take some."""


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """The scope of an audit. ``limit`` is the maximum number of elements described for each rule of a frame."""

    tags: Sequence[str] = TAGS
    impact: Impact = IMPACTS[0]
    """The least impact of a violation to report."""
    limit: int = 5
    whole: bool = False
    """Whether selectors and HTML of elements are wanted too."""


@dataclass(frozen=True, slots=True)
class FlawedElement:
    """An element that violates a rule, and the URL of its document."""

    page: str
    flaw: Flaw


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that elements of the page violate."""

    rule: Violated
    """The rule, with the worst impact of all frames."""
    count: int
    """Number of all such elements in all frames."""
    elements: tuple[FlawedElement, ...]


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of an audit of all frames."""

    url: str
    title: str
    version: str
    """Version of axe-core."""
    tags: tuple[str, ...]
    frames: int
    """Number of audited documents."""
    violations: tuple[Violation, ...]
    """Worst impact first, then the rules with most elements."""
    review: tuple[str, ...]
    """Rules that need a person's judgment somewhere."""
    unfinished: tuple[str, ...]
    """Rules for which there was not enough time in some frame."""
    silent: tuple[str, ...]
    """URLs of frames that could not be audited."""


@dataclass(slots=True)
class _Run:
    """An audit under way."""

    tab: Tab
    options: AuditOptions
    source: str
    deadline: float
    taken: list[str]
    """Refs of all frames, which new refs must not repeat."""
    done: list[tuple[str, Audited]] = field(default_factory=list[tuple[str, Audited]])
    """The URL and the result of each frame."""
    silent: list[str] = field(default_factory=list[str])

    async def audit(self, frame: Frame, target: Target | None, place: PlaceOfFrame | None, level: int) -> None:
        """Audit a frame, and the frames in it. Raises `FrameGoneError`, `ScriptError` and `InvalidParametersError`."""
        if (await frame.call("extra.hasAxe")).value is not True:
            await frame.run_library(_library(self.source))
        given = [self._wire(place), *([target.wire()] if target is not None else [])]
        text, *windows = objects((await frame.call("extra.audit", *given)).value)
        answer = read_answer(Audited, str(text.get("value")))
        if answer.unknown:
            raise InvalidParametersError(
                f"No rule has the tag {clip(answer.unknown[0])!r}.", f"There are: {', '.join(answer.known)}."
            )
        self.done.append((frame.url, answer))
        self.taken += [flaw.element["ref"] for rule in answer.violations for flaw in rule.elements]
        for inner, window in zip(answer.frames, windows, strict=True):
            child = self.tab.frames.get(context_of(window) or "")
            if child is not None and level < MAX_FRAME_DEPTH:
                await self._audit_child(child, inner, level + 1)

    async def _audit_child(self, frame: Frame, place: PlaceOfFrame, level: int) -> None:
        """Audit a child frame, or note that it does not answer."""
        if await frame.reacts():
            with trio.move_on_after(self._left() + PROMPT):
                try:
                    await self.audit(frame, None, place, level)
                except (FrameGoneError, BidiError, ScriptError):
                    pass
                else:
                    return
        self.silent.append(frame.url)

    def _left(self) -> float:
        return max(self.deadline - trio.current_time(), 0)

    def _wire(self, place: PlaceOfFrame | None) -> dict[str, object]:
        return {
            "tags": list(self.options.tags),
            "impacts": IMPACTS[IMPACTS.index(self.options.impact) :],
            "limit": self.options.limit,
            "time": self._left() * 1000,
            "taken": self.taken,
            "place": place.model_dump() if place is not None else None,
            "whole": self.options.whole,
        }


async def read_rules() -> str:
    """Return the source of axe-core. Raises `NotSupportedError` if it is not installed."""
    source = await trio.to_thread.run_sync(read_axe)
    if source is None:
        raise NotSupportedError(f"axe-core {VERSION}, which audits pages, is not installed.", f"Run: {COMMAND}")
    return source


async def audit(tab: Tab, options: AuditOptions, target: Target | None = None) -> Audit:
    """Audit the page, or one element and its content, without changing it.

    Raises `NotSupportedError` if axe-core is not installed, `InvalidParametersError` for an unknown tag, the errors of
    `Tab.ask` and of `on_element`.
    """
    source = await read_rules()
    snapshot = await look(tab, lambda: take_snapshot(tab))
    # 10,000 elements take 4 s in Chromium 156, 8 s in Firefox 153: more than an action may take.
    limit = tab.limits.navigation

    async def run() -> _Run:
        frame = tab.main if target is None else (await on_element(tab, target, Look, "act.look")).frame
        run = _Run(tab, options, source, trio.current_time() + limit * RULES_SHARE, list(snapshot.by_ref))
        await run.audit(frame, target, None, 0)
        return run

    found = await tab.ask(run, limit)
    return Audit(
        url=tab.url,
        title=tab.title,
        version=VERSION,
        tags=tuple(options.tags),
        frames=len(found.done),
        violations=tuple(_merged(found.done)),
        review=_every(answer.review for _, answer in found.done),
        unfinished=_every(answer.cut for _, answer in found.done),
        silent=tuple(found.silent),
    )


def _library(source: str) -> str:
    """Return the expression that gives axe-core to our script, as a CommonJS module, and leaves no global behind."""
    module = f"(module => {{ {source}\n; delete window.axe; return module.exports; }})({{exports: {{}}}})"
    return f"__bidi.extra.useAxe({module})"


def as_json(audit: Audit) -> dict[str, object]:
    """Return an audit as a JSON object, for files."""
    return {
        "url": audit.url,
        "title": audit.title,
        "axeCore": audit.version,
        "tags": audit.tags,
        "documents": audit.frames,
        "violations": [_rule_as_json(violation) for violation in audit.violations],
        "review": audit.review,
        "unfinished": audit.unfinished,
        "notAudited": audit.silent,
    }


def _rule_as_json(violation: Violation) -> dict[str, object]:
    rule = violation.rule
    elements = [
        {
            "url": page,
            **{name: flaw.element[name] for name in ("ref", "role", "name")},
            "selector": flaw.selector,
            "html": flaw.html,
            "mend": flaw.mend,
        }
        for page, flaw in ((each.page, each.flaw) for each in violation.elements)
    ]
    return {
        "id": rule.id,
        "impact": rule.impact,
        "help": rule.help,
        "description": rule.description,
        "helpUrl": rule.url,
        "tags": rule.tags,
        "count": violation.count,
        "elements": elements,
    }


def _every(lists: Iterator[list[str]]) -> tuple[str, ...]:
    return tuple(sorted({each for one in lists for each in one}))


def _merged(done: Sequence[tuple[str, Audited]]) -> list[Violation]:
    """Return the violated rules of all frames, worst first."""
    found: dict[str, Violation] = {}
    for page, answer in done:
        for rule in answer.violations:
            elements = tuple(FlawedElement(page, flaw) for flaw in rule.elements)
            before = found.get(rule.id, Violation(rule, 0, ()))
            worse = rule if IMPACTS.index(rule.impact) > IMPACTS.index(before.rule.impact) else before.rule
            found[rule.id] = replace(
                before, rule=worse, count=before.count + rule.count, elements=before.elements + elements
            )
    return sorted(found.values(), key=lambda each: (-IMPACTS.index(each.rule.impact), -each.count, each.rule.id))
