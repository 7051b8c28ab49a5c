"""Texts with the value of a secret in them, and where they may go."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from bidi_server.errors import NotAllowedError


class SecretText(str):
    """A text with values of secrets in it.

    Its `repr` shows names, but every other operation of `str` gives the value, and often a plain `str`: pass it on as
    it is up to the place that enters it.
    """

    __slots__ = ("names", "origins", "shown", "splits")

    names: str
    """The names of the secrets, for an error."""
    shown: str
    """The text with ``{{NAME}}`` in place of the values."""
    origins: tuple[str, ...] | None
    """The only origins that the text may go to; None for all."""
    splits: bool
    """Whether its characters may be entered one by one, which shows the page, and its log, each beginning of it."""

    @classmethod
    def of(cls, value: str, shown: str, names: str, origins: tuple[str, ...] | None, *, splits: bool) -> "SecretText":
        """Return a text with values in it."""
        text = cls(value)
        text.shown, text.names, text.origins, text.splits = shown, names, origins, splits
        return text

    def __repr__(self) -> str:
        return repr(self.shown)


def bound(text: object) -> tuple[str, ...] | None:
    """Return the only origins that a text may go to; None for all."""
    return text.origins if isinstance(text, SecretText) else None


def in_one_piece(text: object) -> bool:
    """Whether a text must be entered at once."""
    return isinstance(text, SecretText) and not text.splits


def check_origins(texts: Iterable[object], origin: str, where: str) -> None:
    """Raise `NotAllowedError` if one of the texts may not go to an origin; "" is none that a secret may go to.

    ``where`` says what the text would be used for.
    """
    for text in texts:
        if isinstance(text, SecretText) and text.origins is not None and origin not in text.origins:
            raise refused(text.names, text.origins, where)


def check_cookie(text: object, domain: str, *, secure: bool) -> None:
    """Raise `NotAllowedError` if a text may not be the value of a cookie, which goes to a host and all of its ports."""
    if not isinstance(text, SecretText) or text.origins is None:
        return
    host = domain.removeprefix(".").lower()
    fitting = [origin for origin in text.origins if urlsplit(origin).hostname == host]
    if not fitting:
        raise refused(text.names, text.origins, f"in a cookie of {host}")
    if not secure and not any(origin.startswith("http:") for origin in fitting):
        raise NotAllowedError(f"{text.names} may not be used in a cookie that http carries too.", "Pass secure: true.")


def check_pattern(texts: Iterable[object], pattern: str) -> None:
    """Raise `NotAllowedError` if one of the texts may not go to all URLs of a glob."""
    parts = urlsplit(pattern)
    is_one = parts.scheme in {"http", "https"} and parts.netloc and not set("*?{}[]") & set(parts.netloc)
    # A pattern without a path may match hosts that begin with this one.
    origin = f"{parts.scheme}://{parts.netloc}" if is_one and parts.path.startswith("/") else ""
    check_origins(texts, origin, "for the requests of this pattern, which is not of one origin that it is for")


def refused(names: str, origins: Iterable[str], where: str) -> NotAllowedError:
    """Return the error for a secret that may not be used somewhere."""
    return NotAllowedError(
        f"{names} may not be used {where}.",
        f"It is only for {' and '.join(origins) or 'no origin that all of them are for'}.",
    )
