"""The inspector server of a WebKit that we have started: scripts run before those of pages, and requests are reported.

WebKitWebDriver drives the browser through this server, and names its address in the browser's environment. A message
has a name and parameters in the format of GVariant; among them are commands of the Web Inspector Protocol, as JSON. See
Source/JavaScriptCore/inspector/remote/glib and Source/JavaScriptCore/inspector/protocol in
https://github.com/WebKit/WebKit. Seen with WebKitGTK 2.50.
"""

from __future__ import annotations

import logging
import math
import select
import socket
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio
from pydantic_core import to_json

from bidi_server.bidi.wire import read_json
from drivers.json_values import Json, fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

logger = logging.getLogger(__name__)

_HEADER = struct.Struct(">IB")
"""Length of the name and the parameters, and flags."""

_LITTLE_ENDIAN = 1
"""Flag: byte order of the parameters."""

_ADDRESS = struct.Struct("<QQ")
"""A connection of the server, and a target there."""

_BROWSER = 1
"""The connection of the browser's main process, which comes first."""

AHEAD = 8
"""Number of targets that are tried after the newest known one. Each window is one."""

TIMEOUT = 0.5
"""Timeout for a page to take a script, in seconds. WebKitGTK 2.50 took it within 5 ms; a page that is busy does not."""

MAX_MESSAGE = 64 * 1024 * 1024
"""Maximum length of a message, in bytes. A longer one is left out: pages send bodies of any size."""

ENABLED = ("Page.enable", "Runtime.enable", "Network.enable")
"""Commands that make a page report frames, their realms and requests."""

BEGAN = "began"
"""Event of our own: a page is there."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A command of the Web Inspector Protocol that changes a page until it is sent again."""

    method: str
    parameters: Json = field(default_factory=dict[str, object])
    about: str = ""
    """Name of what the command changes; "" if its method says that."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a target: a window has a second one while it goes to another process."""

    target: int
    id: str


class Reply:
    """The reply to a command, which may not have come."""

    def __init__(self) -> None:
        self.come = trio.Event()
        self.result: Json = {}
        """The result; {} if the command failed."""
        self._then: Callable[[Json], None] | None = None

    def then(self, take: Callable[[Json], None]) -> None:
        """Call a function with the result when it comes."""
        self._then = take

    def arrive(self, result: Json) -> None:
        """Take the result."""
        self.result = result
        self.come.set()
        if self._then is not None:
            self._then(result)

    async def within(self, seconds: float) -> Json:
        """Wait for the reply, and return its result."""
        with trio.move_on_after(seconds):
            await self.come.wait()
        return self.result


