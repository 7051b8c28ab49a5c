"""The pages that may be opened: those of ``--allowed-urls`` that are not of ``--blocked-urls``.

For clients on other machines, pages of the web only.
"""

import re
from collections.abc import Sequence

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


class AllowList:
    """The only pages that may be opened and the URLs that are blocked, as patterns; see `UrlPattern` for the syntax.

    An empty list of ``allowed`` patterns allows every page.
    """

    def __init__(self, allowed: Sequence[str], blocked: Sequence[str] = ()) -> None:
        self._allowed = [UrlPattern.parse(pattern) for pattern in allowed]
        self._blocked = [UrlPattern.parse(pattern) for pattern in blocked]

    def why_not(self, url: str) -> str:
        """Return the reason why a page must not be opened; "" if it may be.

        Only http and https URLs match a pattern; ``about:blank`` may always be opened.
        """
        if self.blocks(url):
            return "--blocked-urls blocks it"
        if not self._allowed or url == "about:blank" or _matches(self._allowed, url):
            return ""
        return "--allowed-urls does not allow it"

    def blocks(self, url: str) -> bool:
        """Whether a request for any purpose must not be sent."""
        return _matches(self._blocked, url)


def _matches(patterns: Sequence[UrlPattern], url: str) -> bool:
    try:
        parsed = URL(url)
    except ValueError:
        return False
    return any(pattern.matches(parsed) for pattern in patterns)
