"""The proxy server of a context, and the browser's configuration for it."""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from ada_url import URL

from bidi_server.bidi.session import LOOPBACK_TOO, ManualProxyConfiguration
from bidi_server.browser.bounded import keep
from bidi_server.browser.network.refusals import Refusals
from bidi_server.egress import port_of
from bidi_server.errors import InvalidParametersError

Scheme = Literal["http", "https", "socks4", "socks5"]

_PORTS: dict[Scheme, int] = {"http": 80, "https": 443, "socks4": 1080, "socks5": 1080}

LOGIN_NEEDED = 407
"""Status of a proxy's challenge: https://www.rfc-editor.org/rfc/rfc9110#name-407-proxy-authentication-re."""

LOGIN_REFUSED = (
    "the proxy does not accept the login",
    "Create the context again with another username and password.",
)
"""Reason and advice of the error for a proxy that does not accept its login."""

REFUSED, NOT_REACHED = 403, 502
"""Status of our own proxies for a request that is not encrypted, if they don't connect to its host."""

MOST_FAILURES = 1000
"""Maximum number of hosts whose failure is remembered; the oldest are forgotten."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy server. ``bypass`` lists the hosts to connect to directly."""

    scheme: Scheme
    host: str
    port: int
    username: str = ""
    password: str = ""
    bypass: tuple[str, ...] = ()
    trusted: bool = False
    """Whether the operator has chosen it, not a client: then --egress is not for its own address."""

    @classmethod
    def parse(cls, server: str, username: str = "", password: str = "", bypass: str = "") -> "Proxy":
        """Parse an address such as ``socks5://host:1080`` or ``host:3128``. Raises `InvalidParametersError`."""
        text = server.strip() if "://" in server else f"http://{server.strip()}"
        try:
            parts = urlsplit(text)
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
            parts = urlsplit("")
        scheme = "socks5" if parts.scheme in {"socks", "socks5h"} else parts.scheme
        if scheme not in _PORTS or not host:
            raise InvalidParametersError(
                f"{server!r} is not a proxy server.", "Use http://, https://, socks4:// or socks5://HOST:PORT."
            )
        return cls(
            scheme,
            host,
            port or _PORTS[scheme],
            username or parts.username or "",
            password or parts.password or "",
            tuple(re.split(r"[,;\s]+", bypass.strip())) if bypass.strip() else (),
        )

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def answers_login(self) -> bool:
        """Whether the browser asks for the proxy login, and our server answers with it."""
        return self.scheme == "http" and bool(self.username)

    def configuration(self) -> ManualProxyConfiguration:
        """Return the configuration for the browser: https://w3c.github.io/webdriver-bidi/#type-session-ProxyConfiguration."""
        # In Chromium the last rule for a host applies.
        bypass = [LOOPBACK_TOO, *self.bypass]
        address = str(self).partition("://")[2]
        if self.scheme.startswith("socks"):
            version = int(self.scheme[-1])
            return ManualProxyConfiguration(socks_proxy=address, socks_version=version, no_proxy=bypass)
        return ManualProxyConfiguration(http_proxy=address, ssl_proxy=address, no_proxy=bypass)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the last connection to a host was not made."""

    reason: str
    advice: str
    is_refusal: bool = False
    """Whether --egress does not allow it."""


class Failures:
    """The hosts that were not connected to the last time, by ``HOST:PORT``."""

    def __init__(self) -> None:
        self._by_place: dict[str, Failure] = {}
        self.refusals = Refusals()

    def note(self, place: str, failure: Failure) -> None:
        """Note that no connection was made."""
        keep(self._by_place, place, failure, MOST_FAILURES)
        if failure.is_refusal:
            self.refusals.add(place, failure.reason)

    def forget(self, place: str) -> None:
        """Note that a connection was made."""
        self._by_place.pop(place, None)

    def of(self, url: str) -> Failure | None:
        """Return why the last connection to the host of a URL was not made; None if it was, or never tried."""
        try:
            parsed = URL(url)
        except ValueError:
            return None
        return self._by_place.get(f"{parsed.hostname}:{port_of(parsed)}")
