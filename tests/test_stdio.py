"""What goes over stdin and stdout, line by line; no browser needed."""

import json
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

import anyio
import mcp_types as types
import pytest
import trio
from mcp.shared.message import SessionMessage
from mcp_types.version import SUPPORTED_PROTOCOL_VERSIONS

from bidi_server.browser.sessions.registry import open_sessions
from bidi_server.config import Config
from bidi_server.server import make_server
from bidi_server.stdio.handshake import early_answer
from bidi_server.stdio.light import LightServer, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp.server.context import ServerRequestContext

    from bidi_server.server import State

COMMAND = [sys.executable, "-m", "bidi_server"]

FENCE = "abcdefg"


@pytest.fixture(scope="module")
def server() -> "Iterator[subprocess.Popen[str]]":
    """A server as clients start it."""
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(20) == 0


def ask(server: "subprocess.Popen[str]", line: str) -> dict[str, object]:
    """Send a line and return the answer."""
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(f"{line}\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())


DEEP, DEEPER = (f'{{"a": {"[" * levels}{"]" * levels}}}' for levels in (500, 50_000))  # Python 3.13 reads 5,000


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        ("{bad json", -32700, None),
        ('"half', -32700, None),
        ('{"jsonrpc": "2.0", "id": 1}', -32600, 1),
        ("[]", -32600, None),
        ('{"method": "ping", "id": 1}', -32600, 1),
        ('{"jsonrpc": "2.0", "id": "a", "method": 5}', -32600, "a"),
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32600, 1),
        (f'{{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {DEEP}}}', -32600, 1),
        (f'{{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {DEEPER}}}', -32600, None),
        # A response has the id of a request of ours, which the client must not take for one of its own.
        ('{"jsonrpc": "2.0", "id": 1, "result": 5}', -32600, None),
        *(
            (f'{{"jsonrpc": "2.0", "id": {wrong}, "method": "ping"}}', -32600, None)
            for wrong in ("null", "1.5", "2.0", "1e2", "true", "[]", "{}")
        ),
        ('{"jsonrpc": "2.0", "id": 1, "method": "no/such"}', -32601, 1),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 1}}', -32602, 1),
    ],
)
def test_what_is_no_message_is_answered(
    server: "subprocess.Popen[str]", line: str, code: int, request_id: int | str | None
) -> None:
    answer = ask(server, line)
    error = answer["error"]
    assert isinstance(error, dict)
    assert error["code"] == code
    assert answer["id"] == request_id
    assert "result" in ask(server, json.dumps(INITIALIZE))


@pytest.mark.parametrize("size", [5 * 2**20, 60 * 2**20])
@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"id": 8, "text": "TEXT"}}',
        '{"method":"tools/call","params":{"id":8,"text":"TEXT","a":{"id":9}},"jsonrpc":"2.0","id":7}',
    ],
)
def test_a_message_that_is_too_large_is_refused_at_once(server: "subprocess.Popen[str]", line: str, size: int) -> None:
    """Reading 60 MB took 25 seconds."""
    ask(server, json.dumps(INITIALIZE))
    whole = line.replace("TEXT", "y" * size)
    began = time.perf_counter()
    answer = ask(server, whole)
    assert time.perf_counter() - began < 5
    assert answer["id"] == 7
    assert f"The message has {len(whole):,} bytes, and at most 4,194,304 are read." in str(answer["error"])
    assert "result" in ask(server, json.dumps(INITIALIZE))


def test_half_of_a_character_is_replaced(server: "subprocess.Popen[str]") -> None:
    """JSON can have it: https://www.rfc-editor.org/rfc/rfc8259#section-8.2"""
    ask(server, json.dumps(INITIALIZE))
    answer = ask(server, json.dumps({**CALL, "params": {"name": "\ud800 \U0001f600 \udc00"}}))
    assert answer["id"] == CALL["id"]
    assert "Unknown tool: \ufffd \U0001f600 \ufffd." in str(answer["error"])


