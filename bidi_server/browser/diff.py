"""What changed between two snapshots, as the lines that went and came, with the ancestors that place them."""

from difflib import SequenceMatcher

from bidi_server.browser.render import Line

MAX_COMPARED = 3000
"""Lines on either side that are aligned exactly; longer stretches count as replaced."""


def diff(before: list[Line], after: list[Line]) -> list[str]:
    """Return the changed lines: ``- `` gone, ``+ `` new, ``~ `` new state of a line, two blanks for an ancestor.

    Empty when nothing changed.
    """
    start, end = _common_ends(before, after)
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    lines: list[str] = []
    placed: set[int] = set()
    for a, b, c, d in _blocks(old, new):
        depth = min(line.depth for line in [*old[a:b][:1], *new[c:d][:1]])
        for index in _ancestors(after, start + c, depth):
            if index not in placed:
                placed.add(index)
                lines.append(f"  {after[index]}")
        lines += _replaced(old[a:b], new[c:d])
        placed.update(range(start + c, start + d))
    return lines


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


def _replaced(gone: list[Line], come: list[Line]) -> list[str]:
    """Return what took the place of what. A line that is recognisably the same is shown once, as it is now."""
    refs = {line.ref for line in gone if line.ref} & {line.ref for line in come}
    alike: set[int] = set()
    if len(gone) == len(come):
        for old, new in zip(gone, come, strict=True):
            if old.depth == new.depth and old.role == new.role and not old.ref and not new.ref:
                alike |= {id(old), id(new)}
    lines = [f"- {line}" for line in gone if line.ref not in refs and id(line) not in alike]
    return lines + [f"{'~' if line.ref in refs or id(line) in alike else '+'} {line}" for line in come]


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
