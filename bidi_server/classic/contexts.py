"""Browsing contexts as the mapper knows them, and the BiDi events that follow from what documents answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

from bidi_server.classic.requests import request_events
from drivers.json_values import Json, fields

if TYPE_CHECKING:
    import trio

    from bidi_server.classic.scripts import State

Emit = Callable[[str, Json], None]
"""Receives the method and the parameters of an event."""


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
    """Id of the navigation that is under way, or has loaded the document."""
    wanted: str = ""
    """URL of the navigation that is under way; "" if there is none."""
    parsed: bool = True
    loaded: bool = True
    is_leaving: bool = False
    committed_at: int = 0
    """Number of the script that has found the document."""
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
        """Return https://w3c.github.io/webdriver-bidi/#type-browsingContext-NavigationInfo."""
        return {
            "context": self.id,
            "navigation": self.navigation,
            "timestamp": time.time() * 1000,
            "url": self.url if url is None else url,
            "userContext": self.user_context,
        }


class Tracker:
    """Turns what documents answer into events."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self.contexts: dict[str, BrowsingContext] = {}

    def add(self, context: BrowsingContext) -> None:
        """Add a new context."""
        self.contexts[context.id] = context
        self._emit("browsingContext.contextCreated", context.info(0))

    def remove(self, context: BrowsingContext) -> None:
        """Remove a context that is gone, and the frames in it."""
        for child in list(context.children.values()):
            self.remove(child)
        context.gone = True
        if context.parent is not None:
            context.parent.children.pop(context.number, None)
        if self.contexts.pop(context.id, None) is not None:
            self._emit("browsingContext.contextDestroyed", context.info(0))

    def start(self, context: BrowsingContext, url: str) -> str:
        """Record that a navigation has begun, and return its id."""
        context.navigation, context.wanted = new_id(), url
        self._emit("browsingContext.navigationStarted", context.navigated(url))
        return context.navigation

    def fail(self, context: BrowsingContext, message: str) -> None:
        """Record that the navigation under way has failed."""
        wanted, context.wanted, context.is_leaving = context.wanted, "", False
        if context.navigation is not None:
            for method, parameters in request_events(context, {"kind": "document", "url": wanted, "error": message}):
                self._emit(method, parameters)
            self._emit("browsingContext.navigationFailed", context.navigated(wanted))

    def take(self, context: BrowsingContext, state: State, sequence: int) -> None:
        """Take the answer of a document to the script with this number."""
        if context.gone or (state.stamp != context.stamp and sequence < context.committed_at):
            return
        if state.stamp != context.stamp:
            self._committed(context, state, sequence)
        elif state.url != context.url:
            self._moved(context, state.url)
        for event in state.events:
            self._happened(context, event)
        self._frames(context, state.frames)
        for number in state.dirty:
            if number in context.children:
                context.children[number].dirty = True
        if state.leaving and not context.is_leaving:
            context.is_leaving = True
            if not context.wanted:
                self.start(context, state.leaving)
        elif not state.leaving:
            context.is_leaving = False
        self._progress(context, state)

    def _committed(self, context: BrowsingContext, state: State, sequence: int) -> None:
        is_first = not context.stamp and not context.wanted and state.url == "about:blank"
        for child in list(context.children.values()):
            self.remove(child)
        context.stamp, context.committed_at, context.dirty = state.stamp, sequence, False
        context.is_leaving = False
        if is_first:
            context.parsed, context.loaded = state.parsed, True
            return
        if not context.wanted:
            self.start(context, state.url)
        context.wanted, context.url = "", state.url
        context.parsed = context.loaded = False
        if not state.url.startswith("about:"):
            for method, parameters in request_events(
                context, {"kind": "document", "url": state.url, "status": state.status}
            ):
                self._emit(method, parameters)
        self._emit("browsingContext.navigationCommitted", context.navigated())

    def _moved(self, context: BrowsingContext, url: str) -> None:
        stays = url.partition("#")[0] == context.url.partition("#")[0]
        context.url = url
        if stays:
            context.wanted = "" if context.wanted == url else context.wanted
            self._emit("browsingContext.fragmentNavigated", context.navigated())
        else:
            told: Json = {"context": context.id, "url": url, "timestamp": time.time() * 1000}
            self._emit("browsingContext.historyUpdated", {**told, "userContext": context.user_context})

    def _progress(self, context: BrowsingContext, state: State) -> None:
        if state.parsed and not context.parsed:
            context.parsed = True
            self._emit("browsingContext.domContentLoaded", context.navigated())
        if state.loaded and not context.loaded:
            context.loaded = True
            self._emit("browsingContext.load", context.navigated())

    def _frames(self, context: BrowsingContext, present: Sequence[int]) -> None:
        for number in [each for each in context.children if each not in present]:
            self.remove(context.children[number])
        for number in present:
            if number not in context.children:
                child = BrowsingContext(context.window, context.user_context, context, number)
                child.id = f"{context.stamp}-f{number}"  # as in the values of windows that the document returns
                context.children[number] = child
                self.add(child)

    def _happened(self, context: BrowsingContext, event: Json) -> None:
        source: Json = {"realm": context.stamp, "context": context.id, "userContext": context.user_context}
        match event.get("kind"):
            case "message":
                told = {"channel": event["channel"], "data": event["data"], "source": source}
                self._emit("script.message", told)
            case "console":
                entry: Json = {
                    "type": "console",
                    "level": event["level"],
                    "method": event["method"],
                    "text": event["text"],
                    "args": event["arguments"],
                    "timestamp": event["time"],
                    "source": source,
                }
                self._emit("log.entryAdded", entry)
            case "error":
                stack = fields(event.get("stackTrace")) or {"callFrames": list[object]()}
                entry = {
                    "type": "javascript",
                    "level": "error",
                    "text": event["text"],
                    "stackTrace": stack,
                    "timestamp": event["time"],
                    "source": source,
                }
                self._emit("log.entryAdded", entry)
            case _:
                for method, parameters in request_events(context, event):
                    self._emit(method, parameters)
