"""What a tool call came to. Tools collect it; the toolset renders it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bidi_server.browser.settle import Receipt, settled
from bidi_server.browser.snapshot import Snapshot
from bidi_server.browser.tab import Tab


@dataclass(slots=True)
class Picture:
    """An image for the agent to see."""

    data: bytes
    mime_type: str


@dataclass(slots=True)
class Outcome:
    """The parts of an answer."""

    lines: list[str] = field(default_factory=list[str])
    """What was done, and what to know of it."""
    receipt: Receipt | None = None
    """What the action caused; its snapshot becomes the diff."""
    tab: Tab | None = None
    """The tab that the receipt or the snapshot is of."""
    snapshot: Snapshot | None = None
    """A snapshot that was asked for, shown in full."""
    partial: bool = False
    """Whether the snapshot shows a part of the page only."""
    all_refs: bool = False
    max_depth: int | None = None
    pictures: list[Picture] = field(default_factory=list[Picture])
    files: list[Path] = field(default_factory=list[Path])

    def say(self, line: str) -> None:
        """Add a line of the result."""
        if line:
            self.lines.append(line)

    @asynccontextmanager
    async def settled(
        self, tab: Tab, limit: float | None = None, *, wait: bool = True, through_dialog: bool = False
    ) -> AsyncGenerator[Receipt]:
        """Run an action in the block, wait until what it started has ended, and answer with what it caused.

        See `bidi_server.browser.settle.settled` for the parameters.
        """
        self.tab = tab
        async with settled(tab, limit, wait=wait, through_dialog=through_dialog) as receipt:
            yield receipt
        self.receipt = receipt
