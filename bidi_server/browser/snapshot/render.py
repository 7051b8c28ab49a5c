"""A snapshot as indented text: one line for each row, with few tokens and no decoration."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from bidi_server.browser.origin import origin_of
from bidi_server.browser.snapshot.model import Line, Row, Snapshot, seen_name, value_of
from bidi_server.browser.words import MAX_NAME, address, clip
from bidi_server.escapes import one_line, quote
from bidi_server.page.api import Props

MAX_URL = 120
"""Maximum length of a URL, in characters."""

MAX_WHOLE = 10_000
"""Maximum length of a text, a name or a value in `Line.whole`, in characters."""

MAX_PART = 40
"""Maximum length of a name or a text that is a part of another line, in characters."""

COMPACT_ABOVE = 100
"""Number of interactive elements above which elements of tier 2 are shown without refs (seed 002)."""

MAX_REPEATED = 20
"""Maximum length of a description that an earlier line shows in full, in characters: enough to recognise it."""

MAX_INSIDE = 50
"""Maximum number of rows inside of a row that are searched for the parts of its name."""

TIER_2 = 2
"""The walker's tier of elements that can be acted on only because of the list or grid that contains them."""

_CELLS = frozenset({"cell", "gridcell", "rowheader", "columnheader"})

_DATA = frozenset({"cell", "gridcell"})

_AMBIGUOUS = frozenset('|"')

_REF = "[ref="

_WRAPPERS = frozenset({"paragraph", "listitem", *_CELLS})

_CALLED_BY_CONTENT = frozenset({"generic", "listitem", "row", *_CELLS})
"""Roles whose name is left out if the rows inside repeat it."""

_FLAGS = (
    "active", "checked", "disabled", "expanded", "selected", "pressed", "required", "readonly", "invalid", "current",
    "modal", "busy", "multiselectable", "level", "rows", "sort", "haspopup", "type", "orientation", "multiline",
    "unvoiced",
)  # fmt: skip
"""States in the order in which they are shown."""

_SHOWN = frozenset(_FLAGS)

_LABELS = {"unvoiced": "aria-hidden"}
"""States that are shown under another name."""


def render(snapshot: Snapshot, *, all_refs: bool = False, prefix: str = "", with_empty: bool = False) -> list[Line]:
    """Return the lines of a snapshot, with ``prefix`` before every ref.

    ``with_empty`` includes containers without content. The snapshot keeps the lines, because the next snapshot is
    compared with them.
    """
    options = all_refs, prefix, with_empty
    if snapshot.rendered is None or snapshot.rendered[0] != options:
        snapshot.rendered = options, _render(snapshot, *options)
    return snapshot.rendered[1]


def _render(snapshot: Snapshot, all_refs: bool, prefix: str, with_empty: bool) -> list[Line]:
    interactive = sum(1 for row in snapshot.rows if row.ref and row.props.get("tier"))
    hides_tier_2 = not all_refs and interactive > COMPACT_ABOVE
    page = snapshot.url.partition("#")[0]
    origin = origin_of(page)
    lines: list[Line] = []
    shown = _all_rows(snapshot) if with_empty else snapshot.rows
    hidden = sum(1 for row in shown if row.ref and row.props.get("tier") == TIER_2) if hides_tier_2 else 0
    if hides_tier_2:
        shown = [_as_content(row) if row.props.get("tier") == TIER_2 else row for row in shown]
    rows = _with_cells_joined(list(_without_wrappers(shown)))
    said: set[str] = set()
    index = 0
    while index < len(rows):
        depth, row = rows[index]
        index += 1
        text = ""
        if index < len(rows) and _is_seen_text(rows[index][1]) and rows[index][0] == depth + 1:
            alone = index + 1 == len(rows) or rows[index + 1][0] <= depth
            if alone:
                text = rows[index][1].name
                index += 1
        parent = index < len(rows) and rows[index][0] > depth
        props = row.props
        ref = prefix + row.ref if row.ref and props.get("tier") else ""
        way = prefix + row.ref if row.ref and parent and not ref else ""
        url = short_url(props["url"], page, origin) if "url" in props else ""
        line = _line(depth, row, text, ref, url, way, parent=parent)
        said.add(row.name)
        said.add(text)
        if "description" in props:
            description = props["description"]
            if description in said and len(description) > MAX_REPEATED:
                # The key for comparisons keeps the full description.
                brief = replace(row, props={**props, "description": clip(description, MAX_REPEATED)})
                line = replace(_line(depth, brief, text, ref, url, way, parent=parent), key=line.key, row=row)
            said.add(description)
        lines.append(line)
    if hidden:
        note = f"- note: {hidden} more elements have refs; a snapshot with allRefs: true shows them"
        lines.append(Line(0, "note", note, "", "note", note, Row(0, "note", "", "", {})))
    return lines


def _is_seen_text(row: Row) -> bool:
    return row.role == "text" and "unseen" not in row.props


def _as_content(row: Row) -> Row:
    """Return a row without the properties that matter only if its ref is shown."""
    props = row.props.copy()
    props.pop("tier", None)
    props.pop("hint", None)
    return replace(row, props=props)


