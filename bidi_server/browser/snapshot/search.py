"""Search in a snapshot: the lines that match, and what they are in."""

from collections.abc import Sequence
from dataclasses import dataclass

from bidi_server.browser.pattern import Pattern
from bidi_server.browser.snapshot.model import Line
from bidi_server.escapes import quote


@dataclass(frozen=True, slots=True)
class Search:
    """What a line must have: all that is given."""

    text: str = ""
    """Text that it contains, in any case."""
    pattern: Pattern | None = None
    """Expression that has a match in it."""
    role: str = ""
    name: str = ""
    """Text that its name contains, in any case."""

    def finds(self, line: Line) -> bool:
        """Whether a line has all of it."""
        return (
            (not self.role or line.role == self.role)
            and self.name.casefold() in line.said.casefold()
            and self.text.casefold() in line.whole.casefold()
            and (self.pattern is None or self.pattern.found_in(line.whole))
        )

    def __str__(self) -> str:
        """Return what is wanted, in words: `role button, name "Save"`."""
        given = {"role": self.role, "name": self.name and quote(self.name), "text": self.text and quote(self.text)}
        pattern = f"a match of {self.pattern.text}" if self.pattern is not None else ""
        return ", ".join([*(f"{key} {value}" for key, value in given.items() if value), *filter(None, [pattern])])


@dataclass(frozen=True, slots=True)
class Matches:
    """Lines of a snapshot that match, each after the lines of what it is in."""

    lines: Sequence[Line]
    shown: int
    """Number of matching lines among them."""
    count: int
    """Number of all matching lines."""


def search(lines: Sequence[Line], wanted: Search, room: int) -> Matches:
    """Return the matching lines and their ancestors, as many as fit into ``room`` characters, at least one match."""
    kept: list[Line] = []
    path: list[Line] = []
    written = 0  # length of `path` that is in `kept` already
    shown = count = size = 0
    for line in lines:
        while path and path[-1].depth >= line.depth:
            path.pop()
        written = min(written, len(path))
        path.append(line)
        if not wanted.finds(line):
            continue
        count += 1
        added = path[written:]
        size += sum(len(str(each)) + 1 for each in added)
        if count == shown + 1 and (size <= room or not shown):
            kept += added
            shown += 1
            written = len(path)
    return Matches(kept, shown, count)
