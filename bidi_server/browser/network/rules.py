"""Rules of one context for requests: pages that must not be opened, requests to block or to answer ourselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from bidi_server.bidi.network import Header, ProvideResponse, StringValue

if TYPE_CHECKING:
    from bidi_server.bidi.network import BeforeRequestSent
    from bidi_server.browser.network.allow_list import AllowList
    from bidi_server.browser.pattern import Pattern

NO_CONTENT = 204
"""Status that ends a navigation without changing the page.

https://www.rfc-editor.org/rfc/rfc9110#name-204-no-content
"""

_NEVER_KEPT = {"Cache-Control": "no-store"}
"""Headers of every provided response. Chromium sends the request if a response has neither headers nor a body."""


@dataclass(frozen=True, slots=True)
class Rule:
    """An action for requests whose URL contains a match of a pattern."""

    pattern: Pattern
    action: Literal["block", "answer"]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: str = ""


class Interception:
    """The rules of one context. The last rule that matches applies."""

    def __init__(self) -> None:
        self.allowed: AllowList | None = None
        self.rules: list[Rule] = []

    @property
    def needed(self) -> bool:
        """Whether requests must be intercepted at all, which slows each of them down."""
        return self.allowed is not None or bool(self.rules)

    def rule(self, url: str) -> Rule | None:
        """Return the rule for a URL; None if no rule matches."""
        return next((rule for rule in reversed(self.rules) if rule.pattern.found_in(url)), None)

    def refuses(self, event: BeforeRequestSent) -> bool:
        """Whether the request is for a page that must not be opened."""
        return event.navigation is not None and self.allowed is not None and not self.allowed.allows(event.request.url)

    def forbids(self, url: str) -> bool:
        """Whether a document with this URL must not be shown.

        False for other URLs than http and https, such as blobs: pages create these themselves.
        """
        return self.allowed is not None and url.startswith(("http:", "https:")) and not self.allowed.allows(url)


def without_content(event: BeforeRequestSent) -> ProvideResponse:
    """Return the answer that ends a navigation without changing the page."""
    headers = _headers(_NEVER_KEPT)
    return ProvideResponse(request=event.request.request, status_code=NO_CONTENT, headers=headers)


def answer_of(event: BeforeRequestSent, rule: Rule, asking: str) -> ProvideResponse:
    """Return the answer of a rule to a request that a page of the origin ``asking`` has sent."""
    sent = {header.name.lower(): str(header.value) for header in event.request.headers}
    # Pages of other origins may read the provided response, and the agent need not write a rule for their preflight.
    # https://fetch.spec.whatwg.org/#http-cors-protocol
    said = _NEVER_KEPT | rule.headers
    # Chromium does not report the Origin header.
    if origin := sent.get("origin") or asking:
        said |= {"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true"}
    status, body = rule.status, rule.body
    if event.request.method == "OPTIONS" and "access-control-request-method" in sent:
        said["Access-Control-Allow-Methods"] = sent["access-control-request-method"]
        said["Access-Control-Allow-Headers"] = sent.get("access-control-request-headers", "")
        status, body = NO_CONTENT, ""
    return ProvideResponse(
        request=event.request.request, status_code=status, headers=_headers(said), body=StringValue(value=body)
    )


def _headers(values: dict[str, str]) -> list[Header]:
    return [Header(name=name, value=StringValue(value=value)) for name, value in values.items()]