def _all_rows(snapshot: Snapshot) -> list[Row]:
    rows: list[Row] = []
    begin = 0
    for index, row in snapshot.empty:
        rows += snapshot.rows[begin:index]
        rows.append(row)
        begin = index
    return rows + snapshot.rows[begin:]


def parents(lines: Sequence[Line]) -> list[int]:
    """Return for each line the index of its parent; -1 for none."""
    found: list[int] = []
    path: list[int] = []
    for index, line in enumerate(lines):
        while path and lines[path[-1]].depth >= line.depth:
            path.pop()
        found.append(path[-1] if path else -1)
        path.append(index)
    return found


def _without_wrappers(rows: list[Row]) -> Iterator[tuple[int, Row]]:
    """Yield the rows with their depths, without wrappers of a single element and without repeated images and names."""
    wrappers: list[int] = []
    for index, row in enumerate(rows):
        while wrappers and wrappers[-1] >= row.depth:
            wrappers.pop()
        repeats = row.name != "" and row.role in _CALLED_BY_CONTENT and _is_said_below(rows, index)
        if row.role in _WRAPPERS and (repeats or not row.name) and _is_plain(row) and _has_one_element(rows, index):
            wrappers.append(row.depth)
            continue
        above = rows[index - 1] if index else row
        if row.role == "img" and row.depth == above.depth + 1 and row.name == above.name and _is_plain(row):
            continue
        yield row.depth - len(wrappers), replace(row, name="") if repeats else row


def _is_plain(row: Row) -> bool:
    """Whether a row is not a control and has no state or other property to show."""
    props = row.props
    return not props or (not props.get("tier") and not any(_tells(name, value) for name, value in props.items()))


def _is_text(row: Row) -> bool:
    """Whether a row shows nothing but its name and a description."""
    props = row.props.copy()
    props.pop("description", None)
    return _is_plain(replace(row, props=props))


def _with_cells_joined(rows: list[tuple[int, Row]]) -> list[tuple[int, Row]]:
    """Join cells that contain only text into one line, and into the line of their row if it has no other cells."""
    if not any(row.role in _CELLS for _, row in rows):
        return rows
    joined: list[tuple[int, Row]] = []
    for index, (depth, row) in enumerate(rows):
        is_leaf = index + 1 == len(rows) or rows[index + 1][0] <= depth
        if not (row.role in _CELLS and _is_text(row) and is_leaf):
            joined.append((depth, row))
            continue
        above, neighbour = joined[-1] if joined else (depth, row)
        text = f"{seen_name(row)}{_details(row.props, sys.maxsize)}"
        if above == depth and neighbour.role == row.role and "cells" in neighbour.props:
            neighbour.props["cells"].append(text)
        else:
            joined.append((depth, replace(row, name="", props={"cells": [text]})))
    return _with_short_rows(joined)


def _with_short_rows(rows: list[tuple[int, Row]]) -> list[tuple[int, Row]]:
    short: list[tuple[int, Row]] = []
    for index, (depth, row) in enumerate(rows):
        is_last = index + 1 == len(rows) or rows[index + 1][0] < depth
        above, parent = short[-1] if short else (depth, row)
        is_alone = is_last and above < depth and parent.role == "row" and _is_plain(parent)
        if is_alone and row.role in _DATA and "cells" in row.props:
            short[-1] = (above, replace(parent, props=row.props))
        else:
            short.append((depth, row))
    return short


def _is_said_below(rows: list[Row], outer: int) -> bool:
    """Whether the names and values of the rows inside, in page order, make up the whole name of a row."""
    rest = rows[outer].name
    for index in range(outer + 1, min(len(rows), outer + 1 + MAX_INSIDE)):
        row = rows[index]
        if row.depth <= rows[outer].depth:
            break
        for said in (row.name, row.props.get("value")):
            if said and f"{rest} ".startswith(f"{said} "):
                rest = rest[len(said) :].lstrip()
    return not rest


def _has_one_element(rows: list[Row], wrapper: int) -> bool:
    depth = rows[wrapper].depth
    first = wrapper + 1
    if first == len(rows) or rows[first].depth <= depth or rows[first].role == "text":
        return False
    for index in range(first + 1, len(rows)):
        if rows[index].depth <= depth + 1:
            return rows[index].depth <= depth
    return True


def _line(depth: int, row: Row, only_text: str, ref: str, url: str, way: str, *, parent: bool) -> Line:
    text, key = _written(row, only_text, ref, url, MAX_NAME, parent=parent)
    whole = text
    if len(text) > MAX_NAME:  # otherwise nothing was cut
        whole, _ = _written(row, only_text, ref, url, MAX_WHOLE, parent=parent)
        _, key = _written(row, only_text, ref, url, sys.maxsize, parent=parent)
    return Line(depth, row.role, text, ref if row.role != "text" else "", key, whole, row, url, way, only_text)


