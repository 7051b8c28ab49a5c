"""Which pages may be opened: ``--allowed-urls``, and for clients on other machines those of the web."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from bidi_server.errors import NotAllowedError

DEFAULT_PORTS = {"http": 80, "https": 443}

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
    """Patterns of URLs. ``*`` stands for any characters, also none.

    ``example.com`` is every page of that host, ``*.example.com`` of the hosts below it, ``localhost:8000`` of that
    port; ``https://example.com/docs/*`` says the rest as well. A query counts as part of the path.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = [_split(pattern) for pattern in patterns]

    def allows(self, url: str) -> bool:
        """Whether a page may be opened: only http and https can be allowed; an empty page always is."""
        if url == "about:blank":
            return True
        try:
            parts = urlsplit(url)
            port = parts.port or DEFAULT_PORTS.get(parts.scheme)
        except ValueError:
            return False
        host = (parts.hostname or "").rstrip(".")
        if parts.scheme not in DEFAULT_PORTS or not host or "\\" in url:
            return False
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return any(
            scheme in {"", parts.scheme}
            and wanted.fullmatch(host)
            and (wanted_port or (DEFAULT_PORTS[scheme] if scheme else port)) == port
            and wanted_path.fullmatch(path)
            for scheme, wanted, wanted_port, wanted_path in self._patterns
        )


def _split(pattern: str) -> tuple[str, re.Pattern[str], int | None, re.Pattern[str]]:
    scheme, there, rest = pattern.strip().partition("://")
    if not there:
        scheme, rest = "", scheme
    place, slash, path = rest.partition("/")
    host, colon, port = place.rpartition(":")
    if not colon or not port.isdigit():
        host, port = place, ""
    # Brackets are part of IPv6 addresses.
    literal = host.strip("[]").lower().rstrip(".")
    return scheme.lower(), _glob(literal), int(port) if port else None, _glob(f"/{path}" if slash else "*")


def _glob(pattern: str) -> re.Pattern[str]:
    """Only ``*`` stands for something else: ``?`` begins the query of a URL."""
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
