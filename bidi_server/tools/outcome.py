"""The outcome of a tool call. Tools collect it; the toolset renders it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import trio
from pydantic import BaseModel

from bidi_server.browser.actions.action import Action, Begin
from bidi_server.browser.files.outputs import Outputs
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.settling.effects import Effects
from bidi_server.browser.settling.settle import Until, settle
from bidi_server.browser.snapshot.model import Snapshot
from bidi_server.browser.snapshot.search import Search
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.tab.view import View
from bidi_server.config import ConsoleLevel, SnapshotMode
from bidi_server.escapes import one_line
from bidi_server.tools.page_text import PageText, Part

T = TypeVar("T")

TOKEN = 4
"""Approximate number of characters in a token of a large language model."""

LONG = 4096
"""Maximum size of a text in an answer of developer tools, in UTF-8 bytes. A longer one goes to a file (seed 001)."""


@dataclass(slots=True)
class Picture:
    """An image for the agent to see."""

    data: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer in the wording of a toolset."""

    text: str
    data: dict[str, object] | None = None
    """The same as an object, for tools with an output schema."""
    page: str = ""
    """The part of the text that shows the page."""
    failed: bool = False
    pictures_first: bool = False
    view: View | None = None
    """The agent's view of the tab after this answer, if the answer shows the page."""
    code: int | None = None
    """Error code, for toolsets that fail by JSON-RPC errors (https://www.jsonrpc.org/specification#error_object)."""


async def nobody_listens(_done: float, _total: float | None, _message: str) -> None:
    """Receive the progress of a call, for nobody."""


@dataclass(slots=True)
class Outcome:
    """The parts of an answer."""

    notices: list[str] = field(default_factory=list[str])
    """Events between the previous call and this one."""
    session: Session | None = None
    """The session that the call works in, once it does."""
    data: BaseModel | None = None
    """The result, for tools that answer with an object."""
    progress: Callable[[float, float | None, str], Awaitable[None]] = field(default=nobody_listens)
    """Reports the progress of a long call to the client: amount done, total if known, and a message."""
    fence: str = ""
    """The word that marks texts of pages in the answer; "" for none."""
    lines: list[Part] = field(default_factory=list[Part])
    """Lines of the result: what was done, remarks on it, and texts of pages."""
    effects: Effects[object] | None = None
    """Effects of the action; their snapshot becomes the diff."""
    tab: Tab | None = None
    """The tab of the effects or the snapshot."""
    tabs: list[Tab] = field(default_factory=list[Tab])
    """The open tabs of the context at the end of the call."""
    active_tab: Tab | None = None
    """The tab among them that the next call applies to."""
    snapshot_mode: SnapshotMode = "diff"
    """What the answer to an action shows of the page."""
    snapshot_budget: int = 2000
    """Maximum number of tokens for that."""
    console_level: ConsoleLevel = "error"
    """Minimum severity of the console messages in the answer to an action."""
    tells_focus: bool = False
    """Whether the answer reports a moved focus even if other things have changed."""
    failure: str = ""
    """The error of a call that did only a part of its work."""
    found: list[str] = field(default_factory=list[str])
    """Faults of the page that the call was asked to list. They are no failure of the call, but of a replay."""
    value: object = None
    """The value of a script as plain data, for callers in Python."""
    snapshot: Snapshot | None = None
    """A requested snapshot, shown in full."""
    partial: bool = False
    """Whether the snapshot shows only a part of the page."""
    search: Search | None = None
    """Conditions for the lines of the snapshot to show; None for all lines."""
    all_refs: bool = False
    max_depth: int | None = None
    pictures: list[Picture] = field(default_factory=list[Picture])
    links: list[Path] = field(default_factory=list[Path])
    """Files with texts that were too long for the answer."""
    files: list[Path] = field(default_factory=list[Path])
    """Files that the call was asked to write."""
    baselines: list[Path] = field(default_factory=list[Path])
    """Baselines that the call wrote or replaced."""

    def say(self, *lines: str) -> None:
        """Add lines of the result, each with visible escapes; empty lines are left out."""
        self.lines += [one_line(line) for line in lines if line]

    def quote(self, text: str) -> None:
        """Add a text that a page has written, with visible escapes already, in as many lines as it has."""
        if text:
            self.lines.append(PageText(text))

    async def say_or_save(
        self, outputs: Outputs, text: str, stem: str, *, full: str = "", filename: str | None = None
    ) -> None:
        """Add a text like `quote`, or the path of a file if it (or its ``full`` form) is longer than `LONG`.

        With a ``filename`` it is always written there. Raises the errors of `Outputs.save`.
        """
        whole = full or text
        data = whole.encode(errors="replace")
        if filename is None and len(data) <= LONG:
            self.quote(text)
            return
        path = await (outputs.save(data, filename) if filename else outputs.save_text(whole, stem))
        self.say(f"{len(data)} bytes, written to {path}")
        self.links.append(path)

    async def settle(
        self,
        tab: Tab,
        begin: Begin[T],
        limit: float | None = None,
        *,
        navigation: float | None = None,
        until: Until = "rest",
        through_dialog: bool = False,
    ) -> Effects[T]:
        """Perform an action, wait until everything that it started has ended, and answer with its effects.

        See `bidi_server.browser.settling.settle.settle` for the parameters.
        """
        self.tab = tab
        effects = await settle(
            tab,
            begin,
            limit,
            navigation=navigation,
            until=until,
            through_dialog=through_dialog,
            snapshot=self.snapshot_mode != "none",
        )
        self.effects = effects
        tab.shared.tell(effects.entries)
        return effects

    async def shows(self, tab: Tab) -> None:
        """Answer with the changes in a tab, unless the tab hangs or is stopped."""
        if not tab.hangs and not tab.is_stopped:
            await self.settle(tab, Action(trio.lowlevel.checkpoint))
