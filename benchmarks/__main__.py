r"""``python -m benchmarks [--peers FOLDER] [--rounds 30]``: our server, its peers and the floor, side by side.

Each server is a separate process, and the benchmark is its client. The floor is the minimum of raw protocol commands
for the same operation, sent to the same kind of browser. In each round every subject does the operation once. Compare
ratios: absolute times depend on the machine.

Install the peers from npm into any folder:

    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 PUPPETEER_SKIP_DOWNLOAD=1 npm install --prefix FOLDER @playwright/mcp \
        chrome-devtools-mcp firefox-devtools-mcp @angiejones/mcp-selenium agent-browser@latest
"""

import argparse
import json
import shlex
import signal
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import trio

from benchmarks.measure import Cost, Figures, Opener, measure_all, measure_starts
from benchmarks.operations import operations
from benchmarks.peers import BARE, Peer, others, ours, put_drivers
from benchmarks.processes import machine
from benchmarks.report import FLOOR, tables
from benchmarks.subjects import open_floor, open_server
from drivers import BrowserName
from drivers.find import candidates
from fixtures.site import Site, open_site

START = "start"
"""Name of the start-up measurements among the operations."""

BROWSERS: tuple[BrowserName, ...] = ("chromium", "firefox", "webkit")


class UnknownNameError(Exception):
    """An option names a row or a column that is not there."""


async def until_signal(arguments: argparse.Namespace) -> None:
    """Measure until the end or a signal, then end every process that was started."""
    unknown: list[UnknownNameError] = []
    async with trio.open_nursery() as nursery:

        async def measure() -> None:
            try:
                await run(arguments)
            except UnknownNameError as error:
                unknown.append(error)
            nursery.cancel_scope.cancel()

        nursery.start_soon(measure)
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for _ in signals:
                nursery.cancel_scope.cancel()
    if unknown:
        sys.exit(str(unknown[0]))


async def run(arguments: argparse.Namespace) -> None:
    """Measure the chosen operations and print the tables."""
    names = chosen(arguments.operations, [START, *(each.name for each in operations(Site("http")))])
    with TemporaryDirectory(prefix="bidi-") as name:
        folder = Path(name)
        browsers = find_browsers(arguments.chromium)
        put_drivers(folder)
        own: list[str] = shlex.split(arguments.ours)
        executable = ["--executable", str(arguments.chromium)] if arguments.chromium else []
        peers = [
            *others(arguments.peers, folder, browsers),
            ours("chromium", own + executable),
            ours("firefox", own),
            ours("webkit", own),
            *(ours(browser, own, tree=tree) for tree in arguments.beside for browser in BROWSERS),
            BARE,
        ]
        openers = find_openers(folder, peers, browsers, arguments)
        title = heading(peers, openers, browsers)
        print(title, end="\n\n", flush=True)
        costs = {name: Cost() for name in openers}
        figures: Figures = {}
        async with open_site() as site:
            available = operations(site)
            if START in names:
                figures |= await measure_starts(openers, available[0], arguments.rounds, costs)
            at_work = {name: opener for name, opener in openers.items() if name != BARE.name}
            wanted = [each for each in available if each.name in names]
            figures |= await measure_all(at_work, wanted, arguments.rounds, costs)
    print(tables(figures, costs))
    if arguments.json:
        found = {
            "about": title.splitlines(),
            "rounds": arguments.rounds,
            "figures": {each: {name: asdict(figure) for name, figure in row.items()} for each, row in figures.items()},
            "costs": {name: asdict(cost) for name, cost in costs.items()},
        }
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")


def find_browsers(chromium: Path | None) -> dict[BrowserName, Path]:
    """Return the installed browsers by name."""
    explicit = {"chromium": chromium}
    found = {browser: next(candidates(browser, "browser", explicit.get(browser)), None) for browser in BROWSERS}
    return {browser: installation.path for browser in BROWSERS if (installation := found[browser])}


def find_openers(
    folder: Path, peers: list[Peer], browsers: Mapping[BrowserName, Path], arguments: argparse.Namespace
) -> dict[str, Opener]:
    """Return the openers of the chosen subjects that are installed."""
    found: dict[str, Opener] = {
        peer.name: partial(open_server, peer, folder)
        for peer in peers
        if peer.installed and (peer.browser is None or peer.browser in browsers)
    }
    for browser in browsers:
        options = {"browser": browser, "output_dir": folder}
        if browser == "chromium" and arguments.chromium:
            options["executable"] = arguments.chromium
        found[FLOOR + browser] = partial(open_floor, FLOOR + browser, options)
    return {name: found[name] for name in chosen(arguments.only, found)}


def heading(peers: list[Peer], openers: Mapping[str, Opener], browsers: Mapping[BrowserName, Path]) -> str:
    """Return the conditions of the measurement and the peers that were left out."""
    versions = [f"{peer.name} {peer.version}" for peer in peers if peer.name in openers and peer.version]
    missing = [peer.name for peer in peers if not peer.installed]
    lines = [
        f"{machine()}.",
        f"Browsers of the peers: {', '.join(map(str, browsers.values()))}.",
        f"{', '.join(versions)}.",
    ]
    if missing:
        lines.append(f"Not installed: {', '.join(missing)}.")
    return "\n".join(lines)


def chosen(wanted: Sequence[str] | None, known: Collection[str]) -> list[str]:
    """Return the wanted names, or all known ones. Raises `UnknownNameError`."""
    if unknown := set(wanted or ()).difference(known):
        raise UnknownNameError(f"There is no {', '.join(sorted(unknown))}. There are {', '.join(known)}.")
    return [name for name in known if not wanted or name in wanted]


def listed(text: str) -> list[str]:
    """Split a comma-separated list of names."""
    return text.split(",")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", type=Path, default=Path(), metavar="FOLDER", help="where npm has put the peers")
    parser.add_argument("--only", type=listed, metavar="NAME,…", help="rows of the tables")
    parser.add_argument(
        "--operations", type=listed, metavar="NAME,…", help=f"columns of the tables; {START} for both starts"
    )
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--chromium", type=Path, metavar="PATH", help="one for all; default: what each takes by itself")
    parser.add_argument(
        "--beside",
        type=Path,
        action="append",
        default=[],
        metavar="FOLDER",
        help="another checkout of this repository, whose server is measured too; its rows have the folder's name",
    )
    parser.add_argument("--ours", default="", metavar="OPTIONS", help="what to start our server with besides")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    trio.run(until_signal, parser.parse_args())


if __name__ == "__main__":
    main()
