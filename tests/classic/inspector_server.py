"""An inspector server that numbers pages as WebKitGTK 2.50 does."""

import json
import struct
from collections.abc import Iterator
from contextlib import suppress

import trio
import trio.testing

from drivers.json_values import Json, fields

DRIVER = 2
"""The target of the driver's session."""


class Server:
    """An inspector server with a page in the target 1. It answers what WebKitGTK 2.50 was seen to answer."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.targets = {1, DRIVER}
        self.set_up: set[int] = set()
        self.told: list[tuple[int, str, Json]] = []
        """The commands that pages got: target, method and parameters."""
        self.results: dict[str, Json] = {}
        """Results of commands, by method."""
        self.is_busy = False
        self._stream = stream
        self._sending = trio.Lock()

    async def run(self) -> None:
        """Answer until the connection ends."""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await self._answer_on()

    async def _answer_on(self) -> None:
        received = b""
        while data := await self._stream.receive_some():
            received += data
            while len(received) >= 5 and len(received) >= 5 + int.from_bytes(received[:4], "big"):
                end = 5 + int.from_bytes(received[:4], "big")
                name, _, parameters = received[5:end].partition(b"\0")
                received = received[end:]
                for message in self._answers(name.decode(), parameters):
                    await self.send(message)

    def _answers(self, name: str, parameters: bytes) -> Iterator[bytes]:
        if name == "SetupInspectorClient":
            # Long, so that it comes in several parts.
            yield packed("DidSetupInspectorClient", b"x" * 100_000)
        elif name == "Setup":
            connection, target = struct.unpack("<QQ", parameters)
            assert connection == 1
            if target in self.targets and target not in self.set_up:
                self.set_up.add(target)
                yield to_client(target, created(f"page-{target}"))
        elif name == "SendMessageToBackend":
            _, target = struct.unpack("<QQ", parameters[:16])
            command = json.loads(parameters[16:-1])
            if target in self.targets:
                yield to_client(target, {"id": command["id"], "result": {}})
                yield from self._page(target, command)

    def _page(self, target: int, command: Json) -> Iterator[bytes]:
        parameters = fields(command["params"])
        if command["method"] != "Target.sendMessageToTarget":
            self.told.append((target, str(command["method"]), parameters))
            return
        inner = json.loads(str(parameters["message"]))
        self.told.append((target, inner["method"], inner["params"]))
        if not self.is_busy:
            yield from_page(target, {"id": inner["id"], "result": self.results.get(inner["method"], {})})

    async def tell(self, method: str, parameters: Json) -> None:
        """Send an event of the page."""
        await self.send(from_page(1, {"method": method, "params": parameters}))
        await trio.testing.wait_all_tasks_blocked()

    def scripts(self) -> list[tuple[int, object]]:
        """Return the bootstrap scripts that pages got since the last call."""
        found = [(target, given["source"]) for target, method, given in self.told if method.endswith("BootstrapScript")]
        self.told.clear()
        return found

    async def close(self) -> None:
        """End the connection."""
        await self._stream.aclose()

    async def send(self, message: bytes) -> None:
        """Send a message of one's own."""
        async with self._sending:
            await self._stream.send_all(message)


def packed(name: str, parameters: bytes) -> bytes:
    body = name.encode() + b"\0" + parameters
    return struct.pack(">IB", len(body), 1) + body


def to_client(target: int, message: Json) -> bytes:
    return packed("SendMessageToFrontend", struct.pack("<QQ", 1, target) + json.dumps(message).encode() + b"\0")


def from_page(target: int, message: Json) -> bytes:
    told = {"targetId": f"page-{target}", "message": json.dumps(message)}
    return to_client(target, {"method": "Target.dispatchMessageFromTarget", "params": told})


def created(page: str, *, is_paused: bool = False) -> Json:
    info: Json = {"targetId": page, "type": "page", **({"isPaused": True} if is_paused else {})}
    return {"method": "Target.targetCreated", "params": {"targetInfo": info}}
