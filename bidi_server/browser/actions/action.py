"""An action in two phases: it is begun, which finds its element, and then performed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from bidi_server.browser.actions.target import Found
from bidi_server.browser.loading.unfinished import Unfinished
from bidi_server.browser.snapshot.frame import Question

T_co = TypeVar("T_co", covariant=True)

QUIET = 0.03
"""Time without a change after which a page is settled, in seconds. It is two frames at 60 Hz."""


class CutOffError(Exception):
    """The time of an action is over, and the page that it loads is not complete. ``unfinished`` is what is missing."""

    def __init__(self, unfinished: list[Unfinished]) -> None:
        super().__init__(unfinished)
        self.unfinished = unfinished


@dataclass(frozen=True, slots=True)
class Action(Generic[T_co]):
    """An action that has been begun. What settling needs is known now: a dialog may interrupt `perform` at once."""

    perform: Callable[[], Awaitable[T_co]]
    """Sends the input to the page, and returns the result. May raise `CutOffError`."""
    element: Found | None = None
    onto: str = ""
    """Description of the place that a drag ends at."""
    quiet: float = QUIET
    """Time without a change after which the page is settled, in seconds."""
    scripts_only: bool = False
    """Whether page scripts are the only asynchronous effect of the action: a page without any is settled at once.

    The browser's own reaction is immediate, and in this document.
    """
    again: "Callable[[], Awaitable[Action[T_co]]] | None" = None
    """Begins the action once more; set if our script in the page may block a press on another element."""
    leaving: Question | None = None
    """Question whether the page is about to leave, which `perform` sends right after its own command."""
    keeps_time: bool = False
    """Whether `perform` ends by itself when its time is over."""


Begin = Action[T_co] | Callable[[], Awaitable[Action[T_co]]]
"""An action that finds no element, or the function that begins one."""
