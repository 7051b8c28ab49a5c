"""Audits in SARIF 2.1.0, which tools for code review and CI read.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from collections.abc import Iterator

from bidi_server.browser.pages.audit import Audit, FlawedElement, Violation

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LEVELS = {"minor": "note", "moderate": "warning", "serious": "error", "critical": "error"}
"""Values of ``level`` for the impacts of axe-core (SARIF, section 3.27.10)."""


def sarif(audit: Audit) -> dict[str, object]:
    """Return an audit as a SARIF log with one run. Each element that violates a rule is one result."""
    pages = list(dict.fromkeys([audit.url, *(each.page for found in audit.violations for each in found.elements)]))
    driver = {
        "name": "axe-core",
        "version": audit.version,
        "informationUri": "https://github.com/dequelabs/axe-core",
        "rules": [_rule(violation) for violation in audit.violations],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    *(_notice(f"There was not enough time for the rule {rule}.") for rule in audit.unfinished),
                    *(_notice(f"A frame was not audited: {url}") for url in audit.silent),
                ],
            }
        ],
        "artifacts": [{"location": {"uri": url}, "roles": ["analysisTarget"]} for url in pages],
        "results": list(_results(audit, pages)),
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def one_sentence(mend: str) -> str:
    """Return axe-core's lines about what to change as one: ``Fix any of the following: …; …``."""
    parts = [part.strip() for part in mend.splitlines() if part.strip()]
    return "; ".join(parts).replace(":; ", ": ")


def _rule(violation: Violation) -> dict[str, object]:
    rule = violation.rule
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.help},
        "fullDescription": {"text": rule.description},
        "helpUri": rule.url,
        "defaultConfiguration": {"level": _LEVELS[rule.impact]},
        "properties": {"tags": rule.tags, "impact": rule.impact},
    }


def _notice(text: str) -> dict[str, object]:
    return {"level": "warning", "message": {"text": text}}


def _results(audit: Audit, pages: list[str]) -> Iterator[dict[str, object]]:
    for index, violation in enumerate(audit.violations):
        for element in violation.elements:
            yield {
                "ruleId": violation.rule.id,
                "ruleIndex": index,
                "level": _LEVELS[violation.rule.impact],
                "message": {"text": one_sentence(element.flaw.mend) or violation.rule.help},
                "locations": [_location(element, pages.index(element.page))],
            }


def _location(found: FlawedElement, index: int) -> dict[str, object]:
    """Return a location without a region: a region has a position in a text, and an element of a page has none."""
    flaw = found.flaw
    return {
        "physicalLocation": {"artifactLocation": {"uri": found.page, "index": index}},
        "logicalLocations": [{"fullyQualifiedName": flaw.selector, "kind": "element"}],
        "message": {"text": flaw.html},
    }
