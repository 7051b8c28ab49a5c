"""``python -m benchmarks.scale [--browser firefox] [--seconds 10]``: many sessions, other transports, a Grid.

Servers run in processes of their own. What is compared takes turns, so that all of it meets the same machine, which
the client and the pages need too. Read ratios, differences and processor time; the rest moves with the machine.
"""

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import trio

from benchmarks.busy import costs, measure_floor, measure_sessions
from benchmarks.processes import machine
from benchmarks.turns import compare_grid, compare_transports
from drivers import BrowserName

PARTS = ("sessions", "http", "grid", "floor")

FLOOR_SESSIONS = 8

Tables = dict[str, list[dict[str, object]]]


async def run(browser: BrowserName, arguments: argparse.Namespace) -> Tables:
    """Measure what is wanted in one browser, print it, and return it."""
    seconds, found = arguments.seconds, Tables()

    def show(name: str, rows: Sequence[NamedTuple]) -> None:
        found[name] = [row._asdict() for row in rows]
        if rows:
            print(table(rows), end="\n\n", flush=True)

    print(f"### {browser}, {machine()}\n", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "sessions" in arguments.only:
            points = await measure_sessions(browser, folder, arguments.sessions, seconds)
            show("sessions", points)
            show("costs", costs(points))
        if "http" in arguments.only:
            show("http", await compare_transports(browser, folder, seconds))
        if "grid" in arguments.only and arguments.grid_url:
            grid = ["--grid-url", arguments.grid_url]
            if arguments.grid_capabilities:
                grid += ["--grid-capabilities", str(arguments.grid_capabilities.absolute())]
            show("grid", await compare_grid(browser, folder, grid, seconds))
        if "floor" in arguments.only:
            show("floor", [await measure_floor(browser, folder, FLOOR_SESSIONS, seconds)])
    return found


def table(rows: Sequence[NamedTuple]) -> str:
    """Return rows of one kind as Markdown."""
    lines = [[name.replace("_", " ") for name in rows[0]._fields]]
    lines.append(["---" if isinstance(value, str) else "---:" for value in rows[0]])
    lines += [[f"{value:.2f}" if isinstance(value, float) else str(value) for value in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def numbers(text: str) -> list[int]:
    """Read numbers, separated by commas."""
    return [int(part) for part in text.split(",")]


def parts(text: str) -> list[str]:
    """Read names of parts, separated by commas."""
    found = text.split(",")
    if unknown := set(found).difference(PARTS):
        raise argparse.ArgumentTypeError(f"no {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--browser", choices=["chromium", "firefox"], action="append")
    parser.add_argument("--seconds", type=float, default=10, help="for each line of a table")
    parser.add_argument("--sessions", type=numbers, default=[1, 2, 4, 8, 16], metavar="NUMBER,…")
    parser.add_argument("--only", type=parts, default=PARTS, metavar="NAME,…", help=", ".join(PARTS))
    parser.add_argument("--grid-url", help="Selenium Grid to compare with")
    parser.add_argument("--grid-capabilities", type=Path, help="as of bidi-server")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    arguments = parser.parse_args()
    browsers: list[BrowserName] = arguments.browser or ["chromium", "firefox"]
    found = {browser: trio.run(run, browser, arguments) for browser in browsers}
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
