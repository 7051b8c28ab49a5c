"""The proxy server of a context, and the browser's configuration for it."""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from bidi_server.bidi.session import ManualProxyConfiguration
from bidi_server.errors import InvalidParametersError

Scheme = Literal["http", "https", "socks4", "socks5"]

_PORTS: dict[Scheme, int] = {"http": 80, "https": 443, "socks4": 1080, "socks5": 1080}

LOOPBACK_TOO = "<-loopback>"
"""Chromium's bypass rule that sends loopback addresses through the proxy too. Firefox treats it as a host name."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy server. ``bypass`` lists the hosts to connect to directly."""

    scheme: Scheme
    host: str
    port: int
    username: str = ""
    password: str = ""
    bypass: tuple[str, ...] = ()

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
    def needs_relay(self) -> bool:
        """Whether the proxy needs a relay: browsers support neither SOCKS logins nor TLS to a manually set proxy."""
        return self.scheme == "https" or (self.scheme.startswith("socks") and bool(self.username))

    @property
    def answers_login(self) -> bool:
        """Whether the browser asks for the proxy login, and our server answers with it."""
        return self.scheme == "http" and bool(self.username)

    def configuration(self, relay_port: int | None = None) -> ManualProxyConfiguration:
        """Return the configuration for the browser: https://w3c.github.io/webdriver-bidi/#type-session-ProxyConfiguration."""
        # In Chromium the last rule for a host applies.
        bypass = [LOOPBACK_TOO, *self.bypass]
        if relay_port is not None:
            return ManualProxyConfiguration(socks_proxy=f"127.0.0.1:{relay_port}", socks_version=5, no_proxy=bypass)
        address = str(self).partition("://")[2]
        if self.scheme.startswith("socks"):
            version = int(self.scheme[-1])
            return ManualProxyConfiguration(socks_proxy=address, socks_version=version, no_proxy=bypass)
        return ManualProxyConfiguration(http_proxy=address, ssl_proxy=address, no_proxy=bypass)
