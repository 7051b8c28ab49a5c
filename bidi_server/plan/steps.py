"""The steps that a session has recorded."""

from collections import deque

from bidi_server.plan.model import Step

LIMIT = 1000
"""Maximum number of steps that are kept; the oldest are dropped."""


class Steps:
    """The newest steps of a session, numbered from 1."""

    def __init__(self) -> None:
        self._steps: deque[Step] = deque(maxlen=LIMIT)
        self._count = 0

    def add(self, step: Step) -> None:
        """Add a step."""
        self._steps.append(step)
        self._count += 1

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
        return [step for number, step in enumerate(self._steps, self.first) if first <= number <= last]