def test_a_request_before_the_handshake() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        refusal = ask(process, json.dumps(LIST))
        assert refusal["id"] == LIST["id"]
        assert refusal["error"] == {"code": -32000, "message": "Server not initialized. Send initialize first."}
        assert "result" in ask(process, json.dumps(INITIALIZE))
        assert "result" in ask(process, json.dumps(LIST))
        process.stdin.close()
        assert process.wait(20) == 0


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 3, "method": "tools/list"}
CALL = {"jsonrpc": "2.0", "id": 4, "method": "tools/call"}


def lines(*messages: "Mapping[str, object]") -> bytes:
    """Return messages as they go over the wire."""
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def test_answers_wait_for_a_slow_reader() -> None:
    requests = lines(INITIALIZE, INITIALIZED, *({**LIST, "id": number} for number in range(40)))
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(requests)
        process.stdin.flush()
        # These are six times what a pipe holds.
        answers = [json.loads(process.stdout.readline()) for _ in range(41)]
        process.stdin.close()
        assert process.wait(20) == 0
    assert {answer["id"] for answer in answers} == set(range(40))
    assert all("result" in answer for answer in answers)


def test_a_client_that_never_reads_does_not_hold_the_server() -> None:
    requests = lines(INITIALIZE, INITIALIZED, *({**LIST, "id": number} for number in range(40)))
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(requests)
        process.stdin.flush()
        assert process.stdout.read(1) == b"{"
        process.terminate()
        assert process.wait(20) == 0


def test_a_client_that_never_reads_and_goes_does_not_hold_the_server() -> None:
    # The last two wait for their answers in another way than the others.
    requests = [INITIALIZE, INITIALIZED, *({**LIST, "id": number} for number in range(40)), INITIALIZE, {}]
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines(*requests))
        process.stdin.flush()
        assert process.stdout.read(1) == b"{"
        process.stdin.close()
        assert process.wait(20) == 0


def test_a_client_that_has_said_all_gets_its_answers() -> None:
    requests = lines(INITIALIZE, INITIALIZED, *({**LIST, "id": number} for number in range(40)))
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        answers, _ = process.communicate(requests, timeout=20)
    assert process.returncode == 0
    assert {json.loads(line)["id"] for line in answers.splitlines()} == set(range(40))


def test_sockets_will_do() -> None:
    """Node.js starts its servers with them."""
    ours, theirs = socket.socketpair()
    with ours, subprocess.Popen(COMMAND, stdin=theirs.fileno(), stdout=theirs.fileno()) as process:
        theirs.close()
        ours.sendall(lines(INITIALIZE, INITIALIZED, LIST))
        with ours.makefile() as answers:
            assert [json.loads(answers.readline())["id"] for _ in range(2)] == [2, 3]
        ours.shutdown(socket.SHUT_WR)
        assert process.wait(20) == 0


def test_a_client_that_goes_without_reading_ends_the_server() -> None:
    ours, theirs = socket.socketpair()
    with subprocess.Popen(
        COMMAND, stdin=theirs.fileno(), stdout=theirs.fileno(), stderr=subprocess.PIPE, text=True
    ) as process:
        theirs.close()
        ours.sendall(lines(INITIALIZE, INITIALIZED, LIST))
        assert ours.recv(1) == b"{"
        ours.close()
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "Traceback" not in errors


def test_files_will_do(tmp_path: Path) -> None:
    requests, answers = tmp_path / "requests", tmp_path / "answers"
    requests.write_bytes(lines(INITIALIZE))
    with requests.open() as stdin, answers.open("w") as stdout:
        assert subprocess.run(COMMAND, stdin=stdin, stdout=stdout, check=True, timeout=20).returncode == 0
    assert json.loads(answers.read_text())["id"] == 2


async def test_the_light_server_says_of_itself_what_the_sdks_server_says() -> None:
    config = Config()
    light, full = LightServer(config, FENCE), make_server(config, fence=FENCE)
    dumps = [each.create_initialization_options().model_dump(exclude_none=True) for each in (light, full)]
    assert dumps[0] == dumps[1]
    assert light.server_info_stamp == full.server_info_stamp
    for method in ("ping", "server/discover", "tools/list", "tools/call", "resources/list", "resources/read"):
        one, other = light.get_request_handler(method), full.get_request_handler(method)
        assert one is not None
        assert other is not None
        assert one.params_type == other.params_type
    modern = full.get_capabilities(protocol_version="2026-07-28")
    discover = light.get_request_handler("server/discover")
    assert discover is not None
    said = await discover.handler(cast("ServerRequestContext[State]", None), types.RequestParams())
    assert isinstance(said, types.DiscoverResult)
    assert said.capabilities == modern


