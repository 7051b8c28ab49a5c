"""Answers of our script in the page, typed. Each class names the entry point that gives it.

Fields are those of the JavaScript object, with underscores. An answer with a missing or an unknown field is an error.
"""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

Description = dict[str, object]
"""An element as ``describe`` gives it: role, name, ref, tag, props, text."""


class Answer(BaseModel):
    """An object that a function of our script returns."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True)


class LoadState(Answer):
    """``act.loadState``: how far the document has loaded."""

    size: str
    """Numbers of elements and characters."""
    parsed: bool
    content: bool
    """Whether the body shows or may show something."""


class Settled(Answer):
    """``act.settle``: the state of a document that has settled, or of one at the ceiling of the wait."""

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


class Source(Answer):
    """``source``: the text of a page that is a text file."""

    text: str | None


class Measures(Answer):
    """``measure``: times in milliseconds since the navigation began."""

    milestones: dict[str, float | None]
    tasks: list[tuple[float, float]] | None
    """Start and duration of tasks over 50 ms; None if the browser does not report them."""
    shift: float | None
    """Cumulative layout shift; None if the browser does not report it."""


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
