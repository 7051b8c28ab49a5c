"""Reading the source maps of scripts, for the stacks of messages in the console.

The page's own browser reads them, in a hidden tab: no script of the page notices, no content security policy of the
page applies, and the requests are not those of a tab that the agent has.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.bidi.network import (
    AddIntercept,
    ContinueResponse,
    Header,
    RemoveIntercept,
    ResponseStarted,
    StringValue,
)
from bidi_server.browser.bounded import keep
from bidi_server.browser.console.source_maps import BrokenMapError
from bidi_server.browser.console.stack_frames import MappedScript, Place, original_frames, original_place, place_of
from bidi_server.browser.contexts.hidden_tab import hidden_tab
from bidi_server.browser.network.requests import header
from bidi_server.browser.origin import origin_of
from bidi_server.browser.snapshot.frame import FrameGoneError, read_answer
from bidi_server.browser.snapshot.take import unpacked
from bidi_server.errors import ToolError
from bidi_server.page.api import ScriptMaps

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence

    from bidi_server.bidi.connection import Connection
    from bidi_server.bidi.wire import Event
    from bidi_server.browser.console.messages import Message
    from bidi_server.browser.contexts.context import Context
    from bidi_server.browser.network.requests import Request
    from bidi_server.browser.tab.tab import Tab
    from bidi_server.page.api import ScriptMap

TIMEOUT = 1.0
"""Timeout for a script and its source map to arrive, in seconds."""

ALL_TIMEOUT = 3.0
"""Timeout for all of them that a call reads, in seconds."""

MOST_SCRIPTS = 8
"""Maximum number of scripts whose source maps a call reads."""

MOST_KEPT = 32
"""Maximum number of scripts of a context that are remembered, with their source maps or without."""

MOST_FRAMES = 50
"""Maximum number of frames of a stack that are shown in their sources."""

_SCRIPTS = frozenset({"script", "worker", "sharedworker", "serviceworker"})
"""Kinds of requests for scripts. A document with scripts is not requested again: that may have effects."""


class Originals:
    """The stacks of a tab's messages in the sources of the scripts, as far as these are known."""

    def __init__(self, tab: Tab, known: Mapping[str, MappedScript | None]) -> None:
        self._requests = _requests_of(tab)
        self._known = known

    def frames(self, message: Message) -> list[str]:
        """Return the stack of a message."""
        frames = message.frames
        return [*original_frames(frames[:MOST_FRAMES], self._scripts(message)), *frames[MOST_FRAMES:]]

    def place(self, message: Message) -> str:
        """Return the place where a message was printed; "" if it is unknown."""
        place = _printed_at(message)
        return original_place(place, self._scripts(message)) if place is not None else ""

    def _scripts(self, message: Message) -> dict[str, MappedScript]:
        found: dict[str, MappedScript] = {}
        for request in _requests_for(message, self._requests):
            script = self._known.get(request.id)
            if script is not None:
                found[request.url] = script
        return found


async def originals(context: Context, tab: Tab, messages: Sequence[Message]) -> Originals:
    """Return the stacks of those messages that are shown with one; reads missing source maps.

    A source map that does not arrive in time, or is broken or too large, is not tried again.
    """
    requests = _requests_of(tab)
    missing: dict[str, Request] = {}
    for message in reversed(messages):
        for request in _requests_for(message, requests) if message.shows_stack else ():
            # A script that was requested again may be another by now.
            if request is requests[request.url][-1] and request.id not in context.mapped_scripts:
                missing[request.id] = request
    if missing and not tab.is_stopped and not tab.hangs:
        await _read(context, list(missing.values())[:MOST_SCRIPTS])
    return Originals(tab, context.mapped_scripts)


async def _read(context: Context, requests: list[Request]) -> None:
    _keep(context, requests, [None] * len(requests))
    with trio.move_on_after(ALL_TIMEOUT), suppress(BidiError, ConnectionLostError, FrameGoneError, ToolError):
        async with hidden_tab(context) as tab:
            if tab is None:
                return
            if tab.shared.quirks.reads_by_header:
                async with _readable_responses(tab.connection, tab.context):
                    _keep(context, requests, await _ask(tab, requests))
                return
            by_origin: defaultdict[str, list[Request]] = defaultdict(list)
            for request in requests:
                by_origin[origin_of(request.url)].append(request)
            for origin, group in by_origin.items():
                await tab.connection.send(bc.Navigate(context=tab.context, url=f"{origin}/", wait="interactive"))
                _keep(context, group, await _ask(tab, group))


def _keep(context: Context, requests: list[Request], scripts: Sequence[MappedScript | None]) -> None:
    for request, script in zip(requests, scripts, strict=True):
        keep(context.mapped_scripts, request.id, script, MOST_KEPT)


async def _ask(tab: Tab, requests: list[Request]) -> list[MappedScript | None]:
    scripts = [(request.url, _named(request)) for request in requests]
    credentials = "omit" if tab.shared.quirks.reads_by_header else "same-origin"
    value = (await tab.main.call("extra.sourceMaps", scripts, TIMEOUT * 1000, credentials)).value
    return await trio.to_thread.run_sync(_read_maps, str(value))


def _read_maps(text: str) -> list[MappedScript | None]:
    return [_mapped(found) for found in read_answer(ScriptMaps, unpacked(text)).maps]


def _mapped(found: ScriptMap | None) -> MappedScript | None:
    with suppress(BrokenMapError):
        return MappedScript(found.map, found.base, found.code) if found is not None else None
    return None


@asynccontextmanager
async def _readable_responses(connection: Connection, context: str) -> AsyncGenerator[None]:
    """Let a tab that shows ``about:blank`` read the responses of all servers."""

    def permit(event: Event) -> None:
        if isinstance(event, ResponseStarted) and event.is_blocked and event.context == context:
            permission = Header(name="Access-Control-Allow-Origin", value=StringValue(value="*"))
            kept = [each for each in event.response.headers if each.name.lower() != permission.name.lower()]
            connection.send_nowait(ContinueResponse(request=event.request.request, headers=[*kept, permission]))

    connection.add_listener(permit)
    intercept = None
    try:
        intercept = await connection.send(AddIntercept(phases=["responseStarted"], contexts=[context]))
        yield
    finally:
        with trio.move_on_after(TIMEOUT, shield=True), suppress(BidiError, ConnectionLostError):
            if intercept is not None:
                await connection.send(RemoveIntercept(intercept=intercept.intercept))
        connection.remove_listener(permit)


def _requests_of(tab: Tab) -> dict[str, list[Request]]:
    """Return the requests of a tab for scripts, by their URLs, oldest first."""
    found: defaultdict[str, list[Request]] = defaultdict(list)
    for request in tab.requests.all:
        if request.kind in _SCRIPTS and origin_of(request.url):
            found[request.url].append(request)
    return found


def _requests_for(message: Message, requests: Mapping[str, list[Request]]) -> Iterator[Request]:
    """Yield the request for each script in the stacks of a message."""
    frames = map(place_of, message.frames[:MOST_FRAMES])
    urls = {place.url: None for place in (_printed_at(message), *frames) if place is not None}
    for url in urls:
        earlier = [request for request in requests.get(url, ()) if request.started <= message.time]
        if earlier:
            yield earlier[-1]


def _printed_at(message: Message) -> Place | None:
    return place_of(message.stack[0]) if message.stack else None


def _named(request: Request) -> str:
    """Return the URL in the SourceMap header of a script; "" if it has none."""
    return header(request.response_headers, "sourcemap") or header(request.response_headers, "x-sourcemap")
