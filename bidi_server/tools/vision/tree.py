"""A snapshot in the form of seed 003: ``- @e3: link "More information..." → https://…``."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from bidi_server.browser.snapshot.model import Row, Snapshot
from bidi_server.browser.words import address, clip
from bidi_server.escapes import one_line, quote

_STATES = (
    "level", "checked", "disabled", "expanded", "selected", "pressed", "required", "readonly", "invalid", "current",
    "active", "type", "placeholder", "value",
)  # fmt: skip
_STRUCTURE = frozenset({"document", "generic", "group", "none", "presentation", "paragraph", "listitem", "section"})
_TELLS_WHEN_FALSE = frozenset({"expanded", "pressed"})


def tree(snapshot: Snapshot, *, interactive_only: bool = False, compact: bool = True) -> tuple[str, list[str]]:
    """Return the text of a snapshot, and its refs in the order of their numbers.

    ``compact`` leaves out structural elements without a name, a text or actions.
    """
    page = urlsplit(snapshot.url).netloc or (quote(snapshot.title) if snapshot.title else address(snapshot.url))
    lines = [f"[Snapshot of {page}]"]
    refs: list[str] = []
    left_out: list[int] = []
    for row, text in _with_texts(snapshot.rows):
        while left_out and left_out[-1] >= row.depth:
            left_out.pop()
        name = row.name or text
        acts = bool(row.props.get("tier"))
        says_nothing = compact and not name and not acts and row.role in _STRUCTURE
        if says_nothing or (interactive_only and not acts) or (row.role == "document" and not row.depth and not text):
            left_out.append(row.depth)
            continue
        number = ""
        if row.ref:
            refs.append(row.ref)
            number = f"@e{len(refs)}: "
        lines.append(f"{'  ' * (row.depth - len(left_out))}- {number}{_words(row, name)}")
    return "\n".join(map(one_line, lines)), refs


def _with_texts(rows: list[Row]) -> Iterator[tuple[Row, str]]:
    """Yield the rows, each with the text that is its only content, or ""."""
    index = 0
    while index < len(rows):
        row, after = rows[index], rows[index + 1 : index + 3]
        index += 1
        only = (
            after
            and after[0].role == "text"
            and "unseen" not in after[0].props
            and (len(after) == 1 or after[1].depth <= row.depth)
        )
        if only and not row.name:
            index += 1
        yield row, after[0].name if only else ""


def _words(row: Row, name: str) -> str:
    words = f"{row.role} {quote(clip(row.props.get('seen', name)))}" if name else row.role
    unseen = row.props.get("unseen")
    if unseen is not None:
        words += " (hidden)" if unseen is True else f" (hidden: {quote(clip(unseen))})"
    states = [
        state if value is True else f"{state}: {clip(str(value).lower() if value is False else str(value))}"
        for state in _STATES
        if (value := row.props.get(state)) not in (None, "") and (value is not False or state in _TELLS_WHEN_FALSE)
    ]
    note = row.props.get("note") or row.props.get("hint")
    url = row.props.get("url")
    return (
        words
        + (f" ({', '.join(states)})" if states else "")
        + (f" → {clip(str(url), 200)}" if url else "")
        + (f" [{note}]" if note else "")
    )
