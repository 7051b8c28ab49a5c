"""The pages that may be opened: those of ``--allowed-urls``; for clients on other machines, pages of the web only."""

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


def was_not_opened(url: str) -> str:
    """Return the message for a page that `AllowList` forbids."""
    return f"{url} was not opened: --allowed-urls does not allow it."


def not_allowed(url: str) -> NotAllowedError:
    """Return the error for a call that would have shown a page that `AllowList` forbids."""
    return NotAllowedError(was_not_opened(url), "Use another page.", {"url": url})


class AllowList:
    """The only pages that may be opened, as a list of patterns; see `UrlPattern` for the syntax."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = [UrlPattern.parse(pattern) for pattern in patterns]

    def allows(self, url: str) -> bool:
        """Whether a page may be opened. Only http and https URLs can be allowed; ``about:blank`` always is."""
        if url == "about:blank":
            return True
        try:
            parsed = URL(url)
        except ValueError:
            return False
        return any(pattern.matches(parsed) for pattern in self._patterns)
