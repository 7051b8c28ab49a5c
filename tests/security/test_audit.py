"""The audit log: one line for each call and each refusal, whatever clients do, and no secrets in it."""

import json
import logging
import os
import stat
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
import trio
from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY
from trio.testing import MockClock

from bidi_server.audit import MAX_UNKNOWN, AuditLog
from bidi_server.browser.network.refusals import MOST, Refusal, Refusals, place_of
from tests.support.fronts import HANDSHAKE, MODERN, ONE, SLOW, connected, open_front, text_of, two_users
from tests.support.issuer import open_issuer
from tests.test_http import BOTH, INITIALIZE, refused

EVIL = 'x"}\n{"event":"call","decision":"allowed","who":{"token":"admin"}}\r\n\x1b[2J\u2028\u202e\ud800'
"""The name of a client that wants a line of its own."""


def lines(path: Path) -> list[dict[str, object]]:
    """Return the lines of a log, which are ASCII without control characters."""
    data = path.read_bytes()
    assert data.endswith(b"\n")
    assert all(byte == 0x0A or 0x20 <= byte < 0x7F for byte in data)
    return [json.loads(line) for line in data.decode().splitlines()]


def without(line: dict[str, object], *names: str) -> dict[str, object]:
    return {name: value for name, value in line.items() if name not in ("time", "seconds", *names)}


@pytest.mark.parametrize("era", [HANDSHAKE, MODERN])
async def test_lines_of_calls(era: str, tmp_path: Path) -> None:
    with open_front(tmp_path, *two_users(tmp_path), "--caps", "sessions", "--audit-log", "audit.jsonl") as front:
        async with connected(front.url, token=ONE, era=era) as client:
            assert not (await client.call_tool("browser_session_list", {})).is_error
            assert (await client.call_tool("browser_session_close", {"name": "my-secret-name"})).is_error
            assert (await client.call_tool("browser_click", {"ref": "hunter2", "wrong": "hunter3"})).is_error
        assert httpx2.get(front.path("/metrics")).status_code == 401
        assert httpx2.get(front.path("/metrics"), headers={"Host": "evil.example"}).status_code == 421
    path = tmp_path / "audit.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    listed, closed, clicked, nobody, other = lines(path)
    who = listed["who"]
    assert without(listed, "client") == {
        "event": "call",
        "who": who,
        "tool": "browser_session_list",
        "decision": "allowed",
        "outcome": "answered",
        "bytes": len("No session is open."),
    }
    assert isinstance(listed["seconds"], float)
    assert str(listed["time"]).endswith("Z")
    assert (closed["arguments"], closed["outcome"], closed["error"]) == (["name"], "failed", "SESSION_NOT_FOUND")
    assert (clicked["arguments"], clicked["error"]) == (["ref", "wrong"], "INVALID_PARAMETER")
    assert without(nobody) == {
        "event": "refusal",
        "who": {"address": "127.0.0.1"},
        "status": 401,
        "decision": "refused",
        "reason": "A token is needed: send the header Authorization: Bearer TOKEN.",
    }
    assert (other["status"], other["decision"]) == (421, "refused")
    for secret in (ONE, "hunter", "my-secret-name"):
        assert secret not in path.read_text()


async def test_refusals_by_limits_tools_and_scopes(tmp_path: Path) -> None:
    (tmp_path / "one").write_text(ONE)
    (tmp_path / "tokens.toml").write_text(
        '[tokens.one]\nfile = "one"\ntools = ["browser_session_list"]\ncalls_per_minute = 1\n'
    )
    with open_issuer() as issuer:
        options = ("--token-file", "tokens.toml", "--oauth-issuer", issuer.url, "--caps", "sessions")
        with open_front(tmp_path, *options, "--audit-log", "audit.jsonl") as front:
            issuer.audience = front.url
            async with connected(front.url, token=ONE) as client:
                await client.call_tool("browser_session_list", {})
                assert (await client.call_tool("browser_session_list", {})).is_error
                with pytest.raises(Exception, match="Unknown tool"):
                    await client.call_tool("browser_navigate", {"url": "http://example.com/?secret"})
            token = issuer.token(sub="al\nice")
            headers = {**BOTH, "Authorization": f"Bearer {token}"}
            with httpx2.Client(headers=headers, timeout=SLOW) as client:
                client.headers["Mcp-Session-Id"] = client.post(front.url, json=INITIALIZE).headers["mcp-session-id"]
                call = {"name": "browser_session_list"}
                message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
                assert client.post(front.url, json=message).status_code == 403
    _, limited, unknown, scope = lines(tmp_path / "audit.jsonl")
    assert (limited["who"], limited["decision"]) == ({"token": "one"}, "refused")
    assert str(limited["reason"]).startswith("The token 'one' has made 1 calls within a minute")
    assert (unknown["url"], unknown["decision"], unknown["reason"]) == (
        "http://example.com",
        "refused",
        "not offered to this client",
    )
    assert without(scope) == {
        "event": "refusal",
        "who": {"issuer": issuer.url, "subject": "al\nice", "client": "agent", "address": "127.0.0.1"},
        "status": 403,
        "decision": "refused",
        "reason": "The scope sessions is needed. Log in again with it.",
    }


