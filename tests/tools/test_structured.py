"""Answers as data, titles of tools and the icon: ``--structured``."""

import base64
from collections.abc import Callable, Mapping
from typing import Any, get_args

import pytest
from mcp.client import Client

from bidi_server.config import Capability, Config
from bidi_server.server import make_server
from bidi_server.stdio.light import LightServer
from bidi_server.tools.structured import answer_schema
from tests.support.world import Agent

EVERYTHING = Config(structured=True, toolset=("browser", "vision", "extract"), caps=get_args(Capability))


async def test_every_tool_has_a_title_and_a_schema_of_its_answer() -> None:
    async with Client(make_server(EVERYTHING)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert client.server_info is not None
        [icon] = client.server_info.icons or []
    assert icon.src.startswith("data:image/svg+xml;base64,")
    assert base64.b64decode(icon.src.partition(",")[2]).startswith(b"<svg ")
    for tool in tools.values():
        assert tool.title
        assert tool.output_schema is not None
    assert tools["browser_click"].title == "Click"
    assert tools["browser_export_har"].title == "Export HAR"
    assert tools["browser_localstorage_get"].title == "localStorage get"
    assert tools["create_browser_session"].title == "Create browser session"
    assert tools["browser_click"].output_schema == answer_schema()
    assert tools["extract_table"].output_schema != answer_schema(), "a schema of its own says more"


async def test_without_the_option_there_is_none_of_it() -> None:
    async with Client(make_server(Config())) as client:
        tools = (await client.list_tools()).tools
        assert client.server_info is not None
        assert client.server_info.icons is None
        answer = await client.call_tool("browser_handle_dialog", {})
    assert all(tool.title is None and tool.output_schema is None for tool in tools)
    assert answer.structured_content is None


def test_the_server_for_one_client_has_the_same_icon() -> None:
    same = make_server(EVERYTHING)
    light = LightServer(EVERYTHING, "")
    assert light.create_initialization_options().icons == same.icons
    assert light.server_info_stamp == same.server_info_stamp
    assert LightServer(Config(), "").server_info_stamp == make_server(Config()).server_info_stamp


async def test_a_wrong_call_is_answered_with_the_code_of_its_error() -> None:
    async with Client(make_server(Config(structured=True))) as client:
        answer = await client.call_tool("browser_click", {"reff": "e1"})
    assert answer.is_error
    assert answer.structured_content is not None
    assert answer.structured_content["error"]["code"] == "INVALID_PARAMETER"
    assert "'reff'" in answer.structured_content["error"]["message"]


PAGE = """
<script>console.error('at first')</script>
<button onclick="console.error('said ' + 1); document.body.append('More')">Go</button>
<button onclick="confirm('Sure?\\nReally?')">Ask</button>
"""


@pytest.fixture
def structured(make_agent: Callable[..., Agent]) -> Agent:
    return make_agent(structured=True)


def of(agent: Agent, tool: str, **arguments: object) -> Mapping[str, Any]:
    """Return the data of an answer. The client has checked it against the schema."""
    return agent(tool, **arguments).data


def test_an_action_is_answered_with_its_parts(structured: Agent) -> None:
    shown = structured.show(PAGE, title='A "page"').data
    assert shown["title"] == 'A "page"'
    assert shown["url"].startswith(structured.site.url)
    assert shown["tabs"] == [{"url": shown["url"], "title": 'A "page"', "active": True}]
    assert 'button "Go"' in shown["page"]
    assert shown["console"] == [{"level": "error", "text": "at first", "origin": structured.site.url}]
    clicked = of(structured, "browser_click", selector="text=Go")
    assert clicked["result"] == ['Clicked button "Go" [ref=' + clicked["result"][0].rpartition("=")[2]]
    assert clicked["console"] == [{"level": "error", "text": "said 1", "origin": structured.site.url}]
    assert clicked["page"].startswith("Changes:")
    assert "More" in clicked["page"]
    assert {"error", "dialogs", "downloads", "unfinished", "files"}.isdisjoint(clicked)


def test_dialogs_errors_and_files_are_data(structured: Agent) -> None:
    structured.show(PAGE)
    asked = of(structured, "browser_click", selector="text=Ask")
    dialog = {
        "kind": "confirm",
        "message": "Sure?\nReally?",
        "default": "",
        "state": "open",
        "origin": structured.site.url,
    }
    assert asked["dialogs"] == [dialog]
    blocked = of(structured, "browser_click", selector="text=Go")
    assert blocked["error"]["code"] == "DIALOG_OPEN"
    assert "browser_handle_dialog" in blocked["error"]["advice"]
    assert len(blocked["tabs"]) == 1
    of(structured, "browser_handle_dialog", accept=False)
    missing = of(structured, "browser_wait_for", text="Never", time=0.1)
    assert missing["error"]["code"] == "INCOMPLETE"
    [file] = of(structured, "browser_take_screenshot")["files"]
    assert file.endswith(".png")


def test_what_a_tool_reads_is_text_also_in_the_data(structured: Agent) -> None:
    structured.show("<p>Here</p>")
    assert of(structured, "browser_evaluate", function="({a: [1, 2]})")["result"] == ['{"a": [1, 2]}']
    assert "Here" in of(structured, "browser_snapshot")["page"]


def test_downloads_and_further_tabs_are_data(structured: Agent) -> None:
    url = structured.site.url_for("/download/first.bin?size=3000")
    structured.show(f"<a href={url}>Get</a>")
    [download] = of(structured, "browser_click", selector="text=Get")["downloads"]
    assert download["status"] == "complete"
    assert download["path"].endswith(download["name"])
    tabs = of(structured, "browser_tabs", action="new")["tabs"]
    assert [tab["active"] for tab in tabs] == [False, True]
