"""Demo of an agent in a small shop: the real server over stdio, and a client that knows only the server's answers."""

import json
import os
import re
import sys
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median

from mcp import StdioServerParameters
from mcp.client import Client

import bidi_server
from bidi_server.browser.engine.pool import launch_options
from bidi_server.commands.call import answer_lines
from bidi_server.commands.install import ask, get
from bidi_server.commands.terminal import OUT, seconds
from bidi_server.config import Config
from drivers import BrowserNotFoundError
from drivers.find import first_browser, first_pair

SHOP = Path(bidi_server.__file__).parent / "demo" / "shop"

SHOWN_LINES = 12
"""Maximum number of printed lines of an answer; the agent reads all of it."""

WIDTH = 116
"""Maximum length of a printed line, in characters."""

CALL_SECONDS = 60
"""Timeout for a call, in seconds. The first call starts the browser."""


class Unexpected(Exception):  # noqa: N818 - it is a result to show, not an error of this program
    """The server's answer is not the one that the story needs."""


class Agent:
    """A client that works like a model: it calls tools, shows their answers and finds refs in them."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._read: list[str] = []
        self.times: list[float] = []

    async def call(self, why: str, tool: str, arguments: Mapping[str, object], expect: str) -> str:
        """Call a tool and return its answer. Raises `Unexpected` if it failed or does not match ``expect``."""
        given = json.dumps(arguments, ensure_ascii=False) if arguments else ""
        OUT.print(f"\n{len(self.times) + 1:2}. {why}", style="dim")
        OUT.print(f"{tool} {given}".rstrip(), style="bold")
        began = time.perf_counter()
        result = await self._client.call_tool(tool, dict(arguments), CALL_SECONDS)
        took = time.perf_counter() - began
        self.times.append(took)
        lines = list(answer_lines(result))
        for line in lines[:SHOWN_LINES]:
            print(f"  {line}" if len(line) <= WIDTH else f"  {line[: WIDTH - 1]}…")
        if len(lines) > SHOWN_LINES:
            OUT.print(f"  … and {len(lines) - SHOWN_LINES} lines more", style="dim")
        OUT.print(f"  {seconds(took)}", style="dim")
        answer = "\n".join(lines)
        if result.is_error:
            raise Unexpected(f"{tool} failed")
        if not re.search(expect, answer):
            raise Unexpected(f"the answer of {tool} has nothing like {expect!r}")
        self._read.append(answer)
        return answer

    def ref(self, role: str, name: str) -> str:
        """Return the ref of an element, from the latest answer that shows it."""
        shown = re.compile(rf'\b{role} "{re.escape(name)}[^"]*".*?\[ref=(\w+)\]')
        for answer in reversed(self._read):
            if found := shown.search(answer):
                return found[1]
        raise Unexpected(f"no answer has shown a {role} {name!r}")


async def demo(config: Config, options: Sequence[str], *, agreed: bool = False) -> int:
    """Play the story with a server that gets these options. Return the exit code: 1 after an unexpected answer.

    ``agreed`` means that a missing browser may be installed without asking.
    """
    if not await provide(config, agreed=agreed):
        return 1
    options = [*options, *([] if config.caps else ["--caps", "dev"])]
    server = StdioServerParameters(command=sys.executable, args=["-m", "bidi_server", *options], env=dict(os.environ))
    with _shop() as url:
        print(f"A shop is at {url}. Starting: {' '.join(['bidi-server', *options])}")
        began = time.perf_counter()
        async with Client(server) as client:
            ready = time.perf_counter() - began
            tools = (await client.list_tools()).tools
            size = sum(len(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in tools)
            print(f"Ready after {seconds(ready)}: {len(tools)} tools, described in {size:,} bytes.")
            agent = Agent(client)
            try:
                picture = await story(agent, url)
            except Unexpected as error:
                OUT.print(f"\nThat is not as it should be: {error}.", style="red")
                return 1
    total, usual = sum(agent.times), median(agent.times)
    OUT.print(f"\n{len(agent.times)} calls in {seconds(total)}, median {seconds(usual)}.", style="green")
    if picture:
        print(f"The screenshot is {picture}")
    return 0


async def provide(config: Config, *, agreed: bool) -> bool:
    """Install the browser that the server will start, if it is missing and the user agrees.

    Return whether the server can start.
    """
    if config.endpoint or config.grid_url:
        return True
    browser = launch_options(config).browser
    try:
        if browser == "chromium":
            first_pair(config.executable, config.driver)
        else:
            first_browser(browser, config.executable)
    except BrowserNotFoundError as error:
        print(error.message, flush=True)
        if config.executable or config.driver:
            print(error.advice, flush=True)
            return False
        if agreed or sys.stdin.isatty():
            return await get(browser, (lambda: True) if agreed else ask)
        print("Nobody can be asked for consent. To agree beforehand: bidi-server demo --yes", flush=True)
        return False
    return True


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass


@contextmanager
def _shop() -> Generator[str]:
    """Serve the shop on this machine and yield its URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=SHOP)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


