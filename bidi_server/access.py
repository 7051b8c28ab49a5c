"""Access over HTTP: accepted Host and Origin headers, tokens and keys."""

import hashlib
import hmac
import ipaddress
import secrets
import socket
from collections.abc import Iterable
from pathlib import Path

import psutil
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings

SHORTEST = 16
"""Minimum length of a token, in characters."""

SHORTEST_KEY = 32
"""Minimum length of a key, in characters."""


class StartError(Exception):
    """The server cannot start. The message gives the reason and what to do."""


class Tokens:
    """The accepted tokens, which also identify clients. Only digests are kept."""

    def __init__(self, tokens: Iterable[str]) -> None:
        self._digests = [_digest(token) for token in tokens]

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the client of a token, or None. Compares with every token, each in constant time."""
        digest = _digest(token)
        matches = [hmac.compare_digest(digest, known) for known in self._digests]
        if not any(matches):
            return None
        identity = digest.hex()[:16]
        return AccessToken(token=identity, client_id=identity, scopes=[])


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def read_tokens(file: Path) -> list[str]:
    """Return the tokens of a file, one per line; lines that begin with # are comments. Raises `StartError`."""
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise StartError(f"--token-file {file}: it can't be read: {reason}.") from None
    numbered = enumerate(map(str.strip, lines), 1)
    tokens = {number: line for number, line in numbered if line and not line.startswith("#")}
    if not tokens:
        raise StartError(f"--token-file {file}: there is no token in it. Put one on a line of its own.")
    for number, token in tokens.items():
        if len(token) < SHORTEST:
            raise StartError(f"--token-file {file}: the token in line {number} has fewer than {SHORTEST} characters.")
    return list(tokens.values())


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