class Inspector:
    """A connection to an inspector server. One that is lost does nothing any more, and scripts come late again.

    ``hear`` is called with each event of a page: its method and parameters.
    """

    def __init__(self, stream: trio.abc.Stream, hear: Callable[[Page, str, Json], None]) -> None:
        self._stream = stream
        self._hear = hear
        self._out, self._queue = trio.open_memory_channel[bytes](math.inf)
        self._settings = {(each.method, each.about): each for each in map(Setting, ENABLED)}
        """The commands that each page gets, in turn."""
        self.pages: dict[int, dict[str, Page]] = {}
        """For each target, its pages by id, the newest last."""
        self._replies: dict[int, Reply] = {}
        self._last_id = 0
        self._newest = 0
        """The newest known target, or the driver's session; 0 before `begin`."""
        self._found = trio.Event()
        self._told: list[Reply] = []
        """The replies of pages that are new."""
        self._adopting = trio.Lock()
        self._adopted: list[int] = []
        """Targets that `adopt` has not returned yet."""
        self._changed = trio.Event()
        self.lost = False

    async def run(self) -> None:
        """Run until the connection ends."""
        self._put("SetupInspectorClient", b"\0")
        try:
            async with self._stream, trio.open_nursery() as nursery:
                nursery.start_soon(self._write)
                nursery.start_soon(self._adopt_popups)
                await self._read()
                nursery.cancel_scope.cancel()
        except* (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            logger.debug("the inspector server is gone: %s", error)
        except* (ValueError, struct.error):
            logger.warning("the inspector server sends what nobody understands", exc_info=True)
        finally:
            self.lost = True
            for reply in self._replies.values():
                reply.come.set()

    async def begin(self, windows: int) -> None:
        """Give the script to the pages of the windows that the session began with.

        Targets are numbered as they are made. The one after these windows is the driver's session, which must not be
        disturbed: WebKitWebDriver 2.50 hears nothing from it any more if others set it up.
        """
        async with self._adopting:
            self._newest = windows + 1
            await self._set_up(range(1, windows + 1))
            self._adopted.clear()

    async def adopt(self) -> list[int]:
        """Give the script to pages that are new. Return the targets that were found since the last call."""
        await self.find_next()
        adopted, self._adopted = self._adopted, []
        return adopted

    async def find_next(self) -> None:
        """Find pages that are new. The server tells the driver alone what there is, so what may be next is tried."""
        async with self._adopting:
            await self._set_up(range(self._newest + 1, self._newest + 1 + AHEAD))

    async def _set_up(self, numbers: Iterable[int]) -> None:
        known, self._found, self._told = set(self.pages), trio.Event(), []
        for number in numbers:
            self._put("Setup", _ADDRESS.pack(_BROWSER, number))
        # A target that does not exist answers nothing. Those that do are in turn.
        with trio.move_on_after(TIMEOUT):
            await _first([self._pause_on_start(number).come for number in known] or [self._found])
        await _all(self._told)
        self._adopted += sorted(set(self.pages) - known)
        self._newest = max([self._newest, *self.pages])

    async def _adopt_popups(self) -> None:
        """Find pages as soon as another process says that its pages have changed: one of these may have opened them."""
        while True:
            await self._changed.wait()
            self._changed = trio.Event()
            if self._newest:
                await self.find_next()

    async def aclose(self) -> None:
        """End the connection. No script runs early any more."""
        await self._stream.aclose()

    async def set(self, setting: Setting) -> None:
        """Send a command to each page, present and future. It replaces the last one about the same."""
        self._settings[setting.method, setting.about] = setting
        await self._apply_to_all(setting)

    async def unset(self, setting: Setting, method: str) -> None:
        """Send a command that takes a setting back to each page; future ones do not get the setting."""
        self._settings.pop((setting.method, setting.about), None)
        await self._apply_to_all(Setting(method, setting.parameters))

    async def _apply_to_all(self, setting: Setting) -> None:
        await _all([self._apply(setting, page) for pages in self.pages.values() for page in pages.values()])

    async def set_script(self, source: str) -> None:
        """Run a script in each document from now on, in all frames, before the scripts of the page."""
        await self.set(Setting("Page.setBootstrapScript", {"source": source}))

    def page_of(self, target: int) -> Page | None:
        """Return the newest page of a target."""
        return next(reversed(self.pages.get(target, {}).values()), None)

    def send(self, page: Page, method: str, /, **parameters: object) -> Reply:
        """Send a command to a page."""
        return self._apply(Setting(method, parameters), page)

    def forget(self, target: int) -> None:
        """Forget a page that is closed."""
        self.pages.pop(target, None)

    # Messages

    def _put(self, name: str, parameters: bytes) -> None:
        body = name.encode() + b"\0" + parameters
        self._out.send_nowait(_HEADER.pack(len(body), _LITTLE_ENDIAN) + body)

    async def _write(self) -> None:
        async for message in self._queue:
            await self._stream.send_all(message)
            self._acknowledge_at_once()

    def _acknowledge_at_once(self) -> None:
        """Let Linux not delay the next acknowledgement by 40 ms: the server sends no more before it comes."""
        if isinstance(self._stream, trio.SocketStream) and sys.platform == "linux":
            with suppress(OSError):
                self._stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    async def catch_up(self) -> None:
        """Take the messages that have arrived.

        The server tells us what a page has done before it gives the driver the page's reply to a later request.
        """
        if isinstance(self._stream, trio.SocketStream):
            # A stream that is closed has the number -1.
            while not self.lost and (number := self._stream.socket.fileno()) >= 0:
                arrived = select.poll()
                arrived.register(number, select.POLLIN)
                if not arrived.poll(0):
                    break
                await trio.lowlevel.checkpoint()

    async def _read(self) -> None:
        received, unread = bytearray(), 0
        while data := await self._stream.receive_some():
            self._acknowledge_at_once()
            received += data[unread:]
            unread = max(0, unread - len(data))
            while len(received) >= _HEADER.size:
                length, _flags = _HEADER.unpack_from(received)
                end = _HEADER.size + length
                if length > MAX_MESSAGE:
                    logger.warning("the inspector server sends a message of %d bytes, which is left out", length)
                    unread = max(0, end - len(received))
                    del received[:end]
                    continue
                if len(received) < end:
                    break
                name, _, parameters = bytes(received[_HEADER.size : end]).partition(b"\0")
                del received[:end]
                if name == b"SendMessageToFrontend":
                    _, target = _ADDRESS.unpack_from(parameters)
                    self._take_one(target, fields(read_json(parameters[_ADDRESS.size :].rstrip(b"\0"))))
                elif name == b"SetTargetList":
                    self._changed.set()

    def _command(self, target: int, method: str, **parameters: object) -> Reply:
        """Send a command to a target."""
        message, reply = self._message(method, parameters)
        self._put("SendMessageToBackend", _ADDRESS.pack(_BROWSER, target) + message + b"\0")
        return reply

    def _apply(self, setting: Setting, page: Page) -> Reply:
        """Send a setting to a page."""
        message, reply = self._message(setting.method, setting.parameters)
        self._command(page.target, "Target.sendMessageToTarget", targetId=page.id, message=message.decode())
        return reply

    def _message(self, method: str, parameters: Json) -> tuple[bytes, Reply]:
        """Return a command and its reply. A lost server has answered everything."""
        self._last_id += 1
        reply = self._replies[self._last_id] = Reply()
        if self.lost:
            reply.come.set()
        return to_json({"id": self._last_id, "method": method, "params": parameters}), reply

    def _take_one(self, target: int, message: Json) -> None:
        try:
            self._take(target, message)
        except Exception:
            # A mistake of ours ends nothing.
            logger.exception("a message was not understood: %.200s", message)

    def _take(self, target: int, message: Json) -> None:
        parameters = fields(message.get("params"))
        if self._is_reply(message):
            return
        match message.get("method"):
            case "Target.dispatchMessageFromTarget":
                self._take_of_page(target, str(parameters.get("targetId")), str(parameters.get("message")))
            case "Target.targetCreated":
                self._created(target, fields(parameters.get("targetInfo")))
            case "Target.targetDestroyed":
                self.pages.get(target, {}).pop(str(parameters.get("targetId")), None)
            case _:
                pass

    def _take_of_page(self, target: int, id_: str, text: str) -> None:
        message, page = fields(read_json(text)), self.pages.get(target, {}).get(id_)
        if not self._is_reply(message) and page is not None:
            self._hear(page, str(message.get("method")), fields(message.get("params")))

    def _is_reply(self, message: Json) -> bool:
        """Take the reply to a command, if the message is one."""
        id_ = message.get("id")
        if not isinstance(id_, int):
            return False
        if (reply := self._replies.pop(id_, None)) is not None:
            reply.arrive(fields(message.get("result")))
        return True

    def _created(self, target: int, info: Json) -> None:
        if info.get("type") != "page":
            return
        if target not in self.pages:
            self.pages[target] = {}
            self._pause_on_start(target)
        page = Page(target, str(info.get("targetId")))
        self.pages[target][page.id] = page
        self._told += [self._apply(setting, page) for setting in self._settings.values()]
        self._hear(page, BEGAN, {})
        if info.get("isPaused"):
            self._command(target, "Target.resume", targetId=page.id)
        self._found.set()

    def _pause_on_start(self, target: int) -> Reply:
        """Let the page wait for the script when it goes to another process."""
        return self._command(target, "Target.setPauseOnStart", pauseOnStart=True)


async def _all(replies: Iterable[Reply]) -> None:
    with trio.move_on_after(TIMEOUT):
        for reply in replies:
            await reply.come.wait()


async def _first(events: Iterable[trio.Event]) -> None:
    async with trio.open_nursery() as nursery:

        async def wait(event: trio.Event) -> None:
            await event.wait()
            nursery.cancel_scope.cancel()

        for event in events:
            nursery.start_soon(wait, event)
