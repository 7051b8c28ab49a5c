"""An outline: a snapshot shortened to a given number of characters.

Controls and headings of the page come first, then texts and collections: table rows, list items, options, cards. A
member of a collection takes one line, and all members for which there is no room share one line.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from bidi_server.browser.snapshot.model import Line
from bidi_server.browser.snapshot.render import MAX_PART, head, parents, short
from bidi_server.browser.words import MAX_NAME, clip, quote

FOLD = 24
"""Approximate length of the note with the number of folded lines, in characters."""

RANGE = 90
"""Approximate length of the line for the folded members of a collection, in characters."""

PART_OF_RANGE = 24
"""Maximum length of the name of the first and of the last member in that line, in characters."""

FEW = 5
"""Minimum number of members of a collection whose members contain other lines."""

MANY = 20
"""Maximum number of lines with the same role and parent that are shown as single lines; more are a collection."""

MAX_INSIDE = 80
"""Maximum number of lines of a member of a collection that are joined into one line."""

MAX_HEAD_ROWS = 3
"""Maximum number of members at the start of a collection that differ from the others: column headers, filters."""

ROW = 400
"""Maximum length of a member that shows every control with its ref, in characters."""

HEAD_ROW = 1500
"""Maximum length of a member that differs from the others, in characters: it may hold sorting and filter controls."""

SHORT_ROW = 160
"""Maximum length of a member that shows one control with its ref, in characters."""

FLAT = 200
"""Maximum length of a line that joins members without content, in characters."""

SURROUNDINGS = frozenset({"banner", "navigation", "complementary", "contentinfo", "search"})
"""Landmarks that usually repeat on every page of a site: their links come after everything else."""

_MEMBERS = frozenset({
    "article", "cell", "definition", "figure", "generic", "gridcell", "group", "link", "listitem", "menuitem", "option",
    "region", "row", "tab", "term", "treeitem",
})  # fmt: skip
"""Roles of members of collections that contain other lines."""

_ALERTS = frozenset({"alert", "alertdialog", "dialog", "status"})

_OFTEN_DECORATION = frozenset({"button", "generic", "img", "option", "separator"})
"""Roles of controls that come after others if they have no name."""

_CONTROLS, _STRUCTURE, _LINKS, _UNNAMED, _TEXTS, _ROWS, _SURROUNDING_LINKS, _SURROUNDING_ROWS = range(8)
"""Ranks of lines, the most important first."""


@dataclass(slots=True)
class _Collection:
    """Lines with the same role and parent. ``written`` are the output lines for its members."""

    members: list[int]
    rank: int
    is_flat: bool = False
    """Whether no member contains other lines: several of them are joined into one line."""
    is_shortened: bool = False
    """Whether some controls of its members are not shown."""
    written: dict[int, str] = field(default_factory=dict[int, str])
    """Output lines, by the index of the first member that each covers."""


def outline(lines: list[Line], room: int) -> list[str]:
    """Return the lines of an outline with at most ``room`` characters, as far as possible."""
    plan = _Plan(lines)
    return plan.written(_filled(plan, room))


def folded(line: Line, inside: Sequence[Line]) -> str:
    """Return a line with a note on the hidden lines inside: their number, and the first one if the line is unnamed.

    The line has its ref, so that one call can show them.
    """
    text = with_way(line)
    said = "" if '"' in line.text else f": {clip(first_words(inside[0]), 40)} …"
    return f"{text} (+{len(inside)} lines{said})"


def with_way(line: Line) -> str:
    """Return a line with its ref, even if the element cannot be acted on."""
    if line.ref or not line.way:
        return line.text
    return f"{head(line)} [ref={line.way}]{':' if line.text.endswith(':') else ''}"


def first_words(line: Line) -> str:
    """Return the role and the name of a line, or the whole of a text line."""
    text = head(line).removeprefix("- ").partition(" [")[0].rstrip(":")
    return line.text.removeprefix("- ") if line.role == "text" else text


class _Plan:
    """Classification of lines: a member of a collection, a part that is joined into a member's line, or neither."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.parents = parents(lines)
        self.children: list[list[int]] = [[] for _ in lines]
        for index, parent in enumerate(self.parents):
            if parent >= 0:
                self.children[parent].append(index)
        self.collections: list[_Collection] = []
        self.collection_of: dict[int, _Collection] = {}
        self.joined: list[int] = [-1] * len(lines)
        """For each line, the index of the member whose line it is joined into; -1 for none."""
        self.ranks: list[int] = [_CONTROLS] * len(lines)
        surrounding = [False] * len(lines)
        below = [False] * len(lines)
        for index, line in enumerate(lines):
            parent = self.parents[index]
            if parent >= 0:
                surrounding[index], below[index] = surrounding[parent], below[parent]
                self.joined[index] = self.joined[parent]
            surrounding[index] |= line.role in SURROUNDINGS
            if self.joined[index] >= 0:
                continue
            own = self.collection_of.get(index)
            if own is not None:
                below[index] = True
                if self._joins(index):
                    self.joined[index] = index
                    continue
            self.ranks[index] = self._rank(index, surrounding=surrounding[index], below=below[index])
            self._collect(index, surrounding=surrounding[index])

    def end(self, index: int) -> int:
        """Return the index after the last line inside of a line."""
        while self.children[index]:
            index = self.children[index][-1]
        return index + 1

    def _joins(self, index: int) -> bool:
        """Whether a member has at most `MAX_INSIDE` lines, and contains no line of the same role."""
        end = self.end(index)
        role = self.lines[index].role
        return end - index <= MAX_INSIDE and all(self.lines[each].role != role for each in range(index + 1, end))

    def _collect(self, parent: int, *, surrounding: bool) -> None:
        """Find the collections among the children of a line."""
        children = self.children[parent]
        if len(children) < FEW:
            return
        by_role: dict[str, list[int]] = {}
        for child in children:
            by_role.setdefault(self.lines[child].role, []).append(child)
        for role, members in by_role.items():
            holds = sum(bool(self.children[each]) for each in members)
            is_collection = len(members) > MANY or (
                len(members) >= FEW and role in _MEMBERS and holds * 2 > len(members)
            )
            if not is_collection:
                continue
            found = _Collection(members, _SURROUNDING_ROWS if surrounding else _ROWS, is_flat=not holds)
            self.collections.append(found)
            self.collection_of.update(dict.fromkeys(members, found))

    def _rank(self, index: int, *, surrounding: bool, below: bool) -> int:
        line = self.lines[index]
        is_link = line.role == "link"
        if below:
            return _SURROUNDING_ROWS if surrounding else _ROWS
        if line.depth == 0 or line.role in _ALERTS:
            return _CONTROLS
        if line.ref and not is_link:
            return _CONTROLS if line.said or line.role not in _OFTEN_DECORATION else _UNNAMED
        if line.role in SURROUNDINGS or (not surrounding and (line.role == "heading" or self._is_named(index))):
            return _STRUCTURE
        if surrounding:
            return _SURROUNDING_LINKS
        return _LINKS if is_link and not self._is_in_text(index) else _TEXTS

    def _is_named(self, index: int) -> bool:
        return bool(self.children[index]) and '"' in self.lines[index].text

    def _is_in_text(self, index: int) -> bool:
        parent = self.parents[index]
        return parent >= 0 and any(self.lines[each].role == "text" for each in self.children[parent])

    def written(self, shown: set[int]) -> list[str]:
        """Return the shown lines, each with a note on the hidden lines inside of it."""
        hidden: dict[int, list[int]] = {}
        nearest: list[int] = []
        for index, parent in enumerate(self.parents):
            nearest.append(index if index in shown else nearest[parent] if parent >= 0 else -1)
            stands = self.joined[index] if self.joined[index] >= 0 else index
            if index not in shown and stands not in shown and stands not in self.collection_of:
                hidden.setdefault(nearest[index], []).append(index)
        shortened = {self.parents[each.members[0]] for each in self.collections if each.is_shortened}
        found: list[str] = []
        for index, line in enumerate(self.lines):
            own = self.collection_of.get(index)
            text = own.written.get(index, "") if own else ""
            if index in shown and not text and not (own and own.is_flat):
                inside = [self.lines[each] for each in hidden.get(index, [])]
                text = folded(line, inside) if inside else with_way(line) if index in shortened else line.text
            if text:
                found += ["  " * line.depth + each for each in text.split("\n")]
        return found


