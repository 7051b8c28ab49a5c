"""The client of WebKit's inspector server, with a server that numbers pages as WebKitGTK 2.50 does."""

import json
import logging
import struct
from collections.abc import Iterator
from contextlib import suppress

import pytest
import trio
import trio.testing

from bidi_server.classic.inspector import MAX_MESSAGE, MOST_RESPONSES, Inspector, Setting
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
        self.is_busy = False
        self._stream = stream

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
                    await self._stream.send_all(message)

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
            yield from_page(target, {"id": inner["id"], "result": {}})

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


@pytest.fixture
def both(nursery: trio.Nursery) -> tuple[Inspector, Server]:
    """A client and its server."""
    ours, theirs = trio.testing.memory_stream_pair()
    inspector, server = Inspector(ours), Server(theirs)
    nursery.start_soon(inspector.run)
    nursery.start_soon(server.run)
    return inspector, server


async def test_each_page_gets_the_script_and_the_drivers_session_is_left_alone(both: tuple[Inspector, Server]) -> None:
    inspector, server = both
    await inspector.set_script("first")
    await inspector.begin(1)
    assert server.scripts() == [(1, "first")]
    server.targets |= {3, 6}
    assert await inspector.adopt() == [3, 6]
    assert server.scripts() == [(3, "first"), (6, "first")]
    assert await inspector.adopt() == []
    assert DRIVER not in server.set_up
    await inspector.set_script("second")
    assert server.scripts() == [(1, "second"), (3, "second"), (6, "second")]
    inspector.forget(3)
    await inspector.set(Setting("Page.overrideUserAgent", {"value": "Ada"}))
    assert server.told == [(number, "Page.overrideUserAgent", {"value": "Ada"}) for number in (1, 6)]
    server.told.clear()
    server.targets.add(7)
    assert await inspector.adopt() == [7]
    assert (7, "Page.overrideUserAgent", {"value": "Ada"}) in server.told
    for number in (1, 6, 7):
        inspector.forget(number)
    assert await inspector.adopt() == []
    server.targets.add(9)
    assert await inspector.adopt() == [9]


async def test_what_a_page_opens_is_found_when_a_process_says_that_its_pages_have_changed(
    both: tuple[Inspector, Server],
) -> None:
    inspector, server = both
    await inspector.begin(1)
    server.targets.add(3)
    await server.send(packed("SetTargetList", bytes(8)))
    with trio.fail_after(5):
        while 3 not in server.set_up:
            await trio.testing.wait_all_tasks_blocked()
    assert await inspector.adopt() == [3]


async def test_a_page_that_goes_to_another_process_waits_for_the_script(both: tuple[Inspector, Server]) -> None:
    inspector, server = both
    await inspector.set_script("it")
    await inspector.begin(1)
    server.told.clear()
    await server.send(to_client(1, created("page-9", is_paused=True)))
    await trio.testing.wait_all_tasks_blocked()
    assert [method for _, method, _ in server.told][-2:] == ["Page.setBootstrapScript", "Target.resume"]


async def test_a_page_that_is_busy_is_not_waited_for(
    both: tuple[Inspector, Server], autojump_clock: trio.testing.MockClock
) -> None:
    inspector, server = both
    await inspector.begin(1)
    server.is_busy = True
    began = trio.current_time()
    await inspector.set_script("late")
    assert trio.current_time() - began < 1


async def test_the_responses_of_documents(both: tuple[Inspector, Server]) -> None:
    inspector, server = both
    await inspector.begin(1)
    for number in range(MOST_RESPONSES + 1):
        url, kind = f"http://x/{number}", {"type": "Document", "requestId": str(number)}
        sent: Json = {**kind, "request": {"method": "POST"}}
        response: Json = {"url": url, "status": 404, "statusText": "Not Found", "headers": {"A": "b"}}
        await server.send(from_page(1, {"method": "Network.requestWillBeSent", "params": sent}))
        await server.send(
            from_page(1, {"method": "Network.responseReceived", "params": {**kind, "response": response}})
        )
    await trio.testing.wait_all_tasks_blocked()
    found: Json = {"method": "POST", "status": 404, "statusText": "Not Found", "headers": [["A", "b"]], "cached": False}
    assert inspector.response_of("http://x/7#part") == found
    assert inspector.response_of("http://x/0") == {}


@pytest.mark.parametrize(
    "message",
    [
        b"",
        packed("SendMessageToFrontend", b"short"),
        to_client(1, {})[:-2] + b"!\0",
        struct.pack(">IB", MAX_MESSAGE + 1, 1),
    ],
)
async def test_a_server_that_is_gone_or_sends_nonsense(
    both: tuple[Inspector, Server], message: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    inspector, server = both
    await inspector.begin(1)
    with caplog.at_level(logging.CRITICAL):
        await (server.send(message) if message else server.close())
        await trio.testing.wait_all_tasks_blocked()
    assert inspector.lost
    with trio.fail_after(2):
        await inspector.set_script("it")
        await inspector.adopt()
        await inspector.aclose()
