"""The steps that a session has recorded."""

from collections import deque

from bidi_server.plan.model import Step

LIMIT = 1000
"""Maximum number of steps that are kept; the oldest are dropped."""

MOST_CHARACTERS = 10_000_000
"""Maximum size of the texts in the arguments of the kept steps, in characters; the newest step always stays."""


class Steps:
    """The newest steps of a session, numbered from 1."""

    def __init__(self) -> None:
        self._steps: deque[tuple[Step, int]] = deque()
        """Each step with the size of its texts."""
        self._count = 0
        self._size = 0

    def add(self, step: Step) -> None:
        """Add a step; drops the oldest above the limits."""
        size = sum(len(value) for value in step.arguments.values() if isinstance(value, str))
        self._steps.append((step, size))
        self._count += 1
        self._size += size
        while len(self._steps) > LIMIT or (len(self._steps) > 1 and self._size > MOST_CHARACTERS):
            self._size -= self._steps.popleft()[1]

    @property
    def first(self) -> int:
        """Number of the oldest step that is kept."""
        return self._count - len(self._steps) + 1

    @property
    def last(self) -> int:
        """Number of the newest step; 0 if there is none."""
        return self._count

    def between(self, first: int, last: int) -> list[Step]:
        """Return the steps with these numbers and those between them that are kept."""
        return [step for number, (step, _) in enumerate(self._steps, self.first) if first <= number <= last]
