"""Search in a snapshot: the lines that match, and what they are in."""

from collections.abc import Sequence
from dataclasses import dataclass

from bidi_server.browser.pattern import Pattern
from bidi_server.browser.snapshot.model import Line
from bidi_server.browser.snapshot.render import parents
from bidi_server.escapes import quote

MAX_INSIDE = 10
"""Maximum number of lines shown inside of a row or of a match that says nothing by itself."""


@dataclass(frozen=True, slots=True)
class Search:
    """Conditions for lines of a snapshot. A line matches if it meets all that are given."""

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
    """Return the matching lines and their ancestors, as many as fit into ``room`` characters, at least one match.

    A match in a row of a table has the rest of the row with it, and one that says nothing by itself its first lines.
    """
    above = parents(lines)
    kept: set[int] = set()
    shown = count = size = 0
    for index, line in enumerate(lines):
        if not wanted.finds(line):
            continue
        count += 1
        if shown < count - 1:
            continue  # there was no room for an earlier match
        added = _shown_for(lines, above, index) - kept
        more = sum(len(str(lines[each])) + 1 for each in added)
        if shown and size + more > room:
            continue
        kept |= added
        size += more
        shown += 1
    return Matches([lines[index] for index in sorted(kept)], shown, count)


def _shown_for(lines: Sequence[Line], above: Sequence[int], match: int) -> set[int]:
    """Return the indexes of the lines to show for a match: itself, what it is in, and what it is not clear without."""
    found = {match}
    whole = None if lines[match].said else match
    outer = above[match]
    while outer >= 0:
        found.add(outer)
        whole = outer if lines[outer].role == "row" else whole
        outer = above[outer]
    if whole is not None:
        for index in range(whole + 1, min(len(lines), whole + 1 + MAX_INSIDE)):
            if lines[index].depth <= lines[whole].depth:
                break
            found.add(index)
    return found
