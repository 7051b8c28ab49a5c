"""A bounded log that tells what came after a moment."""

from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Ring(Generic[T]):
    """The newest ``limit`` items. What `mark` returns finds what was added later, even if older items have gone."""

    def __init__(self, limit: int) -> None:
        self._items: deque[T] = deque(maxlen=limit)
        self._added = 0

    def append(self, item: T) -> None:
        """Add an item; the oldest makes room."""
        self._items.append(item)
        self._added += 1

    def take_back(self, item: T) -> None:
        """Remove the item if it is the one that was added last."""
        if self._items and self._items[-1] is item:
            self._items.pop()
            self._added -= 1

    def mark(self) -> int:
        """Return this moment."""
        return self._added

    def since(self, mark: int) -> list[T]:
        """Return what was added after a moment and is still held."""
        count = min(self._added - mark, len(self._items))
        return list(self._items)[len(self._items) - count :] if count > 0 else []

    def clear(self) -> None:
        """Forget everything."""
        self._items.clear()

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)
