"""Who may talk to the server over HTTP: the names that it goes by, and the tokens that clients must send."""

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
"""Characters that a token has at least."""

SHORTEST_KEY = 32
"""Characters that a key has at least."""


class StartError(Exception):
    """The server can't start; the message says why and what to do."""


class Tokens:
    """The tokens that are accepted; clients are told apart by theirs. Only their digests are kept."""

    def __init__(self, tokens: Iterable[str]) -> None:
        self._digests = [_digest(token) for token in tokens]

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return who sent a token, None for an unknown one. All are compared, each in constant time."""
        digest = _digest(token)
        matches = [hmac.compare_digest(digest, known) for known in self._digests]
        if not any(matches):
            return None
        identity = digest.hex()[:16]
        return AccessToken(token=identity, client_id=identity, scopes=[])


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def read_tokens(file: Path) -> list[str]:
    """Return the tokens of a file, one a line; what begins with # is a comment. Raises `StartError`."""
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
    """Return a token that can't be guessed."""
    return secrets.token_urlsafe(32)


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def names_of(host: str, more: Iterable[str] = ()) -> TransportSecuritySettings:
    """Return which Host and Origin headers fit a server that listens on an address.

    Others come from pages that have a name of theirs point here (DNS rebinding).
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
