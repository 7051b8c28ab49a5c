"""Results of accessibility audits in reports, where elements have no refs."""

from collections.abc import Iterator, Sequence

from bidi_server.browser.pages.audit import Audit, FlawedElement, Violation
from bidi_server.browser.words import address, clip, counted, describe
from bidi_server.escapes import one_line, quote

MOST_ELEMENTS = 3
"""Maximum number of elements of a rule in a report."""

MAX_SELECTOR = 200
"""Maximum length of a selector in a report, in characters."""


def head(found: Audit) -> str:
    """Return the numbers of violated rules and elements."""
    where = f"in {counted(found.frames, 'document')}, by axe-core {found.version} ({', '.join(found.tags)})"
    if not found.violations:
        return f"{'No violations so far' if found.unfinished or found.silent else 'No violations'} {where}."
    elements = sum(violation.count for violation in found.violations)
    return f"{counted(len(found.violations), 'rule')} violated, {counted(elements, 'element')} {where}:"


def rule_line(violation: Violation) -> str:
    """Return impact, name, help and URL of a rule."""
    rule = violation.rule
    return f"{rule.impact}: {rule.id}: {rule.help} {rule.url.partition('?')[0]}"


def remarks(found: Audit) -> Iterator[str]:
    """Yield sentences about the parts of an audit that were left out or left open."""
    if found.review:
        yield f"A person must judge, for some elements: {', '.join(found.review)}."
    if found.unfinished:
        rules = _listed(found.unfinished)
        yield f"There was not enough time for {rules}. Audit parts of the page: pass ref or selector."
    if found.silent:
        yield f"Frames that do not answer were left out: {', '.join(map(address, found.silent))}."


def faults(found: Audit) -> list[str]:
    """Return a line for each violated rule, with its first elements."""
    return [one_line(f"{rule_line(each)}: {_elements(each)}") for each in found.violations]


def _elements(violation: Violation) -> str:
    shown = violation.elements[:MOST_ELEMENTS]
    more = violation.count - len(shown)
    texts = [element_of(each) for each in shown]
    return ", ".join([*texts, *([f"{more} more"] if more else [])])


def element_of(found: FlawedElement) -> str:
    """Return an element as role, quoted name and, if known, quoted selector."""
    selector = found.flaw.selector
    text = describe({**found.flaw.element, "ref": ""})
    return f"{text} at {quote(clip(selector, MAX_SELECTOR))}" if selector else text


def _listed(names: Sequence[str]) -> str:
    """Return the first names of a list as text."""
    first, more = names[:10], len(names) - 10
    return f"{', '.join(first)}{f' and {more} more rules' if more > 0 else ''}"
