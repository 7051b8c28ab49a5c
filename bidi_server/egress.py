"""Where a browser may connect to: the policy of ``--egress``, for hosts and the addresses that they have."""

from collections.abc import Sequence
from dataclasses import dataclass

from ada_url import URL

from bidi_server.addresses import Address, AddressRange, own_addresses
from bidi_server.url_patterns import UrlPattern

OPEN = "open"
PUBLIC = "public"

_NOT_PUBLIC = AddressRange(None)


@dataclass(frozen=True, slots=True)
class Request:
    """A request as a proxy sees it: with its URL and method, or of one that is encrypted the host and port only."""

    host: str
    """As in a URL: a name in ASCII, or an address, in brackets if it is one of IPv6."""
    port: int
    target: str = ""
    """Path and query; "" if the request is encrypted."""
    method: str = ""
    """The method; "" if the request is encrypted."""

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def is_encrypted(self) -> bool:
        """Whether its path and method are unknown, as they are for https, and for WebSockets of either kind."""
        return not self.method

    @property
    def urls(self) -> list[URL]:
        """The URL, or what it may be: the scheme of an encrypted one is unknown."""
        schemes = ("http", "https") if self.is_encrypted else ("http",)
        return [URL(f"{scheme}://{self}{self.target}") for scheme in schemes]


@dataclass(frozen=True, slots=True)
class EgressPolicy:
    """The hosts that may be reached: those of ``patterns``, and with ``public`` those with a public address.

    ``blocked`` are patterns of requests that are refused in any case.
    """

    text: str
    """The option as it was given."""
    public: bool
    patterns: tuple[UrlPattern, ...]
    blocked: tuple[UrlPattern, ...] = ()
    own: frozenset[Address] = frozenset()
    """Addresses that this machine had at the start. ``public`` does not allow them even if they are public."""

    @classmethod
    def parse(cls, entries: Sequence[str], blocked: Sequence[str] = ()) -> "EgressPolicy | None":
        """Parse the entries of the option; None allows everything. Raises ValueError: the message says what fits."""
        if OPEN in entries:
            if len(entries) > 1:
                raise ValueError("open alone, or public and hosts")
            return None
        patterns = tuple(UrlPattern.parse(entry) for entry in entries if entry != PUBLIC)
        if any(pattern.methods or not pattern.is_of_whole_host for pattern in patterns):
            raise ValueError("hosts without methods and paths, which can't be seen in encrypted requests")
        public = PUBLIC in entries
        own = own_addresses() if public else frozenset[Address]()
        return cls(", ".join(entries), public, patterns, tuple(map(UrlPattern.parse, blocked)), own)

    def names(self, request: Request) -> bool:
        """Whether a pattern names the host itself, so that it may be reached whatever its addresses are."""
        return any(
            not isinstance(pattern.host, AddressRange) and pattern.matches(url, "GET")
            for url in request.urls
            for pattern in self.patterns
        )

    def lets(self, address: Address) -> bool:
        """Whether hosts with this address may be reached."""
        is_public = self.public and not _NOT_PUBLIC.holds(address) and address not in self.own
        return is_public or any(_holds(pattern, address) for pattern in self.patterns)

    @property
    def heeds_addresses(self) -> bool:
        """Whether the address of a host can matter: otherwise names are not looked up."""
        return self.public or any(isinstance(each.host, AddressRange) for each in (*self.patterns, *self.blocked))

    def why_not(self, request: Request, addresses: Sequence[Address]) -> str:
        """Return the reason why a request for a host with these addresses must not be sent; "" if it may be."""
        for pattern in self.blocked:
            if _blocks(pattern, request, addresses):
                return f"--blocked-urls blocks it (by {pattern.text!r})"
        if self.names(request) or any(map(self.lets, addresses)):
            return ""
        found = " and ".join(map(str, addresses[:2]))
        host = request.host if not found or request.host.strip("[]") == found else f"{request.host} ({found})"
        what = "not one of its hosts"
        if self.public and found:
            is_own = any(address in self.own for address in addresses)
            what = "an address of this machine" if is_own else "not a public address"
        return f"--egress {self.text} does not allow it: {host} is {what}"


def _holds(pattern: UrlPattern, address: Address) -> bool:
    return isinstance(pattern.host, AddressRange) and pattern.host.holds(address)


def _blocks(pattern: UrlPattern, request: Request, addresses: Sequence[Address]) -> bool:
    """Whether a pattern blocks a request. Only patterns of whole hosts can block an encrypted one."""
    if request.is_encrypted and (pattern.methods or not pattern.is_of_whole_host):
        return False
    if isinstance(pattern.host, AddressRange):
        fits = not pattern.methods or request.method.upper() in pattern.methods
        return fits and any(_holds(pattern, address) for address in addresses)
    return any(pattern.matches(url, request.method or "GET") for url in request.urls)


def port_of(url: URL) -> int:
    """Return the port of a URL for which a browser connects to a host, the default one if it names none."""
    return int(url.port or (443 if url.protocol in ("https:", "wss:") else 80))
