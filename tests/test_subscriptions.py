"""Subscriptions to the console and the requests of a page, and to the list of tools, on both transports."""

import math
import re
import sys
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

import mcp_types as types
import pytest
import trio
import trio.testing
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.session import MessageHandlerFnT
from mcp.client.stdio import stdio_client
from mcp.client.subscriptions import Subscription
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated, ToolsListChanged

from bidi_server.config import Config
from bidi_server.server import make_server
from bidi_server.subscriptions import INTERVAL
from fixtures.site import open_site
from tests.support.fronts import (
    ENVIRONMENT,
    HANDSHAKE,
    MODERN,
    SLOW,
    Front,
    connected,
    contents,
    mode_of,
    open_front,
    text_of,
)

BURST = """\
let n = 0;
const timer = setInterval(() => {
  if (++n < 60) return console.log(n);
  clearInterval(timer);
  console.log('the last');
}, 20);"""


@pytest.fixture(scope="module")
def front(browser_name: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """A server over HTTP."""
    with open_front(tmp_path_factory.mktemp("front"), "--browser", browser_name) as front:
        yield front


class Connect(Protocol):
    """Connects a client; ``hear`` gets the notifications of a connection."""

    def __call__(self, era: str, hear: MessageHandlerFnT | None = None) -> AbstractAsyncContextManager[Client]: ...


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, front: Front, browser_name: str, tmp_path: Path) -> Connect:
    """Return a function that connects a client on a transport."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "bidi_server", "--browser", browser_name], env=ENVIRONMENT, cwd=tmp_path
    )

    def connect(era: str, hear: MessageHandlerFnT | None = None) -> AbstractAsyncContextManager[Client]:
        if request.param == "http":
            return connected(front.url, era=era, hear=hear)
        return Client(stdio_client(command), mode=mode_of(era), message_handler=hear)

    return connect


async def declared(client: Client) -> tuple[bool, bool]:
    """Return whether the server declares that it notifies of resources, and of its list of tools."""
    said = client.server_capabilities
    if client.protocol_version == MODERN:  # the client connects without a request
        said = (await client.session.send_request(types.DiscoverRequest(), types.DiscoverResult)).capabilities
    assert said.resources is not None
    assert said.tools is not None
    return bool(said.resources.subscribe), bool(said.tools.list_changed)


async def subscribe(client: Client, uri: str) -> None:
    """Subscribe to a resource of a connection. The SDK's own method for it is deprecated."""
    await client.session.send_request(
        types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri)), types.EmptyResult
    )


async def unsubscribe(client: Client, uri: str) -> None:
    """End a subscription of a connection."""
    await client.session.send_request(
        types.UnsubscribeRequest(params=types.UnsubscribeRequestParams(uri=uri)), types.EmptyResult
    )


class Heard:
    """The URIs of resources that have changed, in order."""

    def __init__(self) -> None:
        self._put, self._get = trio.open_memory_channel[str](math.inf)

    async def hear(self, message: object) -> None:
        """Hear a notification of a connection."""
        if isinstance(message, types.ResourceUpdatedNotification):
            self._put.send_nowait(message.params.uri)

    async def follow(self, stream: Subscription) -> None:
        """Hear a stream of notifications."""
        async for event in stream:
            assert isinstance(event, ResourceUpdated)
            self._put.send_nowait(event.uri)

    async def until(self, *wanted: str) -> list[str]:
        """Return the URIs up to the one by which all that are wanted have been heard."""
        heard: list[str] = []
        with trio.fail_after(SLOW):
            while not set(wanted) <= set(heard):
                heard.append(await self._get.receive())
        return heard


async def begin(client: Client, url: str) -> tuple[dict[str, str], str, str]:
    """Open a page. Return the argument that names the session, if calls must, and the URIs of its resources."""
    answer = text_of(await client.call_tool("browser_navigate", {"url": url}))
    handle = re.search(r"^This is the session ([\w-]+):", answer, re.MULTILINE)
    listed = [resource.uri for resource in (await client.list_resources()).resources]
    named = f"?session={handle[1]}" if handle else ""
    console, network = f"bidi-server://console{named}", f"bidi-server://network{named}"
    assert {console, network} <= set(listed)
    return {"session": handle[1]} if handle else {}, console, network