@pytest.mark.parametrize("era", [HANDSHAKE, MODERN])
def test_a_client_cannot_write_lines(era: str, tmp_path: Path) -> None:
    """By its own name, and by the names of tools, arguments and sessions."""
    told = {"name": EVIL, "version": EVIL}
    call = {"name": EVIL, "arguments": {EVIL: EVIL, "url": EVIL}}
    meta = {
        PROTOCOL_VERSION_META_KEY: MODERN,
        CLIENT_CAPABILITIES_META_KEY: {},
        "io.modelcontextprotocol/clientInfo": told,
    }
    hello = {**INITIALIZE, "params": {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": told}}
    messages = [
        hello,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {**call, **({"_meta": meta} if era == MODERN else {})},
        },
    ]
    command = [sys.executable, "-m", "bidi_server", "--audit-log", "audit.jsonl"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for message in messages[2:] if era == MODERN else messages:
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
        while json.loads(process.stdout.readline()).get("id") != 2:
            pass
        process.stdin.close()
        process.stdout.close()
    [line] = lines(tmp_path / "audit.jsonl")
    assert line["decision"] == "refused"
    assert "who" not in line
    assert str(line["client"]).startswith('x"}\n{"event"')
    assert line["url"] == "invalid"


def test_a_log_that_cannot_be_written_ends_the_start(tmp_path: Path) -> None:
    said = refused("--audit-log", "none/audit.jsonl", folder=tmp_path)
    assert "--audit-log none/audit.jsonl: it can't be written: No such file or directory." in said


def entry(number: int) -> dict[str, object]:
    return {"event": "call", "number": number}


def test_a_file_that_is_moved_or_gone(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    log = AuditLog(path)
    log.write(entry(1))
    path.rename(tmp_path / "audit.1")  # as logrotate does
    log.write(entry(2))
    assert [line["number"] for line in lines(tmp_path / "audit.1")] == [1]
    path.unlink()
    log.write(entry(3))
    assert [line["number"] for line in lines(path)] == [3]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_of_before_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    AuditLog(path).write(entry(1))
    AuditLog(path).write(entry(2))
    assert len(lines(path)) == 2


def test_a_disk_that_is_full(caplog: pytest.LogCaptureFixture) -> None:
    log = AuditLog(Path("/dev/full"))
    if not Path("/dev/full").exists():
        pytest.skip("only Linux has a device that is full")
    for number in range(3):
        log.write(entry(number))
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert "calls are not logged: No space left on device" in caplog.text


def test_a_line_that_was_written_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path, write = tmp_path / "audit.jsonl", os.write

    def write_less(file: int, data: bytes) -> int:
        return write(file, data[:20])

    log = AuditLog(path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write_less)
        log.write(entry(1))
        log.write(entry(2))
    log.write(entry(3))
    assert json.loads(path.read_text().splitlines()[-1])["number"] == 3
    assert [record.levelno for record in caplog.records] == [logging.ERROR, logging.WARNING]


async def test_calls_go_on_without_the_log(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    with open_front(tmp_path, "--audit-log", "logs/audit.jsonl") as front:
        async with connected(front.url) as client:
            (folder / "audit.jsonl").unlink()
            folder.rmdir()
            for _ in range(3):
                said = text_of(await client.call_tool("browser_click", {"wrong": 1}))
                assert "browser_click has no parameter 'wrong'" in said
        assert front.log.read_text().count("calls are not logged") == 1


def test_a_pipe_that_nobody_reads(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    AuditLog(tmp_path / "pipe").write(entry(1))  # it does not wait


async def test_nobody_fills_the_disk_with_refusals(tmp_path: Path, autojump_clock: MockClock) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    for _ in range(1000):
        log.refusal({"address": "192.0.2.1"}, "no token")
    log.refusal({"token": "ci"}, "known")
    await trio.sleep(60)
    log.refusal({"address": "192.0.2.1"}, "no token")
    found = lines(tmp_path / "audit.jsonl")
    assert len(found) == MAX_UNKNOWN + 2
    assert found[-2]["omitted"] == 1000 - MAX_UNKNOWN
    assert "omitted" not in found[-1]


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://user:pass@Bank.example:443/account?token=1#x", "https://bank.example"),
        ("http://a.example:8080/", "http://a.example:8080"),
        ("wss://a.example/socket", "wss://a.example"),
        ("data:text/html,secret", "data:"),
        ("file:///etc/passwd", "file:"),
        ("javascript:alert('secret')", "javascript:"),
        ("about:blank", "about:"),
        ("secret", "invalid"),
        ("http://[secret", "invalid"),
    ],
)
def test_urls_are_cut_to_their_origin(url: str, place: str) -> None:
    assert place_of(url) == place


def test_refusals_are_bounded() -> None:
    refusals = Refusals()
    for number in range(200):
        refusals.add(f"https://{number}.example", "no")
        refusals.add(f"https://{number}.example", "no")
    taken, count = refusals.take()
    assert (len(taken), count) == (MOST, 400)
    assert taken[-1] == Refusal("https://199.example", "no")
    assert refusals.take() == ([], 0)
