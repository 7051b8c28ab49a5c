"""Browsing contexts as the mapper knows them, and the BiDi events that follow from what documents answer."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

from drivers.json_values import Json

if TYPE_CHECKING:
    import trio


UNTOLD = "?"
"""Stands for the id of a document whose request was sent before we knew of its window."""


def new_id() -> str:
    """Return a new id for a context, a navigation or a document."""
    return uuid4().hex


@dataclass(eq=False, slots=True)
class BrowsingContext:
    """A tab, or a frame in one."""

    window: str
    """The driver's handle of the window."""
    user_context: str
    parent: BrowsingContext | None = None
    number: int = 0
    """Number of the frame in its parent's document."""
    opener: str | None = None
    id: str = field(default_factory=new_id)
    url: str = "about:blank"
    stamp: str = ""
    """Identifies the document; "" before the first contact with it."""
    navigation: str | None = None
    """Id of the navigation that is under way, or was last."""
    shown: str | None = None
    """Id of the navigation that has loaded the document."""
    loader: str = ""
    """The browser's id for the document of the navigation: "" before it was requested, `UNTOLD` if that was missed."""
    arrivals: list[tuple[str, str | None]] = field(default_factory=list[tuple[str, "str | None"]])
    """URLs and navigations of documents that the browser has shown, and that we have had no contact with."""
    wanted: str = ""
    """URL of the navigation that is under way; "" if there is none."""
    parsed: bool = True
    loaded: bool = True
    is_leaving: bool = False
    stays: bool = False
    """Whether the document has not yet been told that it is not left."""
    committed_at: int = 0
    """Number of the script that has found the document."""
    answers: int = 0
    """Number of the newest answer of the document that was taken."""
    heard: int = 0
    """Number of events of the document that were heard."""
    opens: list[str] = field(default_factory=list[str])
    """URLs for which its documents have asked for new windows. The session takes them."""
    children: dict[int, BrowsingContext] = field(default_factory=dict[int, "BrowsingContext"])
    look: trio.Event | None = None
    """The event that the look at the document that is under way has ended."""
    dirty: bool = True
    """Whether the frame may have another document."""
    gone: bool = False
    requests: dict[str, Json] = field(default_factory=dict[str, Json])
    """Requests that wait for their response, by id."""

    @property
    def top(self) -> BrowsingContext:
        """The tab of the context."""
        return self if self.parent is None else self.parent.top

    @property
    def path(self) -> tuple[int, ...]:
        """Numbers of the frames from the tab down to this one."""
        return () if self.parent is None else (*self.parent.path, self.number)

    @property
    def holders(self) -> tuple[BrowsingContext, ...]:
        """The contexts from the tab down to the one that holds this frame."""
        return () if self.parent is None else (*self.parent.holders, self.parent)

    @property
    def is_busy(self) -> bool:
        """Whether a document is loading in the context."""
        return bool(self.wanted) or self.is_leaving or not self.loaded

    def tree(self) -> list[BrowsingContext]:
        """Return the context and those below it."""
        return [self, *(each for child in self.children.values() for each in child.tree())]

    def info(self, depth: int | None = None, *, is_root: bool = True) -> Json:
        """Return https://w3c.github.io/webdriver-bidi/#type-browsingContext-Info."""
        deeper = None if depth is None else depth - 1
        inner = None if depth == 0 else [child.info(deeper, is_root=False) for child in self.children.values()]
        found: Json = {
            "context": self.id,
            "url": self.url,
            "userContext": self.user_context,
            "children": inner,
            "clientWindow": self.window,
            "originalOpener": self.opener,
        }
        return {**found, "parent": self.parent.id if self.parent else None} if is_root else found

    def navigated(self, url: str | None = None) -> Json:
        """Return https://w3c.github.io/webdriver-bidi/#type-browsingContext-NavigationInfo.

        It is about the navigation to ``url``, or without one about that of the document.
        """
        return {
            "context": self.id,
            "navigation": self.shown if url is None else self.navigation,
            "timestamp": time.time() * 1000,
            "url": self.url if url is None else url,
            "userContext": self.user_context,
        }
