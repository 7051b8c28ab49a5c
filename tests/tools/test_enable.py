"""Capabilities that a client turns on while it is connected."""

from collections.abc import Callable

import mcp_types as types
import pytest
import trio
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

from bidi_server.config import Config
from bidi_server.server import make_server
from tests.support.world import Agent


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


async def test_more_tools_are_listed_and_the_client_is_told() -> None:
    told = trio.Event()

    async def hear(message: object) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            told.set()

    async with Client(make_server(Config()), message_handler=hear, mode="legacy") as client:
        assert client.server_capabilities.tools is not None
        assert client.server_capabilities.tools.list_changed
        before = {tool.name for tool in (await client.list_tools()).tools}
        assert "browser_route" not in before
        answer = await client.call_tool("browser_enable", {"caps": ["network", "storage"]})
        assert "browser_route" in text_of(answer)
        assert "browser_cookie_set" in text_of(answer)
        with trio.fail_after(5):
            await told.wait()
        after = {tool.name for tool in (await client.list_tools()).tools}
        assert after - before >= {"browser_route", "browser_cookie_set"}
        again = await client.call_tool("browser_enable", {"caps": ["network"]})
        assert text_of(again) == "All of these tools were enabled already."
        await client.call_tool("browser_enable", {"caps": ["sessions"]})
        click = next(tool for tool in (await client.list_tools()).tools if tool.name == "browser_click")
        assert "session" in click.input_schema["properties"]


def test_a_running_session_gets_them(agent: Agent) -> None:
    agent.show("<p>Here</p>")
    with pytest.raises(MCPError, match=r'To enable it, call browser_enable {"caps": \["dev"\]}.'):
        agent("browser_network_request", number=1)
    agent("browser_enable", caps=["network"])
    agent.run(lambda: agent.site.serve("said", path="/enable/said", content_type="text/plain"))
    agent.evaluate("() => fetch('/enable/said').then((answer) => answer.text())")
    listed = agent("browser_recent_network_requests", url="/enable/said").text
    number = listed.partition(".")[0].split()[-1]
    assert "said" in agent("browser_network_request", number=int(number), bodies=True).text
    ran = agent("browser_run", steps=[{"tool": "browser_cookie_list"}])
    assert "browser_enable" in ran.text


def test_one_client_does_not_change_the_tools_of_another(make_agent: Callable[..., Agent]) -> None:
    one, other = make_agent(), make_agent()
    one("browser_enable", caps=["pdf"])
    one.show("<p>Here</p>")
    assert not one("browser_pdf_save").is_error
    with pytest.raises(MCPError, match=r"browser_pdf_save\. To enable it"):
        other("browser_pdf_save")
