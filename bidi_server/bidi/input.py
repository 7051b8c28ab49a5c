"""The input module. https://w3c.github.io/webdriver-bidi/#module-input"""

from typing import Literal

from .script import SharedReference
from .wire import Command, EmptyResult, Event, Parameters


class ElementOrigin(Parameters):
    """Coordinates count from the centre of this element's visible part.

    https://w3c.github.io/webdriver-bidi/#type-input-ElementOrigin
    """

    type: Literal["element"] = "element"
    element: SharedReference


Origin = Literal["viewport", "pointer"] | ElementOrigin
"""https://w3c.github.io/webdriver-bidi/#command-input-performActions"""


class Pause(Parameters):
    """``duration`` is in milliseconds. https://w3c.github.io/webdriver-bidi/#command-input-performActions"""

    type: Literal["pause"] = "pause"
    duration: int | None = None


class KeyDown(Parameters):
    """``value`` is one character, or the code point of a special key: https://w3c.github.io/webdriver/#keyboard-actions"""

    type: Literal["keyDown"] = "keyDown"
    value: str


class KeyUp(Parameters):
    """See `KeyDown`."""

    type: Literal["keyUp"] = "keyUp"
    value: str


class PointerUp(Parameters):
    """``button`` is 0 (left), 1 (middle) or 2 (right)."""

    type: Literal["pointerUp"] = "pointerUp"
    button: int


class PointerCommonProperties(Parameters):
    """Angles are in radians, ``twist`` in degrees, sizes in CSS pixels, pressures from 0 (tangential: -1) to 1.

    https://w3c.github.io/webdriver-bidi/#command-input-performActions
    """

    width: int | None = None
    height: int | None = None
    pressure: float | None = None
    tangential_pressure: float | None = None
    twist: int | None = None
    altitude_angle: float | None = None
    azimuth_angle: float | None = None


class PointerDown(PointerCommonProperties):
    """``button`` is 0 (left), 1 (middle) or 2 (right)."""

    type: Literal["pointerDown"] = "pointerDown"
    button: int


class PointerMove(PointerCommonProperties):
    """Move to a point in CSS pixels from ``origin``, within ``duration`` milliseconds."""

    type: Literal["pointerMove"] = "pointerMove"
    x: float
    y: float
    duration: int | None = None
    origin: Origin | None = None


class WheelScroll(Parameters):
    """CSS pixels; ``duration`` is in milliseconds."""

    type: Literal["scroll"] = "scroll"
    x: int
    y: int
    delta_x: int
    delta_y: int
    duration: int | None = None
    origin: Origin | None = None


class PointerParameters(Parameters):
    """https://w3c.github.io/webdriver-bidi/#command-input-performActions"""

    pointer_type: Literal["mouse", "pen", "touch"] | None = None


class NoneSourceActions(Parameters):
    """https://w3c.github.io/webdriver-bidi/#command-input-performActions"""

    type: Literal["none"] = "none"
    id: str
    actions: list[Pause]


class KeySourceActions(Parameters):
    """https://w3c.github.io/webdriver-bidi/#command-input-performActions"""

    type: Literal["key"] = "key"
    id: str
    actions: list[Pause | KeyDown | KeyUp]


class PointerSourceActions(Parameters):
    """https://w3c.github.io/webdriver-bidi/#command-input-performActions"""

    type: Literal["pointer"] = "pointer"
    id: str
    parameters: PointerParameters | None = None
    actions: list[Pause | PointerDown | PointerUp | PointerMove]


class WheelSourceActions(Parameters):
    """https://w3c.github.io/webdriver-bidi/#command-input-performActions"""

    type: Literal["wheel"] = "wheel"
    id: str
    actions: list[Pause | WheelScroll]


SourceActions = NoneSourceActions | KeySourceActions | PointerSourceActions | WheelSourceActions
"""Actions of one device; the n-th actions of all devices run together, as one tick."""


class PerformActions(Command[EmptyResult], method="input.performActions"):
    """https://w3c.github.io/webdriver-bidi/#command-input-performActions"""

    context: str
    actions: list[SourceActions]


class ReleaseActions(Command[EmptyResult], method="input.releaseActions"):
    """https://w3c.github.io/webdriver-bidi/#command-input-releaseActions"""

    context: str


class SetFiles(Command[EmptyResult], method="input.setFiles"):
    """``files`` are paths on the browser's machine. https://w3c.github.io/webdriver-bidi/#command-input-setFiles"""

    context: str
    element: SharedReference
    files: list[str]


class FileDialogOpened(Event, method="input.fileDialogOpened"):
    """https://w3c.github.io/webdriver-bidi/#event-input-fileDialogOpened"""

    context: str
    multiple: bool
    user_context: str | None = None
    element: SharedReference | None = None
