"""Differences between two snapshots: the removed, added and changed lines, with lines that show where they are."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bidi_server.browser.snapshot.model import Line
from bidi_server.browser.snapshot.outline import folded
from bidi_server.browser.snapshot.render import parents

MAX_WORK = 200_000
"""Maximum number of pairs of equal lines in two ranges that are aligned exactly; with more, all lines are replaced."""

BEFORE = 40
"""Characters shown before the first difference in a line that is too long to show in full."""

FEW_GONE = 2
"""Maximum number of lines inside of a removed line that are shown with it."""

FEW_LINKS = 3
"""Maximum number of links with only a new URL that are shown; more are only counted."""


@dataclass(frozen=True, slots=True)
class Change:
    """A line of a diff.

    ``mark`` is ``-`` for a removed line, ``+`` for an added one, ``~`` for a changed one, and a blank for context.
    ``was`` is the line in its former state; ``inside`` are the lines that were removed with this one.
    """

    mark: str
    line: Line
    was: Line | None = None
    inside: Sequence[Line] = ()

    @property
    def is_cut_away(self) -> bool:
        """Whether the line looks unchanged in a snapshot, because the snapshot cuts long texts."""
        return self.was is not None and self.was.text == self.line.text

    @property
    def is_long(self) -> bool:
        """Whether the line is added or changed, and longer than a snapshot shows."""
        return self.mark in "+~" and self.line.whole != self.line.text

    def written(self, longest: int) -> str:
        """Return the change as a line of text; an added or changed line is cut after about ``longest`` characters.

        It tells the origin of a frame if that is another one than the page's.
        """
        text = folded(self.line, self.inside) if self.inside else self._text(longest)
        # The line of the frame, which tells its URL, is not among the changes.
        stranger = f" (from {self.line.row.stranger})" if self.line.row.stranger and self.mark in "+~" else ""
        return f"{self.mark} {'  ' * self.line.depth}{text}{stranger}"

    def _text(self, longest: int) -> str:
        line = self.line
        if not self.is_long:
            return line.text
        if len(line.whole) <= longest:
            return line.whole
        start = max(0, _first_difference(self.was.key, line.key) - BEFORE) if self.was and self.is_cut_away else 0
        if start == 0 and longest <= len(line.text):
            return line.text
        ref = f" [ref={line.ref}]" if line.ref else ""
        text = line.whole[start : start + longest]
        if len(line.whole) > start + longest:
            text += "…"
        if start:
            return f"- {line.role}{ref}: …{text.replace(ref, '') if ref else text}"
        return text if ref in text else text + ref


def _first_difference(one: str, other: str) -> int:
    return next((index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))


@dataclass(frozen=True, slots=True)
class Block:
    """A range that differs: ``before[a:b]`` became ``after[c:d]``."""

    a: int
    b: int
    c: int
    d: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The changed lines, in page order, and the number of links that changed only their URL and are not listed."""

    changes: list[Change]
    moved_links: int = 0


def diff(before: list[Line], after: list[Line]) -> Difference:
    """Return the differences.

    Changed lines come after their ancestors, and after the previous line if nothing else identifies them.
    """
    old, new = [_key(line) for line in before], [_key(line) for line in after]
    blocks: list[Block] = []
    for block in differing_blocks(old, new):
        last = blocks[-1] if blocks else Block(0, 0, 0, 0)
        room = min(block.a - last.b, block.c - last.d)
        shift = 0 if block.a < block.b and block.c < block.d else _shift(block, room, before, after)
        blocks.append(Block(block.a - shift, block.b - shift, block.c - shift, block.d - shift))
    links = list(_moved_links(blocks, before, after))
    if len(links) <= FEW_LINKS:
        blocks = sorted([*blocks, *links], key=lambda block: (block.c, block.a))
    listing = _Listing(before, after)
    for block in blocks:
        listing.add(block)
    return Difference(listing.changes, len(links) if len(links) > FEW_LINKS else 0)


_Key = tuple[int, str]

_GONE = "\0"
"""Prefix of the key of a removed line: its former content is not inside of a present line that looks the same."""


def _key(line: Line) -> _Key:
    return line.depth, line.key


def differing_blocks(old: list[_Key], new: list[_Key]) -> Iterator[Block]:
    """Align both sides by the lines that occur once in each, and the ranges between these by all equal lines."""
    a = c = 0
    for i, j in [*_anchors(old, new), (len(old), len(new))]:
        while a < i and c < j and old[a] == new[c]:
            a, c = a + 1, c + 1
        b, d = i, j
        while b > a and d > c and old[b - 1] == new[d - 1]:
            b, d = b - 1, d - 1
        yield from _exact(old, new, Block(a, b, c, d))
        a, c = i, j


def _anchors(old: list[_Key], new: list[_Key]) -> list[tuple[int, int]]:
    """Return the positions of lines that occur once on each side: the longest ordered sequence (patience diff)."""
    counts = Counter(old), Counter(new)
    where = {key: index for index, key in enumerate(new)}
    pairs = [(i, where[key]) for i, key in enumerate(old) if counts[0][key] == 1 == counts[1][key]]
    ends: list[int] = []
    chain: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        place = bisect_left(ends, j)
        ends[place : place + 1] = [j]
        chain[place : place + 1] = [index]
        before.append(chain[place - 1] if place else -1)
    found: list[tuple[int, int]] = []
    at = chain[-1] if chain else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _exact(old: list[_Key], new: list[_Key], block: Block) -> Iterator[Block]:
    a, c = block.a, block.c
    one, other = old[a : block.b], new[c : block.d]
    if not one and not other:
        return
    counts = Counter(other)
    if not one or not other or sum(counts[key] for key in one) > MAX_WORK:
        yield block
        return
    for kind, i, j, k, m in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind != "equal":
            yield Block(a + i, a + j, c + k, c + m)


