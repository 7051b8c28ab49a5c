"""What a person picks in a client: prompts, resources, completions; and progress while a call runs."""

import re
from typing import get_args

import mcp_types as types
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextResourceContents

from bidi_server.config import Capability, Config
from bidi_server.server import make_server
from bidi_server.tools.base import offered
from bidi_server.tools.prompts import PROMPTS
from tests.support.world import Agent


async def test_prompts_are_listed_and_filled_in() -> None:
    async with Client(make_server(Config())) as client:
        listed = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        assert list(listed) == ["explore", "debug", "write-test"]
        for name, prompt in listed.items():
            arguments = {each.name: f"the {each.name}" for each in prompt.arguments or ()}
            [message] = (await client.get_prompt(name, arguments)).messages
            assert isinstance(message.content, types.TextContent)
            text = message.content.text
            assert all(value in text for value in arguments.values())
            with pytest.raises(MCPError, match=f"{name} needs the argument url"):
                await client.get_prompt(name, {})
        with pytest.raises(MCPError, match=r"There is no prompt plan\. There are: explore, debug, write-test"):
            await client.get_prompt("plan", {})


def test_prompts_name_tools_that_exist() -> None:
    tools = offered(["browser"], ["dev"]).keys()
    for prompt in PROMPTS.values():
        assert set(re.findall(r"browser_\w+", prompt.text)) <= tools
        assert set(re.findall(r'"caps": \["(\w+)"\]', prompt.text)) <= set(get_args(Capability))


async def test_before_a_page_is_open_there_is_nothing_to_attach() -> None:
    async with Client(make_server(Config())) as client:
        assert (await client.list_resources()).resources == []
        with pytest.raises(MCPError, match=r"There is no resource bidi-server://other\. See resources/list"):
            await client.read_resource("bidi-server://other")


def read(agent: Agent, uri: str) -> str:
    [content] = agent.world.run(lambda: agent.client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return content.text


def completed(
    agent: Agent, reference: types.PromptReference | types.ResourceTemplateReference, typed: str
) -> list[str]:
    name = "url" if isinstance(reference, types.PromptReference) else "ref"
    argument = {"name": name, "value": typed}
    return agent.world.run(lambda: agent.client.complete(reference, argument)).completion.values


def test_the_page_its_console_and_its_requests_are_resources(agent: Agent) -> None:
    shown = agent.show("<h1>Here</h1><button>Go</button><button>Stay</button><script>console.log('said')</script>")
    listed = {str(each.uri) for each in agent.world.run(agent.client.list_resources).resources}
    assert listed >= {"bidi-server://page", "bidi-server://console", "bidi-server://network"}
    assert 'heading "Here"' in read(agent, "bidi-server://page")
    assert "said" in read(agent, "bidi-server://console")
    assert "(document)" in read(agent, "bidi-server://network")
    ref = re.findall(r'"Stay" \[ref=(\w+)\]', shown.text)[0]
    assert read(agent, f"bidi-server://element/{ref}").strip().endswith(f'button "Stay" [ref={ref}]')
    with pytest.raises(MCPError, match="There is no element with ref e1a2b"):
        read(agent, "bidi-server://element/e1a2b")
    [template] = agent.world.run(agent.client.list_resource_templates).resource_templates
    reference = types.ResourceTemplateReference(uri=template.uri_template)
    assert completed(agent, reference, "stay") == [ref]
    assert completed(agent, reference, ref[:4]) == [ref]
    assert len(completed(agent, reference, "button")) == 2
    [url] = completed(agent, types.PromptReference(name="explore"), "http://")
    assert url.startswith(agent.site.url)
    assert completed(agent, types.PromptReference(name="explore"), "https://elsewhere") == []


def test_a_call_that_takes_long_reports_that_it_goes_on(agent: Agent) -> None:
    told: list[tuple[float, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        told.append((progress, message))

    agent.show("<p>Here</p>")
    arguments = {"time": 2.5}
    agent.world.run(lambda: agent.client.call_tool("browser_wait_for", arguments, progress_callback=note))
    assert told[:2] == [(0.001, "running for 1 s"), (0.002, "running for 2 s")]
