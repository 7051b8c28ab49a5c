"""Attaching to a browser that runs already, and leaving it running."""

from pathlib import Path

from mcp.client import Client
from mcp_types import TextContent

from bidi_server.config import Config
from bidi_server.server import make_server
from drivers import BrowserName, LaunchOptions, launch
from tests.drivers.raw import open_session

PAGE = "data:text/html,<button onclick='this.textContent += 1'>Press</button>"


async def test_endpoint(browser_name: BrowserName, tmp_path: Path) -> None:
    launched = await launch(LaunchOptions(browser_name))
    try:
        options = Config(endpoint=launched.web_socket_url, browser=browser_name, screenshot_dir=tmp_path)
        async with Client(make_server(options)) as client:
            await client.call_tool("browser_navigate", {"url": PAGE})
            [said] = (await client.call_tool("browser_click", {"selector": "button"})).content
            assert isinstance(said, TextContent)
            assert "Press1" in said.text
        # It goes on, and nothing of ours is left in it.
        async with open_session(launched) as session:
            assert await session.evaluate("6 * 7") == 42
            assert await session.evaluate("location.href") == "about:blank"
    finally:
        await launched.aclose()


async def test_nobody_there(tmp_path: Path) -> None:
    for endpoint in ("ws://127.0.0.1:9", "http://127.0.0.1:9"):
        async with Client(make_server(Config(endpoint=endpoint, screenshot_dir=tmp_path))) as client:
            result = await client.call_tool("browser_navigate", {"url": PAGE})
            [said] = result.content
            assert result.is_error
            assert isinstance(said, TextContent)
            assert "127.0.0.1:9" in said.text
            assert said.text.endswith(", and that it runs.")
