"""Bounded collections: a dict and a set."""

from typing import Generic, TypeVar

T = TypeVar("T")
K = TypeVar("K")


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
