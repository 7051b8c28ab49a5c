"""What goes over stdin and stdout, line by line; no browser needed."""

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def server() -> "Iterator[subprocess.Popen[str]]":
    """A server as clients start it."""
    command = [sys.executable, "-m", "bidi_server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
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
