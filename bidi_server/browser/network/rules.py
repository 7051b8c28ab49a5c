"""Rules of one context for requests: pages that must not be opened, requests to block, to answer or to change."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from bidi_server.bidi.network import Base64Value, ContinueRequest, FailRequest, Header, ProvideResponse, StringValue
from bidi_server.browser.network.refusals import Refusals, place_of
from bidi_server.browser.words import clip
from bidi_server.errors import InvalidParametersError

if TYPE_CHECKING:
    from bidi_server.bidi.network import BeforeRequestSent
    from bidi_server.bidi.wire import Command, EmptyResult
    from bidi_server.browser.network.allow_list import AllowList
    from bidi_server.browser.pattern import Pattern

OUT_OF_REACH = "over HTTP, the server's files and the browser's own pages are out of reach"
"""Reason why a client that may open pages of the web only does not get another one."""

NO_CONTENT = 204
"""Status that ends a navigation without changing the page.

https://www.rfc-editor.org/rfc/rfc9110#name-204-no-content
"""

_PREFLIGHT = "access-control-request-method"
"""Header of a preflight: the method that it asks for. https://fetch.spec.whatwg.org/#cors-preflight-fetch"""

_NEVER_KEPT = {"Cache-Control": "no-store"}
"""Headers of every provided response. Chromium sends the request if a response has neither headers nor a body."""


_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""https://www.rfc-editor.org/rfc/rfc9110#name-tokens"""

_NO_HEADER_VALUE = re.compile(r"[\0\r\n]")


@dataclass(slots=True)
class Rule:
    """An action for requests whose URL contains a match of a pattern."""

    pattern: Pattern
    action: Literal["block", "answer", "send"]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    """Of the answer; of the request where it is sent."""
    body: bytes = b""
    method: str = ""
    """Only requests of this method; "" for any."""
    removed: frozenset[str] = frozenset()
    """Names of headers, in lower case, that a request is sent without."""
    delay: float = 0
    """Seconds before the action."""
    count: int = 0
    """Number of requests that it was applied to."""


def check_header(name: str, value: str) -> None:
    """Raise `InvalidParametersError` for a header that the browser would refuse: the page would wait indefinitely."""
    if not _HEADER_NAME.fullmatch(name) or _NO_HEADER_VALUE.search(value):
        raise InvalidParametersError(
            f"{clip(name)!r}: {clip(value)!r} is not a header.", "Names have no spaces and colons, values are one line."
        )


class Interception:
    """The rules of one context. The last rule that matches applies."""

    def __init__(self) -> None:
        self.allowed: AllowList | None = None
        self.web_only = False
        """Whether the client may not open local pages: files of the browser's machine, and the browser's own pages."""
        self.rules: list[Rule] = []
        self.refusals = Refusals()

    @property
    def needed(self) -> bool:
        """Whether requests must be intercepted at all, which slows each of them down."""
        return self.allowed is not None or bool(self.rules)

    def rule(self, event: BeforeRequestSent) -> Rule | None:
        """Return the rule for a request; None if no rule matches. A preflight is a part of the request it is for."""
        url, method = event.request.url, event.request.method
        asked_for = _sent_headers(event).get(_PREFLIGHT) if method == "OPTIONS" else None
        for rule in reversed(self.rules):
            if rule.method in ("", method, asked_for) and rule.pattern.found_in(url):
                return rule
        return None

    def why_not(self, event: BeforeRequestSent) -> str:
        """Return the reason why a request must not be sent; "" if it may be."""
        if self.allowed is None:
            return ""
        reason = self.allowed.why_not(event.request.url, event.request.method, for_page=bool(event.navigation))
        return self._noted(event.request.url, reason)

    def forbids(self, url: str) -> str:
        """Return the reason why a document with this URL must not be shown; "" if it may be.

        Other URLs than http, https and file, such as blobs, are never forbidden: pages create these themselves.
        """
        # Browsers do not let web pages lead to files, but WebKitGTK 2.50 does if a link is clicked with Control.
        if self.web_only and url.startswith("file:"):
            return OUT_OF_REACH
        is_judged = url.startswith(("http:", "https:", "file:"))
        return self._noted(url, self.allowed.why_not(url)) if self.allowed is not None and is_judged else ""

    def _noted(self, url: str, reason: str) -> str:
        if reason:
            self.refusals.add(place_of(url), reason)
        return reason


def without_content(event: BeforeRequestSent) -> ProvideResponse:
    """Return the answer that ends a navigation without changing the page."""
    headers = _headers(_NEVER_KEPT)
    return ProvideResponse(request=event.request.request, status_code=NO_CONTENT, headers=headers)


def failed(event: BeforeRequestSent) -> FailRequest:
    """Return the command that fails a request."""
    return FailRequest(request=event.request.request)


def applied(rule: Rule, event: BeforeRequestSent, asking: str) -> Command[EmptyResult]:
    """Return the command that applies a rule to a request that a page of the origin ``asking`` has sent."""
    match rule.action:
        case "block":
            return failed(event)
        case "answer":
            return _answer(rule, event, asking)
        case "send":
            return _changed(rule, event)


def _changed(rule: Rule, event: BeforeRequestSent) -> ContinueRequest:
    if not rule.headers and not rule.removed:
        return ContinueRequest(request=event.request.request)
    replaced = rule.removed | {name.lower() for name in rule.headers}
    kept = [header for header in event.request.headers if header.name.lower() not in replaced]
    return ContinueRequest(request=event.request.request, headers=[*kept, *_headers(rule.headers)])


def _answer(rule: Rule, event: BeforeRequestSent, asking: str) -> ProvideResponse:
    sent = _sent_headers(event)
    # Pages of other origins may read the provided response, and the agent need not write a rule for their preflight.
    # https://fetch.spec.whatwg.org/#http-cors-protocol
    said = _NEVER_KEPT | rule.headers
    # Chromium does not report the Origin header.
    if origin := sent.get("origin") or asking:
        said |= {"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true"}
    status, body = rule.status, rule.body
    if event.request.method == "OPTIONS" and _PREFLIGHT in sent:
        said["Access-Control-Allow-Methods"] = sent[_PREFLIGHT]
        said["Access-Control-Allow-Headers"] = sent.get("access-control-request-headers", "")
        status, body = NO_CONTENT, b""
    given = Base64Value(value=b64encode(body).decode())
    return ProvideResponse(request=event.request.request, status_code=status, headers=_headers(said), body=given)


def _sent_headers(event: BeforeRequestSent) -> dict[str, str]:
    return {header.name.lower(): str(header.value) for header in event.request.headers}


def _headers(values: dict[str, str]) -> list[Header]:
    return [Header(name=name, value=StringValue(value=value)) for name, value in values.items()]
