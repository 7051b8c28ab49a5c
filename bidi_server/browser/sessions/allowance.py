"""What a client may do: the tools that it may call, and how many calls, bytes and sessions it may have."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from math import ceil
from typing import Protocol
from weakref import WeakSet

import trio

from bidi_server.errors import LimitError, NotAllowedError, RateLimitError

MINUTE = 60.0
"""Length of the sliding window of the limits, in seconds."""


class _Closable(Protocol):
    """A session, as far as it is counted."""

    closed: bool


class Window:
    """The sum of what was added within the last `MINUTE`."""

    def __init__(self) -> None:
        self._added: deque[tuple[float, int]] = deque()
        self._sum = 0

    def add(self, amount: int) -> None:
        """Add an amount now."""
        self._added.append((trio.current_time(), amount))
        self._sum += amount

    def total(self) -> int:
        """Return the sum."""
        now = trio.current_time()
        while self._added and now - self._added[0][0] >= MINUTE:
            self._sum -= self._added.popleft()[1]
        return self._sum

    def seconds_until_below(self, most: int) -> float:
        """Return the time until the sum is lower than ``most``, if nothing is added."""
        rest = self.total()
        for time, amount in self._added:
            if rest < most:
                break
            rest -= amount
            if rest < most:
                return max(0.0, time + MINUTE - trio.current_time())
        return 0.0


@dataclass(slots=True)
class Usage:
    """The part of an allowance that is used, in all connections of its holder together."""

    calls: Window = field(default_factory=Window)
    sent: Window = field(default_factory=Window)
    """Bytes of answers."""
    sessions: WeakSet[_Closable] = field(default_factory=WeakSet[_Closable])
    """The sessions that the holder has opened."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """The rights and limits of a client. By default it may do everything; limits that are None are not set."""

    holder: str = "The client"
    """Subject of the sentences of errors."""
    way_out: str = ""
    """Advice on who can raise a limit."""
    who: Mapping[str, str] = field(default_factory=dict[str, str])
    """The holder in the audit log."""
    usage: Usage = field(default_factory=Usage)
    sessions: int | None = None
    calls_per_minute: int | None = None
    bytes_per_minute: int | None = None
    tools: Sequence[str] = ()
    """Names of the tools, where ``*`` matches any characters; empty for all."""
    caps: frozenset[str] | None = None
    """The only capabilities whose tools may be called, and enabled; None for all."""
    scopes: frozenset[str] | None = None
    """The scopes of an OAuth access token; None if the client does not use OAuth."""

    @property
    def restricts_tools(self) -> bool:
        """Whether the client's list may lack tools."""
        return bool(self.tools) or self.caps is not None

    def offers(self, tool: str, capabilities: Sequence[str], *, enables: bool) -> bool:
        """Whether a tool is in the client's list; ``enables`` says that it enables others.

        Tools whose scope is missing are in the list too: their calls make clients ask for more scopes.
        """
        if self.tools and not any(fnmatchcase(tool, pattern) for pattern in self.tools):
            return False
        if self.caps is None:
            return True
        is_enabled = not capabilities or not self.caps.isdisjoint(capabilities)
        return is_enabled and not enables  # the client has all capabilities that it may have

    def check_scope(self, tool: str, scopes: Sequence[str]) -> None:
        """Check that the access token has one of the scopes of a tool. Raises `NotAllowedError`."""
        if self.scopes is not None and self.scopes.isdisjoint(scopes):
            raise NotAllowedError(
                f"{tool} needs the scope {' or '.join(scopes)}, which the access token does not have.",
                "Log in again with this scope.",
            )

    def check_session(self) -> None:
        """Check that another session may be opened. Raises `LimitError`."""
        if self.sessions is None or sum(not session.closed for session in self.usage.sessions) < self.sessions:
            return
        plural = "session" if self.sessions == 1 else "sessions"
        raise LimitError(
            f"{self.holder} has {self.sessions} open {plural}, which is the limit.",
            f"Go on in one of them, or close one. {self.way_out}".strip(),
        )

    def take_call(self) -> None:
        """Count a call. Raises `RateLimitError`, with the seconds until the next call is allowed."""
        if self.calls_per_minute is not None and self.usage.calls.total() >= self.calls_per_minute:
            self._refuse(
                f"{self.holder} has made {self.calls_per_minute:,} calls within a minute, which is the limit.",
                self.usage.calls.seconds_until_below(self.calls_per_minute),
            )
        if self.bytes_per_minute is not None and (sent := self.usage.sent.total()) >= self.bytes_per_minute:
            self._refuse(
                f"{self.holder} has received {sent:,} bytes within a minute; the limit is {self.bytes_per_minute:,}.",
                self.usage.sent.seconds_until_below(self.bytes_per_minute),
            )
        if self.calls_per_minute is not None:
            self.usage.calls.add(1)

    def count_sent(self, size: Callable[[], int]) -> None:
        """Count the bytes of an answer, which are only asked for if there is a limit."""
        if self.bytes_per_minute is not None:
            self.usage.sent.add(size())

    def _refuse(self, what: str, seconds: float) -> None:
        wait = max(1, ceil(seconds))
        raise RateLimitError(what, f"Wait {wait} s. {self.way_out}".strip(), {"retry_after_seconds": wait})
