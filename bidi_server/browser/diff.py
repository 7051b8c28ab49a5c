"""What changed between two snapshots, as the lines that went and came, with what places them."""

from dataclasses import dataclass
from difflib import SequenceMatcher

from bidi_server.browser.render import Line

MAX_COMPARED = 3000
"""Lines on either side that are aligned exactly; longer stretches count as replaced."""

BEFORE = 40
"""Characters before the first that differs which are shown of a line that is too long to be shown whole."""


@dataclass(frozen=True, slots=True)
class Change:
    """A line of a diff. ``mark`` says what it is: ``-`` gone, ``+`` new, ``~`` in a new state, or a blank for a place.

    ``was`` is the line in its former state.
    """

    mark: str
    line: Line
    was: Line | None = None

    @property
    def is_cut_away(self) -> bool:
        """Whether the line looks the same in a snapshot, which cuts long texts."""
        return self.was is not None and self.was.text == self.line.text

    @property
    def is_long(self) -> bool:
        """Whether it is new, and longer than a snapshot shows."""
        return self.mark in "+~" and self.line.whole != self.line.text

    def written(self, longest: int) -> str:
        """Return it as a line of text, with up to so many characters where something has come or changed."""
        return f"{self.mark} {'  ' * self.line.depth}{self._text(longest)}"

    def _text(self, longest: int) -> str:
        line = self.line
        if not self.is_long:
            return line.text
        if len(line.whole) <= longest:
            return line.whole
        start = max(0, _first_difference(self.was.key, line.key) - BEFORE) if self.was else 0
        if start == 0 and longest <= len(line.text):
            return line.text
        ref = f" [ref={line.ref}]" if line.ref else ""
        text = line.whole[start : start + longest]
        if len(line.whole) > start + longest:
            text += "…"
        if start:
            return f"- {line.role}{ref}: …{text}"
        return text if ref in text else text + ref


def _first_difference(one: str, other: str) -> int:
    return next((index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))


def diff(before: list[Line], after: list[Line]) -> list[Change]:
    """Return the changed lines; empty when nothing changed.

    Before them the ancestors, and the line before what can't be told from its like otherwise.
    """
    start, end = _common_ends(before, after)
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    changes: list[Change] = []
    placed: set[int] = set()
    for a, b, c, d in _blocks(old, new):
        first = [*new[c:d][:1], *old[a:b][:1]]
        depth = min(line.depth for line in first)
        places = _ancestors(after, start + c, depth)
        if not first[0].ref and (a < b or first[0].role == "text"):
            places += _sibling(after, start + c, depth)
        changes += [Change(" ", after[index]) for index in places if index not in placed]
        placed.update(places)
        changes += _replaced(old[a:b], new[c:d])
        placed.update(range(start + c, start + d))
    return changes


def _common_ends(before: list[Line], after: list[Line]) -> tuple[int, int]:
    """Return how many lines are the same at the beginning and at the end."""
    shorter = min(len(before), len(after))
    start = 0
    while start < shorter and _key(before[start]) == _key(after[start]):
        start += 1
    end = 0
    while end < shorter - start and _key(before[-1 - end]) == _key(after[-1 - end]):
        end += 1
    return start, end


def _blocks(old: list[Line], new: list[Line]) -> list[tuple[int, int, int, int]]:
    """Return the stretches that differ, as ranges of both sides."""
    if not old and not new:
        return []
    if max(len(old), len(new)) > MAX_COMPARED:
        return [(0, len(old), 0, len(new))]
    matcher = SequenceMatcher(None, [_key(line) for line in old], [_key(line) for line in new], autojunk=False)
    return [(a, b, c, d) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"]


def _replaced(gone: list[Line], come: list[Line]) -> list[Change]:
    """Return what took the place of what. A line that is recognisably the same is shown once, as it is now."""
    former = {line.ref: line for line in gone if line.ref}
    same: dict[int, Line] = {id(line): former[line.ref] for line in come if line.ref in former}
    if len(gone) == len(come):
        for old, new in zip(gone, come, strict=True):
            if old.depth == new.depth and old.role == new.role and not old.ref and not new.ref:
                same[id(new)] = old
    kept = {id(line) for line in same.values()}
    changes = [Change("-", line) for line in gone if id(line) not in kept]
    return changes + [Change("~" if id(line) in same else "+", line, same.get(id(line))) for line in come]


def _key(line: Line) -> tuple[int, str]:
    return line.depth, line.key


def _ancestors(lines: list[Line], position: int, depth: int) -> list[int]:
    """Return the indexes of the lines that contain a change at a position, outermost first, without the root."""
    found: list[int] = []
    index = min(position, len(lines)) - 1
    while index >= 0 and depth > 1:
        if lines[index].depth < depth:
            depth = lines[index].depth
            found.append(index)
        index -= 1
    return [index for index in reversed(found) if lines[index].depth > 0]


def _sibling(lines: list[Line], position: int, depth: int) -> list[int]:
    """Return the index of the line before a position that has the same parent, if there is one."""
    for index in range(min(position, len(lines)) - 1, 0, -1):
        if lines[index].depth <= depth:
            return [index] if lines[index].depth == depth else []
    return []
