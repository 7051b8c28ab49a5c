"""BiDi by hand: enough to see that a launched browser is usable."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import trio
from trio_websocket import WebSocketConnection, open_websocket_url

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from drivers import Launched

Json = Any  # no more than a reply's JSON


class Raw:
    """A session, one command at a time."""

    def __init__(self, socket: WebSocketConnection) -> None:
        self._socket = socket
        self._number = 0

    async def send(self, method: str, **params: object) -> dict[str, Json]:
        self._number += 1
        await self._socket.send_message(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            message = json.loads(await self._socket.get_message())
            if message.get("id") == self._number:
                assert message["type"] == "success", message
                return message["result"]

    async def evaluate(self, expression: str) -> object:
        """Evaluate in the first tab and return the value of the result."""
        tree = await self.send("browsingContext.getTree")
        target = {"context": tree["contexts"][0]["context"]}
        reply = await self.send("script.evaluate", expression=expression, target=target, awaitPromise=True)
        return reply["result"]["value"]


@asynccontextmanager
async def open_session(launched: Launched) -> AsyncGenerator[Raw]:
    """Open a session of the browser, which ends with a test that fails."""
    try:
        async with open_websocket_url(launched.web_socket_url) as socket:
            raw = Raw(socket)
            if not launched.session_ready:
                await raw.send("session.new", capabilities={"alwaysMatch": launched.capabilities})
            yield raw
    except BaseException:
        with trio.CancelScope(shield=True):
            await launched.aclose()
        raise