async def story(agent: Agent, url: str) -> Path | None:
    """Order a notebook and letters, inspect console and network, and return the path of the screenshot."""
    call, ref = agent.call, agent.ref
    await call("Open the shop: the answer shows the page.", "browser_navigate", {"url": url}, "Tea & Paper")
    search = ref("searchbox", "Search products")
    await call("Search, by a ref of that answer.", "browser_type", {"ref": search, "text": "paper"}, "Typed")
    await call("The shop needs a moment.", "browser_wait_for", {"text": "3 of 8 match"}, "is there")
    for product in ("Dot notebook", "Letter set"):
        button = ref("button", f"Add to cart: {product}")
        why = "Add something to the cart: the answer shows what that changed."
        await call(why, "browser_click", {"ref": button}, f'spinbutton "Quantity of {product}"')
    fields = [
        {"ref": ref("textbox", "Name"), "value": "Ada"},
        {"ref": ref("textbox", "Email"), "value": "ada@example.com"},
        {"ref": ref("combobox", "Delivery"), "value": "Express, €7.90"},
        {"ref": ref("textbox", "Deliver on"), "value": (datetime.now(UTC) + timedelta(days=7)).date().isoformat()},
        {"ref": ref("checkbox", "Gift wrap"), "value": True},
    ]
    await call("Fill in the form at once.", "browser_fill_form", {"fields": fields}, "Place order, €36.90")
    order = {"ref": ref("button", "Place order")}
    await call("Order: a dialog asks.", "browser_click", order, "Place the order for €36.90\\?")
    await call("Say yes.", "browser_handle_dialog", {"accept": True}, "Thank you, Ada(.|\n)*€36.90")
    await call("What did the page log?", "browser_recent_console_logs", {}, "order placed")
    # WebKit's driver tells no status of a page.
    loaded = re.escape(f"GET {url} → ") + "(?:200|answered)"
    await call("What did it load?", "browser_recent_network_requests", {}, loaded)
    await call("How fast was that?", "browser_performance", {}, "first contentful paint: ")
    width, height = 390, 844
    await call("Look at it as on a phone,", "browser_resize", {"width": width, "height": height}, f"{width}x{height}")
    answer = await call("and take a picture.", "browser_take_screenshot", {"fullPage": True}, "creenshot")
    await call("Go back to the shop.", "browser_navigate_back", {}, "Cart \\(0\\)")
    await call("Which tabs are open?", "browser_tabs", {"action": "list"}, f"0: \\(active\\) .*{re.escape(url)}$")
    named = re.search(r"^Screenshot of the full page: (.+\.png)$", answer, re.MULTILINE)
    return _checked(named[1], width) if named else None


def _checked(path: str, width: int) -> Path:
    """Return the absolute path of a PNG file. Raises `Unexpected` if it is missing or has another width."""
    picture = Path(path).absolute()
    head = picture.read_bytes()[:24] if picture.exists() else b""
    # https://www.w3.org/TR/png-3/#11IHDR: signature, length and name of the first chunk, then width and height
    if not head.startswith(b"\x89PNG") or int.from_bytes(head[16:20]) != width:
        raise Unexpected(f"{picture} is not a picture of {width} pixels in width")
    return picture
