"""The inspector server of a WebKit that we have started. Through it, scripts run before those of pages.

WebKitWebDriver drives the browser through this server, and names its address in the browser's environment. A message
has a name and parameters in the format of GVariant; among them are commands of the Web Inspector Protocol, as JSON. See
Source/JavaScriptCore/inspector/remote/glib and Source/JavaScriptCore/inspector/protocol in
https://github.com/WebKit/WebKit. Seen with WebKitGTK 2.50.
"""

from __future__ import annotations

import logging
import math
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio
from pydantic_core import to_json

from bidi_server.bidi.wire import read_json
from drivers.json_values import Json, fields

if TYPE_CHECKING:
    from collections.abc import Iterable

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

MOST_RESPONSES = 200
"""Maximum number of documents whose responses are known."""

MAX_MESSAGE = 64 * 1024 * 1024
"""Maximum length of a message, in bytes. The server is lost when one claims to be longer."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A command of the Web Inspector Protocol that changes a page until it is sent again."""

    method: str
    parameters: Json = field(default_factory=dict[str, object])
    about: str = ""
    """Name of what the command changes; "" if its method says that."""


class Inspector:
    """A connection to an inspector server. One that is lost does nothing any more, and scripts come late again."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._out, self._queue = trio.open_memory_channel[bytes](math.inf)
        self._settings = {
            (each.method, each.about): each for each in (Setting("Page.enable"), Setting("Network.enable"))
        }
        """The commands that each page gets, in turn."""
        self._pages: dict[int, set[str]] = {}
        """For each target, the ids of its page: it has two of them while it goes to another process."""
        self._replies: dict[int, trio.Event] = {}
        self._last_id = 0
        self._newest = 0
        """The newest known target, or the driver's session; 0 before `begin`."""
        self._found = trio.Event()
        self._told: list[trio.Event] = []
        """The replies of pages that are new."""
        self._methods: dict[str, str] = {}
        """Methods of the requests for documents that have no response yet, by id of the request."""
        self._responses: dict[str, Json] = {}
        """The newest response for each document, by URL; the oldest first."""
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
                reply.set()

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
        await self._find_next()
        adopted, self._adopted = self._adopted, []
        return adopted

    async def _find_next(self) -> None:
        """Find pages that are new. The server tells the driver alone what there is, so what may be next is tried."""
        async with self._adopting:
            await self._set_up(range(self._newest + 1, self._newest + 1 + AHEAD))

    async def _set_up(self, numbers: Iterable[int]) -> None:
        known, self._found, self._told = set(self._pages), trio.Event(), []
        for number in numbers:
            self._put("Setup", _ADDRESS.pack(_BROWSER, number))
        # A target that does not exist answers nothing. Those that do are in turn.
        with trio.move_on_after(TIMEOUT):
            await _first([self._pause_on_start(number) for number in known] or [self._found])
        await _all(self._told)
        self._adopted += sorted(set(self._pages) - known)
        self._newest = max([self._newest, *self._pages])

    async def _adopt_popups(self) -> None:
        """Find pages as soon as another process says that its pages have changed: one of these may have opened them."""
        while True:
            await self._changed.wait()
            self._changed = trio.Event()
            if self._newest:
                await self._find_next()

    async def aclose(self) -> None:
        """End the connection. No script runs early any more."""
        await self._stream.aclose()

    async def set(self, setting: Setting) -> None:
        """Send a command to each page, present and future. It replaces the last one about the same."""
        self._settings[setting.method, setting.about] = setting
        await _all([self._apply(setting, target, page) for target, pages in self._pages.items() for page in pages])

    async def set_script(self, source: str) -> None:
        """Run a script in each document from now on, in all frames, before the scripts of the page."""
        await self.set(Setting("Page.setBootstrapScript", {"source": source}))

    def response_of(self, url: str) -> Json:
        """Return the newest response for a document: method, status, status text and headers; {} if none is known."""
        return self._responses.get(url.partition("#")[0], {})

    def forget(self, target: int) -> None:
        """Forget a page that is closed."""
        self._pages.pop(target, None)

    # Messages

    def _put(self, name: str, parameters: bytes) -> None:
        body = name.encode() + b"\0" + parameters
        self._out.send_nowait(_HEADER.pack(len(body), _LITTLE_ENDIAN) + body)

    async def _write(self) -> None:
        async for message in self._queue:
            await self._stream.send_all(message)

    async def _read(self) -> None:
        received = bytearray()
        while data := await self._stream.receive_some():
            received += data
            while len(received) >= _HEADER.size:
                length, _flags = _HEADER.unpack_from(received)
                if length > MAX_MESSAGE:
                    logger.warning("the inspector server sends a message of %d bytes", length)
                    return
                end = _HEADER.size + length
                if len(received) < end:
                    break
                name, _, parameters = bytes(received[_HEADER.size : end]).partition(b"\0")
                del received[:end]
                if name == b"SendMessageToFrontend":
                    _, target = _ADDRESS.unpack_from(parameters)
                    self._take(target, fields(read_json(parameters[_ADDRESS.size :].rstrip(b"\0"))))
                elif name == b"SetTargetList":
                    self._changed.set()

    def _command(self, target: int, method: str, **parameters: object) -> trio.Event:
        """Send a command to a target. Return the event of its reply."""
        message, reply = self._message(method, parameters)
        self._put("SendMessageToBackend", _ADDRESS.pack(_BROWSER, target) + message + b"\0")
        return reply

    def _apply(self, setting: Setting, target: int, page: str) -> trio.Event:
        """Send a setting to the page of a target. Return the event of its reply."""
        message, reply = self._message(setting.method, setting.parameters)
        self._command(target, "Target.sendMessageToTarget", targetId=page, message=message.decode())
        return reply

    def _message(self, method: str, parameters: Json) -> tuple[bytes, trio.Event]:
        """Return a command and the event of its reply. A lost server has answered everything."""
        self._last_id += 1
        reply = self._replies[self._last_id] = trio.Event()
        if self.lost:
            reply.set()
        return to_json({"id": self._last_id, "method": method, "params": parameters}), reply

    def _take(self, target: int, message: Json) -> None:
        id_, parameters = message.get("id"), fields(message.get("params"))
        if isinstance(id_, int):
            if id_ in self._replies:
                self._replies.pop(id_).set()
            return
        match message.get("method"):
            case "Target.dispatchMessageFromTarget":
                self._take(target, fields(read_json(str(parameters.get("message")))))
            case "Network.requestWillBeSent" if parameters.get("type") == "Document":
                request = fields(parameters.get("request"))
                self._methods[str(parameters.get("requestId"))] = str(request.get("method"))
            case "Network.responseReceived" if parameters.get("type") == "Document":
                self._document(str(parameters.get("requestId")), fields(parameters.get("response")))
            case "Network.loadingFailed":
                self._methods.pop(str(parameters.get("requestId")), None)
            case "Target.targetCreated":
                self._created(target, fields(parameters.get("targetInfo")))
            case "Target.targetDestroyed":
                self._pages.get(target, set()).discard(str(parameters.get("targetId")))
            case _:
                pass

    def _document(self, request: str, response: Json) -> None:
        url = str(response.get("url")).partition("#")[0]
        self._responses.pop(url, None)
        self._responses[url] = {
            "method": self._methods.pop(request, "GET"),
            "status": response.get("status"),
            "statusText": response.get("statusText"),
            "headers": [[name, value] for name, value in fields(response.get("headers")).items()],
            "cached": response.get("source") in {"memory-cache", "disk-cache"},
        }
        if len(self._responses) > MOST_RESPONSES:
            del self._responses[next(iter(self._responses))]

    def _created(self, target: int, info: Json) -> None:
        if info.get("type") != "page":
            return
        if target not in self._pages:
            self._pages[target] = set()
            self._pause_on_start(target)
        page = str(info.get("targetId"))
        self._pages[target].add(page)
        self._told += [self._apply(setting, target, page) for setting in self._settings.values()]
        if info.get("isPaused"):
            self._command(target, "Target.resume", targetId=page)
        self._found.set()

    def _pause_on_start(self, target: int) -> trio.Event:
        """Let the page wait for the script when it goes to another process."""
        return self._command(target, "Target.setPauseOnStart", pauseOnStart=True)


async def _all(events: Iterable[trio.Event]) -> None:
    with trio.move_on_after(TIMEOUT):
        for event in events:
            await event.wait()


async def _first(events: Iterable[trio.Event]) -> None:
    async with trio.open_nursery() as nursery:

        async def wait(event: trio.Event) -> None:
            await event.wait()
            nursery.cancel_scope.cancel()

        for event in events:
            nursery.start_soon(wait, event)
