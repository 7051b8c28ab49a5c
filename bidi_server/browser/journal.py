"""The journal of a tab: what the browser has reported about it, in the order of the reports."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar, cast

T = TypeVar("T")

LIMIT = 100
"""Maximum number of entries of a type, unless its log has another."""


class Log(Generic[T]):
    """The newest entries of one type in a journal, at most ``limit``.

    With ``weigh``, their total weight is at most ``most_weight``; the newest entry always stays.
    """

    def __init__(self, journal: "Journal", limit: int, weigh: Callable[[T], int], most_weight: int) -> None:
        self._journal = journal
        self._entries: deque[tuple[int, T, int]] = deque()
        """Each entry with its position in the journal and its weight."""
        self._limit = limit
        self._weigh = weigh
        self._most_weight = most_weight
        self._weight = 0

    def append(self, entry: T) -> None:
        """Add an entry; drops the oldest above the limits."""
        weight = self._weigh(entry)
        self._entries.append((self._journal.advance(), entry, weight))
        self._weight += weight
        while len(self._entries) > self._limit or (len(self._entries) > 1 and self._weight > self._most_weight):
            self._weight -= self._entries.popleft()[2]

    def take_back(self, entry: T) -> None:
        """Remove an entry if it is the newest one."""
        if self._entries and self._entries[-1][1] is entry:
            self._weight -= self._entries.pop()[2]

    def placed_since(self, cursor: int) -> list[tuple[int, T]]:
        """Return the entries after a cursor of the journal that are kept, oldest first, each with its position."""
        found: list[tuple[int, T]] = []
        for position, entry, _ in reversed(self._entries):
            if position <= cursor:
                break
            found.append((position, entry))
        return found[::-1]

    def since(self, cursor: int) -> list[T]:
        """Return the entries after a cursor of the journal that are kept, oldest first."""
        return [entry for _, entry in self.placed_since(cursor)]

    def grown_since(self, cursor: int) -> bool:
        """Whether there is an entry after a cursor of the journal."""
        return bool(self._entries) and self._entries[-1][0] > cursor

    @property
    def end(self) -> int:
        """The position of the newest entry in the journal; 0 if there is none."""
        return self._entries[-1][0] if self._entries else 0

    def clear(self) -> None:
        """Remove all entries."""
        self._entries.clear()
        self._weight = 0

    def __iter__(self) -> Iterator[T]:
        return iter([entry for _, entry, _ in self._entries])

    def __len__(self) -> int:
        return len(self._entries)


class Journal:
    """A log of entries of several types, with one cursor.

    The entries of each type have a limit of their own, so that a thousand requests do not push out a dialog.
    """

    def __init__(self) -> None:
        self._end = 0
        self._logs: dict[type, Log[object]] = {}

    def log(
        self, kind: type[T], limit: int = LIMIT, weigh: Callable[[T], int] = lambda _: 0, most_weight: int = 0
    ) -> Log[T]:
        """Create the log of a type of entries. See `Log` for the parameters."""
        log = Log[T](self, limit, weigh, most_weight)
        self._logs[kind] = cast("Log[object]", log)
        return log

    def add(self, entry: object) -> None:
        """Add an entry to the log of its type."""
        self._logs[type(entry)].append(entry)

    def cursor(self) -> int:
        """Return a cursor for the current end. It stays valid when older entries are dropped."""
        return self._end

    def since(self, cursor: int, kind: type[T]) -> list[T]:
        """Return the entries of a type after a cursor that are kept, oldest first."""
        return cast("list[T]", self._logs[kind].since(cursor))

    def grown_since(self, cursor: int, *kinds: type) -> bool:
        """Whether there is an entry of one of the types after a cursor."""
        return any(self._logs[kind].grown_since(cursor) for kind in kinds)

    def all_since(self, cursor: int) -> list[object]:
        """Return all entries after a cursor that are kept, oldest first."""
        if cursor >= self._end:
            return []
        placed = [each for log in self._logs.values() for each in log.placed_since(cursor)]
        return [entry for _, entry in sorted(placed, key=lambda each: each[0])]

    def advance(self) -> int:
        """Return the position of a new entry. Logs call this."""
        self._end += 1
        return self._end
