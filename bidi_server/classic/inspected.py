"""Reports of a session's pages through the inspector server: their requests, and the contexts that send these."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.bidi.wire import read_json
from bidi_server.classic import scripts
from bidi_server.classic.inspector import BEGAN, Inspector, Page
from bidi_server.classic.network import Network
from drivers.json_values import Json, fields, items, objects

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bidi_server.classic.contexts import BrowsingContext
    from bidi_server.classic.tracker import Tracker

logger = logging.getLogger(__name__)

ORDER_TIMEOUT = 0.5
"""Timeout for a document to tell its frames, in seconds. WebKitGTK 2.50 took 1 to 5 ms, or 45 where TCP held it up."""

FRAMES_TIMEOUT = 1.0
"""Timeout for a page to tell which of its frames sends a request, in seconds. Its other events wait for that long."""


@dataclass(eq=False, slots=True)
class _View:
    """The frames of a page, and its events that wait."""

    page: Page
    main: str = ""
    """Id of its main frame; "" before it has told that."""
    contexts: dict[str, BrowsingContext] = field(default_factory=dict[str, "BrowsingContext"])
    """The contexts of frames, by id of the frame."""
    realms: dict[str, int] = field(default_factory=dict[str, int])
    """The newest realms of frames, by id of the frame."""
    unknown: set[str] = field(default_factory=set[str])
    """Frames whose context could not be found out. Their requests count as those of the main frame."""
    held: deque[tuple[str, Json]] = field(default_factory=deque[tuple[str, Json]])
    """Events that wait until it is known which context they are about."""
    is_finding: bool = False


class Inspected:
    """The pages of a session.

    ``look`` asks a document for its state. ``on_cancelled`` is called when a navigation ends without a document, with
    whether it may have become a download.
    """

    def __init__(
        self,
        stream: trio.abc.Stream,
        tracker: Tracker,
        nursery: trio.Nursery,
        emit: Callable[[str, Json], None],
        look: Callable[[BrowsingContext], Awaitable[None]],
        on_cancelled: Callable[[BrowsingContext, bool], None],
    ) -> None:
        self.inspector = Inspector(stream, self._hear)
        self.network = Network(self.inspector, tracker, emit, on_cancelled)
        self._tracker = tracker
        self._nursery = nursery
        self._look = look
        self._views: dict[Page, _View] = {}
        self._tops: dict[int, BrowsingContext] = {}
        """The tabs of targets."""

    # Windows

    def link(self, target: int, context: BrowsingContext) -> None:
        """Take note that a target is a tab."""
        self._tops[target] = context
        for page in self.inspector.pages.get(target, {}).values():
            self._go_on(self._views[page])

    def target_of(self, context: BrowsingContext) -> int | None:
        """Return the target of a tab; None if it is not known."""
        return next((target for target, top in self._tops.items() if top is context.top), None)

    def forget(self, context: BrowsingContext) -> None:
        """Forget a tab that is closed."""
        target = self.target_of(context)
        if target is not None:
            del self._tops[target]
            self.inspector.forget(target)
            self._views = {page: view for page, view in self._views.items() if page.target != target}

    async def find_target(self, context: BrowsingContext) -> None:
        """Find out which target a tab is that a page has opened, by the stamp of its document."""
        await self.inspector.find_next()
        for target in [each for each in self.inspector.pages if each not in self._tops]:
            page = self.inspector.page_of(target)
            if page is not None and (await self._order(page))[0] == context.stamp:
                self.link(target, context)
                return

    # Events

    def _hear(self, page: Page, method: str, parameters: Json) -> None:
        view = self._views.setdefault(page, _View(page))
        if method == BEGAN:
            self.inspector.send(page, "Page.getResourceTree").then(lambda result: self._began(view, result))
        elif method == "Runtime.executionContextCreated":
            realm = fields(parameters.get("context"))
            if realm.get("type") == "normal" and isinstance(id_ := realm.get("id"), int):
                view.realms[str(realm.get("frameId"))] = id_
        elif method.startswith("Network.") or method in {"Page.frameNavigated", "Page.frameDetached"}:
            view.held.append((method, parameters))
            self._go_on(view)

    def _began(self, view: _View, result: Json) -> None:
        frame = fields(fields(result.get("frameTree")).get("frame"))
        view.main = view.main or str(frame.get("id", ""))
        self._go_on(view)

    def _go_on(self, view: _View) -> None:
        """Take the events that wait, up to one of an unknown frame."""
        top = self._tops.get(view.page.target)
        while view.held and top is not None and view.main and not view.is_finding:
            method, parameters = view.held[0]
            frame = _frame_of(method, parameters)
            if frame and self._is_unknown(view, frame) and method == "Network.requestWillBeSent":
                view.is_finding = True
                self._nursery.start_soon(self._find, view, frame, top)
                return
            view.held.popleft()
            self._take(view, top, frame, method, parameters)

    def _is_unknown(self, view: _View, frame: str) -> bool:
        context = view.contexts.get(frame)
        return frame != view.main and frame not in view.unknown and (context is None or context.gone)

    def _take(self, view: _View, top: BrowsingContext, frame: str, method: str, parameters: Json) -> None:
        context = top if frame in {"", view.main} else view.contexts.get(frame)
        if method == "Page.frameDetached":
            view.contexts.pop(frame, None)
            view.realms.pop(frame, None)
            view.unknown.discard(frame)
        elif method == "Page.frameNavigated":
            if context is not None:
                told = fields(parameters.get("frame"))
                self._tracker.arrived(context, str(told.get("loaderId")), str(told.get("url")))
        else:
            self.network.take(view.page, context or top, method, parameters, is_known=context is not None)

    # Frames

    async def _find(self, view: _View, frame: str, top: BrowsingContext) -> None:
        try:
            with trio.move_on_after(FRAMES_TIMEOUT):
                tree = await self.inspector.send(view.page, "Page.getResourceTree").within(FRAMES_TIMEOUT)
                await self._match(view, fields(tree.get("frameTree")), top)
        except (BidiError, ConnectionLostError) as error:
            logger.debug("the frames of %s are not known: %s", top.url, error)
        finally:
            if self._is_unknown(view, frame):
                view.unknown.add(frame)
            view.is_finding = False
            self._go_on(view)

    async def _match(self, view: _View, node: Json, context: BrowsingContext) -> None:
        """Find the contexts of the frames in a frame. The browser has them in the order of the document."""
        children = objects(node.get("childFrames"))
        ids = [str(fields(child.get("frame")).get("id")) for child in children]
        if any(self._is_unknown(view, id_) for id_ in ids):
            await self._look(context)
            of_main = str(fields(node.get("frame")).get("id")) == view.main
            realm = None if of_main else view.realms.get(str(fields(node.get("frame")).get("id")))
            stamp, numbers = await self._order(view.page, realm)
            if stamp == context.stamp and len(numbers) == len(ids):
                view.contexts.update(
                    {id_: self._tracker.child(context, number) for id_, number in zip(ids, numbers, strict=True)}
                )
        for id_, child in zip(ids, children, strict=True):
            if id_ in view.contexts and child.get("childFrames"):
                await self._match(view, child, view.contexts[id_])

    async def _order(self, page: Page, realm: int | None = None) -> tuple[str, list[int]]:
        """Return the stamp of a document, and the numbers of its frames in the order of its windows."""
        where = {} if realm is None else {"contextId": realm}
        expression = f"window[{scripts.json.dumps(scripts.name())}]?.order()"
        reply = self.inspector.send(page, "Runtime.evaluate", expression=expression, returnByValue=True, **where)
        text = fields((await reply.within(ORDER_TIMEOUT)).get("result")).get("value")
        found = items(read_json(text)) if isinstance(text, str) else []
        if len(found) < 2:
            return "", []
        return str(found[0]), [number for number in items(found[1]) if isinstance(number, int)]


def _frame_of(method: str, parameters: Json) -> str:
    """Return the id of the frame that an event is about; "" if it does not say that."""
    if method == "Page.frameNavigated":
        return str(fields(parameters.get("frame")).get("id"))
    return str(parameters.get("frameId") or "")
