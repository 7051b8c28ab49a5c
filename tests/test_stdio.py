"""What goes over stdin and stdout, line by line; no browser needed."""

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

COMMAND = [sys.executable, "-m", "bidi_server"]


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


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{bad json", -32700),
        ('"half', -32700),
        ('{"jsonrpc": "2.0", "id": 1}', -32600),
        ("[]", -32600),
        ('{"method": "ping", "id": 1}', -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": "no/such"}', -32601),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 1}}', -32602),
    ],
)
def test_what_is_no_message_is_answered(server: "subprocess.Popen[str]", line: str, code: int) -> None:
    error = ask(server, line)["error"]
    assert isinstance(error, dict)
    assert error["code"] == code
    assert "result" in ask(server, json.dumps(INITIALIZE))


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 3, "method": "tools/list"}


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
