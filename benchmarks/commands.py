"""``python -m benchmarks.commands [--browser firefox]``: number of protocol commands of each operation."""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import trio
from mcp.client import Client

from benchmarks.floor import Floor
from benchmarks.operations import Operation, operations
from benchmarks.peers import ours
from benchmarks.processes import Family
from benchmarks.subjects import FloorSubject, ServerSubject, Subject
from bidi_server.browser.sessions.registry import open_sessions
from bidi_server.browser.tab.tab import Tab
from bidi_server.config import Config
from bidi_server.server import make_server
from drivers import BrowserName
from fixtures.site import open_site


async def run(browser: BrowserName) -> None:
    """Do each operation through our tools, in this process, and at the floor. Print the number of commands of each."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        config = Config(browser=browser, output_dir=folder)
        async with (
            open_site() as site,
            open_sessions(config) as sessions,
            Client(make_server(config, sessions), mode="legacy") as client,
        ):
            tools = ServerSubject(ours(browser), client, Family(), folder)
            await tools.open(site.url)
            tab = next(iter(sessions.browsers.running)).tabs[0]
            floor = FloorSubject("floor", Floor(tab))
            print(f"| {browser} | tools | floor |\n| --- | ---: | ---: |")
            for operation in operations(site):
                sent = [await count(subject, tab, operation) for subject in (tools, floor)]
                print(f"| {operation.name} | {sent[0]} | {sent[1]} |")


async def count(subject: Subject, tab: Tab, operation: Operation) -> int:
    """Return the number of commands of the second run: the first may prepare something that lasts."""
    sent = 0
    for _ in range(2):
        await subject.open(operation.url)
        element = await subject.find(operation.element) if operation.element else ""
        sent = tab.connection.commands_sent
        await subject.perform(operation, element)
    return tab.connection.commands_sent - sent


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.commands", description=__doc__)
    parser.add_argument("--browser", choices=["chromium", "firefox"], default="chromium")
    trio.run(run, parser.parse_args().browser)


if __name__ == "__main__":
    main()
