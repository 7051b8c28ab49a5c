"""The requests of a context that were refused, for the audit log."""

from collections import deque
from dataclasses import dataclass

from ada_url import URL

MOST = 50
"""Maximum number of refusals that are kept until somebody takes them; the oldest are only counted."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request that was not sent."""

    place: str
    """The origin of its URL, or host and port: paths and queries may contain secrets."""
    reason: str
    """The option that refused it."""


class Refusals:
    """The refusals since they were taken the last time."""

    def __init__(self) -> None:
        self._kept: deque[Refusal] = deque(maxlen=MOST)
        self._count = 0

    def add(self, place: str, reason: str) -> None:
        """Add one. Repetitions of the newest are only counted."""
        self._count += 1
        refusal = Refusal(place, reason)
        if not self._kept or self._kept[-1] != refusal:
            self._kept.append(refusal)

    def take(self) -> tuple[list[Refusal], int]:
        """Return the refusals and their number, with those that were not kept, and forget them."""
        taken, count = list(self._kept), self._count
        self._kept.clear()
        self._count = 0
        return taken, count


def place_of(url: str) -> str:
    """Return the origin of a URL as a log may contain it: without login, path and query; other URLs as their scheme."""
    try:
        parsed = URL(url)
    except ValueError:
        return "invalid"
    return parsed.origin if parsed.protocol in {"http:", "https:", "ws:", "wss:"} else parsed.protocol
