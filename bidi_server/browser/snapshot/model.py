"""A snapshot, its rows, and the lines that they are rendered as."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bidi_server.browser.snapshot.frame import Frame
from bidi_server.browser.words import in_single_quotes
from bidi_server.page.api import Excerpt, Props


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """Options of the walker, the same for all frames of a snapshot."""

    every_ref: bool = False
    """Whether elements that cannot be acted on get refs too."""
    boxes: bool = False
    """Whether rows with a ref have the property ``box``.

    It is x, y, width and height in CSS pixels of the page's viewport.
    """

    whole: bool = False
    """Whether names and texts are whole, with no word on what people don't see of them."""

    def wire(self, frame: Frame, taken: Sequence[str] = ()) -> dict[str, object]:
        """Return the argument of the walker's ``walk`` for one frame; its elements must not get the ``taken`` refs."""
        options: dict[str, object] = {"prefix": frame.prefix}
        if frame.suspects:
            options["seen"] = frame.suspects
        if taken:
            options["taken"] = list(taken)
        if self.every_ref:
            options["everyRef"] = True
        if self.boxes:
            options["boxes"] = True
        if not self.whole and frame.options.hidden_text != "show":
            options["hidden"] = frame.options.hidden_text
        if frame.options.packs:
            options["pack"] = True
        return options


DEFAULT_OPTIONS = WalkOptions()


@dataclass(slots=True)
class Row:
    """One line of the tree. ``props`` are states and properties under the walker's names; see page/src/tree/rows.js."""

    depth: int
    role: str
    name: str
    ref: str
    props: Props
    stranger: str = ""
    """Origin of the frame that it is in, if that is another one than the page's."""

    def __str__(self) -> str:
        return f"{self.role} {in_single_quotes(self.name)}" if self.name else self.role


def seen_name(row: Row) -> str:
    """Return the part of a row's name that people see; all of it if they see nothing of it."""
    return row.props.get("seen", row.name) if row.name else ""


def value_of(props: Props, only_text: str) -> str:
    """Return the content of an element: its value, or else the text inside of it."""
    text = props.get("value", "")
    if valuetext := props.get("valuetext"):
        text = f"{text} ({valuetext})" if text else valuetext
    low, high = props.get("valuemin"), props.get("valuemax")
    if text and low is not None and high is not None:
        text = f"{text} of {low} to {high}"
    return text or only_text


@dataclass(slots=True)
class Line:
    """One line. Nobody changes it; a ``frozen`` one takes six times as long to make, and a page may have 10,000.

    Long texts are cut in ``text`` (seed 002), but not in ``whole``.

    ``key``, by which lines are compared, has the uncut texts. It leaves out the URL of a link, the box, the focus and
    the colon at the end, since a line that differs only in these does not count as changed.
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
    """Ref of an element that cannot be acted on, for taking a snapshot of its content."""
    only_text: str = ""
    """The text inside of the element, if it contains nothing else."""

    def __str__(self) -> str:
        return "  " * self.depth + self.text

    @property
    def said(self) -> str:
        """The name of the element, or else its value or text."""
        return self.row.name or value_of(self.row.props, self.only_text)


@dataclass(slots=True)
class Snapshot:
    """The tree as a list of rows in page order. ``frames`` has the frame of each ref."""

    url: str
    title: str
    rows: list[Row]
    empty: list[tuple[int, Row]] = field(default_factory=list[tuple[int, Row]])
    """Containers without content, each with the index of the row that it precedes."""
    by_ref: dict[str, Row] = field(default_factory=dict[str, Row])
    frames: dict[str, Frame] = field(default_factory=dict[str, Frame])
    options: WalkOptions = DEFAULT_OPTIONS
    """Options of the walks of its frames."""
    leaving: bool = False
    """Whether the page had begun to navigate."""
    source: Excerpt | None = None
    """The text of the page, if it is a plain text, JSON or XML file."""
    rendered: tuple[tuple[object, ...], list[Line]] | None = None
    """The options of the last `render`, and the lines that it returned."""

    def shows_what(self, other: "Snapshot") -> bool:
        """Whether both show the same, regardless of the focus and of the positions of elements."""
        return len(self.rows) == len(other.rows) and all(map(_alike, self.rows, other.rows))


def _alike(row: Row, other: Row) -> bool:
    return row == other or replace(row, props=_lasting(row.props)) == replace(other, props=_lasting(other.props))


def _lasting(props: Props) -> Props:
    """Return the properties that are part of the visible content."""
    kept = props.copy()
    kept.pop("active", None)
    kept.pop("box", None)
    return kept
