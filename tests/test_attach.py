"""Attaching to a browser that runs already, and leaving it running."""

import json
from contextlib import suppress
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import pytest
import trio
from mcp.client import Client
from mcp_types import TextContent

from bidi_server.attacks.tcp import open_tcp
from bidi_server.config import Config
from bidi_server.server import make_server
from drivers import BrowserName, LaunchOptions, Remote, launch
from drivers.remote import requested_capabilities
from drivers.webdriver import new_session
from tests.drivers.conftest import until
from tests.drivers.raw import open_session
from tests.drivers.standing import open_driver
from tests.support.fronts import SLOW
from tests.support.running import open_running

PAGE = "data:text/html,<button onclick='this.textContent += 1'>Press</button>"


async def ask(client: Client, tool: str, **arguments: object) -> str:
    """Call a tool and return what it says."""
    [said] = (await client.call_tool(tool, arguments)).content
    assert isinstance(said, TextContent)
    return said.text


async def pass_on(source: trio.SocketStream, target: trio.SocketStream) -> None:
    """Send what comes to the other end, until one of them is closed."""
    with suppress(trio.ClosedResourceError, trio.BrokenResourceError):
        async for data in source:
            await target.send_all(data)
        await target.send_eof()


async def test_endpoint(browser_name: BrowserName, tmp_path: Path) -> None:
    launched = await launch(LaunchOptions(browser_name))
    try:
        options = Config(endpoint=launched.web_socket_url, browser=browser_name, output_dir=tmp_path)
        async with Client(make_server(options)) as client:
            await ask(client, "browser_navigate", url=PAGE)
            assert "Press1" in await ask(client, "browser_click", selector="button")
        # It goes on, and nothing of ours is left in it.
        async with open_session(launched) as session:
            assert await session.evaluate("6 * 7") == 42
            assert await session.evaluate("location.href") == "about:blank"
    finally:
        await launched.aclose()


async def test_a_running_driver(browser_name: BrowserName, tmp_path: Path) -> None:
    """It starts a browser, which ends with our session."""
    with open_driver(browser_name, tmp_path) as driver:
        options = Config(endpoint=driver.url, browser=browser_name, output_dir=tmp_path)
        async with Client(make_server(options)) as client:
            await ask(client, "browser_navigate", url=PAGE)
            assert "Press1" in await ask(client, "browser_click", selector="button")
            assert driver.has_browser()
        await until(lambda: not driver.has_browser(), seconds=10)


async def test_a_browser_of_a_person(browser_name: BrowserName, tmp_path: Path) -> None:
    """Its tabs are not listed, and stay as they are, during and after our session."""
    async with open_running(browser_name, tmp_path) as theirs:
        before = await theirs.next_report()
        assert before.touched == "false"
        options = Config(endpoint=theirs.endpoint, browser=browser_name, viewport=(700, 500), output_dir=tmp_path)
        async with Client(make_server(options)) as client:
            await ask(client, "browser_navigate", url=theirs.url)
            ours = await theirs.next_report(but=before.id)
            assert (ours.touched, ours.width) == ("true", "700")
            assert await theirs.next_report(but=ours.id) == before
            await ask(client, "browser_navigate", url=PAGE)
            assert "Press1" in await ask(client, "browser_click", selector="button")
            assert await ask(client, "browser_tabs", action="list") == f"- 0: (active) {PAGE}"
            assert await theirs.next_report() == before
        assert await theirs.next_report() == before
        # Another session can begin.
        async with Client(make_server(options)) as client:
            assert "Press" in await ask(client, "browser_navigate", url=PAGE)
        assert await theirs.next_report() == before


async def test_a_browser_of_a_person_that_ends(browser_name: BrowserName, tmp_path: Path) -> None:
    async with open_running(browser_name, tmp_path) as theirs:
        options = Config(endpoint=theirs.endpoint, browser=browser_name, output_dir=tmp_path)
        async with Client(make_server(options)) as client:
            await ask(client, "browser_navigate", url=PAGE)
            theirs.kill()
            said = await ask(client, "browser_snapshot")
            assert f"Check that it runs at {theirs.endpoint}, and call the tool again." in said
            said = await ask(client, "browser_snapshot")
            assert f"Lost: {PAGE}" in said
            assert said.endswith(", and that it runs.")


