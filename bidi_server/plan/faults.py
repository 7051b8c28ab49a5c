"""Console errors and failed requests, and which of two are the same: engines tell of one cause in their own words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

_CLASS = re.compile(r"(?:Uncaught )?(?:\(in promise\) )?(\w*(?:Error|Exception))\b: ?")

_UNCAUGHT = re.compile(r"^Uncaught (?:\(in promise\) )?")

_VARYING = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b|\d+")

_FETCH_FAILED = re.compile(r"Failed to fetch|NetworkError when attempting to fetch resource\.|Load failed")
"""The messages of Chromium, Firefox and WebKit for a ``fetch`` that gets no answer."""


def general(text: str) -> str:
    """Return a URL or message without what may differ between two runs: UUIDs, hexadecimal ids and numbers are 0."""
    return _VARYING.sub("0", text)


def is_icon(url: str) -> bool:
    """Whether a URL is that of a site's icon, which the browser asks for on its own, and not in each run."""
    return urlsplit(url).path == "/favicon.ico"


@dataclass(frozen=True, slots=True)
class ConsoleError:
    """An error in the console."""

    text: str
    url: str = ""
    """URL of the script; "" if it is not known."""
    line: int = 0
    """Line of the script, from 1; 0 if it is not known."""

    @property
    def bare(self) -> str:
        """The text without Chromium's words for an error that nobody caught."""
        return _UNCAUGHT.sub("", self.text)

    @property
    def error_class(self) -> str:
        """Name of the class of the error; "" if the text does not begin with one."""
        match = _CLASS.match(self.text)
        return match[1] if match else ""

    def has_same_cause(self, other: "ConsoleError") -> bool:
        """Whether an error with other words has the same cause: the same class, and no other position is known.

        Firefox sometimes reports a rejected promise, and both report a syntax error, without a position.
        """
        if not self.error_class or self.error_class != other.error_class:
            return False
        is_known = all(urlsplit(each.url).scheme for each in (self, other))
        return (self.url, self.line) == (other.url, other.line) or not is_known


@dataclass(frozen=True, slots=True)
class FailedRequest:
    """A request that failed, or was answered with an HTTP error."""

    method: str
    url: str
    result: str
    """The HTTP status, or the engine's words for the failure."""

    def __str__(self) -> str:
        return f"{self.method} {self.url} → {self.result}"

    @property
    def is_for_icon(self) -> bool:
        """Whether it asks for the site's icon."""
        return is_icon(self.url)

    def is_same(self, other: "FailedRequest") -> bool:
        """Whether it is the same request, with the same HTTP status or in two engines' words for a failure.

        Firefox fails a module that is answered with 404, where Chromium reports the status.
        """
        if (self.method, general(self.url)) != (other.method, general(other.url)):
            return False
        return self.result == other.result or not (self.result.isdecimal() and other.result.isdecimal())


def new_errors(before: Sequence[ConsoleError], after: Sequence[ConsoleError]) -> list[ConsoleError]:
    """Return the errors of the second run that the first did not have."""
    known = {_in_any_engine(each) for each in before}
    return [
        each
        for each in after
        if _in_any_engine(each) not in known and not any(each.has_same_cause(other) for other in before)
    ]


def _in_any_engine(error: ConsoleError) -> str:
    return general(_FETCH_FAILED.sub("Failed to fetch", error.bare))


def new_failures(before: Sequence[FailedRequest], after: Sequence[FailedRequest]) -> list[FailedRequest]:
    """Return the failed requests of the second run that the first did not have."""
    return [each for each in after if not any(each.is_same(other) for other in before)]
