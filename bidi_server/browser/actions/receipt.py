"""The receipt of an action: the action fills in what to wait for, and settling adds the effects."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from bidi_server.browser.actions.target import Found
from bidi_server.browser.console.messages import Message
from bidi_server.browser.loading.unfinished import Cause, Unfinished
from bidi_server.browser.snapshot.frame import Question
from bidi_server.browser.snapshot.model import Snapshot
from bidi_server.browser.tab.dialogs import Answer, Dialog
from bidi_server.browser.tab.downloads import Download
from bidi_server.browser.tab.tab import Tab

QUIET = 0.03
"""Time without a change after which a page is settled, in seconds. It is two frames at 60 Hz."""


@dataclass(slots=True)
class Receipt:
    """The effects of an action, and those that were unfinished when the wait for them ended."""

    navigated: list[str] = field(default_factory=list[str])
    dialog: Dialog | None = None
    answered: list[tuple[Dialog, Answer]] = field(default_factory=list[tuple[Dialog, Answer]])
    opened: list[Tab] = field(default_factory=list[Tab])
    refused: list[str] = field(default_factory=list[str])
    downloads: list[Download] = field(default_factory=list[Download])
    console: list[Message] = field(default_factory=list[Message])
    file_dialog: bool = False
    closed: bool = False
    unfinished: list[Unfinished] = field(default_factory=list[Unfinished])
    missed: str = ""
    unclicked: bool = False
    """Whether the button was pressed and released on the element, but the browser dispatched no click."""
    again: Callable[[], Awaitable[None]] | None = None
    """Function that repeats the action; set if our script in the page may block a press on another element."""
    quiet: float = QUIET  # minimum time without a change for this action, in seconds
    plain: bool = False
    """Whether page scripts are the only asynchronous effect of the action: a page without any is settled at once.

    The browser's own reaction is immediate, and in this document.
    """
    found: Found | None = None
    """The element of the action, which the action sets before it acts, because a dialog may interrupt it at once."""
    snapshot: Snapshot | None = None
    leaving: Question | None = None
    """Question whether the page is about to leave, if settling needs nothing else (`Until` "load").

    The action may send it right after its own command.
    """

    def stopped_by(self, *causes: Cause) -> bool:
        """Whether an unfinished effect has one of these causes."""
        return any(each.cause in causes for each in self.unfinished)
