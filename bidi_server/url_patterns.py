"""Patterns of URLs, as ``--allowed-urls`` and ``--blocked-urls`` take them."""

import re
from dataclasses import dataclass
from string import printable
from urllib.parse import quote

from ada_url import URL, idna_to_ascii

from bidi_server.addresses import AddressRange

DEFAULT_PORTS = {"http": 80, "https": 443}
"""Default port of each scheme that a pattern can match."""

MAX_PORT = 65535

_ANY = ".*"


@dataclass(frozen=True, slots=True)
class UrlPattern:
    """A pattern of http and https URLs. ``*`` matches any number of any characters.

    ``example.com`` matches every page of that host on any port, ``*.example.com`` the hosts below it,
    ``localhost:8000`` one port, ``http://localhost:*`` any port, ``https://example.com/docs/*`` a scheme and a path as
    well. The query is part of the path. ``ip:10.0.0.0/8`` matches hosts that are addresses of a range; see
    `AddressRange` for the names of ranges. ``POST|PUT example.com`` matches requests with one of these methods only.
    """

    text: str
    """The pattern as it was given."""
    methods: frozenset[str]
    """Methods in capitals; empty for all."""
    scheme: str
    """http or https; "" for both."""
    host: re.Pattern[str] | AddressRange
    port: int | None
    """None for any port."""
    path: re.Pattern[str]
    """Path and query."""

    @classmethod
    def parse(cls, text: str) -> "UrlPattern":
        """Parse a pattern. Raises ValueError for a pattern that no URL can match; the message describes valid ones."""
        text = text.strip()
        methods, place = _split_methods(text)
        if place.startswith("ip:"):
            everywhere = re.compile(_ANY, re.DOTALL)
            return cls(text, methods, "", AddressRange.parse(place.removeprefix("ip:")), None, everywhere)
        scheme, separator, rest = place.partition("://")
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
        return cls(text, methods, scheme, _glob(_written(host)), number, _glob(_encoded(f"/{path}") if slash else "*"))

    def matches(self, url: URL, method: str) -> bool:
        """Whether the pattern matches a request; its URL is parsed as by https://url.spec.whatwg.org/#url-parsing."""
        scheme, host = url.protocol.removesuffix(":"), url.hostname.rstrip(".")
        return (
            scheme in DEFAULT_PORTS
            and host != ""
            and (not self.methods or method.upper() in self.methods)
            and self.scheme in {"", scheme}
            and self._fits(host)
            and self.port in {None, int(url.port or DEFAULT_PORTS[scheme])}
            and self.path.fullmatch(url.pathname + url.search) is not None
        )

    @property
    def is_of_whole_host(self) -> bool:
        """Whether it matches every path."""
        return self.path.pattern in {_ANY, f"/{_ANY}"}

    def _fits(self, host: str) -> bool:
        if isinstance(self.host, AddressRange):
            return self.host.contains(host)
        return self.host.fullmatch(host) is not None


def _split_methods(text: str) -> tuple[frozenset[str], str]:
    """Return the methods before a pattern, and the pattern."""
    found = re.fullmatch(r"([A-Za-z]+(?:\|[A-Za-z]+)*)\s+(\S+)", text)
    return (frozenset(found[1].upper().split("|")), found[2]) if found else (frozenset(), text)


def _split_place(place: str) -> tuple[str, str]:
    """Return the host and the port of ``HOST[:PORT]``."""
    found = re.fullmatch(r"(\[[0-9A-Fa-f:.*]+\]|[^:\[\]@?]+)(?::(\d+|\*))?", place)
    if not found or not 0 < int((found[2] or "1").replace("*", "1")) <= MAX_PORT:
        raise ValueError("a host, with :PORT or :* if need be, and a path after a slash, such as localhost:*/docs/*")
    return found[1], found[2] or ""


def _written(host: str) -> str:
    """Return a host as browsers write it in URLs: https://url.spec.whatwg.org/#host-parsing."""
    if "*" in host:
        return ".".join(map(_written_label, host.lower().rstrip(".").split(".")))
    try:
        return URL(f"http://{host}").hostname.rstrip(".")
    except ValueError:
        raise ValueError("a host that a URL can have") from None


def _written_label(label: str) -> str:
    """Return a label of a host, which may contain ``*``, as browsers write it."""
    if label.isascii():
        return label
    written = idna_to_ascii(label).decode()
    if not written:
        raise ValueError("a host that a URL can have")
    return written


def _encoded(path: str) -> str:
    """Return a path as browsers write it in URLs: https://url.spec.whatwg.org/#path-percent-encode-set."""
    return quote(path, safe=printable)


def _glob(pattern: str) -> re.Pattern[str]:
    """Return the expression for a pattern. Only ``*`` is special: ``?`` begins the query of a URL."""
    return re.compile(_ANY.join(map(re.escape, pattern.split("*"))), re.DOTALL)
