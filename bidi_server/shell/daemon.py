"""The process of a session: takes the words of commands from a socket, runs the tools and answers."""

from __future__ import annotations

import json
import logging
import math
import os
import socket
import sys
from contextlib import contextmanager, nullcontext
from secrets import compare_digest, token_hex
from typing import TYPE_CHECKING

import trio

from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.registry import open_sessions
from bidi_server.browser.sessions.session import DEFAULT
from bidi_server.browser.words import page_line
from bidi_server.calls import call, text_of
from bidi_server.errors import InvalidParametersError
from bidi_server.shell.places import Record
from drivers.json_values import Json, fields, items

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from bidi_server.browser.contexts.context import Context, Host
    from bidi_server.config import Config
    from bidi_server.shell.places import Place
    from bidi_server.shell.words import Commands, Line

    Opening = Callable[[list[str]], tuple[str | None, list[str]]]
    """Parses the words of a command that opens a session: its URL and its options."""

MAX_REQUEST = 4 * 2**20
"""Maximum size of a command in bytes, as of a message of an MCP client."""

logger = logging.getLogger(__name__)


class Daemon:
    """A session, and the commands that it receives."""

    def __init__(self, config: Config, client: Client, options: list[str], opening: Opening) -> None:
        self._config = config
        self._client = client
        self._options = options
        self._opening = opening
        self._commands: Commands | None = None  # imported while the browser starts
        self._token = token_hex(16)
        self._waiting = trio.CancelScope()
        self._running = 0
        self._browser: Host | None = None
        """The browser that the session ends with."""
        self._nursery: trio.Nursery

    async def serve(self, place: Place, started: Callable[[], None]) -> None:
        """Serve until the session is closed or unused for too long, or its browser has ended."""
        with _listener(place) as (listener, port):
            async with trio.open_nursery() as self._nursery:
                await self._nursery.start(trio.serve_listeners, self._answer, [listener])
                token, options = self._token, self._options
                place.write(Record(place.folder, place.name, os.getpid(), token, port, options))
                started()
                with self._waiting:
                    self._rest()
                    await trio.sleep_forever()
                self._nursery.cancel_scope.cancel()

    def _rest(self) -> None:
        """Count the time without commands from now on."""
        self._waiting.deadline = trio.current_time() + self._config.idle_timeout

    async def _answer(self, stream: trio.SocketStream) -> None:
        """Answer one command. It is cancelled if the client goes away."""
        ends = False
        self._running += 1
        self._waiting.deadline = math.inf
        try:
            async with stream, trio.open_nursery() as nursery:
                request = await _request(stream)
                if compare_digest(str(request.get("token")), self._token):
                    nursery.start_soon(_cancel_at_end, stream, nursery.cancel_scope)
                    try:
                        reply, ends = await self._reply(request, stream)
                    except Exception:  # an error in one command must not end the session
                        logger.exception("a command failed")
                        reply = _failed("The command failed by a mistake of bidi-server; the session's log says more.")
                    await stream.send_all(json.dumps(reply).encode() + b"\n")
                nursery.cancel_scope.cancel()
        except* trio.BrokenResourceError:
            logger.info("a client has gone away")
        finally:
            self._running -= 1
            if ends:
                self._waiting.cancel()
            elif not self._running:
                self._rest()

    async def _reply(self, request: Json, stream: trio.SocketStream) -> tuple[Json, bool]:
        """Return the reply to a command, and whether it ends the session."""
        words = [str(word) for word in items(request.get("words"))]
        if words == ["status"]:
            return _said(json.dumps(self._status())), False
        if words == ["close"]:
            await self._client.aclose()
            return _said("Closed."), True
        with self._client.ahead() if self._commands is None else nullcontext():
            commands = self._commands = self._commands or await trio.to_thread.run_sync(_imported)
            try:
                line = self._parsed(commands, words)
            except InvalidParametersError as error:
                return _failed(f"bidi-server: {error.spelled(commands.toolset.names)}", 2), False

            async def tell(_done: float, _of: float | None, what: str) -> None:
                await stream.send_all(json.dumps({"progress": what}).encode() + b"\n")

            if not set(self._client.config.caps).issuperset(line.tool.capabilities[:1]):
                await self._client.enable(line.tool.capabilities[:1])
            result = await call(line.tool, line.arguments, self._client, tell, commands.toolset)
        text = text_of(result)
        failed = bool(result.is_error)
        if request.get("json") is True or line.as_json:
            reply = _said(json.dumps({"failed": failed, "text": text}, ensure_ascii=False), int(failed))
        else:
            reply = _failed(text) if failed else _said(text)
        # A session whose browser does not start has not begun.
        return reply, not self._watch() and failed

    def _parsed(self, commands: Commands, words: list[str]) -> Line:
        """Return the call that a command stands for. Raises `InvalidParametersError`."""
        if words[:1] != ["open"]:
            return commands.parse(words)
        url, options = self._opening(words[1:])
        if options and options != self._options:
            raise InvalidParametersError(
                f"The session was opened with {' '.join(self._options) or 'no options'}.",
                "Close it first (bidi-server close), or open another one: bidi-server -s NAME open.",
            )
        return commands.parse(["navigate", url] if url else ["tabs", "list"])

    def _watch(self) -> bool:
        """See to it that the session ends with its browser. Return whether it has one."""
        context = self._context
        if context is not None and context.browser is not self._browser:
            self._browser = context.browser
            self._nursery.start_soon(self._end_with, context.browser)
        return context is not None

    @property
    def _context(self) -> Context | None:
        """The active context; None if the session has no browser."""
        session = self._client.sessions.get(DEFAULT)
        contexts = session.contexts if session is not None else {}
        return next(iter(contexts.values()), None)

    async def _end_with(self, browser: Host) -> None:
        await browser.connection.closed.wait()
        if browser is self._browser and not self._running:
            self._waiting.cancel()

    def _status(self) -> Json:
        """Return what a list of sessions says about this one."""
        context = self._context
        tab = context.active if context is not None else None
        return {
            "browser": context.browser.name if context is not None else "no browser",
            "page": page_line(tab.title, tab.url) if tab is not None else "no page",
            "busy": self._running > 1,
        }


