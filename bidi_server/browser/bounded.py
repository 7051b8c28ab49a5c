"""Bounded collections: a log with cursors, a dict and a set."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")
K = TypeVar("K")


class Ring(Generic[T]):
    """A log of the newest ``limit`` items. A cursor from `mark` stays valid when older items are dropped.

    With ``weigh``, the total weight of the items is at most ``most_weight``; the newest item always stays.
    """

    def __init__(self, limit: int, weigh: Callable[[T], int] = lambda _: 0, most_weight: int = 0) -> None:
        self._items: deque[T] = deque()
        self._weights: deque[int] = deque()
        self._limit = limit
        self._weigh = weigh
        self._most_weight = most_weight
        self._weight = 0
        self._added = 0

    def append(self, item: T) -> None:
        """Add an item; drops the oldest above the limits."""
        self._items.append(item)
        self._weights.append(self._weigh(item))
        self._weight += self._weights[-1]
        self._added += 1
        while len(self._items) > self._limit or (len(self._items) > 1 and self._weight > self._most_weight):
            self._items.popleft()
            self._weight -= self._weights.popleft()

    def take_back(self, item: T) -> None:
        """Remove an item if it is the newest one."""
        if self._items and self._items[-1] is item:
            self._items.pop()
            self._weight -= self._weights.pop()
            self._added -= 1

    def mark(self) -> int:
        """Return a cursor for the current end of the log."""
        return self._added

    def since(self, mark: int) -> list[T]:
        """Return the items that were added after a cursor and have not been dropped."""
        count = min(self._added - mark, len(self._items))
        return list(self._items)[len(self._items) - count :] if count > 0 else []

    def clear(self) -> None:
        """Remove all items."""
        self._items.clear()
        self._weights.clear()
        self._weight = 0

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


def keep(entries: dict[K, T], key: K, value: T, most: int) -> None:
    """Put an entry at the end of a dict; drops the first entry above the limit."""
    entries.pop(key, None)
    entries[key] = value
    if len(entries) > most:
        del entries[next(iter(entries))]


class Recent(Generic[T]):
    """A set of the ``limit`` most recently added items."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._items: dict[T, None] = {}

    def add(self, item: T) -> None:
        """Add an item as the newest; drops the oldest above the limit."""
        keep(self._items, item, None, self._limit)

    def discard(self, item: T) -> None:
        """Remove an item if it is there."""
        self._items.pop(item, None)

    def __contains__(self, item: T) -> bool:
        return item in self._items