async def answer_of_sdk(line: str, config: Config) -> object:
    """Return the answer to the first message of a connection, as the SDK gives it."""
    put, requests = anyio.create_memory_object_stream[SessionMessage](1)
    answers, given = anyio.create_memory_object_stream[SessionMessage](1)
    async with given, open_sessions(config, FENCE) as sessions, trio.open_nursery() as nursery:
        nursery.start_soon(run, config, sessions, requests, answers)
        await put.send(SessionMessage(types.jsonrpc_message_adapter.validate_json(line)))
        message = (await given.receive()).message
        await put.aclose()
    return json.loads(message.model_dump_json(by_alias=True, exclude_unset=True))


CLIENT = {"name": "test", "version": "1"}

ROOTS: dict[str, object] = {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}}}

META = "io.modelcontextprotocol/"


def initialize(**changes: object) -> str:
    parameters = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT, **changes}
    return json.dumps({"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": parameters})


def discover(version: str = "2026-07-28", **changes: object) -> str:
    meta: dict[str, object] = {
        f"{META}protocolVersion": version,
        f"{META}clientInfo": CLIENT,
        f"{META}clientCapabilities": ROOTS,
    }
    request: dict[str, object] = {
        "jsonrpc": "2.0",
        "id": "seven",
        "method": "server/discover",
        "params": {"_meta": meta},
    }
    return json.dumps(request | changes)


@pytest.mark.parametrize("toolset", ["browser", "vision", "browser,extract"])
@pytest.mark.parametrize(
    "line",
    [
        *(initialize(protocolVersion=version) for version in (*SUPPORTED_PROTOCOL_VERSIONS, "1999-01-01", "")),
        initialize(capabilities=ROOTS, clientInfo={**CLIENT, "title": "Test"}),
        discover(),
        discover(id=0),
    ],
)
async def test_the_first_answer_is_that_of_the_sdk(line: str, toolset: str) -> None:
    config = Config.model_validate({"toolset": toolset.split(",")})
    early = early_answer(line.encode(), config, FENCE)
    assert early is not None
    assert json.loads(early.text) == await answer_of_sdk(line, config)
    assert early.id == json.loads(line)["id"]


@pytest.mark.parametrize(
    "line",
    [
        "{bad json",
        "[]",
        json.dumps(LIST),
        initialize(protocolVersion=1),
        initialize(capabilities=None),
        initialize(capabilities={"roots": {"listChanged": "yes"}}),
        initialize(clientInfo={"name": "test"}),
        initialize(clientInfo={**CLIENT, "icons": []}),
        initialize(_meta={}),
        discover("2025-06-18"),
        discover(id=None),
        discover(id=1.5),
        discover(id=True),
        discover(params=None),
        discover(jsonrpc="1.0"),
        discover(more=1),
    ],
)
def test_other_first_messages_are_left_to_the_sdk(line: str) -> None:
    assert early_answer(line.encode(), Config(), FENCE) is None


def test_what_structured_answers_need_is_left_to_the_sdk() -> None:
    assert early_answer(initialize().encode(), Config(structured=True), FENCE) is None


def test_a_first_request_has_one_answer() -> None:
    """Whether it comes before or after the SDK is there."""
    requests = [{**INITIALIZE, "id": 1}, INITIALIZED, {**LIST, "id": 2}]
    for pause in (False, True):
        with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            if pause:
                process.stdin.write(b"{}\n")
                process.stdin.flush()
                assert b"-32600" in process.stdout.readline()
            answers, _ = process.communicate(lines(*requests), timeout=20)
        assert [json.loads(line)["id"] for line in answers.splitlines()] == [1, 2]
