"""Real browsers: started, used, ended, and refused with advice."""

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
import trio

from drivers import (
    BrowserName,
    BrowserNotFoundError,
    LaunchError,
    LaunchOptions,
    VersionMismatchError,
    find,
    launch,
)
from fixtures.site import open_site
from tests.support.machines import program

from .conftest import left_behind, marked
from .geckodriver import geckodriver_in
from .raw import open_session


async def test_launch_use_close(browser_name: BrowserName, mark: str) -> None:
    launched = await launch(
        LaunchOptions(browser_name, arguments=("--lang=en-GB",) if browser_name == "chromium" else ())
    )
    async with open_session(launched) as session:
        assert await session.evaluate("6 * 7") == 42
        assert await session.evaluate("location.href") == "about:blank"
        assert await session.evaluate("matchMedia('(hover: hover) and (pointer: fine)').matches") is True
        assert await session.evaluate("outerWidth") == 1280
    assert launched.session_ready == (browser_name == "chromium")
    assert (
        launched.browser_name
        in {"chromium": ("chrome", "chrome-headless-shell"), "firefox": ("firefox",)}[browser_name]
    )
    assert int(launched.browser_version.partition(".")[0]) > 100
    assert launched.capabilities["unhandledPromptBehavior"] == {"default": "ignore"}
    assert len(marked(mark)) >= 3  # the guard, the driver or the first content process, the browser
    with trio.fail_after(5):
        await launched.aclose()
        await launched.aclose()
        await launched.wait_exited()
    assert left_behind(mark) == []


async def test_pages_do_not_reach_what_obeys_everybody_here(browser_name: BrowserName, mark: str) -> None:
    """A driver starts programs for a page of this machine, a debugging port shows it the pages of others."""
    launched = await launch(LaunchOptions(browser_name))
    ours = marked(mark)
    listening = [found for found in psutil.net_connections("tcp") if found.status == "LISTEN" and found.pid in ours]
    ports = {found.laddr[1] for found in listening if found.laddr}
    assert ports
    async with open_site() as site, open_session(launched) as session:
        [tab] = (await session.send("browsingContext.getTree"))["contexts"]
        await session.send("browsingContext.navigate", context=tab["context"], url=site.url_for("/"), wait="complete")
        for place in [f"{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]") for port in ports]:
            socket = f"const socket = new WebSocket('ws://{place}/session')"
            ends = "socket.onopen = () => end('open'); socket.onerror = () => end('refused')"
            assert await session.evaluate(f"new Promise(end => {{ {socket}; {ends} }})") == "refused", place
            if browser_name == "chromium":  # Firefox answers 404 there
                ask = f"fetch('http://{place}/sessions', {{mode: 'no-cors'}}).then(() => 'answered', () => 'refused')"
                assert await session.evaluate(ask) == "refused", place
    await launched.aclose()


async def test_two_at_once_end_on_their_own(browser_name: BrowserName, mark: str) -> None:
    first, second = await launch(LaunchOptions(browser_name)), await launch(LaunchOptions(browser_name))
    os.kill(first.pid, signal.SIGTERM)
    with trio.fail_after(5):
        await first.wait_exited()
    async with open_session(second) as session:
        assert await session.evaluate("1 + 1") == 2
    await first.aclose()
    await second.aclose()
    assert left_behind(mark) == []


async def test_a_dead_browser_is_noticed(browser_name: BrowserName, mark: str) -> None:
    """The test kills the browser, or its driver if it has one: no browser may outlive its driver."""
    launched = await launch(LaunchOptions(browser_name))
    head = min(psutil.Process(launched.pid).children(), key=psutil.Process.create_time)
    head.kill()
    with trio.fail_after(5):
        await launched.wait_exited()
    if browser_name != "webkit":  # its display goes on: other sessions use it
        assert left_behind(mark) == []
    await launched.aclose()
    assert left_behind(mark) == []


@pytest.mark.parametrize("seconds", [0, 0.02, 0.1, 0.2, 0.3, 0.5, 0.8])
async def test_a_cancelled_start_leaves_nothing(browser_name: BrowserName, mark: str, seconds: float) -> None:
    with trio.move_on_after(seconds):
        launched = await launch(LaunchOptions(browser_name))
        await launched.aclose()  # a fast machine
    assert left_behind(mark) == []


async def test_a_kept_profile_is_used_again(browser_name: BrowserName, mark: str, tmp_path: Path) -> None:
    options = LaunchOptions(browser_name, user_data_dir=tmp_path / "profile")
    launched = await launch(options)
    with pytest.raises(LaunchError, match="profile is in use") as caught:
        await launch(options)
    assert "another user_data_dir" in caught.value.advice
    await launched.aclose()
    assert left_behind(mark) == []
    again = await launch(options)
    await again.aclose()
    assert any((tmp_path / "profile").iterdir())
    assert left_behind(mark) == []


async def test_a_browser_that_ends_at_start(browser_name: BrowserName, mark: str, tmp_path: Path) -> None:
    """Nobody goes on waiting for it, as ChromeDriver would for a minute."""
    broken = program(tmp_path / "broken", "#!/bin/sh\necho 'the reason is this' >&2\nexit 3\n")
    with trio.fail_after(30), pytest.raises(LaunchError, match="the reason is this") as caught:
        await launch(LaunchOptions(browser_name, executable=broken))
    assert str(broken) in caught.value.message
    assert "bidi-server doctor" in caught.value.advice
    assert left_behind(mark) == []


