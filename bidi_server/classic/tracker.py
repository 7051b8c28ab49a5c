"""The BiDi events that follow from what documents answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bidi_server.classic.contexts import UNTOLD, BrowsingContext, new_id
from bidi_server.classic.requests import request_events
from drivers.json_values import Json, fields

if TYPE_CHECKING:
    from bidi_server.classic.scripts import State

Emit = Callable[[str, Json], None]
"""Receives the method and the parameters of an event."""


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
        context.navigation, context.wanted, context.loader = new_id(), url, ""
        self._emit("browsingContext.navigationStarted", context.navigated(url))
        return context.navigation

    def requested(self, context: BrowsingContext, url: str, loader: str) -> str | None:
        """Record that the browser requests a document, and return the id of its navigation."""
        if url.startswith("about:"):
            return None  # the first document, or one that explains a failure
        if context.loader != loader:
            if not context.wanted or context.loader:
                self.start(context, url)
            context.loader = loader
        return context.navigation

    def arrived(self, context: BrowsingContext, loader: str, url: str) -> None:
        """Record that the browser shows a document."""
        if context.loader in {loader, UNTOLD}:
            context.arrivals.append((url, context.navigation))

    def stay(self, context: BrowsingContext) -> None:
        """Record that a navigation, of the context or of one around it, has ended without another document."""
        if context.wanted:
            wanted, context.wanted = context.wanted, ""
            self._emit("browsingContext.navigationAborted", context.navigated(wanted))
        context.is_leaving, context.stays = False, True

    def fail(self, context: BrowsingContext, message: str) -> None:
        """Record that the navigation under way has failed."""
        wanted, context.wanted, context.is_leaving = context.wanted, "", False
        if context.navigation is not None:
            if not context.loader:
                for event in request_events(context, {"kind": "document", "url": wanted, "error": message}):
                    self._emit(*event)
            self._emit("browsingContext.navigationFailed", context.navigated(wanted))

    def take(self, context: BrowsingContext, state: State, sequence: int) -> None:
        """Take the answer of a document to the script with this number."""
        if context.gone or (state.stamp != context.stamp and sequence < context.committed_at):
            return
        if state.stamp != context.stamp:
            self._committed(context, state, sequence)
        elif state.number < context.answers:
            # A newer answer has overtaken this one, and had all of it, except for what is told once.
            self._loaded_frames(context, state)
            return
        elif state.url != context.url:
            self._moved(context, state.url)
        context.answers = state.number
        for event in state.events[max(0, context.heard - state.first) :]:
            self._happened(context, event)
        context.heard = max(context.heard, state.first + len(state.events))
        self._frames(context, state.frames)
        self._loaded_frames(context, state)
        if state.leaving and not context.is_leaving and not context.stays:
            context.is_leaving = True
            if not context.wanted:
                self.start(context, state.leaving)
        elif not state.leaving:
            context.is_leaving = False
        self._progress(context, state)

    def _committed(self, context: BrowsingContext, state: State, sequence: int) -> None:
        is_awaited = bool(context.wanted) and not context.loader
        is_first = not context.stamp and not is_awaited and state.url == "about:blank"
        for child in list(context.children.values()):
            self.remove(child)
        context.stamp, context.committed_at, context.dirty = state.stamp, sequence, False
        context.heard = 0
        context.is_leaving = False
        if is_first:
            context.parsed, context.loaded = state.parsed, True
            return
        arrival = _arrival(context, state.url)
        if arrival is None and not context.wanted:
            self.start(context, state.url)
        if arrival in {None, context.navigation}:
            context.wanted = ""
        context.url, context.shown = state.url, arrival or context.navigation
        context.parsed = context.loaded = False
        if arrival is None and not state.url.startswith("about:"):
            for event in request_events(context, {**state.response, "kind": "document", "url": state.url}):
                self._emit(*event)
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
            self.child(context, number)

    def _loaded_frames(self, context: BrowsingContext, state: State) -> None:
        for number in state.dirty:
            if number in context.children:
                context.children[number].dirty = True

    def child(self, context: BrowsingContext, number: int) -> BrowsingContext:
        """Return the frame of a document with this number."""
        if number not in context.children:
            child = BrowsingContext(context.window, context.user_context, context, number)
            child.id = f"{context.stamp}-f{number}"  # as in the values of windows that the document returns
            context.children[number] = child
            self.add(child)
        return context.children[number]

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
                    "stackTrace": event.get("stackTrace"),
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
            case "window":
                context.opens.append(str(event["url"]))
            case _:
                for method, parameters in request_events(context, event):
                    self._emit(method, parameters)


def _arrival(context: BrowsingContext, url: str) -> str | None:
    """Return the navigation that has loaded a document, or None if the browser has reported none."""
    if not context.arrivals:
        return None
    # The document may have changed its URL meanwhile.
    urls = [each.partition("#")[0] for each, _ in context.arrivals]
    wanted = url.partition("#")[0]
    index = len(urls) - 1 - urls[::-1].index(wanted) if wanted in urls else len(urls) - 1
    _, navigation = context.arrivals[index]
    del context.arrivals[: index + 1]
    return navigation
