"""The address of a Grid or of a driver, and what went wrong on the way there."""

from urllib.parse import urlsplit, urlunsplit


def reason_of(error: Exception) -> str:
    """Return the part of an error of urllib3, or of requests on top of it, that says what was wrong."""
    return str(error).partition("(Caused by ")[2].rstrip(")") or str(error)


def without_login(address: str) -> str:
    """Return a URL as it may be shown."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])).rstrip("/")


def is_local(address: str) -> bool:
    """Whether a URL is of this machine."""
    return urlsplit(address).hostname in {"localhost", "127.0.0.1", "::1"}
