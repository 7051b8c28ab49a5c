"""Streamable HTTP without a browser: who gets in, what is refused, both eras of the protocol."""

import http.client
import json
import os
import re
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import httpx2
import pytest
import trustme
from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY

from tests.support.fronts import (
    ENVIRONMENT,
    HANDSHAKE,
    MODERN,
    ONE,
    SLOW,
    TWO,
    Front,
    connected,
    open_cutter,
    open_front,
    text_of,
    two_users,
)

BOTH = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
ABOUT: dict[str, object] = {PROTOCOL_VERSION_META_KEY: MODERN, CLIENT_CAPABILITIES_META_KEY: {}}
MODERN_LIST = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "browser_session_list"}
LIST: dict[str, object] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "browser_session_list", "arguments": {}, "_meta": ABOUT},
}


def create(name: str) -> dict[str, object]:
    """Return the message that opens a session."""
    call = {"name": "browser_session_create", "arguments": {"name": name}}
    return {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """A server for everybody on this machine."""
    with open_front(tmp_path_factory.mktemp("front"), "--log-level", "debug") as front:
        yield front


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """A server that wants tokens."""
    folder = tmp_path_factory.mktemp("locked")
    with open_front(folder, *two_users(folder), "--log-level", "debug") as front:
        yield front


def refused(*arguments: str, folder: Path) -> str:
    """Return what a server says that does not start."""
    # Some options are read after the server has its port, and tests run side by side: each gets a port of its own.
    command = [sys.executable, "-m", "bidi_server", "--transport", "http", "--port", "0", *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=SLOW, check=False, cwd=folder, env=ENVIRONMENT
    )
    assert done.returncode == 1
    return done.stderr


@pytest.mark.parametrize("era", [HANDSHAKE, MODERN])
async def test_both_eras(front: Front, era: str) -> None:
    async with connected(front.url, era=era) as client:
        assert client.protocol_version == era
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    # Which runs the system's package manager.
    assert "browser_install" not in tools
    # Without a connection nothing else says which session a call is for.
    assert ("session" in tools["browser_click"].input_schema["properties"]) is (era == MODERN)


def test_a_client_that_only_posts(front: Front) -> None:
    with httpx2.Client(headers=BOTH, timeout=SLOW) as client:
        answer = client.post(front.url, json=INITIALIZE)
        connection = {"Mcp-Session-Id": answer.headers["mcp-session-id"]}
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert client.post(front.url, json=ready, headers=connection).status_code == 202
        ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        assert "browser_navigate" in client.post(front.url, json=ask, headers=connection).text
        assert client.delete(front.url, headers=connection).status_code == 200
        assert client.post(front.url, json=ask, headers=connection).status_code == 404


def test_a_client_without_a_connection_only_posts(front: Front) -> None:
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ABOUT}}
    with httpx2.Client(headers={**BOTH, "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list"}) as client:
        answer = client.post(front.url, json=ask)
        assert "browser_navigate" in answer.text
        assert "mcp-session-id" not in answer.headers
        assert client.get(front.url).status_code == 405


