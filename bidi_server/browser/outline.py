"""A snapshot in as many lines as there is room for: what matters first, the rest folded away."""

import heapq
import re
from collections.abc import Sequence

from bidi_server.browser.describe import clip
from bidi_server.browser.render import Line, parents

FOLD = 20
"""Characters that it takes to say how many lines are folded, about."""

SURROUNDINGS = frozenset({"banner", "navigation", "complementary", "contentinfo", "search"})
"""Landmarks that are the same on every page of a site: unfolded after everything else."""

_DETAILS = re.compile(r" \[| → ")


def outline(lines: list[Line], room: int) -> list[str] | None:
    """Return the lines that ``room`` characters hold, level by level; None where that is not even the first level."""
    children = _children(lines)
    top = [index for index, line in enumerate(lines) if line.depth == 0]
    shown: set[int] = set(top)
    room -= sum(_cost(lines, children, index) for index in top)
    waiting = [(0, 0, index) for index in top if children[index]]
    first = True
    while waiting:
        rank, depth, index = heapq.heappop(waiting)
        cost = sum(_cost(lines, children, child) for child in children[index]) - FOLD
        if cost > room:
            if first:
                return None
            continue
        first = False
        room -= cost
        shown.update(children[index])
        for child in children[index]:
            if children[child]:
                below = max(rank, int(lines[child].role in SURROUNDINGS))
                heapq.heappush(waiting, (below, depth + 1, child))
    return _written(lines, shown)


def folded(line: Line, inside: Sequence[Line]) -> str:
    """Return a line that stands for those inside of it as well: how many, and what the first says if it has no name."""
    first = _DETAILS.split(inside[0].text.removeprefix("- "))[0].rstrip(":")
    said = "" if '"' in line.text else f": {clip(first, 40)} …"
    return f"{line.text} (+{len(inside)} lines{said})"


def _written(lines: list[Line], shown: set[int]) -> list[str]:
    found: list[str] = []
    for index, line in enumerate(lines):
        if index not in shown:
            continue
        end = index + 1
        while end < len(lines) and end not in shown:
            end += 1
        inside = lines[index + 1 : end]
        found.append("  " * line.depth + (folded(line, inside) if inside else line.text))
    return found


def _cost(lines: list[Line], children: list[list[int]], index: int) -> int:
    return len(str(lines[index])) + 1 + (FOLD if children[index] else 0)


def _children(lines: list[Line]) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in lines]
    for index, parent in enumerate(parents(lines)):
        if parent >= 0:
            found[parent].append(index)
    return found
