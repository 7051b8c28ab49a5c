"""The effects of an action, as data; the toolsets put them into words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, Self, TypeVar

from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.target import Found
from bidi_server.browser.loading.unfinished import Cause, Unfinished
from bidi_server.browser.snapshot.model import Snapshot
from bidi_server.browser.tab.dialogs import Dialog
from bidi_server.browser.tab.downloads import Download
from bidi_server.browser.tab.tab import Navigated

T_co = TypeVar("T_co", covariant=True)
E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Effects(Generic[T_co]):
    """The effects of an action, and those that were unfinished when the wait for them ended."""

    cursor: int
    """Cursor of the tab's journal before the action."""
    entries: Sequence[object]
    """The entries of the tab's journal since then."""
    action: Action[T_co] | None = None
    """None if a dialog, or the end of the page, interrupted the search for its element."""
    result: T_co | None = None
    """None if the action was interrupted."""
    dialog: Dialog | None = None
    """The dialog that is open now."""
    closed: bool = False
    """Whether the tab is closed."""
    unfinished: Sequence[Unfinished] = ()
    missed: str = ""
    """Description of what the pointer met in place of the element."""
    unclicked: bool = False
    """Whether the button was pressed and released on the element, but the browser dispatched no click."""
    snapshot: Snapshot | None = None

    @property
    def element(self) -> Found | None:
        """The element of the action."""
        return self.action.element if self.action is not None else None

    @property
    def navigated(self) -> list[str]:
        """URLs that the main frame has navigated to."""
        return [entry.url for entry in self.of(Navigated)]

    @property
    def downloads(self) -> list[Download]:
        """The downloads that began."""
        return self.of(Download)

    def of(self, kind: type[E]) -> list[E]:
        """Return the entries of a type, oldest first."""
        return [entry for entry in self.entries if isinstance(entry, kind)]

    def without(self, kind: type) -> Self:
        """Return these effects without the entries of a type."""
        return replace(self, entries=[entry for entry in self.entries if not isinstance(entry, kind)])

    def stopped_by(self, *causes: Cause) -> bool:
        """Whether an unfinished effect has one of these causes."""
        return any(each.cause in causes for each in self.unfinished)
