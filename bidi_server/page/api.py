"""Answers of our script in the page, typed. Each class names the entry point that gives it.

Fields are those of the JavaScript object, with underscores. An answer with a missing or an unknown field is an error.
"""

from typing import Literal, NotRequired

from pydantic import BaseModel, ConfigDict, SkipValidation, with_config
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict


@with_config(ConfigDict(extra="forbid"))
class Props(TypedDict, total=False):
    """``Props`` of spec/state.js: states and properties of an element, and what a walk adds to them.

    https://www.w3.org/TR/wai-aria-1.2/#state_prop_def
    """

    active: bool
    box: list[int]
    """x, y, width and height in CSS pixels of the viewport."""
    busy: bool
    cells: list[str]
    """Texts of cells that are joined into the line of their row or of the first of them; added by `render`."""
    checked: bool | Literal["mixed"]
    current: str | Literal[True]
    description: str
    disabled: bool
    empty: bool
    """Whether it is a container without content."""
    expanded: bool
    frame: int
    """Number of the frame's window among those of its document."""
    haspopup: str
    hint: str
    """Id, class or picture of a control without a name."""
    invalid: str | Literal[True]
    level: int
    modal: bool
    multiline: bool
    multiselectable: bool
    note: str
    """Why the content of a frame is missing; added by `take_snapshot`."""
    optionCount: int
    options: list[str]
    orientation: str
    origin: list[int]
    """Position of the content of a frame in CSS pixels of the viewport."""
    painted: bool
    """Whether the document shows something although it has no content for assistive technology."""
    placeholder: str
    pressed: bool | Literal["mixed"]
    readonly: bool
    required: bool
    rows: int
    scroll: bool
    seen: str
    """The part of the name that people see, if they don't see all of it."""
    selected: bool
    sort: str
    target: str
    tier: int
    type: str
    unseen: str | Literal[True]
    """Text that people don't see: all of the name or text, or a part of it."""
    unvoiced: bool
    """Whether it is hidden from assistive technology only."""
    url: str
    value: str
    valuemax: str
    valuemin: str
    valuetext: str


@with_config(ConfigDict(extra="forbid"))
class Description(TypedDict):
    """``describe``: an element."""

    role: str
    name: str
    ref: str
    tag: str
    props: Props
    text: str
    mark: NotRequired[str]
    """Its id or class, as ``#id`` or ``.class``."""
    locators: NotRequired[list["LocatorOfElement"]]
    """Ways to find it again, the most lasting first."""


class LocatorOfElement(TypedDict):
    """``Locator`` of act/locators.js."""

    kind: Literal["role", "label", "testid", "id", "placeholder", "text", "css", "xpath"]
    selector: str
    matches: int


RowOfWalk = tuple[int, str, str, str | Literal[0], Props | Literal[0]]
"""``Row`` of tree/rows.js: depth, role, name, ref and properties; 0 for none."""