async def see_changes(client: Client, heard: Heard, own: dict[str, str], console: str, network: str) -> None:
    """Let the page write and request, and hear of it: at most once in `INTERVAL`, and of the last change."""

    async def evaluate(script: str) -> None:
        await client.call_tool("browser_evaluate", {"function": f"() => {{ {script} }}", **own})

    await evaluate("console.log('more'); fetch('?more')")
    await heard.until(console, network)
    assert b"more" in await contents(client, console)
    assert b"?more" in await contents(client, network)
    count, began = 0, trio.current_time()
    await evaluate(BURST)
    while b"the last" not in await contents(client, console):
        count += (await heard.until(console)).count(console)
    assert 1 <= count <= (trio.current_time() - began) / INTERVAL + 1


async def test_a_connection_carries_the_notifications(connect: Connect) -> None:
    heard = Heard()
    async with open_site() as site, connect(HANDSHAKE, heard.hear) as client:
        assert await declared(client) == (True, True)
        own, console, network = await begin(client, site.html("<script>console.log('first')</script>"))
        assert (own, console, network) == ({}, "bidi-server://console", "bidi-server://network")
        with pytest.raises(
            MCPError, match=r"page reports no changes\. These do: bidi-server://console, bidi-server://"
        ):
            await subscribe(client, "bidi-server://page")
        with pytest.raises(MCPError, match="names no open session"):
            await subscribe(client, "bidi-server://console?session=none")
        for uri in (console, network, console):
            await subscribe(client, uri)
        await see_changes(client, heard, own, console, network)
        await unsubscribe(client, console)
        await unsubscribe(client, console)
        last: list[str] = []
        for number in range(3):  # notifications from before may be under way
            script = f"() => {{ console.log('unheard'); fetch('?number={number}') }}"
            await client.call_tool("browser_evaluate", {"function": script})
            last = await heard.until(network)
        assert console not in last


async def test_a_stream_carries_the_notifications(connect: Connect) -> None:
    heard = Heard()
    async with open_site() as site, connect(MODERN) as client, trio.open_nursery() as nursery:
        assert (await declared(client))[0]
        own, console, network = await begin(client, site.html("<script>console.log('first')</script>"))
        wanted = [console, network, "bidi-server://page", "bidi-server://console?session=none"]
        async with client.listen(
            resource_subscriptions=wanted, prompts_list_changed=True, resources_list_changed=True
        ) as stream:
            assert stream.honored.model_dump(exclude_none=True) == {"resource_subscriptions": [console, network]}
            nursery.start_soon(heard.follow, stream)
            await see_changes(client, heard, own, console, network)
            nursery.cancel_scope.cancel()


async def test_the_console_of_a_session_that_begins_later_is_heard(connect: Connect) -> None:
    heard = Heard()
    async with open_site() as site, connect(HANDSHAKE, heard.hear) as client:
        for uri in ("bidi-server://console", "bidi-server://network"):
            await subscribe(client, uri)
        url = site.html("<script>setTimeout(() => console.log('first'), 500)</script>")
        await client.call_tool("browser_navigate", {"url": url})
        await heard.until("bidi-server://console", "bidi-server://network")
        await client.call_tool("browser_tabs", {"action": "new"})
        await heard.until("bidi-server://console", "bidi-server://network")
        assert b"first" not in await contents(client, "bidi-server://console")


async def test_a_stream_carries_changes_of_the_list_of_tools(connect: Connect) -> None:
    async with connect(MODERN) as client, client.listen(tools_list_changed=True) as stream:
        _, changes = await declared(client)
        assert changes == bool(stream.honored.tools_list_changed)
        if not changes:
            refused = await client.call_tool("browser_enable", {"caps": ["pdf"]})
            assert "A client without a connection can't enable tools." in text_of(refused)
            return
        await client.call_tool("browser_enable", {"caps": ["pdf"]})
        with trio.fail_after(SLOW):
            assert await anext(aiter(stream)) == ToolsListChanged()


async def test_without_the_tools_that_read_them_there_is_nothing_to_subscribe_to() -> None:
    async with Client(make_server(Config(toolset=("vision",)))) as client:
        assert await declared(client) == (False, False)
        with pytest.raises(MCPError, match="Method not found"):
            async with client.listen(resource_subscriptions=["bidi-server://console"]):
                pass


async def test_nothing_runs_after_the_last_subscription_and_after_the_client() -> None:
    before = trio.lowlevel.current_statistics().tasks_living
    async with Client(make_server(Config()), mode="legacy") as client:
        connected_ = trio.lowlevel.current_statistics().tasks_living
        await subscribe(client, "bidi-server://console")
        assert trio.lowlevel.current_statistics().tasks_living == connected_ + 1
        await unsubscribe(client, "bidi-server://console")
        await trio.testing.wait_all_tasks_blocked()
        assert trio.lowlevel.current_statistics().tasks_living == connected_
        await subscribe(client, "bidi-server://console")
    assert trio.lowlevel.current_statistics().tasks_living == before