async def test_a_browser_that_hangs_at_start(browser_name: BrowserName, mark: str, tmp_path: Path) -> None:
    hangs = program(tmp_path / "hangs", "#!/bin/sh\nexec sleep 300\n")
    with pytest.raises(LaunchError, match=r"not usable after 1\.5 seconds"), trio.fail_after(10):
        await launch(LaunchOptions(browser_name, executable=hangs, start_timeout=1.5))
    assert left_behind(mark) == []


async def test_a_missing_library_is_named(browser_name: BrowserName, tmp_path: Path) -> None:
    said = "x: error while loading shared libraries: libnss3.so: cannot open shared object file"
    broken = program(tmp_path / "broken", f"#!/bin/sh\necho '{said}' >&2\nexit 127\n")
    with pytest.raises(LaunchError, match=r"A system library is missing: .*libnss3\.so"):
        await launch(LaunchOptions(browser_name, executable=broken))


async def test_a_window_needs_a_display(browser_name: BrowserName, monkeypatch: pytest.MonkeyPatch, mark: str) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(LaunchError, match="no display") as caught:
        await launch(LaunchOptions(browser_name, headed=True))
    assert "xvfb-run" in caught.value.advice
    assert left_behind(mark) == []


def chromium_only(browser_name: BrowserName) -> None:
    if browser_name != "chromium":
        pytest.skip("about ChromeDriver")


async def test_a_driver_that_ends_at_start(browser_name: BrowserName, mark: str, tmp_path: Path) -> None:
    broken = program(tmp_path / "chromedriver", "#!/bin/sh\necho 'cannot bind' >&2\nexit 1\n")
    with pytest.raises(LaunchError, match="cannot bind"):
        await launch(LaunchOptions(browser_name, driver=broken))
    assert left_behind(mark) == []


async def test_a_driver_that_is_not_there(browser_name: BrowserName, bare_machine: Path, tmp_path: Path) -> None:
    with pytest.raises(BrowserNotFoundError, match="is not a program"):
        await launch(LaunchOptions("chromium", executable=Path(sys.executable), driver=tmp_path / "missing"))
    chromium_only(browser_name)
    with pytest.raises(BrowserNotFoundError, match="needs a chromedriver") as caught:
        await launch(LaunchOptions(executable=Path(sys.executable)))
    assert str(caught.value).startswith("bidi-server install chromium ")


# Enough of a browser for ChromeDriver to ask for its version.
OLD_CHROMIUM = """#!{python}
import json, os, sys
if "--version" in sys.argv:
    sys.exit(print("Chromium 99.0.4844.51"))
about = {{"product": "Chrome/99.0.4844.51", "protocolVersion": "1.3", "revision": "@0"}}
about |= {{"userAgent": "x", "jsVersion": "9.9"}}
asked = b""
while chunk := os.read(3, 65536):
    *messages, asked = (asked + chunk).split(b"\\0")
    for message in messages:
        os.write(4, json.dumps({{"id": json.loads(message)["id"], "result": about}}).encode() + b"\\0")
"""


async def test_driver_and_browser_of_different_versions(
    browser_name: BrowserName, mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chromium_only(browser_name)
    old = program(tmp_path / "bin" / "chromium", OLD_CHROMIUM.format(python=sys.executable))
    with pytest.raises(VersionMismatchError, match=r"(?s)only supports Chrome version.*99\.0\.4844\.51") as caught:
        await launch(LaunchOptions(executable=old))
    assert "bidi-server install" in caught.value.advice
    assert left_behind(mark) == []
    # When it was only the first one found, the next pair that fits is taken.
    monkeypatch.setenv("PATH", f"{old.parent}{os.pathsep}{os.environ['PATH']}")
    assert find.first_pair()[0].path == old
    launched = await launch(LaunchOptions())
    assert not launched.browser_version.startswith("99.")
    await launched.aclose()
    assert left_behind(mark) == []


UNLUCKY_DRIVER = """#!{python}
import os, pathlib, sys
tried = pathlib.Path(__file__).with_name("tried")
if "--version" not in sys.argv and not tried.exists():
    tried.touch()
    sys.exit("[1.000][SEVERE]: bind() failed: Address already in use (98)\\nIPv4 port not available. Exiting...")
os.execv("{driver}", ["{driver}", *sys.argv[1:]])
"""


async def test_a_driver_whose_port_is_taken(browser_name: BrowserName, mark: str, tmp_path: Path) -> None:
    """It chooses another one."""
    chromium_only(browser_name)
    real = find.first_pair()[1].path
    driver = program(tmp_path / "chromedriver", UNLUCKY_DRIVER.format(python=sys.executable, driver=real))
    launched = await launch(LaunchOptions(driver=driver))
    assert (tmp_path / "tried").exists()
    await launched.aclose()
    assert left_behind(mark) == []


async def test_firefox_through_geckodriver(browser_name: BrowserName, mark: str, tmp_path: Path) -> None:
    if browser_name != "firefox":
        pytest.skip("about Firefox")
    options = LaunchOptions("firefox", driver=geckodriver_in(tmp_path))
    launched = await launch(options)
    assert launched.session_ready
    async with open_session(launched) as session:
        assert await session.evaluate("navigator.userAgent.includes('Firefox')") is True
    await launched.aclose()
    assert left_behind(mark) == []
    kept = await launch(replace(options, user_data_dir=tmp_path / "profile"))
    await kept.aclose()
    assert any((tmp_path / "profile").iterdir())
    assert left_behind(mark) == []