def _shift(block: Block, room: int, before: list[Line], after: list[Line]) -> int:
    """Return by how many lines to move a block up, so that the same change begins with the outermost line possible."""
    lines, begin, end = (before, block.a, block.b) if block.c == block.d else (after, block.c, block.d)
    best = 0
    for shift in range(1, room + 1):
        if _key(lines[begin - shift]) != _key(lines[end - shift]):
            break
        if lines[begin - shift].depth < lines[begin - best].depth:
            best = shift
    return best


def _moved_links(blocks: list[Block], before: list[Line], after: list[Line]) -> Iterator[Block]:
    a = c = 0
    for block in [*blocks, Block(len(before), len(before), len(after), len(after))]:
        for i, j in zip(range(a, block.a), range(c, block.c), strict=True):
            if before[i].url != after[j].url:
                yield Block(i, i + 1, j, j + 1)
        a, c = block.b, block.d


class _Listing:
    """Changes in page order, each below the lines that contain it."""

    def __init__(self, before: list[Line], after: list[Line]) -> None:
        self.changes: list[Change] = []
        self._before, self._after = before, after
        self._parents = parents(before), parents(after)
        self._path: dict[int, set[str]] = {}
        """By depth, the keys of the last line and of its ancestors."""

    def add(self, block: Block) -> None:
        """Add the changes of a block. A line that is recognisably the same is shown once, in its new state."""
        gone, come = self._before[block.a : block.b], self._after[block.c : block.d]
        same = _same(gone, come)
        kept = {id(line) for line in same.values()}
        place = {id(line): block.a + index for index, line in enumerate(gone)}
        first = (come or gone)[0]
        if not first.ref and (gone or first.role == "text"):
            self._anchor(block.c, first.depth)
        # For each new line, the former position of the next line that is kept: lines removed before that come first.
        until = [block.b] * (len(come) + 1)
        for index in reversed(range(len(come))):
            was = same.get(id(come[index]))
            until[index] = place[id(was)] if was else until[index + 1]
        at = block.a
        for index, line in enumerate(come, block.c):
            at = self._gone(at, until[index - block.c], kept)
            self._place(self._after, self._parents[1], index)
            was = same.get(id(line))
            self._put(Change("~" if was else "+", line, was))
        self._gone(at, block.b, kept)

    def _gone(self, begin: int, end: int, kept: set[int]) -> int:
        """Add the removed lines of a range, and return where the next range begins."""
        index = begin
        while index < end:
            line, inside = self._before[index], list[Line]()
            if id(line) not in kept:
                inside = _inside(self._before, index, end, kept)
                self._place(self._before, self._parents[0], index, is_gone=True)
                self._put(Change("-", line, inside=inside))
            index += 1 + len(inside)
        return max(begin, end)

    def _place(self, lines: list[Line], parents: list[int], index: int, *, is_gone: bool = False) -> None:
        """Add the ancestors of a line, except the root and those that already contain the last line."""
        ancestors: list[Line] = []
        at = parents[index]
        while at >= 0 and lines[at].depth > 0:
            ancestors.append(lines[at])
            at = parents[at]
        for each in reversed(ancestors):
            known = self._path.get(each.depth, set())
            if each.key not in known and not (is_gone and f"{_GONE}{each.key}" in known):
                self._put(Change(" ", each))

    def _anchor(self, position: int, depth: int) -> None:
        """Add the previous sibling of a position as context, if there is one."""
        for index in range(min(position, len(self._after)) - 1, 0, -1):
            line = self._after[index]
            if line.depth <= depth:
                tells = '"' in line.text or not line.text.endswith(":")
                if tells and line.depth == depth and line.key not in self._path.get(depth, set()):
                    self._place(self._after, self._parents[1], index)
                    self._put(Change(" ", line))
                return

    def _put(self, change: Change) -> None:
        line, was = change.line, change.was
        self._path = {depth: keys for depth, keys in self._path.items() if depth < line.depth}
        key = f"{_GONE}{line.key}" if change.mark == "-" else line.key
        self._path[line.depth] = {key, was.key} if was else {key}
        self.changes.append(change)


def _same(gone: list[Line], come: list[Line]) -> dict[int, Line]:
    """Return the former state of each new line that is recognisably the same, by the `id` of the new line."""
    former = {line.ref: line for line in gone if line.ref}
    same = {id(line): former[line.ref] for line in come if line.ref in former}
    if len(gone) == len(come):
        for old, new in zip(gone, come, strict=True):
            if old.depth == new.depth and old.role == new.role and not old.ref and not new.ref:
                same[id(new)] = old
    return same


def _inside(lines: list[Line], index: int, end: int, kept: set[int]) -> list[Line]:
    """Return the lines inside of a removed line that were removed with it, if they are too many to show."""
    after = index + 1
    while after < end and lines[after].depth > lines[index].depth and id(lines[after]) not in kept:
        after += 1
    inside = lines[index + 1 : after]
    return inside if len(inside) > FEW_GONE else []
