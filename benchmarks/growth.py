"""``python -m benchmarks.growth [--browser firefox] [--calls 1000]``: growth that should be flat or linear.

The time of a snapshot over the size of its page; memory, time and answers of the server over the number of calls.
"""

import argparse
import statistics
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import trio

from benchmarks.scale import table
from benchmarks.servers import Server, call, over_stdio
from fixtures.site import Site, open_site

SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
ROUNDS = 7
STRETCHES = 5
WARM_UP = 50
"""Number of calls before memory is first measured: first calls import, compile and fill caches."""


class Size(NamedTuple):
    """Figures of a snapshot for a number of elements."""

    nodes: int
    ms: float
    ms_per_1000: float
    kilobytes: float


class Stretch(NamedTuple):
    """Figures of a stretch of consecutive calls: navigate, snapshot, click and evaluate in turn."""

    calls: int
    server_mib: float
    navigate_ms: float
    snapshot_ms: float
    click_ms: float
    evaluate_ms: float


@asynccontextmanager
async def open_all(browser: str) -> AsyncGenerator[tuple[Server, Site]]:
    """Start the site and a server with one session."""
    with TemporaryDirectory() as folder:
        async with open_site() as site, over_stdio(Path(folder), "--browser", browser) as server:
            yield server, site


async def measure_sizes(browser: str) -> list[Size]:
    """Measure snapshots of pages of growing size."""
    found: list[Size] = []
    async with open_all(browser) as (server, site):
        for nodes in SIZES:
            await call(server.client, "browser_navigate", url=site.url_for(f"/nodes/{nodes}"))
            taken: list[float] = []
            text = ""
            for _ in range(ROUNDS):
                begun = time.perf_counter()
                text = await call(server.client, "browser_snapshot", depth=1000)
                taken.append((time.perf_counter() - begun) * 1000)
            ms = statistics.median(taken)
            found.append(Size(nodes, ms, ms / nodes * 1000, len(text) / 1000))
    return found


async def measure_calls(browser: str, calls: int) -> list[Stretch]:
    """Measure consecutive calls, in stretches."""
    found: list[Stretch] = []
    async with open_all(browser) as (server, site):
        url = site.url_for("/form")
        kinds: dict[str, dict[str, object]] = {
            "browser_navigate": {"url": url},
            "browser_snapshot": {},
            "browser_click": {"selector": "#name"},
            "browser_evaluate": {"function": "document.title"},
        }
        done = 0
        for length in (WARM_UP, *[calls // STRETCHES] * STRETCHES):
            taken: dict[str, list[float]] = {kind: [] for kind in kinds}
            for _ in range(length // len(kinds)):
                for kind, arguments in kinds.items():
                    begun = time.perf_counter()
                    await call(server.client, kind, **arguments)
                    taken[kind].append((time.perf_counter() - begun) * 1000)
                    done += 1
            found.append(Stretch(done, server.own_memory(), *(statistics.median(times) for times in taken.values())))
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--browser", choices=["chromium", "firefox"], action="append")
    parser.add_argument("--calls", type=int, default=1000)
    arguments = parser.parse_args()
    for browser in arguments.browser or ["chromium", "firefox"]:
        print(f"### {browser}\n\n{table(trio.run(measure_sizes, browser))}\n", flush=True)
        print(f"{table(trio.run(measure_calls, browser, arguments.calls))}\n", flush=True)


if __name__ == "__main__":
    main()
