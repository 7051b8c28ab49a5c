"""Accessibility audits of pages: ``--caps testing``."""

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from bidi_server.browser.actions.target import Target
from bidi_server.browser.pages.audit import TAGS, Audit, AuditOptions, FlawedElement, Violation, as_json, audit
from bidi_server.browser.pages.sarif import one_sentence, sarif
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.words import address, clip, counted, describe
from bidi_server.escapes import quote
from bidi_server.tools.base import SessionTool
from bidi_server.tools.outcome import TOKEN, Outcome

MOST_IN_FILE = 1000
"""Maximum number of elements in a file, for each rule of a frame."""

MAX_MEND = 500
"""Maximum length of what to change in an element, in characters."""


class BrowserAudit(SessionTool):
    """Audit the accessibility of the page and its frames by axe-core: violated rules, worst first, with refs."""

    capabilities = ("testing",)
    read_only = True

    ref: str | None = None
    """Only this element and its content."""
    selector: str | None = None
    tags: Annotated[list[str], Field(min_length=1)] = Field(default_factory=lambda: list(TAGS))
    """Sets of axe-core's rules, such as wcag22aa or best-practice. Default: wcag2a, wcag2aa, wcag21a, wcag21aa."""
    impact: Literal["minor", "moderate", "serious", "critical"] = "minor"
    """The least to report."""
    limit: Annotated[int, Field(ge=1, le=100)] = 5
    """Elements shown for each rule."""
    filename: str | None = None
    """Write all of it: .sarif, or else JSON."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab = await session.tab()
        tab.dialogs.check_none()
        target = Target.parse(self.ref, self.selector) if self.ref or self.selector else None
        limit = self.limit if self.filename is None else max(self.limit, MOST_IN_FILE)
        found = await audit(tab, AuditOptions(self.tags, self.impact, limit, self.filename is not None), target)
        out.say(*_told(found, self.limit, out.snapshot_budget * TOKEN, tab.shared.ref_prefix))
        if self.filename is not None:
            data = sarif(found) if self.filename.lower().endswith(".sarif") else as_json(found)
            path = await session.outputs.save(json.dumps(data, indent=2).encode(), self.filename)
            out.files.append(path)
            out.say(f"Written to {path}")


def _told(found: Audit, limit: int, room: int, prefix: str) -> list[str]:
    """Return the lines of an answer, with fewer elements for each rule if they are too long."""
    lines: list[str] = []
    for shown in range(limit, -1, -1):
        lines = [line for violation in found.violations for line in _violation(violation, shown, prefix)]
        if sum(len(line) + 1 for line in lines) <= room:
            break
    return [_head(found), *lines, *_remarks(found)]


def _head(found: Audit) -> str:
    where = f"in {counted(found.frames, 'document')}, by axe-core {found.version} ({', '.join(found.tags)})"
    if not found.violations:
        return f"{'No violations so far' if found.unfinished or found.silent else 'No violations'} {where}."
    elements = sum(violation.count for violation in found.violations)
    return f"{counted(len(found.violations), 'rule')} violated, {counted(elements, 'element')} {where}:"


def _violation(violation: Violation, limit: int, prefix: str) -> Iterator[str]:
    rule = violation.rule
    yield f"{rule.impact}: {rule.id}: {rule.help} {rule.url.partition('?')[0]}"
    shown = violation.elements[:limit]
    mends = dict.fromkeys(each.flaw.mend for each in shown)
    for mend in mends:
        yield from (f"  - {_element(each, prefix)}" for each in shown if each.flaw.mend == mend)
        yield f"    {quote(clip(one_sentence(mend), MAX_MEND))}"
    if more := violation.count - len(shown):
        yield f"  {more} more elements" if shown else f"  {counted(more, 'element')}"


def _element(found: FlawedElement, prefix: str) -> str:
    element = found.flaw.element
    return describe({**element, "ref": f"{prefix}{element['ref']}"})


def _remarks(found: Audit) -> Iterator[str]:
    if found.review:
        yield f"A person must judge, for some elements: {', '.join(found.review)}."
    if found.unfinished:
        rules = _listed(found.unfinished)
        yield f"There was not enough time for {rules}. Audit parts of the page: pass ref or selector."
    if found.silent:
        yield f"Frames that do not answer were left out: {', '.join(map(address, found.silent))}."


def _listed(names: Sequence[str]) -> str:
    """Return the first names of a list as text."""
    first, more = names[:10], len(names) - 10
    return f"{', '.join(first)}{f' and {more} more rules' if more > 0 else ''}"
