"""Issues of pages that Chromium reports, as messages."""

import pytest

from bidi_server.bidi.cdp import IssueAdded
from bidi_server.browser.console.messages import MOST_ISSUES, Console, Message
from bidi_server.browser.engine.chromium.issues import LONGEST, issue_of
from bidi_server.browser.journal import Journal


def issue(code: str, **details: object) -> Message | None:
    key = f"{code[0].lower()}{code[1:]}Details"
    event = {"params": {"issue": {"code": code, "details": {key: details}}, "session": "1"}}
    return issue_of(IssueAdded.model_validate(event))


@pytest.mark.parametrize(
    ("code", "details", "said"),
    [
        ("DeprecationIssue", {"type": "UnloadHandler"}, "deprecated: UnloadHandler"),
        (
            "MixedContentIssue",
            {"insecureURL": "http://a.test/", "resolutionStatus": "MixedContentBlocked", "resourceType": "Image"},
            "mixed content: MixedContentBlocked Image http://a.test/",
        ),
        ("CookieIssue", {"rawCookieLine": "a", "cookieExclusionReasons": [], "operation": "SetCookie"}, None),
        ("CorsIssue", {"corsErrorStatus": "of another type", "request": 5}, "CORS: "),
    ],
)
def test_an_issue(code: str, details: dict[str, object], said: str | None) -> None:
    message = issue(code, **details)
    assert message is not None
    assert message.said == (said or "cookie: SetCookie a")
    assert (message.level, message.method) == ("warning", "issue")


def test_its_place_in_the_source() -> None:
    found = issue(
        "DeprecationIssue", type="x" * 5000, sourceCodeLocation={"url": "http://a.test/a.js", "lineNumber": 6}
    )
    assert found is not None
    assert (found.url, found.line) == ("http://a.test/a.js", 7)
    assert len(found.said) <= LONGEST + 1


def test_other_issues_are_not_recorded() -> None:
    assert issue("QuirksModeIssue", isLimitedQuirksMode=False) is None


def test_a_flood_of_issues_leaves_the_messages() -> None:
    journal = Journal()
    console = Console(journal)
    console.add(Message("info", "log", 0, said="kept"))
    for number in range(3 * MOST_ISSUES):
        console.add_issue(Message("warning", "issue", 0, said=f"issue {number}"), 0)
        console.add_issue(Message("warning", "issue", 0, said=f"issue {number}"), 0)
    console.add(Message("error", "error", 0, said="newest"))
    said = [message.said for message in console.at_level("info")]
    assert (said[0], said[-1], len(said)) == ("kept", "newest", MOST_ISSUES + 2)
    assert journal.since(0, Message) == console.messages.since(0)