class Answer(BaseModel):
    """An object that a function of our script returns."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True, defer_build=True)


class FoundAgain(Answer):
    """The locator that names an element of a plan now."""

    place: int
    """Its place among the locators, from 0."""
    element: Description


class Relocation(Answer):
    """``extra.relocated``: how an element of a plan is found again; None if no locator names it."""

    found: FoundAgain | None


class LoadState(Answer):
    """``loadState``: how far the document has loaded."""

    size: str
    """Numbers of elements and characters."""
    parsed: bool
    content: bool
    """Whether the body shows or may show something."""


class Settled(Answer):
    """``settle``: the state of a document that has settled, or of one at the ceiling of the wait."""

    leaving: str | None
    """URL of the navigation that the document has announced."""
    cut: str | None
    """`Cause` of activity at the ceiling."""
    since: float | None
    """Time from which it was quiet, in milliseconds after the call; None if no change is possible."""
    asked: list[str]
    """URLs of requests that the browser may not have reported yet."""
    served: bool
    """Whether a service worker controls the page."""
    unanswered: list[str]
    """Receivers of messages that have not replied."""
    silent: list[str]
    """Receivers that did not reply to the message before in time either."""
    missed: Description | None
    """The element that a press met instead of its own."""
    kept: bool = False
    """Whether our script kept the press from the page."""
    unclicked: bool = False
    """Whether the browser made no click of the press."""


class ScriptMap(Answer):
    """The source map of a script as JSON, the URL that its sources are relative to, and the script if it is short."""

    map: str
    base: str
    code: str


class ScriptMaps(Answer):
    """``extra.sourceMaps``: the source map of each script, or None."""

    maps: list[ScriptMap | None]


class At(Answer):
    """``act.at``: what a click at a point would hit."""

    element: Description | None
    viewport: tuple[int, int]
    """Its width and height, in CSS pixels."""


class Viewport(Answer):
    """``act.viewport``: the size of the viewport, and the size and the scroll position of the page, in CSS pixels."""

    width: int
    height: int
    scroll_x: int
    scroll_y: int
    scroll_width: int
    scroll_height: int
    device_pixel_ratio: float


class Missing(Answer):
    """``act.scrolled``: the distance to the right and down that is still to be scrolled, in CSS pixels."""

    x: float
    y: float


class Distance(Answer):
    """A distance to the right and down, in CSS pixels."""

    x: int
    y: int


class ScrollPlace(Answer):
    """``act.scrollPlace``: the scroll position of an element and its maximum, in CSS pixels."""

    element: Description | None
    """None for the document."""
    moved: Distance | None
    """Distance that the last turn of the wheel has scrolled it; None if unknown."""
    x: int
    y: int
    most_x: int
    most_y: int


class Moved(Answer):
    """``act.movedBy``: how far a drag has moved its element, in CSS pixels; nothing if the element is gone."""

    x: int | None = None
    y: int | None = None


class Wanted(Answer):
    """``act.wanted``: the role and the text that a selector looks for; "" for any."""

    role: str
    text: str


class Excerpt(Answer):
    """The beginning of the text of a page that is a text file, and the length of the text, in characters."""

    text: str
    length: int


class Walked(Answer):
    """``walk``: the accessibility tree of a document. Windows of frames and suspected shadow hosts follow it."""

    url: str
    title: str
    rows: SkipValidation[list[RowOfWalk]]
    """Not checked one by one: that would take longer than to parse them."""
    windows: int
    """Number of windows."""
    suspects: str
    """Id of the list of suspected hosts."""
    leaving: bool
    """Whether the document has begun to navigate."""
    source: Excerpt | None = None


class Source(Answer):
    """``source``: the text of a page that is a text file."""

    text: str | None


class Point(Answer):
    """A point of a frame's viewport, in CSS pixels."""

    x: float
    y: float


class Choice(Answer):
    """The match of a selector that was chosen from ``all`` matches, by its place among them, counted from 1."""

    place: int
    all: int
    clickable: bool
    """Whether it is the first that can be clicked."""


class OfElement(Answer):
    """The answer of an entry point that needs an element, and found it."""

    element: Description
    changed: Literal["same", "minor", "significant"]
    """Degree of difference from the element that the agent saw."""
    choice: Choice | None = None


class Changed(OfElement):
    """The answer of such an entry point about an element that differs significantly. Nothing was done to it."""


class Obstacle(OfElement):
    """The answer of such an entry point about an element that does not allow it."""

    blocked: Literal[
        "bad-value", "beside", "covered", "detached", "disabled", "drawn", "hidden", "listed", "no-option",
        "not-editable", "not-file", "not-for-secret", "not-select", "not-table", "option-disabled", "outside",
        "readonly", "single",
    ]  # fmt: skip
    cover: Description | None = None
    """The element that is in the way."""
    around: Point | None = None
    """Where moving the pointer may make the element visible."""
    kind: str = ""
    """Actual kind of the element, where another kind is needed."""
    options: list[str] = []
    unknown: str = ""
    """The option that does not exist or is disabled."""


class Look(OfElement):
    """``act.look``: the kind of a control."""

    kind: Literal["select", "checkbox", "radio", "slider", "text"]
    checked: bool
    hidden: bool


class Ready(OfElement):
    """``act.ready``: where the pointer hits an element."""

    point: Point
    leave: Point | None = None
    """Where the pointer rests on an element that appeared under it."""


class Dropped(Answer):
    """``extra.dropAt``."""

    took: bool
    """Whether the page took what was dropped."""


class Grip(OfElement):
    """``act.grab``: where to hold an element, and where to drop it if both places are in view together."""

    point: Point
    end: Point | None


class InView(OfElement):
    """``act.scrollTo``: the place of an element after it was scrolled into view; None if it has none."""

    point: Point | None


class Inserted(OfElement):
    """``act.insert``: what an element holds, or what is left to do for a text to be entered."""

    value: str | None = None
    """The text that the element holds."""
    differs: bool = False
    """Whether an editor holds another text than the one entered."""
    key: str | None = None
    """Key that moves a slider the last step to its value."""
    typing: bool = False
    """Whether the keys of the text are to be pressed."""
    by_keys: bool = False
    """Whether the editor draws its text itself, so that only keys can move its caret."""
    is_unfocused: bool = False
    """Whether the element took no focus from our script, so that only a click may give it."""
    before: str | None = None
    """If `typing`: the text before the new one."""


class PastedDrawn(OfElement):
    """``act.pasteDrawn``: whether an editor that draws its text elsewhere took a paste."""

    is_taken: bool


