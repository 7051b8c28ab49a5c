"""Access over HTTP: accepted Host and Origin headers, keys, and what is known of the holder of a token."""

import hashlib
import ipaddress
import secrets
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import psutil
from mcp.server.transport_security import TransportSecuritySettings

SHORTEST_KEY = 32
"""Minimum length of a key, in characters."""


class StartError(Exception):
    """The server cannot start. The message gives the reason and what to do."""


class RejectedError(Exception):
    """A token is not accepted, for this reason."""


class IssuerUnavailableError(Exception):
    """Tokens can't be checked, because the keys of their issuer are not known. The message gives the reason."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The person or program that an OAuth access token is for."""

    issuer: str
    name: str
    """The claim ``sub``, unique for the issuer."""
    client: str
    """The client that the issuer knows; "" if the token does not say."""
    scopes: frozenset[str]
    expires_at: int
    """Seconds since 1970."""

    @property
    def identity(self) -> str:
        """Owner of sessions and name of the folder for files. No static token has such a name."""
        return "@" + hashlib.sha256(f"{self.issuer}\0{self.name}".encode(errors="surrogatepass")).hexdigest()[:32]


def read_key(file: Path | None) -> bytes:
    """Return the key in a file, or a random one. Raises `StartError`."""
    if file is None:
        return secrets.token_bytes(32)
    try:
        key = file.read_bytes().strip()
    except OSError as error:
        raise StartError(f"--handle-key {file}: it can't be read: {error.strerror}.") from None
    if len(key) < SHORTEST_KEY:
        raise StartError(f"--handle-key {file}: it has fewer than {SHORTEST_KEY} characters. Try: openssl rand -hex 32")
    return key


def new_token() -> str:
    """Return a new random token."""
    return secrets.token_urlsafe(32)


def is_loopback(host: str) -> bool:
    """Whether an address is reachable from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def names_of(host: str, more: Iterable[str] = ()) -> TransportSecuritySettings:
    """Return the Host and Origin headers that a server on an address accepts.

    Requests with other headers come from pages whose host name resolves to this machine (DNS rebinding).
    https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
    """
    names = {"127.0.0.1", "localhost", "::1"} if is_loopback(host) else {host}
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - the user's wish, compared here
        addresses = [address for found in psutil.net_if_addrs().values() for address in found]
        names = {"localhost", socket.gethostname(), socket.getfqdn()}
        names |= {address.address.partition("%")[0] for address in addresses if address.family in _INTERNET}
    written = [f"[{name}]" if ":" in name else name for name in sorted(names | set(more))]
    origins = [f"{scheme}://{name}" for name in written for scheme in ("http", "https")]
    return TransportSecuritySettings(
        allowed_hosts=[form for name in written for form in (name, f"{name}:*")],
        allowed_origins=[form for origin in origins for form in (origin, f"{origin}:*")],
    )


_INTERNET = {socket.AF_INET, socket.AF_INET6}
