"""The transport that makes a browser with classic WebDriver answer like one with WebDriver BiDi."""

from __future__ import annotations

import logging
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import trio
from pydantic_core import to_json

from bidi_server.bidi.errors import (
    BidiError,
    ConnectionLostError,
    InvalidArgumentError,
    NoSuchFrameError,
    NoSuchInterceptError,
    NoSuchRequestError,
    NoSuchUserContextError,
    UnsupportedOperationError,
)
from bidi_server.bidi.wire import read_json
from bidi_server.classic.contexts import BrowsingContext, new_id
from bidi_server.classic.downloads import Downloads
from bidi_server.classic.scripts import Preload
from bidi_server.classic.session import Session
from bidi_server.classic.tracker import Tracker
from drivers.errors import DriverError
from drivers.json_values import Json, fields, items

if TYPE_CHECKING:
    from bidi_server.classic.inspector import Setting
    from bidi_server.classic.network import Network
    from drivers.classic import ClassicDrivers, ClassicSession

logger = logging.getLogger(__name__)

DEFAULT = "default"
"""The user context of the browser's own profile."""

FIRST_LOOK, MOST_LOOK = 0.01, 0.05
"""Shortest and longest interval between two looks at what pages do, in seconds.

A look takes WebKitGTK 2.50 2 to 4 ms.
"""

AFTERWARDS = 0.5
"""Time after a command for which pages are looked at, in seconds, for effects that come late."""

LOOK_TIMEOUT = 1.0
"""Timeout for one look at all pages of a session, in seconds: a page may be busy."""

NOT_REACHED = "the browser's inspector server does not answer"
"""Why requests cannot wait."""

Handler = Callable[["ClassicTransport", Json], Awaitable[Json]]
"""Executes a command with its parameters and returns its result."""


