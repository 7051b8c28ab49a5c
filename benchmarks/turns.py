"""The same calls through several servers in turn: MCP transports, local browser or Grid."""

import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

from benchmarks.servers import Server, call, over_http, over_stdio
from drivers import BrowserName
from drivers.find import candidates
from tests.support.fronts import HANDSHAKE, MODERN

PAGE = "data:text/html,<title>Small</title><h1>Small</h1><button onclick='this.textContent = Date.now()'>Go</button>"
"""A page that browsers on other machines can open as well."""

Call = tuple[str, dict[str, object]]
"""A tool and its arguments."""

NAVIGATE: Call = ("browser_navigate", {"url": PAGE})
SNAPSHOT: Call = ("browser_snapshot", {})
CLICK: Call = ("browser_click", {"selector": "button"})
EVALUATE: Call = ("browser_evaluate", {"function": "1"})

SESSION = "only"
WARM_UP = 3


class Compared(NamedTuple):
    """Figures of a call through one server; the difference is between its median and that of the first server."""

    call: str
    subject: str
    median_ms: float
    p95_ms: float
    difference_ms: float
    server_cpu_ms_per_call: float


async def compare_transports(browser: str, folder: Path, seconds: float) -> list[Compared]:
    """Compare stdio with both protocol eras over HTTP."""
    options = ("--browser", browser)
    async with AsyncExitStack() as stack:
        stdio = await stack.enter_async_context(over_stdio(folder, *options))
        subjects = {f"stdio, {stdio.client.protocol_version}": stdio}
        for era in (HANDSHAKE, MODERN):
            subjects[f"HTTP, {era}"] = await stack.enter_async_context(over_http(folder, era, *options))
        return await compare(subjects, (SNAPSHOT, EVALUATE), seconds)


async def compare_grid(browser: BrowserName, folder: Path, grid: Sequence[str], seconds: float) -> list[Compared]:
    """Compare a browser on a Grid, given by options, with the same browser on this machine (not its headless shell)."""
    options = ("--browser", browser)
    installed = next(candidates(browser, "browser"))
    local = ("--executable", str(installed.path))
    async with over_stdio(folder, *options, *local) as here, over_stdio(folder, *options, *grid) as there:
        return await compare({"here": here, "Grid": there}, (NAVIGATE, SNAPSHOT, CLICK, EVALUATE), seconds)


async def compare(subjects: Mapping[str, Server], calls: Sequence[Call], seconds: float) -> list[Compared]:
    """Make each call through each server in turn, for a number of seconds each."""
    for server in subjects.values():
        await call(server.client, "browser_session_create", name=SESSION)
        await call(server.client, "browser_navigate", session=SESSION, url=PAGE)
    return [each for tool, arguments in calls for each in await take_turns(subjects, tool, arguments, seconds)]


async def take_turns(
    subjects: Mapping[str, Server], tool: str, arguments: dict[str, object], seconds: float
) -> list[Compared]:
    """Make one call through each server in turn."""

    async def once(server: Server) -> float:
        begun = time.perf_counter()
        await call(server.client, tool, session=SESSION, **arguments)
        return (time.perf_counter() - begun) * 1000

    for server in [*subjects.values()] * WARM_UP:
        await once(server)
    cpu = {subject: server.cpu_ms() for subject, server in subjects.items()}
    taken: dict[str, list[float]] = {subject: [] for subject in subjects}
    end = time.perf_counter() + seconds * len(subjects)
    while time.perf_counter() < end:
        for subject, server in subjects.items():
            taken[subject].append(await once(server))
    found: list[Compared] = []
    for subject, times in taken.items():
        median, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
        difference = median - found[0].median_ms if found else 0.0
        found.append(
            Compared(tool, subject, median, p95, difference, (subjects[subject].cpu_ms() - cpu[subject]) / len(times))
        )
    return found
