"""A snapshot, its rows, and the lines that they are written as."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bidi_server.browser.snapshot.frame import Frame
from bidi_server.browser.words import escaped


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """Options of the walker, the same for all frames of a snapshot."""

    every_ref: bool = False
    """Whether elements that cannot be acted on have refs too."""
    boxes: bool = False
    """Whether rows with a ref have the property ``box``.

    It is x, y, width and height in CSS pixels of the page's viewport.
    """

    def wire(self, frame: Frame, taken: Sequence[str] = ()) -> dict[str, object]:
        """Return the argument of the walker's ``walk`` in one frame.

        ``taken`` are refs that its elements must not get.
        """
        options: dict[str, object] = {"prefix": frame.prefix}
        if frame.suspects:
            options["seen"] = frame.suspects
        if taken:
            options["taken"] = list(taken)
        if self.every_ref:
            options["everyRef"] = True
        if self.boxes:
            options["boxes"] = True
        return options


DEFAULT_OPTIONS = WalkOptions()


@dataclass(slots=True)
class Row:
    """One line of the tree. ``props`` are states and properties under the walker's names; see page/src/rows.js."""

    depth: int
    role: str
    name: str
    ref: str
    props: dict[str, object]

    def __str__(self) -> str:
        return f"{self.role} '{escaped(self.name)}'" if self.name else self.role


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a page that is a file, as plain text, JSON and XML: its begin, and how many characters it has."""

    text: str
    length: int


def value_of(props: dict[str, object], only_text: str) -> str:
    """Return what an element holds: its value, or else the text inside of it."""
    value = props.get("value")
    text = "" if value is None else str(value)
    if props.get("valuetext"):
        text = f"{text} ({props['valuetext']})" if text else str(props["valuetext"])
    low, high = props.get("valuemin"), props.get("valuemax")
    if text and low is not None and high is not None:
        text = f"{text} of {low} to {high}"
    return text or only_text


@dataclass(frozen=True, slots=True)
class Line:
    """One line. Long texts are cut in ``text`` (seed 002), and not in ``whole``.

    ``key`` has all of them, without where a link leads, nor what changes by merely being looked at: the focus, the
    colon.
    """

    depth: int
    role: str
    text: str
    ref: str
    key: str
    whole: str
    row: Row
    url: str = ""
    way: str = ""
    """Ref of an element that cannot be acted on, by which a snapshot shows what is inside of it."""
    only_text: str = ""
    """The text inside of the element, where there is nothing else."""

    def __str__(self) -> str:
        return "  " * self.depth + self.text

    @property
    def said(self) -> str:
        """The name of the element, or else its text or value."""
        return self.row.name or value_of(self.row.props, self.only_text)


@dataclass(slots=True)
class Snapshot:
    """The tree, flat and in order. ``frames`` says for each ref which frame it is in."""

    url: str
    title: str
    rows: list[Row]
    empty: list[tuple[int, Row]] = field(default_factory=list[tuple[int, Row]])
    """Containers without content, each with the index of the row that it precedes."""
    by_ref: dict[str, Row] = field(default_factory=dict[str, Row])
    frames: dict[str, Frame] = field(default_factory=dict[str, Frame])
    options: WalkOptions = DEFAULT_OPTIONS
    """Options of its walks."""
    leaving: bool = False
    """Whether the page had begun to leave."""
    source: Source | None = None
    """What the page is a view of, if that is a text file."""
    rendered: tuple[tuple[object, ...], list[Line]] | None = None
    """Its lines as they were last asked for, and how; see `render`."""

    def shows_what(self, other: "Snapshot") -> bool:
        """Whether both show the same, wherever the focus and the elements are."""
        return len(self.rows) == len(other.rows) and all(map(_alike, self.rows, other.rows))


def _alike(row: Row, other: Row) -> bool:
    return row == other or replace(row, props=row.props | _PASSING) == replace(other, props=other.props | _PASSING)


_PASSING = {"active": None, "box": None}
"""Properties that say nothing of what the page shows."""
