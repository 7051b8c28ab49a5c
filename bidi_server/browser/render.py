"""A snapshot as indented text: one line for each row, few tokens, nothing that only looks nice."""

import json
from dataclasses import dataclass
from urllib.parse import urlsplit

from bidi_server.browser.describe import clip
from bidi_server.browser.snapshot import Row, Snapshot

MAX_URL = 120
"""Characters of a URL that are shown."""

COMPACT_ABOVE = 100
"""Interactive elements above which only tier 1 shows refs (seed 002)."""

_FLAGS = (
    "active", "checked", "disabled", "expanded", "selected", "pressed", "required", "readonly", "invalid", "current",
    "modal", "busy", "multiselectable", "level", "sort", "haspopup", "type", "orientation",
)  # fmt: skip
"""States in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: how deep, what it says, and the same without what changes by merely being looked at (the focus)."""

    depth: int
    text: str
    ref: str
    key: str

    def __str__(self) -> str:
        return "  " * self.depth + self.text


def render(snapshot: Snapshot, *, all_refs: bool = False, max_depth: int | None = None) -> list[Line]:
    """Return the lines of a snapshot. ``max_depth`` leaves out what is deeper."""
    rows = snapshot.rows
    compact = not all_refs and sum(1 for row in rows if row.ref) > COMPACT_ABOVE
    origin = _origin(snapshot.url)
    lines: list[Line] = []
    index = 0
    hidden_refs = 0
    while index < len(rows):
        row = rows[index]
        index += 1
        if max_depth is not None and row.depth > max_depth:
            continue
        only_text = ""
        if index < len(rows) and rows[index].role == "text" and rows[index].depth == row.depth + 1:
            following = rows[index + 1] if index + 1 < len(rows) else None
            if following is None or following.depth <= row.depth:
                only_text = rows[index].name
                index += 1
        shows_ref = bool(row.ref) and not (compact and row.props.get("tier") == 2)
        hidden_refs += bool(row.ref) and not shows_ref
        has_children = index < len(rows) and rows[index].depth > row.depth
        lines.append(_line(row, only_text, shows_ref=shows_ref, has_children=has_children, origin=origin))
    if hidden_refs:
        text = f"- note: {hidden_refs} more elements have refs; browser_snapshot with allRefs: true shows them"
        lines.append(Line(0, text, "", "note"))
    return lines


def _line(row: Row, only_text: str, *, shows_ref: bool, has_children: bool, origin: str) -> Line:
    if row.role == "text":
        text = f"- text: {clip(row.name)}"
        return Line(row.depth, text, "", text)
    props = row.props
    head = f"- {row.role}"
    if row.name:
        head += f" {quote(clip(row.name))}"
    flags = [_flag(name, props[name]) for name in _FLAGS if name in props]
    quiet = [flag for flag in flags if flag != "active"]
    tail = f" [ref={row.ref}]" if shows_ref else ""
    url = props.get("url")
    if isinstance(url, str) and url:
        tail += f" → {short_url(url, origin)}"
    value = _value(props, only_text)
    for name in ("placeholder", "description", "note"):
        if props.get(name):
            tail += f" ({name}: {clip(str(props[name]))})" if name != "note" else f" ({props[name]})"
    options = props.get("options")
    if isinstance(options, list):
        tail += f" (options: {' | '.join(clip(str(option)) for option in options)})"  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if value:
        tail += f": {clip(value)}"
    elif has_children:
        tail += ":"
    shown = f" [{', '.join(flags)}]" if flags else ""
    same = f" [{', '.join(quiet)}]" if quiet else ""
    # A colon only says that lines follow; gaining the first child is not a change of the parent.
    return Line(
        row.depth, f"{head}{shown}{tail}", row.ref if shows_ref else "", f"{head}{same}{tail.removesuffix(':')}"
    )


def _flag(name: str, value: object) -> str:
    return name if value is True else f"{name}={str(value).lower() if isinstance(value, bool) else value}"


def _value(props: dict[str, object], only_text: str) -> str:
    value = props.get("value")
    text = "" if value is None else str(value)
    if props.get("valuetext"):
        text = f"{text} ({props['valuetext']})" if text else str(props["valuetext"])
    low, high = props.get("valuemin"), props.get("valuemax")
    if text and low is not None and high is not None:
        text = f"{text} of {low} to {high}"
    return text or only_text


def quote(text: str) -> str:
    """Return text in double quotes on one line."""
    return json.dumps(text, ensure_ascii=False)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def short_url(url: str, origin: str) -> str:
    """Return a URL without the page's own origin, and not longer than `MAX_URL`."""
    if origin and url.startswith(origin) and (len(url) == len(origin) or url[len(origin)] in "/?#"):
        url = url[len(origin) :] or "/"
    return clip(url, MAX_URL)
