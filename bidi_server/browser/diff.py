"""What changed between two snapshots, as the lines that went and came, with the ancestors that place them."""

from difflib import SequenceMatcher

from bidi_server.browser.render import Line

MAX_COMPARED = 3000
"""Lines on either side that are aligned exactly; longer stretches count as replaced."""


def diff(before: list[Line], after: list[Line]) -> list[str]:
    """Return the changed lines: ``- `` gone, ``+ `` new, and two blanks for an ancestor. Empty when nothing changed."""
    old, new = [_key(line) for line in before], [_key(line) for line in after]
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    if not middle_old and not middle_new:
        return []
    if max(len(middle_old), len(middle_new)) > MAX_COMPARED:
        blocks = [("replace", 0, len(middle_old), 0, len(middle_new))]
    else:
        blocks = SequenceMatcher(None, middle_old, middle_new, autojunk=False).get_opcodes()
    lines: list[str] = []
    placed: set[int] = set()
    for kind, a, b, c, d in blocks:
        if kind == "equal":
            continue
        for index in _ancestors(
            after,
            start + c if c < d else start + c - 1,
            after[start + c] if c < d else None,
            before[start + a] if a < b else None,
        ):
            if index not in placed:
                placed.add(index)
                lines.append(f"  {after[index]}")
        lines += [f"- {line}" for line in before[start + a : start + b]]
        lines += [f"+ {line}" for line in after[start + c : start + d]]
        placed.update(range(start + c, start + d))
    return lines


def _key(line: Line) -> tuple[int, str]:
    return line.depth, line.key


def _ancestors(lines: list[Line], position: int, first_new: Line | None, first_old: Line | None) -> list[int]:
    """Return the indexes of the lines that contain a change at a position, outermost first, without the root."""
    depth = min(line.depth for line in (first_new, first_old) if line is not None)
    found: list[int] = []
    index = position if first_new is None else position - 1
    while index >= 0 and depth > 1:
        if lines[index].depth < depth:
            depth = lines[index].depth
            found.append(index)
        index -= 1
    return [index for index in reversed(found) if lines[index].depth > 0]