class Held(OfElement):
    """``act.heldBy``: the text that an editor holds; None if it can't be copied."""

    value: str | None = None
    differs: bool = False
    """Whether it is another text than the one entered."""


class Slider(OfElement):
    """``act.focusSlider``: the value of a slider; None if it does not say."""

    now: float | None
    is_unfocused: bool = False
    """Whether it took no focus from our script, so that only a click may give it."""


class Chosen(OfElement):
    """``act.choose``: labels of the chosen options, and of those selected after the page's event listeners have run."""

    chosen: list[str]
    selected: list[str]


class FileInput(OfElement):
    """``extra.takesFiles`` and ``extra.onlyFileInput``: what a file input takes."""

    multiple: bool
    folder: bool


class FileInputs(Answer):
    """``extra.fileInputs``."""

    inputs: list[Description]


class Box(Answer):
    """A rectangle in CSS pixels, with its edges as ``DOMRect.toJSON`` gives them."""

    x: float
    y: float
    width: float
    height: float
    top: float = 0
    right: float = 0
    bottom: float = 0
    left: float = 0


class Picture(OfElement):
    """``extra.picture``: the part of an element that a screenshot can show."""

    box: Box
    origin: Literal["viewport", "document"]
    cut: bool
    """Whether the box is only a part of the element."""


class FrameBox(Answer):
    """The viewport of a frame in that of its parent, and the sizes of a CSS pixel of it there."""

    box: tuple[float, float, float, float]
    scale: tuple[float, float]


class Masked(Answer):
    """``extra.masked``: boxes in CSS pixels of the viewport: x, y, width and height."""

    counts: list[int]
    """Number of elements of each target."""
    secrets: int
    """Number of elements that show a secret."""
    boxes: list[tuple[float, float, float, float]]
    frames: list[FrameBox]
    scroll: tuple[float, float]


class Frozen(Answer):
    """``extra.freeze``: what a frame is still loading."""

    fonts: bool
    images: int
    """Number of images."""


class Html(OfElement):
    """``extra.read`` "html"."""

    html: str


class Text(OfElement):
    """``extra.read`` "text"."""

    text: str


class Leads(OfElement):
    """``extra.read`` "leads": whether a link or button can be used."""

    leads: bool


class Details(OfElement):
    """``extra.read`` "info"; the bounding box is in CSS pixels from the top left of the page."""

    text: str
    attributes: dict[str, str]
    bounding_box: Box
    is_visible: bool
    tag_name: str
    selector: str


class TableCells(OfElement):
    """``extra.read`` "table": the texts of a table's cells."""

    headers: list[str]
    rows: list[list[str]]
    all: int
    """Number of rows according to the table itself (``aria-rowcount``); 0 if it does not say."""
    there: int
    """Number of rows in the document, including the head."""


class Match(Answer):
    """An element that matches a query; ``selector`` matches this element only."""

    selector: str
    text: str
    attributes: dict[str, str]
    tag_name: str


class Matches(Answer):
    """``extra.findElements``: the first elements that match a query, and the number of all matches."""

    elements: list[Match]
    total: int


class Tag(Answer):
    """An element in short."""

    tag_name: str
    text: str


class SelectorAt(Answer):
    """``extra.selectorAt``: the element at a point, and a selector that matches it only; None if there is none."""

    selector: str | None = None
    info: Tag | None = None
    viewport: tuple[int, int]
    """Its width and height, in CSS pixels."""


class Locator(Answer):
    """A selector whose first match in the frame is a certain element, and the number of all its matches."""

    kind: Literal["role", "label", "testid", "id", "placeholder", "text", "css", "xpath"]
    selector: str
    matches: int


class Locators(OfElement):
    """``extra.locators``: selectors for an element, the best first."""

    locators: list[Locator]


class Fact(Answer):
    """A condition and the actual state; None if the element has no such state."""

    condition: Literal[
        "shows", "count", "title", "visible", "checked", "enabled", "selected", "expanded", "editable", "focused",
        "attribute", "text", "value", "items",
    ]  # fmt: skip
    holds: bool
    actual: bool | int | str | list[str] | None
    """For "items": those that are missing."""


class Verified(Answer):
    """``extra.verify``: whether conditions hold in a frame."""

    holds: bool
    matches: int
    """Number of elements that match the selector or contain the text, hidden ones too."""
    element: Description | None
    facts: list[Fact]
    items: list[str]
    """Texts of the items of a list that lacks some."""


class Stored(Answer):
    """``extra.storage``: names and values, after a change."""

    entries: list[tuple[str, str]]
    error: Literal["denied", "full"] | None = None
    """"denied": the page has no storage. "full": an entry has no room."""


