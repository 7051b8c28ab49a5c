"""Addresses of Grids and drivers, and the reasons of failed connections to them."""

from urllib.parse import urlsplit, urlunsplit


def reason_of(error: Exception) -> str:
    """Return the cause that an error of urllib3 or requests contains, or its whole message."""
    return str(error).partition("(Caused by ")[2].rstrip(")") or str(error)


def without_login(address: str) -> str:
    """Return a URL without user, password and trailing slashes, which is safe to show."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])).rstrip("/")


def is_local(address: str) -> bool:
    """Whether a URL points to this machine."""
    return urlsplit(address).hostname in {"localhost", "127.0.0.1", "::1"}
