"""Drivers of the ports of WebKit, played by a program that notes what it is asked."""

import json
import sys
from pathlib import Path

import pytest
import trio

from drivers import BrowserNotFoundError, LaunchOptions, launch
from tests.support.machines import program

PLAYED = f"""#!{sys.executable}
import json, pathlib, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

port = int(sys.argv[-1].removeprefix("--port="))
here = pathlib.Path(__file__)

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))["capabilities"]
        if len(asked["firstMatch"]) > 1 and here.name == "WPEWebDriver":
            return self.answer(400, {{"error": "invalid argument", "message": "Invalid firstMatch capabilities"}})
        here.with_name("asked.json").write_text(json.dumps([sys.argv[1:], asked]))
        name = asked["alwaysMatch"]["browserName"]
        self.answer(200, {{"sessionId": "1", "capabilities": {{"browserName": name, "browserVersion": "2"}}}})

    def do_DELETE(self):
        self.answer(200, None)

    def answer(self, status, value):
        body = json.dumps({{"value": value}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *parts):
        pass

HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


@pytest.mark.parametrize(
    ("driver", "name", "options"),
    [
        ("WPEWebDriver", "cog", {"args": ["--automation", "--platform=headless", "--ours"]}),
        ("safaridriver", "safari", None),
    ],
)
async def test_a_driver_gets_what_its_port_needs(
    bare_machine: Path, driver: str, name: str, options: dict[str, object] | None
) -> None:
    program(bare_machine / driver, PLAYED)
    program(bare_machine / "cog", "#!/bin/sh\n")
    launched = await launch(LaunchOptions("webkit", arguments=("--ours",)))
    try:
        assert launched.browser_version == "2"
    finally:
        await launched.aclose()
    arguments, asked = json.loads((bare_machine / "asked.json").read_text())
    wanted = asked["alwaysMatch"]
    assert (wanted["browserName"], wanted["pageLoadStrategy"]) == (name, "none")
    vendor = {key: value for key, value in wanted.items() if ":" in key}
    assert vendor == (
        {"wpe:browserOptions": {"binary": str(bare_machine / "cog"), **options}} if options is not None else {}
    )
    assert len(arguments) == (2 if driver == "safaridriver" else 1)
    # A driver that does not know WebDriver BiDi may refuse the question.
    assert asked["firstMatch"] == ([{}] if driver == "WPEWebDriver" else [{"webSocketUrl": True}, {}])


async def test_a_driver_without_its_browser(bare_machine: Path) -> None:
    program(bare_machine / "WPEWebDriver", PLAYED)
    program(bare_machine / "MiniBrowser", "#!/bin/sh\n")
    with pytest.raises(BrowserNotFoundError, match=r"cog, the browser of .*WPEWebDriver, is not installed\."):
        await launch(LaunchOptions("webkit"))


@pytest.mark.skipif(sys.platform != "linux", reason="private displays are for Linux")
async def test_a_private_display_that_is_gone() -> None:
    # In a process of its own, since python-xlib 0.33 does not close the socket of an attempt that fails.
    script = "import trio; from drivers.focus import give_focus; trio.run(give_focus, ':31999')"
    ended = await trio.run_process([sys.executable, "-c", script], check=False, capture_stderr=True)
    assert b"LaunchError: The private display can't be used: Can't connect to display \":31999\"" in ended.stderr