def _filled(plan: _Plan, room: int) -> set[int]:
    """Return the indexes of the lines to show; the output for members is stored in their collections."""
    fill = _Fill(plan, room)
    fill.show(_CONTROLS, _STRUCTURE, _LINKS, _UNNAMED)
    main = [each for each in plan.collections if each.rank == _ROWS]
    wanted = sum(fill.need(each) for each in main)
    texts = fill.cost_of(_TEXTS)
    spare = fill.room - min(texts, max(fill.room // 3, fill.room - wanted))
    fill.room -= spare
    fill.show(_TEXTS)
    fill.room += spare
    fill.share(main)
    fill.show(_ROWS, _SURROUNDING_LINKS)
    fill.share([each for each in plan.collections if each.rank == _SURROUNDING_ROWS])
    fill.show(_SURROUNDING_ROWS)
    return fill.shown


class _Fill:
    """The lines shown so far, and the room that is left, in characters."""

    def __init__(self, plan: _Plan, room: int) -> None:
        self.plan, self.room = plan, room
        self.shown: set[int] = set()
        self._by_rank: list[list[int]] = [[] for _ in range(_SURROUNDING_ROWS + 1)]
        for index in range(len(plan.lines)):
            if plan.joined[index] < 0 and index not in plan.collection_of:
                self._by_rank[plan.ranks[index]].append(index)

    def show(self, *ranks: int) -> None:
        """Show as many lines of these ranks as there is room for, with their ancestors."""
        for rank in ranks:
            for index in self._by_rank[rank]:
                self._show(index)

    def cost_of(self, rank: int) -> int:
        """Return the number of characters that the lines of a rank still need."""
        return sum(self._cost(index) for index in self._by_rank[rank] if index not in self.shown)

    def need(self, collection: _Collection) -> int:
        """Return the number of characters that a collection needs to show every control of its members."""
        lines = self.plan.lines
        first = collection.members[0]
        return sum(
            min(ROW, sum(len(lines[each].text) for each in range(member, self.plan.end(member))))
            + 2 * lines[first].depth
            for member in collection.members
        )

    def share(self, collections: list[_Collection]) -> None:
        """Divide the room among collections, the smallest first: the others get the room that one does not need."""
        waiting = sorted(collections, key=self.need)
        for place, collection in enumerate(waiting):
            self._write(collection, self.room // (len(waiting) - place))

    def _show(self, index: int) -> bool:
        missing: list[int] = []
        at = index
        while at >= 0 and at not in self.shown:
            missing.append(at)
            at = self.plan.parents[at]
        cost = sum(map(self._cost, missing))
        if cost > self.room and index > 0:
            return False
        self.room -= cost
        self.shown.update(missing)
        return True

    def _cost(self, index: int) -> int:
        line = self.plan.lines[index]
        return 2 * line.depth + len(line.text) + 1 + (FOLD if self.plan.children[index] else 0)

    def _write(self, collection: _Collection, room: int) -> None:
        """Write the members of a collection for which there is room, and one line for the others."""
        parent = self.plan.parents[collection.members[0]]
        before = self.room
        if not self._show(parent):
            return
        room -= before - self.room
        used = self._flat(collection, room) if collection.is_flat else self._rows(collection, room)
        self.room -= used

    def _rows(self, collection: _Collection, room: int) -> int:
        plan = self.plan
        indent = 2 * plan.lines[collection.members[0]].depth + 1
        heads = _heads(plan, collection.members)
        texts = [self._row(each, HEAD_ROW if place < heads else ROW) for place, each in enumerate(collection.members)]
        if sum(len(text) + indent for text in texts) > room:
            # One ordinary member is shown in full, as an example for the others.
            collection.is_shortened = True
            shown = min(heads + 1, len(texts))
            texts[shown:] = [self._row(each, SHORT_ROW, shows_all=False) for each in collection.members[shown:]]
        used = 0
        everything = sum(len(text) + indent for text in texts)
        for place, (member, text) in enumerate(zip(collection.members, texts, strict=True)):
            cost = len(text) + indent
            if everything > room and used + cost + RANGE + indent > room:
                note = self._range(collection.members[place:])
                collection.written[member] = note
                return used + len(note) + indent
            used += cost
            collection.written[member] = text
            self.shown.add(member)
        return used

    def _flat(self, collection: _Collection, room: int) -> int:
        """Write members without content, joining those that directly follow each other into one line."""
        members = collection.members
        indent = 2 * self.plan.lines[members[0]].depth + 1
        start = f"- {self.plan.lines[members[0]].role}: "
        begin, text, used = members[0], "", 0
        for place, member in enumerate(members):
            part = short(self.plan.lines[member], MAX_NAME, with_role=False)
            if text and (len(text) + len(part) > FLAT or member > members[place - 1] + 1):
                collection.written[begin] = start + text
                used += len(start) + len(text) + indent
                text = ""
            if not text:
                begin = member
            length = len(start) + len(text) + len(part) + 3 + indent
            if used + length + (RANGE + indent if place + 1 < len(members) else 0) > room:
                note = self._range(members[place:])
                collection.written[begin] = f"{start}{text}\n{note}" if text else note
                return used + len(collection.written[begin]) + 2 * indent
            text = f"{text} | {part}" if text else part
            self.shown.add(member)
        collection.written[begin] = start + text
        return used + len(start) + len(text) + indent

    def _range(self, members: list[int]) -> str:
        """Return the line that stands for several members of a collection."""
        lines = self.plan.lines
        parent = self.plan.parents[members[0]]
        way = lines[parent].ref or lines[parent].way
        first, last = (clip(self._called(member), PART_OF_RANGE) for member in (members[0], members[-1]))
        said = f": {quote(first)} … {quote(last)}" if first and last else ""
        there = f" [in ref={way}]" if way else ""
        more = "more " if self.shown.intersection(self.plan.collection_of[members[0]].members) else ""
        return f"- {len(members)} {more}{lines[members[0]].role}s{there}{said}"

    def _called(self, member: int) -> str:
        """Return a name for a member of a collection: its own name, that of its main control, or its first text."""
        inside = self.plan.lines[member : self.plan.end(member)]
        main = _main_control(inside[1:])
        return inside[0].said or (main.said if main else "") or next((line.said for line in inside if line.said), "")

    def _row(self, member: int, longest: int, *, shows_all: bool = True) -> str:
        """Return a member as one line: with every control, or with texts and its main control."""
        lines = self.plan.lines
        if self.plan.joined[member] != member or not self.plan.children[member]:
            return lines[member].text
        inside = [lines[index] for index in range(member + 1, self.plan.end(member))]
        start = head(lines[member])
        main = _main_control(inside)
        parts: list[str] = []
        left, length = 0, len(start)
        for place, line in enumerate(inside):
            below = inside[place + 1] if place + 1 < len(inside) and inside[place + 1].depth > line.depth else None
            if _is_repeated(line, start, below):
                continue
            part = short(line) if shows_all or not line.ref or line is main else _text_of(line)
            if part and line is not main and length + len(part) > longest:
                part = ""
            if part:
                parts.append(part)
                length += len(part) + 3
            left += not part and bool(line.ref or line.said)
        more = f" (+{left})" if left else ""
        return f"{start}: {' | '.join(parts)}{more}" if parts else f"{start}{more}"


def _main_control(inside: list[Line]) -> Line | None:
    """Return the main control of a member: the first named link, else the first named control, else the first one."""
    controls = [line for line in inside if line.ref]
    named = [line for line in controls if line.said]
    links = [line for line in named if line.role == "link"]
    return next(iter([*links, *named, *controls]), None)


def _text_of(line: Line) -> str:
    """Return the text of a link, which describes the member; "" for other controls."""
    return clip(line.said, MAX_PART) if line.role == "link" else ""


def _is_repeated(line: Line, start: str, below: Line | None) -> bool:
    """Whether a line of a member adds nothing to the start of the member and to the line below."""
    if line.ref:
        return line.role == "generic" and not line.said and not line.row.props.get("hint")
    said = line.said
    return (not said and below is not None) or f'"{said}"' in start or bool(below and below.said and below.said in said)


def _heads(plan: _Plan, members: list[int]) -> int:
    """Return the number of members at the start that differ from most, such as headers; 0 above `MAX_HEAD_ROWS`."""
    kinds = [" ".join(plan.lines[each].role for each in range(member, plan.end(member))) for member in members]
    first = kinds.index(Counter(kinds).most_common(1)[0][0])
    return first if first <= MAX_HEAD_ROWS else 0
