"""The agent's knowledge of a tab."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bidi_server.browser.snapshot.model import Row, Snapshot


@dataclass(frozen=True, slots=True)
class View:
    """The agent's knowledge of a tab: the last snapshots in its answers, and its last action."""

    seen: Snapshot | None = None
    """The snapshot that the agent saw last."""
    previous: Snapshot | None = None
    """The snapshot that the agent saw before `seen` (seed 002: one is kept)."""
    numbered: Sequence[str] = ()
    """Refs that the agent names by their positions in this list, counted from 1 (seed 003)."""
    acted: int = 0
    """Cursor of the tab's journal before the agent's last action."""

    def showing(self, snapshot: Snapshot, numbered: Sequence[str] | None = None) -> "View":
        """Return the view after a snapshot was shown."""
        refs = self.numbered if numbered is None else numbered
        if self.seen is snapshot:
            return replace(self, numbered=refs)
        return replace(self, seen=snapshot, previous=self.seen, numbered=refs)

    def row(self, ref: str | None) -> Row | None:
        """Return the row of a ref as the agent saw it last, or None."""
        shown = (snapshot for snapshot in (self.seen, self.previous) if snapshot is not None)
        return next((snapshot.by_ref[ref] for snapshot in shown if ref in snapshot.by_ref), None)
