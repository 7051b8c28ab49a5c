"""A browser behind Streamable HTTP: sessions with and without a connection, files as resources, clients that leave."""

import re
from collections.abc import Iterator, Mapping
from io import BytesIO

import httpx2
import pytest
import trio
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult
from PIL import Image

from tests.support.fronts import (
    HANDSHAKE,
    MODERN,
    ONE,
    SLOW,
    TWO,
    Front,
    connected,
    contents,
    links_of,
    open_front,
    text_of,
    two_users,
)

PAGE = "data:text/html,<title>Here</title><button onclick='this.textContent += 1'>Press</button>"
DOWNLOAD = "data:text/html,<a download=note.bin href='data:application/octet-stream;base64,AAEC/w=='>Get</a>"


@pytest.fixture(scope="module")
def front(browser_name: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """A server with two users."""
    folder = tmp_path_factory.mktemp("front")
    with open_front(folder, "--browser", browser_name, *two_users(folder), "--caps", "pdf") as front:
        yield front


def session_of(result: CallToolResult) -> dict[str, str]:
    """Return the argument that goes on in the session whose handle an answer tells; none if it tells none."""
    found = re.search(
        r"^Th(?:is is the session|e session is now) ([\w-]{20,}): pass it as session", text_of(result), re.MULTILINE
    )
    return {"session": found[1]} if found else {}


def figure(front: Front, name: str) -> float:
    """Return one of the server's figures."""
    text = httpx2.get(front.path("/metrics"), headers={"Authorization": f"Bearer {ONE}"}).text
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


async def test_a_connection_has_a_session(front: Front) -> None:
    before = figure(front, "bidi_sessions")
    async with connected(front.url, token=ONE) as client:
        assert "Press" in text_of(await client.call_tool("browser_navigate", {"url": PAGE}))
        pressed = text_of(await client.call_tool("browser_click", {"selector": "button"}))
        assert "Press1" in pressed
        assert "session" not in pressed
        assert figure(front, "bidi_sessions") == before + 1
    # It told us that it leaves.
    assert figure(front, "bidi_sessions") == before


async def test_without_a_connection_the_answer_names_the_session(front: Front) -> None:
    async with connected(front.url, token=ONE, era=MODERN) as client:
        own = session_of(await client.call_tool("browser_navigate", {"url": PAGE}))
        assert own
        pressed = text_of(await client.call_tool("browser_click", {"selector": "button", **own}))
        assert "Press1" in pressed
        assert "This is the session" not in pressed
        other = text_of(await client.call_tool("browser_evaluate", {"function": "document.title"}))
        assert not other.endswith("Here")
    # A client is nothing but its token: another one, which could be another process, goes on.
    async with connected(front.url, token=ONE, era=MODERN) as client:
        assert "Press11" in text_of(await client.call_tool("browser_click", {"selector": "button", **own}))
    async with connected(front.url, token=TWO, era=MODERN) as client:
        refused = await client.call_tool("browser_click", {"selector": "button", **own})
        assert refused.is_error
        assert f"There is no session '{own['session']}'. Open: none." in text_of(refused)


@pytest.mark.parametrize("era", [HANDSHAKE, MODERN])
async def test_files_are_resources(front: Front, era: str) -> None:
    async with connected(front.url, token=ONE, era=era) as client:
        own = session_of(await client.call_tool("browser_navigate", {"url": DOWNLOAD}))
        assert bool(own) is (era == MODERN)
        shot = await client.call_tool("browser_take_screenshot", {"filename": "shot.png", **own})
        printed = await client.call_tool("browser_pdf_save", {"filename": "page.pdf", **own})
        downloaded = await client.call_tool("browser_click", {"selector": "a", **own})
        [picture], [pdf], [file] = links_of(shot), links_of(printed), links_of(downloaded)
        with Image.open(BytesIO(await contents(client, picture))) as image:
            assert image.size == (1280, 720)
        assert (await contents(client, pdf)).startswith(b"%PDF-")
        assert await contents(client, file) == b"\x00\x01\x02\xff"
        listed = [resource.uri for resource in (await client.list_resources()).resources]
        assert {picture, pdf, file} <= set(listed)
    async with connected(front.url, token=TWO, era=era) as client:
        assert picture not in [resource.uri for resource in (await client.list_resources()).resources]
        with pytest.raises(MCPError, match="There is no resource"):
            await client.read_resource(picture)


async def test_a_client_that_leaves_in_the_middle_of_a_call(front: Front) -> None:
    """The call is cancelled, the session stays."""
    async with connected(front.url, token=ONE, era=MODERN) as client:
        own = session_of(await client.call_tool("browser_navigate", {"url": PAGE}))
        assert own
        cancelled = 'bidi_calls_total{outcome="cancelled",tool="browser_wait_for"}'
        before = figure(front, cancelled)
        with trio.move_on_after(1):
            await client.call_tool("browser_wait_for", {"time": 200, **own})
        with trio.fail_after(SLOW):
            assert "Press1" in text_of(await client.call_tool("browser_click", {"selector": "button", **own}))
        assert figure(front, cancelled) == before + 1


async def test_a_connected_client_that_leaves_in_the_middle_of_a_call(front: Front) -> None:
    """Its session waits for it: a connection that breaks is no wish to cancel.

    https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
    """
    accept = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {ONE}"}
    hello = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}

    def message(number: int, method: str, params: Mapping[str, object]) -> dict[str, object]:
        return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}

    async with httpx2.AsyncClient(headers=accept, timeout=SLOW) as client:
        answer = await client.post(front.url, json=message(1, "initialize", hello))
        connection = {"Mcp-Session-Id": answer.headers["mcp-session-id"]}
        await client.post(front.url, json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=connection)
        go = message(2, "tools/call", {"name": "browser_navigate", "arguments": {"url": PAGE}})
        assert "Press" in (await client.post(front.url, json=go, headers=connection)).text
        wait = message(3, "tools/call", {"name": "browser_wait_for", "arguments": {"time": 3}})
        with trio.move_on_after(1):
            await client.post(front.url, json=wait, headers=connection)
        click = message(4, "tools/call", {"name": "browser_click", "arguments": {"selector": "button"}})
        assert "Press1" in (await client.post(front.url, json=click, headers=connection)).text
        await client.delete(front.url, headers=connection)
