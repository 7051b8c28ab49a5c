"""Rules of one context for requests: pages that must not be opened, requests to block or to answer ourselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from bidi_server.bidi.network import BeforeRequestSent
    from bidi_server.browser.network.allow_list import AllowList
    from bidi_server.browser.pattern import Pattern


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
