"""Stand-ins that behave like the real thing, and are held to it by the same tests."""

import json
import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

import trio

from bidi_server.bidi.connection import Connection
from bidi_server.bidi.errors import ConnectionLostError


class ScriptedTransport:
    """A `Transport` whose browser is the test: it sees each command and says what comes back.

    ``tests/bidi/test_transport.py`` holds it to what a WebSocket does.
    """

    def __init__(self) -> None:
        self._commands_out, self._commands = trio.open_memory_channel[str](math.inf)
        self._messages_out, self._messages = trio.open_memory_channel[str](math.inf)
        self._end_reason = ""

    async def send(self, text: str) -> None:
        try:
            await self._commands_out.send(text)
        except trio.BrokenResourceError as error:
            raise ConnectionLostError(self._end_reason) from error

    async def receive(self) -> str:
        try:
            return await self._messages.receive()
        except trio.EndOfChannel as error:
            raise ConnectionLostError(self._end_reason) from error

    async def next_text(self) -> str:
        """Wait for the next message to the browser."""
        return await self._commands.receive()

    async def next_command(self) -> dict[str, object]:
        """Wait for the next command to the browser."""
        return cast("dict[str, object]", json.loads(await self.next_text()))

    def say(self, text: str) -> None:
        """Send a message as it is."""
        self._messages_out.send_nowait(text)

    def succeed(self, id_: object, result: object = None) -> None:
        """Answer a command."""
        self.say(json.dumps({"type": "success", "id": id_, "result": {} if result is None else result}))

    def fail(self, id_: object, code: str, message: str = "") -> None:
        """Answer a command with an error."""
        self.say(json.dumps({"type": "error", "id": id_, "error": code, "message": message}))

    def emit(self, method: str, params: object) -> None:
        """Send an event."""
        self.say(json.dumps({"type": "event", "method": method, "params": params}))

    def end(self, reason: str) -> None:
        """End both directions; what was said before still arrives."""
        self._end_reason = reason
        self._messages_out.close()
        self._commands.close()


@asynccontextmanager
async def open_scripted_connection() -> AsyncGenerator[tuple[Connection, ScriptedTransport]]:
    """Open a connection whose browser is the test."""
    connection, browser = Connection(), ScriptedTransport()
    async with trio.open_nursery() as nursery:
        await nursery.start(connection.serve, browser)
        yield connection, browser
        connection.close()
