"""``python -m benchmarks.commands [--browser firefox]``: how many commands of the protocol an operation sends."""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import trio
from mcp.client import Client

from benchmarks.floor import Floor
from benchmarks.operations import Operation, operations
from benchmarks.peers import ours
from benchmarks.processes import Family
from benchmarks.ways import FloorWay, ServerWay, Way
from bidi_server.browser.sessions import open_sessions
from bidi_server.browser.tab import Tab
from bidi_server.config import Config
from bidi_server.server import make_server
from drivers import BrowserName
from fixtures.site import open_site


async def run(browser: BrowserName) -> None:
    """Do each operation through our tools, in our own process, and at the floor; print what each has sent."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        config = Config(browser=browser, screenshot_dir=folder)
        async with (
            open_site() as site,
            open_sessions(config) as sessions,
            Client(make_server(config, sessions), mode="legacy") as client,
        ):
            tools = ServerWay(ours(browser), client, Family(), folder)
            await tools.open(site.url)
            tab = next(iter(sessions.browsers.running)).tabs[0]
            floor = FloorWay("floor", Floor(tab))
            print(f"| {browser} | tools | floor |\n| --- | ---: | ---: |")
            for operation in operations(site):
                sent = [await count(way, tab, operation) for way in (tools, floor)]
                print(f"| {operation.name} | {sent[0]} | {sent[1]} |")


async def count(way: Way, tab: Tab, operation: Operation) -> int:
    """Return the number of commands of the second time: the first may prepare something that lasts."""
    sent = 0
    for _ in range(2):
        await way.open(operation.url)
        element = await way.find(operation.element) if operation.element else ""
        sent = tab.connection.commands_sent
        await way.perform(operation, element)
    return tab.connection.commands_sent - sent


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.commands", description=__doc__)
    parser.add_argument("--browser", choices=["chromium", "firefox"], default="chromium")
    trio.run(run, parser.parse_args().browser)


if __name__ == "__main__":
    main()
