"""What an action caused: the action says what to wait for, settling what came of it."""

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
"""Seconds without a change after which a page counts as at rest. Two frames at 60 Hz."""


@dataclass(slots=True)
class Receipt:
    """What an action caused, and what was still under way when the wait for it ended."""

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
    """Whether the button went down and up on the element, and the browser made no click of it."""
    again: Callable[[], Awaitable[None]] | None = None
    """What performs the action once more, where its press may be kept from what it is not meant for."""
    quiet: float = QUIET  # seconds without a change that the action asks for
    plain: bool = False
    """Whether the browser itself reacts at once, and in this document: scripts aside, that is the end of the action."""
    found: Found | None = None
    """The element that was acted on; the action says so before it acts, since a dialog may end it at once."""
    snapshot: Snapshot | None = None
    leaving: Question | None = None
    """Whether the page is about to leave, where that is all that will be asked: the action may ask it behind itself."""

    def stopped_by(self, *causes: Cause) -> bool:
        """Whether the wait ended before one of these causes did."""
        return any(each.cause in causes for each in self.unfinished)
