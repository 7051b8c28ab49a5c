"""The steps that a session has recorded."""

from collections import deque
from collections.abc import Generator
from contextlib import contextmanager

from bidi_server.plan.model import Step

LIMIT = 1000
"""Maximum number of steps that are kept; the oldest are dropped."""

MOST_CHARACTERS = 10_000_000
"""Maximum size of the texts in the arguments of the kept steps, in characters; the newest step always stays."""


MOST_REPLAYS = 100
"""Maximum number of replays that are remembered; the oldest are forgotten."""


class Steps:
    """The newest steps of a session, numbered from 1."""

    def __init__(self) -> None:
        self._steps: deque[tuple[Step, int]] = deque()
        """Each step with the size of its texts."""
        self._count = 0
        self._size = 0
        self._aside: list[Step] | None = None
        """The steps of a replay under way."""
        self._replays: deque[tuple[int, str]] = deque(maxlen=MOST_REPLAYS)
        """The number of the last step before each replay, and the name of the plan."""

    def add(self, step: Step) -> None:
        """Add a step; drops the oldest above the limits."""
        if self._aside is not None:
            self._aside.append(step)
            return
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

    @contextmanager
    def aside(self) -> Generator[list[Step]]:
        """Collect the steps that are added in this block in a list, and do not record them."""
        outer, self._aside = self._aside, []
        try:
            yield self._aside
        finally:
            self._aside = outer

    def note_replay(self, plan: str) -> None:
        """Note that a plan of this name was replayed after the last step."""
        if self._aside is None:
            self._replays.append((self._count, plan))

    def replays(self, first: int, last: int) -> list[tuple[int, str]]:
        """Return the replays right before, between and after these steps: the last step before it, and its plan."""
        return [(number, plan) for number, plan in self._replays if first - 1 <= number <= last]
