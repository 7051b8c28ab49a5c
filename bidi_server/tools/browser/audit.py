"""Accessibility audits of pages: ``--caps testing``."""

import json
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from bidi_server.browser.actions.target import Target
from bidi_server.browser.pages.audit import TAGS, Audit, AuditOptions, FlawedElement, Impact, Violation, as_json, audit
from bidi_server.browser.pages.sarif import one_sentence, sarif
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.words import clip, counted, describe
from bidi_server.escapes import quote
from bidi_server.tools.audit_report import faults, head, remarks, rule_line
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
    is_step = True

    ref: str | None = None
    """Only this element and its content."""
    selector: str | None = None
    tags: Annotated[list[str], Field(min_length=1)] = Field(default_factory=lambda: list(TAGS))
    """Sets of axe-core's rules, such as wcag22aa or best-practice. Default: wcag2a, wcag2aa, wcag21a, wcag21aa."""
    impact: Impact = "minor"
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
        out.found = faults(found)
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
    return [head(found), *lines, *remarks(found)]


def _violation(violation: Violation, limit: int, prefix: str) -> Iterator[str]:
    yield rule_line(violation)
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