class ClassicTransport:
    """A transport of BiDi messages (see `bidi.transport.Transport`) to drivers with classic WebDriver."""

    def __init__(
        self, drivers: ClassicDrivers, first: ClassicSession, nursery: trio.Nursery, handlers: Mapping[str, Handler]
    ) -> None:
        self.nursery = nursery
        self.preloads: list[Preload] = []
        self.tracker = Tracker(self.emit)
        self.sessions: dict[str, Session] = {}
        self.wishes: dict[str, Json] = {DEFAULT: {}}
        """Capabilities of the user contexts."""
        self.viewports: dict[str, Json] = {}
        """Size of the viewport of new tabs, by user context."""
        self.folders: dict[str, str] = {}
        """Folders for downloads, by user context."""
        self._settings: dict[tuple[str, str, str], Setting] = {}
        """Settings of pages, by user context, method and what the method is about."""
        self._intercepts: dict[str, frozenset[str]] = {}
        """For each intercept, the tabs whose requests wait; all if it is empty."""
        self._most_bytes: dict[str, int] = {}
        """Maximum size of the bodies that are kept, in bytes, by user context."""
        self._drivers = drivers
        self._has_inspector = bool(first.inspector)
        self._first: ClassicSession | None = first
        self._handlers = handlers
        self._downloads: dict[Session, Downloads] = {}
        self._starting = trio.Lock()
        self._out, self._messages = trio.open_memory_channel[str](math.inf)
        self._running = 0
        self._awake = trio.Event()
        self._until = -math.inf
        self._lost = ""

    # The transport

    async def send(self, text: str) -> None:
        """Take one command."""
        if self._lost:
            raise ConnectionLostError(self._lost)
        command = fields(read_json(text))
        self.nursery.start_soon(self._execute, command)

    async def receive(self) -> str:
        """Return the next reply or event."""
        try:
            return await self._messages.receive()
        except trio.EndOfChannel:
            raise ConnectionLostError(self._lost) from None

    def emit(self, method: str, parameters: Json) -> None:
        """Send an event to the server."""
        self._put({"type": "event", "method": method, "params": parameters})

    def _put(self, message: Json) -> None:
        if not self._lost:
            self._out.send_nowait(to_json(message).decode())

    def lose(self, reason: str) -> None:
        """End the connection."""
        if not self._lost:
            self._lost = reason
            self._out.close()

    async def _execute(self, command: Json) -> None:
        self._running += 1
        self._awake.set()
        id_, method = command.get("id"), str(command.get("method"))
        try:
            result = await self._result_of(method, fields(command.get("params")))
            self._put({"type": "success", "id": id_, "result": result})
        except BidiError as error:
            self._put({"type": "error", "id": id_, "error": error.wire_code, "message": error.message})
        except ConnectionLostError as error:
            self.lose(error.reason)
        except (KeyError, TypeError, ValueError) as error:
            logger.debug("%s failed", method, exc_info=True)
            told = f"{method}: {type(error).__name__} {error}"
            self._put({"type": "error", "id": id_, "error": "invalid argument", "message": told})
        except DriverError as error:
            self._put({"type": "error", "id": id_, "error": "unknown error", "message": error.message})
        except Exception as error:
            # A mistake of ours ends the command, not the server.
            logger.exception("%s failed", method)
            self._put({"type": "error", "id": id_, "error": "unknown error", "message": repr(error)})
        finally:
            self._running -= 1
            self._until = trio.current_time() + AFTERWARDS

    async def _result_of(self, method: str, parameters: Json) -> Json:
        handler = self._handlers.get(method)
        if handler is None:
            raise UnsupportedOperationError(f"classic WebDriver has nothing for {method}")
        return await handler(self, parameters)

    async def watch(self) -> None:
        """Look at what pages do, while a command is executed or a page loads, and for a moment afterwards."""
        pause = FIRST_LOOK
        while True:
            if not self._running and trio.current_time() > self._until:
                self._awake = trio.Event()
                await self._awake.wait()
                pause = FIRST_LOOK
            await trio.sleep(pause)
            pause = min(pause * 1.3, MOST_LOOK) if self._running else MOST_LOOK
            for session in list(self.sessions.values()):
                await self._look(session)

    async def _look(self, session: Session) -> None:
        downloads = self._downloads.get(session)
        if downloads is None:  # the session has ended during the look at another one
            return
        try:
            with trio.move_on_after(LOOK_TIMEOUT):
                is_busy = await session.watch()
                if await downloads.look(self.folders.get(session.user_context, "")) or is_busy:
                    self._until = trio.current_time() + AFTERWARDS
        except BidiError as error:
            logger.debug("a look at the pages failed: %s", error)
        except ConnectionLostError as error:
            if self.sessions.get(session.user_context) is session:
                self.lose(error.reason)
        except Exception:
            logger.exception("a look at the pages failed")

    async def set(self, parameters: Json, *settings: Setting) -> None:
        """Change the pages of the user contexts that parameters name. Raises `UnsupportedOperationError`."""
        self._need_inspector()
        for user_context in map(str, items(parameters.get("userContexts")) or [DEFAULT]):
            for setting in settings:
                self._settings[user_context, setting.method, setting.about] = setting
            if user_context in self.sessions:
                await self.sessions[user_context].set(settings)

    # Requests

    def _networks(self) -> list[Network]:
        return [each.inspected.network for each in self.sessions.values() if each.inspected is not None]

    def network_of(self, request: str) -> Network:
        """Return the requests among which one is. Raises `NoSuchRequestError`."""
        for network in self._networks():
            if network.owns(request):
                return network
        raise NoSuchRequestError(f"there is no request {request}")

    async def add_intercept(self, contexts: Sequence[str]) -> str:
        """Let requests wait, of some tabs or of all. Return the id of the intercept."""
        self._need_inspector()
        if any(each.inspected is None for each in self.sessions.values()):
            raise UnsupportedOperationError(NOT_REACHED)
        id_ = new_id()
        self._intercepts[id_] = frozenset(contexts)
        for network in self._networks():
            await network.intercept(id_, self._intercepts[id_])
        return id_

    async def remove_intercept(self, id_: str) -> None:
        """Let no more requests wait because of an intercept. Raises `NoSuchInterceptError`."""
        if self._intercepts.pop(id_, None) is None:
            raise NoSuchInterceptError(f"there is no intercept {id_}")
        for network in self._networks():
            await network.remove_intercept(id_)

    async def keep_bodies(self, parameters: Json) -> None:
        """Keep bodies of the user contexts that parameters name. Raises `UnsupportedOperationError`."""
        self._need_inspector()
        most = parameters["maxEncodedDataSize"]
        if not isinstance(most, int):
            raise InvalidArgumentError("maxEncodedDataSize is not a number")
        for user_context in map(str, items(parameters.get("userContexts")) or [DEFAULT]):
            self._most_bytes[user_context] = most
            session = self.sessions.get(user_context)
            if session is not None and session.inspected is not None:
                session.inspected.network.keep_bodies(most)

    def _need_inspector(self) -> None:
        if not self._has_inspector:
            raise UnsupportedOperationError("only a WebKit that we start can do it")

    # Sessions and contexts

    async def session(self, user_context: str) -> Session:
        """Return the driver's session of a user context; start it when it is first needed."""
        async with self._starting:
            if user_context in self.sessions:
                return self.sessions[user_context]
            if user_context not in self.wishes:
                raise NoSuchUserContextError(f"there is no user context {user_context}")
            wishes = self.wishes[user_context]
            opened, first = None, self._first
            if first is not None and not wishes:
                opened, self._first = first, None
            opened = opened or await self._drivers.start(wishes)
            session = Session(opened, user_context, self.tracker, self.preloads, self.nursery, self.emit, self.lose)
            try:
                await session.begin()
                await session.set(each for key, each in self._settings.items() if key[0] == user_context)
                await self._begin_network(session)
            except BaseException:
                with trio.CancelScope(shield=True):
                    await session.aclose()
                await opened.aclose()
                raise
            self._downloads[session] = Downloads(opened.downloads, session, self.emit)
            self.sessions[user_context] = session
            return session

    async def _begin_network(self, session: Session) -> None:
        if session.inspected is None:
            if self._intercepts:
                raise UnsupportedOperationError(NOT_REACHED)
            return
        network = session.inspected.network
        network.keep_bodies(self._most_bytes.get(session.user_context, 0))
        for id_, contexts in self._intercepts.items():
            await network.intercept(id_, contexts)

    async def end_session(self, user_context: str) -> None:
        """End the driver's session of a user context."""
        self.wishes.pop(user_context, None)
        session = self.sessions.pop(user_context, None)
        if session is None:
            return
        self._downloads.pop(session, None)
        for handle in list(session.windows):
            session.forget_window(handle)
        await session.aclose()
        self.nursery.start_soon(session.opened.aclose)

    def context(self, parameters: Json, key: str = "context") -> BrowsingContext:
        """Return the browsing context that parameters name. Raises `NoSuchFrameError`."""
        id_ = str(parameters.get(key))
        found = self.tracker.contexts.get(id_)
        if found is None:
            raise NoSuchFrameError(f"there is no browsing context {id_}")
        return found

    def session_of(self, context: BrowsingContext) -> Session:
        """Return the session of a browsing context. Raises `NoSuchFrameError`."""
        session = self.sessions.get(context.user_context)
        if session is None:
            raise NoSuchFrameError(f"the browsing context {context.id} is gone")
        return session

    def target(self, parameters: Json) -> tuple[BrowsingContext, str]:
        """Return the browsing context and the sandbox of a script's target."""
        target = fields(parameters.get("target"))
        if "context" in target:
            return self.context(target), str(target.get("sandbox") or "")
        stamp, _, sandbox = str(target.get("realm")).partition("/")
        for context in self.tracker.contexts.values():
            if context.stamp == stamp:
                return context, sandbox
        raise NoSuchFrameError(f"there is no realm {stamp}")

    async def add_preload(self, parameters: Json) -> str:
        """Add a preload script and return its id."""
        preload = Preload(
            new_id(),
            str(parameters["functionDeclaration"]),
            items(parameters.get("arguments")),
            items(parameters.get("contexts")),
            items(parameters.get("userContexts")),
            str(parameters.get("sandbox") or ""),
        )
        self.preloads.append(preload)
        await self._preloads_changed()
        return preload.id

    async def remove_preload(self, id_: str) -> None:
        """Remove a preload script."""
        found = [each for each in self.preloads if each.id == id_]
        if not found:
            raise InvalidArgumentError(f"there is no preload script {id_}")
        self.preloads.remove(found[0])
        await self._preloads_changed()

    async def _preloads_changed(self) -> None:
        for session in list(self.sessions.values()):
            await session.preloads_changed()
