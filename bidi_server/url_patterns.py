"""Patterns of page URLs, as ``--allowed-urls`` takes them."""

import re
from dataclasses import dataclass
from urllib.parse import SplitResult

DEFAULT_PORTS = {"http": 80, "https": 443}
"""Default port of each scheme that a pattern can match."""

MAX_PORT = 65535


@dataclass(frozen=True, slots=True)
class UrlPattern:
    """A pattern of http and https URLs. ``*`` matches any number of any characters.

    ``example.com`` matches every page of that host on any port, ``*.example.com`` the hosts below it,
    ``localhost:8000`` one port, ``http://localhost:*`` any port, ``https://example.com/docs/*`` a scheme and a path as
    well. The query is part of the path.
    """

    scheme: str
    """http or https; "" for both."""
    host: re.Pattern[str]
    port: int | None
    """None for any port."""
    path: re.Pattern[str]
    """Path and query."""

    @classmethod
    def parse(cls, text: str) -> "UrlPattern":
        """Parse a pattern. Raises ValueError for a pattern that no URL can match; the message describes valid ones."""
        scheme, separator, rest = text.strip().partition("://")
        if not separator:
            scheme, rest = "", scheme
        scheme = "" if scheme == "*" else scheme.lower()
        if scheme and scheme not in DEFAULT_PORTS:
            raise ValueError("a pattern of http or https pages, such as example.com or http://localhost:*")
        if re.search(r"[\s\\#\x00-\x1f]", rest):
            raise ValueError("a pattern without spaces, backslashes and fragments (#…)")
        place, slash, path = rest.partition("/")
        host, port = _split_place(place)
        default = DEFAULT_PORTS.get(scheme)
        number = default if not port else None if port == "*" else int(port)
        return cls(scheme, _glob(_ascii(host)), number, _glob(f"/{path}" if slash else "*"))

    def matches(self, parts: SplitResult) -> bool:
        """Whether the pattern matches a URL that was split; ValueError for an invalid port."""
        port = parts.port or DEFAULT_PORTS.get(parts.scheme)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return (
            self.scheme in {"", parts.scheme}
            and self.host.fullmatch((parts.hostname or "").rstrip(".")) is not None
            and self.port in {None, port}
            and self.path.fullmatch(path) is not None
        )


def _split_place(place: str) -> tuple[str, str]:
    """Return the host and the port of ``HOST[:PORT]``; brackets around an IPv6 address are removed."""
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.*]+)\]|([^:\[\]@?]+))(?::(\d+|\*))?", place)
    if not found or not 0 < int((found[3] or "1").replace("*", "1")) <= MAX_PORT:
        raise ValueError("a host, with :PORT or :* if need be, and a path after a slash, such as localhost:*/docs/*")
    return (found[1] or found[2]).lower().rstrip("."), found[3] or ""


def _ascii(host: str) -> str:
    """Return a host as browsers write it in URLs: https://url.spec.whatwg.org/#concept-domain-to-ascii."""
    try:
        return ".".join(label if label.isascii() else label.encode("idna").decode() for label in host.split("."))
    except UnicodeError:
        raise ValueError("a host that a URL can have") from None


def _glob(pattern: str) -> re.Pattern[str]:
    """Return the expression for a pattern. Only ``*`` is special: ``?`` begins the query of a URL."""
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
