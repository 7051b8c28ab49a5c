"""Which pages may be opened: ``--allowed-urls``, and for clients on other machines those of the web."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from bidi_server.errors import NotAllowedError
from bidi_server.url_patterns import DEFAULT_PORTS, UrlPattern

_OF_THE_WEB = re.compile(r"(https?|data|blob):|about:blank([?#]|$)", re.IGNORECASE)


def is_of_the_web(url: str) -> bool:
    """Whether a page shows nothing of the browser's machine, unlike ``file:`` and the pages that browsers bring along.

    Browsers let no page of the web lead to one of those, but open whatever we tell them to.
    """
    return _OF_THE_WEB.match(url) is not None


def was_not_opened(url: str) -> str:
    """Return what is said of a page that `AllowList` forbids."""
    return f"{url} was not opened: --allowed-urls does not allow it."


def not_allowed(url: str) -> NotAllowedError:
    """Return the error of a call that would have shown a page that `AllowList` forbids."""
    return NotAllowedError(was_not_opened(url), "Use another page.", {"url": url})


class AllowList:
    """The only pages that may be opened; see `UrlPattern` for how they are written."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = [UrlPattern.parse(pattern) for pattern in patterns]

    def allows(self, url: str) -> bool:
        """Whether a page may be opened: only http and https can be allowed; an empty page always is."""
        if url == "about:blank":
            return True
        try:
            parts = urlsplit(url)
            if parts.scheme not in DEFAULT_PORTS or not (parts.hostname or "").rstrip(".") or "\\" in url:
                return False
            return any(pattern.matches(parts) for pattern in self._patterns)
        except ValueError:
            return False