async def test_a_chromium_of_another_version(browser_name: BrowserName, tmp_path: Path) -> None:
    """There is no driver for it."""

    async def answer(stream: trio.SocketStream) -> None:
        told = json.dumps(
            {
                "Browser": "Chrome/99.0.1.2",
                "WebKit-Version": "537.36 (@0123456789)",
                "webSocketDebuggerUrl": "ws://127.0.0.1/devtools/browser/1",
            }
        )
        await stream.receive_some()
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(told)}\r\nConnection: close\r\n\r\n"
        await stream.send_all(f"{head}{told}".encode())

    if browser_name == "firefox":
        pytest.skip("Firefox needs no driver")
    async with open_tcp(answer) as port:
        endpoint = f"http://127.0.0.1:{port}"
        async with Client(make_server(Config(endpoint=endpoint, output_dir=tmp_path))) as client:
            said = await ask(client, "browser_navigate", url=PAGE)
    assert f"Chrome 99.0.1.2 at {endpoint} needs a chromedriver 99; " in said
    assert said.endswith("or pass the path of a chromedriver 99 with --driver.")


async def test_nobody_there(tmp_path: Path) -> None:
    for endpoint in ("ws://127.0.0.1:9", "http://127.0.0.1:9"):
        async with Client(make_server(Config(endpoint=endpoint, output_dir=tmp_path))) as client:
            result = await client.call_tool("browser_navigate", {"url": PAGE})
            [said] = result.content
            assert result.is_error
            assert isinstance(said, TextContent)
            assert "127.0.0.1:9" in said.text
            assert said.text.endswith(", and that it runs.")


async def test_a_connection_that_breaks(browser_name: str, tmp_path: Path) -> None:
    """It is made again, and everything is there."""
    with open_driver(browser_name, tmp_path) as driver:
        capabilities = requested_capabilities(LaunchOptions(cast("BrowserName", browser_name)), Remote(driver.url))
        begun = await new_session(driver.url, capabilities, SLOW)
        socket = urlsplit(str(begun["webSocketUrl"]))
        streams: list[trio.SocketStream] = []

        async def relay(stream: trio.SocketStream) -> None:
            async with await trio.open_tcp_stream(socket.hostname or "", socket.port or 0) as onward:
                streams.extend([stream, onward])
                async with trio.open_nursery() as nursery:
                    # Firefox wants to be called by its own name.
                    hello = await stream.receive_some()
                    await onward.send_all(hello.replace(f":{port}".encode(), f":{socket.port}".encode()))
                    nursery.start_soon(pass_on, stream, onward)
                    nursery.start_soon(pass_on, onward, stream)

        async with open_tcp(relay) as port:
            endpoint = f"ws://127.0.0.1:{port}{socket.path}"
            config = Config(endpoint=endpoint, browser=cast("BrowserName", browser_name), output_dir=tmp_path)
            async with Client(make_server(config)) as client:
                assert "Press" in await ask(client, "browser_navigate", url=PAGE)
                assert "Press1" in await ask(client, "browser_click", selector="button")
                while streams:
                    await streams.pop().aclose()
                # It may be this call that finds out, and fails.
                said = await ask(client, "browser_snapshot")
                said += await ask(client, "browser_snapshot")
                assert "The connection to the browser was lost" in said
                assert "Press11" in await ask(client, "browser_click", selector="button")


async def test_a_browser_that_hangs(browser_name: str, tmp_path: Path) -> None:
    """Every call ends, in about the time that it may take."""
    with open_driver(browser_name, tmp_path) as driver:
        config = Config(
            endpoint=driver.url,
            browser=cast("BrowserName", browser_name),
            output_dir=tmp_path,
            action_timeout=1,
            navigation_timeout=1,
        )
        async with Client(make_server(config)) as client:
            assert "Press" in await ask(client, "browser_navigate", url=PAGE)
            for process in [driver.process, *driver.process.children(recursive=True)]:
                process.suspend()
            with trio.fail_after(SLOW):
                assert "did not react within 1 s" in await ask(client, "browser_snapshot")
                assert "Closed data:" in await ask(client, "browser_close")