class Pasted(Answer):
    """``extra.pastedText``."""

    text: str | None


class Times(Answer):
    """``extra.readTime``: in milliseconds since 1970."""

    now: float
    time: float | None
    """Time that a text means; None if it means none."""


class ClockTurned(Answer):
    """``extra.turnClock``: number of timers that fired, and what did not work."""

    fired: int
    is_cut: bool
    """Whether the last timers fired only once because the time was over."""
    is_missing: bool
    """Whether the document has the real clock only."""


class Measures(Answer):
    """``measure``: times in milliseconds since the navigation began."""

    milestones: dict[str, float | None]
    tasks: list[tuple[float, float]] | None
    """Start and duration of tasks over 50 ms; None if the browser does not report them."""
    shift: float | None
    """Cumulative layout shift; None if the browser does not report it."""


class LargestPaint(Answer):
    """The largest contentful paint of a document, at a time in milliseconds since the navigation began."""

    time: float
    element: Description | None
    """None if the element is gone."""
    url: str
    """Of the picture; "" for a text."""
    parts: tuple[float, float, float, float]
    """Time to first byte, load delay, load time and render delay, in milliseconds."""


class ShiftSource(Answer):
    """An element that has moved, with its box before and after: x, y, width and height in CSS pixels."""

    element: Description | None
    before: tuple[int, int, int, int]
    after: tuple[int, int, int, int]


class Shift(Answer):
    """A layout shift at a time in milliseconds."""

    value: float
    time: float
    sources: list[ShiftSource]


class Shifts(Answer):
    """The cumulative layout shift, and the largest shifts in it."""

    sum: float
    largest: list[Shift]


class Interaction(Answer):
    """An interaction that took a time, in milliseconds, until the next paint."""

    time: float
    duration: float
    event: str
    element: Description | None
    parts: tuple[float, float, float]
    """Input delay, processing and presentation delay, in milliseconds."""


class BusyScript(Answer):
    """A script that ran in a long animation frame; ``layout`` is the part of its time that it made layouts."""

    invoker: str
    url: str
    duration: float
    layout: float


class BusyTime(Answer):
    """A long animation frame or a long task; it was ``blocking`` input for a part of its time, in milliseconds."""

    time: float
    duration: float
    blocking: float
    scripts: list[BusyScript]


class PlaceOfFrame(Answer):
    """A frame with a document, as axe-core knows it: `Place` of act/audit.js."""

    focusable: bool
    page: bool
    """Whether the whole page is audited."""
    size: dict[str, float]


class Flaw(Answer):
    """An element that violates a rule of an audit."""

    element: Description
    mend: str
    """The changes that mend it, in lines, by axe-core. They may quote the page."""
    selector: str
    """CSS selectors, one for each shadow tree, with `` >>> `` between; "" if not asked for, as `html`."""
    html: str


class Violated(Answer):
    """A rule of an audit that elements violate."""

    id: str
    impact: str
    help: str
    description: str
    url: str
    tags: list[str]
    count: int
    """Number of all such elements."""
    elements: list[Flaw]


class Audited(Answer):
    """``extra.audit``: the accessibility audit of a frame. The windows of its frames follow it."""

    violations: list[Violated]
    review: list[str]
    """Rules that axe-core could not decide."""
    cut: list[str]
    """Rules for which there was not enough time."""
    frames: list[PlaceOfFrame]
    unknown: list[str]
    """Tags that no rule has; there is no result then."""
    known: list[str]
    """All tags, if some are unknown."""


class BusyTimes(Answer):
    """The long animation frames or long tasks."""

    count: int
    tells: Literal["long-animation-frame", "longtask"]
    longest: list[BusyTime]


class BlockingRequest(Answer):
    """A request that delayed the first paint; ``size`` is in bytes over the network."""

    url: str
    time: float
    duration: float
    size: int


class Vitals(Answer):
    """``extra.vitals``: times in milliseconds since the navigation began; None for what has not happened."""

    lacks: list[str]
    """Types of entries that the browser does not report."""
    first_byte: float
    first_paint: float | None
    largest: LargestPaint | None
    shifts: Shifts | None
    """None if the browser does not report them."""
    interaction: Interaction | None
    """None if no interaction took 104 ms or longer."""
    busy: BusyTimes
    blocking: list[BlockingRequest] | None
    """None if the browser does not report them."""


class Worker(Answer):
    """One version of a service worker.

    https://w3c.github.io/ServiceWorker/#dom-serviceworker-state
    """

    url: str
    state: str


class Registration(Answer):
    """One of ``serviceWorkers``: the registration for a scope."""

    scope: str
    installing: Worker | None
    waiting: Worker | None
    active: Worker | None
    controls: bool
    """Whether the active worker controls this page."""
