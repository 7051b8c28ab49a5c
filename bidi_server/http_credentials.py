"""Logins for HTTP authentication, as ``--http-credentials`` takes them."""

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

EXAMPLE = "https://USER:PASSWORD@HOST, where special characters are percent-encoded"


@dataclass(frozen=True, slots=True)
class HttpCredentials:
    """A login for one origin: https://www.rfc-editor.org/rfc/rfc9110#name-http-authentication."""

    origin: str
    """Scheme, host and port, as `bidi_server.browser.origin.origin_of` returns it for requests of a browser."""
    username: str
    password: str

    @classmethod
    def parse(cls, text: str) -> "HttpCredentials":
        """Read ``https://user:password@host:port``. Raises ValueError; its message does not contain the password."""
        parts = urlsplit(text)
        try:
            port = parts.port
        except ValueError:
            raise ValueError(EXAMPLE) from None
        if parts.scheme not in {"http", "https"} or not parts.hostname or not parts.username:
            raise ValueError(EXAMPLE)
        if parts.path not in {"", "/"} or parts.query or parts.fragment:
            raise ValueError(f"{EXAMPLE}, without a path: a login is for a whole origin")
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        default = {"http": 80, "https": 443}[parts.scheme]
        place = host if port in {None, default} else f"{host}:{port}"
        return cls(f"{parts.scheme}://{place}", unquote(parts.username), unquote(parts.password or ""))
