"""What a tool call came to. Tools collect it; the toolset renders it."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel

from bidi_server.browser.actions.receipt import Receipt
from bidi_server.browser.files.outputs import Outputs
from bidi_server.browser.settling.settle import Until, settled
from bidi_server.browser.snapshot.model import Snapshot
from bidi_server.browser.tab.tab import Tab
from bidi_server.config import SnapshotMode
from bidi_server.escapes import one_line

TOKEN = 4
"""Characters of a token of a large language model, about."""

LONG = 4096
"""Bytes of UTF-8 that an answer of the developer's tools says at most; more go to a file (seed 001)."""


@dataclass(slots=True)
class Picture:
    """An image for the agent to see."""

    data: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as a toolset words it."""

    text: str
    data: dict[str, object] | None = None
    """The same as an object, for tools that have an output schema."""
    failed: bool = False
    pictures_first: bool = False
    code: int | None = None
    """The error's number where the toolset fails by JSON-RPC errors (https://www.jsonrpc.org/specification#error_object)."""


async def _nobody_listens(_done: float, _total: float | None, _message: str) -> None:
    pass


@dataclass(slots=True)
class Outcome:
    """The parts of an answer."""

    notices: list[str] = field(default_factory=list[str])
    """What happened between the last call and this."""
    data: BaseModel | None = None
    """The result, of tools that answer an object."""
    progress: Callable[[float, float | None, str], Awaitable[None]] = field(default=_nobody_listens)
    """Tells the client how far a long call is: done, of how much, what."""
    lines: list[str] = field(default_factory=list[str])
    """What was done, and what to know of it."""
    receipt: Receipt | None = None
    """What the action caused; its snapshot becomes the diff."""
    tab: Tab | None = None
    """The tab that the receipt or the snapshot is of."""
    snapshot_mode: SnapshotMode = "diff"
    """What the answer to an action shows of the page."""
    snapshot_budget: int = 2000
    """Tokens that it may take for that."""
    tells_focus: bool = False
    """Whether the answer says where the focus has gone, whatever else has changed."""
    failure: str = ""
    """What the call failed at, of a call that did a part of its work."""
    snapshot: Snapshot | None = None
    """A snapshot that was asked for, shown in full."""
    partial: bool = False
    """Whether the snapshot shows a part of the page only."""
    search: str = ""
    """What a line of the snapshot must contain to be shown."""
    all_refs: bool = False
    max_depth: int | None = None
    pictures: list[Picture] = field(default_factory=list[Picture])
    links: list[Path] = field(default_factory=list[Path])
    """Files that hold what was too long to say."""
    files: list[Path] = field(default_factory=list[Path])
    """Files that were asked for."""

    def say(self, *lines: str) -> None:
        """Add lines of the result, each with visible escapes; empty ones are left out."""
        self.lines += [one_line(line) for line in lines if line]

    def say_text(self, text: str) -> None:
        """Add a text of many lines in which the page's own texts are escaped already."""
        if text:
            self.lines.append(text)

    async def say_or_save(self, outputs: Outputs, text: str, stem: str, *, full: str = "") -> None:
        """Add a text as `say_text` does, or the path of a file if it (or its ``full`` form) is longer than `LONG`."""
        whole = full or text
        size = len(whole.encode(errors="replace"))
        if size <= LONG:
            self.say_text(text)
            return
        path = await outputs.save_text(whole, stem)
        self.say(f"{size} bytes, written to {path}")
        self.links.append(path)

    @asynccontextmanager
    async def settled(
        self,
        tab: Tab,
        limit: float | None = None,
        *,
        navigation: float | None = None,
        until: Until = "rest",
        through_dialog: bool = False,
    ) -> AsyncGenerator[Receipt]:
        """Run an action in the block, wait until what it started has ended, and answer with what it caused.

        See `bidi_server.browser.settling.settle.settled` for the parameters.
        """
        self.tab = tab
        walks = self.snapshot_mode != "none"
        async with settled(
            tab, limit, navigation=navigation, until=until, through_dialog=through_dialog, snapshot=walks
        ) as receipt:
            yield receipt
        self.receipt = receipt

    async def shows(self, tab: Tab) -> None:
        """Answer with what has changed in a tab, unless it can't answer now."""
        if not tab.hangs and not tab.is_stopped:
            async with self.settled(tab):
                pass
