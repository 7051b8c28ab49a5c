"""The pages that may be opened: those of ``--allowed-urls`` that are not of ``--blocked-urls``.

For clients on other machines, pages of the web only.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ada_url import URL

from bidi_server.errors import NotAllowedError
from bidi_server.url_patterns import UrlPattern

_OF_THE_WEB = re.compile(r"(https?|data|blob):|about:blank([?#]|$)", re.IGNORECASE)


def is_of_the_web(url: str) -> bool:
    """Whether a URL is of the web: unlike ``file:`` URLs and built-in pages, it shows nothing of the browser's machine.

    Browsers do not let web pages navigate to these other URLs, but open them when we ask.
    """
    return _OF_THE_WEB.match(url) is not None


def was_not_opened(url: str, reason: str) -> str:
    """Return the message for a page that `AllowList` forbids for a reason."""
    return f"{url} was not opened: {reason}."


def not_allowed(url: str, reason: str) -> NotAllowedError:
    """Return the error for a call that would have shown a page that `AllowList` forbids for a reason."""
    return NotAllowedError(was_not_opened(url, reason), "Use another page.", {"url": url})


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a request may be sent, and why."""

    allows: bool
    reason: str
    """The option that decides, and what it does."""
    pattern: str = ""
    """The pattern that matches; "" if none does."""


class AllowList:
    """The only pages that may be opened and the URLs that are blocked, as patterns; see `UrlPattern` for the syntax.

    An empty list of ``allowed`` patterns allows every page.
    """

    def __init__(self, allowed: Sequence[str], blocked: Sequence[str] = ()) -> None:
        self._allowed = [UrlPattern.parse(pattern) for pattern in allowed]
        self._blocked = [UrlPattern.parse(pattern) for pattern in blocked]

    def decide(self, url: str, method: str = "GET", *, for_page: bool) -> Decision:
        """Return whether a request may be sent: one for a page, or one for any other purpose.

        Only http and https URLs match a pattern; ``about:blank`` may always be opened.
        """
        try:
            parsed = URL(url)
        except ValueError:
            parsed = None
        if blocking := _first(self._blocked, parsed, method):
            return Decision(False, "--blocked-urls blocks it", blocking.text)
        if not for_page or not self._allowed or url == "about:blank":
            return Decision(True, "nothing forbids it")
        if allowing := _first(self._allowed, parsed, method):
            return Decision(True, "--allowed-urls allows it", allowing.text)
        return Decision(False, "--allowed-urls does not allow it")

    def why_not(self, url: str, method: str = "GET", *, for_page: bool = True) -> str:
        """Return the reason why a request must not be sent; "" if it may be."""
        decision = self.decide(url, method, for_page=for_page)
        return "" if decision.allows else decision.reason


def _first(patterns: Sequence[UrlPattern], url: URL | None, method: str) -> UrlPattern | None:
    return next((pattern for pattern in patterns if url is not None and pattern.matches(url, method)), None)