def _imported() -> Commands:
    from bidi_server.shell.words import Commands

    return Commands()


async def _request(stream: trio.SocketStream) -> Json:
    """Return the request of a client; an empty one if it is too large or no JSON."""
    data = b""
    while not data.endswith(b"\n") and len(data) < MAX_REQUEST:
        chunk = await stream.receive_some(65536)
        if not chunk:
            break
        data += chunk
    try:
        return fields(json.loads(data))
    except ValueError:
        return {}


async def _cancel_at_end(stream: trio.SocketStream, scope: trio.CancelScope) -> None:
    await stream.receive_some(1)
    scope.cancel()


def _said(text: str, code: int = 0) -> Json:
    return {"out": text, "err": "", "code": code}


def _failed(text: str, code: int = 1) -> Json:
    return {"out": "", "err": text, "code": code}


@contextmanager
def _listener(place: Place) -> Generator[tuple[trio.SocketListener, int]]:
    """Provide a listener, and its port if it is no Unix socket. Remove the session's files at the end."""
    on_windows = sys.platform == "win32"
    with socket.socket(socket.AF_INET if on_windows else socket.AF_UNIX) as listening:
        listening.bind(("127.0.0.1", 0) if on_windows else place.socket)
        listening.listen()
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(listening))
        try:
            yield listener, listening.getsockname()[1] if on_windows else 0
        finally:
            place.remove()


def _leave_parent() -> None:
    """Tell the command that started this process to go on, and leave its output."""
    print("open", flush=True)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


async def serve_session(config: Config, place: Place, options: list[str], opening: Opening) -> int:
    """Serve a session that a command with these options opens, until it ends. Return the exit code."""
    async with open_sessions(config) as sessions:
        await Daemon(config, Client(sessions, object(), config), options, opening).serve(place, _leave_parent)
    return 0