def _written(row: Row, only_text: str, ref: str, url: str, most: int, *, parent: bool) -> tuple[str, str]:
    """Return the text of a line, with no part longer than ``most`` characters, and its key for comparisons."""
    props = row.props
    if row.role == "text":
        text = one_line(f"- text: {_said(row.name, most)}{_unseen(props, most)}")
        return text, text
    head = f"- {row.role} {quote(clip(seen_name(row), most))}" if row.name else f"- {row.role}"
    named = f" [ref={ref}]" if ref else ""
    if not props and not only_text:
        key = head + named
        return f"{key}:" if parent else key, key
    if "cells" in props:
        head += f": {' | '.join(_cell(cell, most) for cell in props['cells'])}"
    flags = _flags(props)
    details = _details(props, most)
    value = value_of(props, only_text)
    if value:
        details += f": {_said(value, most)}"
    colon = ":" if parent and not value else ""
    box = f" [box={','.join(map(str, props['box']))}]" if ref and "box" in props else ""
    way = f" → {clip(url, max(most, MAX_URL))}" if url else ""
    lasting = flags[1:] if props.get("active") else flags
    key = one_line(f"{head}{_bracket(lasting)}{named}{details}")
    if not box and not way and lasting is flags:
        return f"{key}{colon}", key
    return one_line(f"{head}{_bracket(flags)}{named}{box}{way}{details}{colon}"), key


def head(line: Line) -> str:
    """Return the role, the name, the states and the ref of a line, without its content."""
    row = line.row
    name = f" {quote(clip(seen_name(row)))}" if row.name else ""
    return one_line(f"- {line.role}{name}{_bracket(_flags(row.props))}{f' [ref={line.ref}]' if line.ref else ''}")


def short(line: Line, most: int = MAX_PART, *, with_role: bool = True) -> str:
    """Return a line as a part of another: its ref, states and texts, and the role of a control other than a link."""
    row = line.row
    if "cells" in row.props:
        return one_line(" | ".join(_cell(cell, most) for cell in row.props["cells"]))
    value = value_of(row.props, line.only_text)
    name = seen_name(row)
    name = (quote(clip(name, most)) if line.ref else _cell(name, most)) if name else ""
    hint = "" if name or value or not line.ref else row.props.get("hint") or row.props.get("placeholder") or ""
    parts = [
        line.role if with_role and line.ref and not (line.role == "link" and name) else "",
        name,
        _bracket(_flags(row.props)).strip(),
        f"[ref={line.ref}]" if line.ref else "",
        f"({_said(hint, most)})" if hint else "",
    ]
    text = " ".join(filter(None, parts))
    if value and value != row.name:
        text = f"{text}: {_cell(value, most)}" if text else _cell(value, most)
    return one_line(text)


def _flags(props: Mapping[str, object]) -> list[str]:
    if _SHOWN.isdisjoint(props):
        return []
    return [_flag(name, props[name]) for name in _FLAGS if name in props and _tells(name, props[name])]


def _said(text: str, most: int) -> str:
    """Return a text of the page, in quotes if it could be mistaken for a ref."""
    return quote(clip(text, most)) if _REF in text else clip(text, most)


def _cell(text: str, most: int) -> str:
    return _said(text, most) if text and not _AMBIGUOUS.intersection(text) else quote(clip(text, most))


def _unseen(props: Props, most: int) -> str:
    """Return the mark of a name or a text that people don't see, or see only a part of."""
    unseen = props.get("unseen")
    if unseen is None:
        return ""
    return " (hidden)" if unseen is True else f" (hidden: {_said(unseen, most)})"


def _details(props: Props, most: int) -> str:
    tail = _unseen(props, most)
    if "placeholder" in props:
        tail += f" (placeholder: {_said(props['placeholder'], most)})"
    if "description" in props:
        tail += f" (description: {_said(props['description'], most)})"
    if "hint" in props:
        tail += f" (hint: {_said(props['hint'], most)})"
    if "note" in props:
        tail += f" ({props['note']})"
    if options := props.get("options"):
        tail += f" (options: {' | '.join(_said(option, most) for option in options)})"
    elif "optionCount" in props:
        tail += f" ({props['optionCount']} options)"
    return tail


def _bracket(flags: list[str]) -> str:
    return f" [{', '.join(flags)}]" if flags else ""


def _flag(name: str, value: object) -> str:
    name = _LABELS.get(name, name)
    return name if value is True else f"{name}={str(value).lower() if isinstance(value, bool) else value}"


def _tells(name: str, value: object) -> bool:
    # An unchecked box is the usual case; that an element can be expanded or pressed is worth showing even if false.
    return value is not False or name not in {"checked", "selected"}


def short_url(url: str, page: str, origin: str) -> str:
    """Return a URL without the part that it shares with the page's: everything up to the fragment, or the origin."""
    if url.startswith("about:"):
        return address(url)
    if page and url.startswith(f"{page}#"):
        return url[len(page) :]
    if origin and url.startswith(origin) and (len(url) == len(origin) or url[len(origin)] in "/?#"):
        return url[len(origin) :] or "/"
    return url