@pytest.mark.parametrize("era", [HANDSHAKE, MODERN])
async def test_a_long_call_through_a_proxy_that_cuts_idle_streams(tmp_path: Path, era: str) -> None:
    """A Grid that never answers makes the call last twice as long as the proxy has patience for."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        grid = f"http://127.0.0.1:{silent.getsockname()[1]}"
        options = ("--grid-url", grid, "--grid-timeout", "4")
        with open_front(tmp_path, *options, module="tests.support.impatient") as front:
            async with open_cutter(front, patience=2) as cutter, connected(cutter.url, era=era) as client:
                result = await client.call_tool("browser_navigate", {"url": "about:blank"})
                assert "had no place for a browser within 4 s." in text_of(result)
                assert cutter.cuts == 0


async def test_a_client_whose_streams_are_cut_goes_on(front: Front) -> None:
    async with open_cutter(front) as cutter, connected(cutter.url) as client:
        for number in range(4):
            assert cutter.cuts >= number
            said = text_of(await client.call_tool("browser_wait_for", {}))
            assert said == "There is nothing to wait for. Pass text, textGone, url, response, ref, selector or time."
            await cutter.cut()


async def test_the_stream_of_a_connection_is_cut_and_opened_again(front: Front) -> None:
    async with open_cutter(front) as cutter, httpx2.AsyncClient(headers=BOTH, timeout=SLOW) as client:
        answer = await client.post(cutter.url, json=INITIALIZE)
        connection = {"Mcp-Session-Id": answer.headers["mcp-session-id"]}
        for _ in range(3):
            status = 409
            while status == 409:  # until the server has noticed that the last one is cut
                async with client.stream("GET", cutter.url, headers=connection) as stream:
                    status = stream.status_code
                    if status == 200:
                        await cutter.cut()
                        with pytest.raises(httpx2.RemoteProtocolError):
                            await stream.aread()
            assert status == 200
            ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
            assert "browser_navigate" in (await client.post(cutter.url, json=ask, headers=connection)).text


@pytest.mark.parametrize("path", ["/mcp", "/metrics", "/healthz"])
@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("Host", "rebound.example.com", 421),
        ("Host", "127.0.0.1.example.com:80", 421),
        ("Origin", "http://example.com", 403),
        ("Origin", "null", 403),
    ],
)
def test_other_names_are_refused(front: Front, path: str, header: str, value: str, status: int) -> None:
    assert httpx2.get(front.path(path), headers={header: value}).status_code == status


def test_our_names_are_served(front: Front) -> None:
    for host in (f"localhost:{front.port}", f"[::1]:{front.port}", "127.0.0.1"):
        assert httpx2.get(front.path("/healthz"), headers={"Host": host}).text == "ok\n"
    own = {"Origin": f"http://localhost:{front.port}"}
    assert httpx2.get(front.path("/healthz"), headers=own).status_code == 200


def test_what_is_no_message(front: Front) -> None:
    with httpx2.Client(headers=BOTH, timeout=SLOW) as client:
        assert client.post(front.url, content=b"{").status_code == 400
        assert client.post(front.url, json=INITIALIZE, headers={"Content-Type": "text/plain"}).status_code == 400
        assert client.post(front.url, json=INITIALIZE, headers={"Accept": "text/html"}).status_code == 406
        assert client.get(front.path("/nothing")).status_code == 404


def test_a_body_that_is_too_large(front: Front) -> None:
    # Without sending it: the server does not wait for what it refuses.
    connection = http.client.HTTPConnection(front.url.split("/")[2], timeout=SLOW)
    connection.putrequest("POST", "/mcp")
    for name, value in {**BOTH, "Content-Length": str(4 * 2**20 + 1)}.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    assert answer.status == 413
    error = json.loads(answer.read())["error"]
    assert error["message"] == "The message is too large: at most 4,194,304 bytes are read. Send less in one call."
    connection.close()


def test_a_client_that_leaves_before_the_end_of_its_request(tmp_path: Path) -> None:
    with open_front(tmp_path) as front:
        connection = http.client.HTTPConnection(front.url.split("/")[2], timeout=SLOW)
        connection.putrequest("POST", "/mcp")
        for name, value in {**BOTH, "Content-Length": "1000"}.items():
            connection.putheader(name, value)
        connection.endheaders(b'{"jsonrpc"')
        connection.close()
        complaint = "WARNING mcp.server.streamable_http: a client left before the end of its request"
        while complaint not in front.log.read_text():
            assert httpx2.get(front.path("/healthz")).status_code == 200
        assert len(front.log.read_text().splitlines()) == 2


async def test_figures(front: Front) -> None:
    async with connected(front.url) as client:
        assert (await client.call_tool("browser_drag", {})).is_error
    text = httpx2.get(front.path("/metrics")).text
    assert 'bidi_calls_total{outcome="failed",tool="browser_drag"} 1.0' in text
    assert 'bidi_call_seconds_count{tool="browser_drag"} 1.0' in text
    assert re.search(r"^bidi_browser_starts_total \d", text, re.MULTILINE)
    assert "bidi_browser_losses_total 0.0" in text


@pytest.mark.parametrize("path", ["/mcp", "/metrics"])
@pytest.mark.parametrize(
    "header", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {ONE}"}, {"Authorization": "Bearer"}]
)
def test_nobody_gets_in_without_a_token(locked: Front, path: str, header: dict[str, str]) -> None:
    answer = httpx2.get(locked.path(path), headers=header)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer ")


@pytest.mark.parametrize("token", [ONE, TWO])
@pytest.mark.parametrize("era", [HANDSHAKE, MODERN])
async def test_every_token_gets_in(locked: Front, token: str, era: str) -> None:
    async with connected(locked.url, token=token, era=era) as client:
        assert (await client.list_tools()).tools
    header = {"Authorization": f"Bearer {token}"}
    assert httpx2.get(locked.path("/metrics"), headers=header).status_code == 200
    assert httpx2.get(locked.path("/healthz")).status_code == 200
    assert token not in locked.log.read_text()


def test_a_connection_belongs_to_its_token(locked: Front) -> None:
    with httpx2.Client(headers=BOTH, timeout=SLOW) as client:
        own, other = {"Authorization": f"Bearer {ONE}"}, {"Authorization": f"Bearer {TWO}"}
        connection = {"Mcp-Session-Id": client.post(locked.url, json=INITIALIZE, headers=own).headers["mcp-session-id"]}
        ask = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        assert client.post(locked.url, json=ask, headers=connection | other).status_code == 404
        assert client.post(locked.url, json=ask, headers=connection | own).status_code == 200


async def test_a_session_belongs_to_its_token_whatever_connection_is_named(tmp_path: Path) -> None:
    with open_front(tmp_path, *two_users(tmp_path), "--caps", "sessions") as front:
        own = {**BOTH, "Authorization": f"Bearer {ONE}"}
        with httpx2.Client(headers=own, timeout=SLOW) as client:
            number = client.post(front.url, json=INITIALIZE).headers["mcp-session-id"]
            connection = {"Mcp-Session-Id": number}
            client.post(front.url, json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=connection)
            assert "is open" in client.post(front.url, json=create("connected"), headers=connection).text
        async with connected(front.url, token=ONE, era=MODERN) as client:
            await client.call_tool("browser_session_create", {"name": "visiting"})
            said = text_of(await client.call_tool("browser_session_list", {}))
        assert len(said.splitlines()) == 1
        for guess in (number, sha256(ONE.encode()).hexdigest()[:16]):
            with httpx2.Client(headers={**BOTH, **MODERN_LIST}, timeout=SLOW) as client:
                answer = client.post(
                    front.url,
                    json=LIST,
                    headers={"Mcp-Session-Id": guess, "Authorization": f"Bearer {TWO}"},
                )
                assert "No session is open." in answer.text


async def test_clients_choose_no_grid(tmp_path: Path) -> None:
    with open_front(tmp_path, "--caps", "sessions", "--grid-url", "http://grid:4444") as front:
        async with connected(front.url) as client:
            refused = await client.call_tool("browser_session_create", {"gridUrl": "http://127.0.0.1:9"})
            assert refused.is_error
            assert "gridUrl over HTTP must be the --grid-url of the server." in text_of(refused)
            assert not (await client.call_tool("browser_session_create", {"gridUrl": "http://grid:4444"})).is_error


def test_who_listens_to_the_world_has_a_token(tmp_path: Path) -> None:
    with open_front(tmp_path, "--host", "0.0.0.0") as front:
        url = front.url.replace("0.0.0.0", "127.0.0.1")
        said = re.search(r"^Authorization: Bearer (\S{40,})$", front.log.read_text(), re.MULTILINE)
        assert said
        assert httpx2.post(url, json=INITIALIZE, headers=BOTH).status_code == 401
        assert httpx2.post(url, json=INITIALIZE, headers={**BOTH, "Authorization": said[0][15:]}).status_code == 200
        assert httpx2.get(url, headers={"Host": "example.com"}).status_code == 421
        assert front.log.read_text().count(said[1]) == 1


def test_allowed_hosts(tmp_path: Path) -> None:
    with open_front(tmp_path, "--allowed-hosts", "bidi.example.com") as front:
        for host in ("bidi.example.com", "bidi.example.com:8443"):
            assert httpx2.get(front.path("/healthz"), headers={"Host": host}).status_code == 200


def test_tls(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "server.pem"))
    context = ssl.create_default_context(cadata=authority.cert_pem.bytes().decode())
    with open_front(tmp_path, "--certfile", "server.pem") as front:
        assert front.url.startswith("https://127.0.0.1:")
        assert httpx2.get(front.path("/healthz"), verify=context).text == "ok\n"


def test_what_does_not_start(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = refused("--port", port, folder=tmp_path)
        assert f"can't listen on 127.0.0.1:{port}: Address already in use. Choose another --host or --port." in said
    assert "can't listen on no.such.host.invalid:0" in refused("--host", "no.such.host.invalid", folder=tmp_path)
    assert "can't be read: No such file" in refused("--token-file", "none", folder=tmp_path)
    (tmp_path / "empty").write_text("# nothing\n")
    assert "there is no token in it" in refused("--token-file", "empty", folder=tmp_path)
    (tmp_path / "short").write_text("# short\nsecret\n")
    said = refused("--token-file", "short", folder=tmp_path)
    assert "the token in line 2 has fewer than 16 characters" in said
    assert "secret" not in said
    assert "--certfile none: it can't be used: No such file" in refused("--certfile", "none", folder=tmp_path)
    assert "it can't be used" in refused("--certfile", "empty", folder=tmp_path)
    assert "--keyfile without --certfile" in refused("--keyfile", "empty", folder=tmp_path)


def test_a_key_that_is_none(tmp_path: Path) -> None:
    assert "--handle-key none: it can't be read" in refused("--handle-key", "none", folder=tmp_path)
    (tmp_path / "short").write_text("guess me\n")
    assert "it has fewer than 32 characters" in refused("--handle-key", "short", folder=tmp_path)


def test_waiting_for_a_secret_ends(tmp_path: Path) -> None:
    """``--token-file <(pass show tokens)`` is a pipe, and somebody may have to type a password before it is written."""
    os.mkfifo(tmp_path / "tokens")
    command = [sys.executable, "-m", "bidi_server", "--transport", "http", "--port", "0", "--token-file", "tokens"]
    with subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.DEVNULL) as process:
        try:
            with (tmp_path / "tokens").open("w"):  # now it reads
                process.terminate()
                assert process.wait(20) == 0
        finally:
            process.kill()
