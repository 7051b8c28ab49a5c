"""A rate limit for calls."""

from collections import deque

import trio

from bidi_server.errors import RateLimitError

WINDOW = 60.0
"""Length of the sliding window, in seconds (seed 004)."""


class Rate:
    """A limit of ``most`` calls within `WINDOW`; 0 means no limit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._times: deque[float] = deque()

    def take(self) -> None:
        """Count a call. Raises `RateLimitError` with the seconds until the next call is allowed."""
        if not self._most:
            return
        now = trio.current_time()
        while self._times and now - self._times[0] >= WINDOW:
            self._times.popleft()
        if len(self._times) >= self._most:
            wait = max(0.1, round(self._times[0] + WINDOW - now + 0.05, 1))
            raise RateLimitError(
                f"The session has made {self._most} calls within {WINDOW:g} s.",
                f"Wait {wait:g} s, or start the server with another --rate-limit.",
                {"retry_after_seconds": wait, "limit": self._most},
            )
        self._times.append(now)
