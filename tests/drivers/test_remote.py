"""What is asked of a Grid, and where its WebSockets are."""

import json

import pytest
import trio

from bidi_server.attacks.tcp import open_tcp
from drivers import LaunchOptions, Remote, launch
from drivers.options import BrowserName
from drivers.remote import reachable, requested_capabilities


def test_wishes_come_on_top_of_ours() -> None:
    remote = Remote(
        "http://grid:4444",
        is_grid=True,
        capabilities='{"platformName": "linux", "se:name": "mine", "goog:chromeOptions": {"args": ["--lang=de"]}}',
    )
    found = requested_capabilities(LaunchOptions("chromium"), remote)
    assert (found["browserName"], found["webSocketUrl"]) == ("chrome", True)
    assert (found["platformName"], found["se:name"]) == ("linux", "mine")
    options = found["goog:chromeOptions"]
    assert isinstance(options, dict)
    assert {"--headless=new", "--lang=de"} <= set(options["args"])  # pyright: ignore[reportUnknownArgumentType]
    assert options["excludeSwitches"] == ["enable-logging"]


def test_edge() -> None:
    remote = Remote("http://grid:4444", is_grid=True, capabilities='{"browserName": "MicrosoftEdge"}')
    found = requested_capabilities(LaunchOptions("chromium", headed=True), remote)
    assert "ms:edgeOptions" in found
    assert "goog:chromeOptions" not in found


@pytest.mark.parametrize(("is_grid", "guarded"), [(False, True), (True, False)])
def test_pages_do_not_reach_the_driver_of_their_browser(is_grid: bool, guarded: bool) -> None:
    """Those of a Grid run elsewhere, at ports that we don't know."""
    options = requested_capabilities(LaunchOptions("chromium"), Remote("http://127.0.0.1:9515", is_grid=is_grid))
    assert ("--host-resolver-rules=MAP *:9515 ~NOTFOUND" in str(options)) is guarded


def test_firefox_behind_a_driver() -> None:
    found = requested_capabilities(LaunchOptions("firefox"), Remote("http://127.0.0.1:4445"))
    assert found["moz:firefoxOptions"] == {
        "args": ["-headless"],
        "prefs": {
            "network.proxy.allow_hijacking_localhost": True,
            "remote.bidi.dismiss_file_pickers.enabled": True,
        },
    }
    assert "se:name" not in found


@pytest.mark.parametrize(
    ("browser", "feature"),
    [("chromium", "--enable-features=WebMCP"), ("firefox", "'dom.modelcontext.testing.enabled': True")],
)
def test_pages_may_offer_tools(browser: BrowserName, feature: str) -> None:
    remote = Remote("http://127.0.0.1:4445")
    assert feature in str(requested_capabilities(LaunchOptions(browser, web_tools=True), remote))
    assert feature not in str(requested_capabilities(LaunchOptions(browser), remote))


@pytest.mark.parametrize(
    ("grid", "found"),
    [
        ("http://hub:4444", "ws://hub:4444/session/1/se/bidi"),
        ("https://user:pass@grid.example.com/", "wss://user:pass@grid.example.com/session/1/se/bidi"),
        ("http://hub:4444/wd/hub", "ws://hub:4444/session/1/se/bidi"),
        ("https://example.com/grid", "wss://example.com/grid/session/1/se/bidi"),
    ],
)
def test_the_web_socket_is_where_the_grid_is(grid: str, found: str) -> None:
    assert reachable("ws://10.0.0.7:4444/session/1/se/bidi", Remote(grid, is_grid=True)) == found


@pytest.mark.parametrize("speaks_bidi", [True, False])
async def test_a_driver_of_webkit_that_speaks_webdriver_bidi(speaks_bidi: bool) -> None:
    """Then the classic protocol is not used."""
    asked: list[str] = []
    found = {"browserName": "MiniBrowser", "browserVersion": "3.0"}
    if speaks_bidi:
        found["webSocketUrl"] = "ws://127.0.0.1:9/session/1"

    async def answer(stream: trio.SocketStream) -> None:
        request = await stream.receive_some()
        if request.startswith(b"POST"):
            while not request.endswith(b"}}"):  # the body may come later than its headers
                request += await stream.receive_some()
        asked.append(request.decode())
        told = json.dumps({"value": {"sessionId": "1", "capabilities": found}})
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(told)}\r\n"
        await stream.send_all(f"{head}Connection: close\r\n\r\n{told}".encode())

    async with open_tcp(answer) as port:
        remote = Remote(f"http://127.0.0.1:{port}")
        launched = await launch(LaunchOptions("webkit", remote=remote))
        assert (launched.web_socket_url, launched.first_session is None) == (
            ("ws://127.0.0.1:9/session/1", True) if speaks_bidi else ("", False)
        )
        assert launched.browser_name == ("minibrowser" if speaks_bidi else "webkit")
        await launched.aclose()
    assert '"firstMatch": [{"webSocketUrl": true}, {}]' in "".join(asked)
    assert "DELETE /session/1 " in asked[-1]
