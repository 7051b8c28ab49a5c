"""Issues of pages, as Chromium shows them in the Issues panel of its developer tools.

https://chromedevtools.github.io/devtools-protocol/tot/Audits/#type-InspectorIssueDetails
"""

import time
from collections.abc import Iterator

from bidi_server.bidi.cdp import IssueAdded
from bidi_server.browser.console.messages import Message
from bidi_server.browser.words import clip
from drivers.json_values import fields, is_array

LONGEST = 1000
"""Maximum length of an issue, in characters."""

_SHOWN: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "CorsIssue": ("CORS", "corsIssueDetails", ("corsErrorStatus.corsError", "request.url")),
    "CookieIssue": (
        "cookie",
        "cookieIssueDetails",
        (
            "cookie.name",
            "cookie.domain",
            "operation",
            "cookieExclusionReasons",
            "cookieWarningReasons",
            "rawCookieLine",
            "cookieUrl",
        ),
    ),
    "MixedContentIssue": (
        "mixed content",
        "mixedContentIssueDetails",
        ("resolutionStatus", "resourceType", "insecureURL"),
    ),
    "DeprecationIssue": ("deprecated", "deprecationIssueDetails", ("type",)),
    "BlockedByResponseIssue": ("blocked response", "blockedByResponseIssueDetails", ("reason", "request.url")),
    "ContentSecurityPolicyIssue": (
        "content security policy",
        "contentSecurityPolicyIssueDetails",
        ("contentSecurityPolicyViolationType", "violatedDirective", "blockedURL"),
    ),
}
"""Kinds of issues to record: the word for each, the object of its details, and the properties in it to show."""


def issue_of(event: IssueAdded) -> Message | None:
    """Return an issue as a message; None for one of another kind, such as that the page is in quirks mode."""
    if event.code not in _SHOWN:
        return None
    word, key, names = _SHOWN[event.code]
    details = fields(event.details.get(key))
    place = fields(details.get("location") or details.get("sourceCodeLocation"))
    line = place.get("lineNumber")
    said = " ".join(text for name in names for text in _texts(details, name))
    return Message(
        level="warning",
        method="issue",
        time=time.time(),
        url=str(place.get("url", "")),
        line=line + 1 if isinstance(line, int) else 0,
        said=clip(f"{word}: {said}", LONGEST),
    )


def _texts(details: dict[str, object], name: str) -> Iterator[str]:
    """Yield the texts of a property, whose name is a path."""
    value: object = details
    for part in name.split("."):
        value = fields(value).get(part)
    yield from map(str, value) if is_array(value) else [str(value)] if value else []
