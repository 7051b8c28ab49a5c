"""Throughput of concurrent sessions, through one server and by raw commands without it."""

import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import psutil
import trio
from mcp.client import Client

from benchmarks.floor import Floor
from benchmarks.processes import MIB
from benchmarks.servers import CallFailedError, Server, call, over_stdio
from bidi_server.browser.sessions.registry import open_sessions
from bidi_server.config import Config
from fixtures.site import open_site

Loop = Callable[[], Awaitable[object]]

PAGE = "/form"
FIELD = "#name"
"""CSS selector of the field that each loop clicks."""

CALLS = 3
"""Number of calls in a loop: navigate, snapshot, click."""

WARM_UP = 10
"""Loops of each session before the measurement: a browser's memory grows with its first pages."""

TURNS = 2
"""Number of alternations between tools and floor."""


class Point(NamedTuple):
    """Figures for a number of concurrent sessions in one server."""

    isolation: str
    sessions: int
    calls_per_second: float
    loop_ms: float
    loop_p95_ms: float
    server_cpu_ms_per_call: float
    unused_server_mib: float
    server_mib: float
    server_private_mib: float
    browsers_mib: float


class Cost(NamedTuple):
    """Cost of the server itself, and of each additional session."""

    isolation: str
    server_cpu_ms_per_call: float
    unused_server_mib: float
    session_adds_to_server_mib: float
    session_adds_to_browsers_mib: float


class AtFloor(NamedTuple):
    """Calls per second through the tools and at the floor."""

    sessions: int
    tools_per_second: float
    floor_per_second: float
    ratio: float


async def measure_sessions(browser: str, folder: Path, counts: Sequence[int], seconds: float) -> list[Point]:
    """Measure growing numbers of sessions, in a shared browser and in one browser each. Prints what it skips."""
    found: list[Point] = []
    each = {"context": 0.0, "process": 0.0}
    async with open_site() as site:
        for count in counts:
            for isolation, memory in each.items():
                needed, free = memory * count, psutil.virtual_memory().available / MIB
                if needed > free:
                    print(f"Without {count}, {isolation}: {needed:.0f} MiB needed, {free:.0f} free.\n")
                    continue
                async with over_stdio(folder, "--browser", browser, "--isolation", isolation) as server:
                    unused = server.memory()
                    try:
                        loops = await open_loops(server.client, site.url_for(PAGE), count)
                    except CallFailedError as error:
                        print(f"Without {count}, {isolation}: {error}\n")
                        continue
                    found.append(await measure_point(server, isolation, unused, loops, seconds))
                each[isolation] = found[-1].browsers_mib / count
    return found


async def measure_point(server: Server, isolation: str, unused: float, loops: Sequence[Loop], seconds: float) -> Point:
    """Measure the open sessions at work."""
    memory, cpu = (server.memory(), server.own_memory(), server.browsers_memory()), server.cpu_ms()
    rate, taken = await keep_busy(loops, seconds)
    cpu = (server.cpu_ms() - cpu) / (len(taken) * CALLS)
    median, p95 = statistics.median(taken) * 1000, statistics.quantiles(taken, n=20)[-1] * 1000
    return Point(isolation, len(loops), rate * CALLS, median, p95, cpu, unused, *memory)


def costs(points: Sequence[Point]) -> list[Cost]:
    """Return the cost of a call and of a session, computed from points with different numbers of sessions."""
    found: list[Cost] = []
    for isolation in dict.fromkeys(point.isolation for point in points):
        own = [point for point in points if point.isolation == isolation]
        counts = [point.sessions for point in own]
        if len(set(counts)) > 1:
            cpu = statistics.median(point.server_cpu_ms_per_call for point in own)
            unused = statistics.median(point.unused_server_mib for point in own)
            server = statistics.linear_regression(counts, [point.server_private_mib for point in own]).slope
            browsers = statistics.linear_regression(counts, [point.browsers_mib for point in own]).slope
            found.append(Cost(isolation, cpu, unused, server, browsers))
    return found


async def measure_floor(browser: str, folder: Path, sessions: int, seconds: float) -> AtFloor:
    """Alternate between sessions that use the tools and as many that send raw commands to another browser."""
    config = Config.model_validate({"browser": browser, "max_sessions": sessions, "output_dir": folder})
    rates: tuple[list[float], list[float]] = ([], [])
    async with open_site() as site, over_stdio(folder, "--browser", browser) as server, open_sessions(config) as raw:
        url = site.url_for(PAGE)
        tools = await open_loops(server.client, url, sessions)
        tabs = [await raw.get(("floor", str(number))).tab() for number in range(sessions)]
        floor = [partial(at_floor, Floor(tab), url) for tab in tabs]
        await keep_busy(floor, seconds / TURNS)
        for _ in range(TURNS):
            for loops, found in zip((tools, floor), rates, strict=True):
                found.append((await keep_busy(loops, seconds / TURNS))[0] * CALLS)
    through_tools, raw_commands = map(statistics.mean, rates)
    return AtFloor(sessions, through_tools, raw_commands, through_tools / raw_commands)


async def open_loops(client: Client, url: str, sessions: int) -> list[Loop]:
    """Open sessions and return the loop of each one, warmed up."""
    loops = [partial(with_tools, client, str(number), url) for number in range(sessions)]
    for number, loop in enumerate(loops):
        await call(client, "browser_session_create", name=str(number))
        for _ in range(WARM_UP):
            await loop()
    return [*loops]


async def with_tools(client: Client, session: str, url: str) -> None:
    """Run one loop through the tools."""
    await call(client, "browser_navigate", session=session, url=url)
    await call(client, "browser_snapshot", session=session)
    await call(client, "browser_click", session=session, selector=FIELD)


async def at_floor(floor: Floor, url: str) -> None:
    """Run the same loop with raw commands."""
    await floor.navigate(url)
    await floor.walk()
    await floor.click(FIELD)


async def keep_busy(loops: Sequence[Loop], seconds: float) -> tuple[float, list[float]]:
    """Repeat all loops concurrently. Return the loops per second and the duration of each loop in seconds."""
    taken: list[float] = []
    rates: list[float] = []
    begun = time.perf_counter()

    async def repeat(loop: Loop) -> None:
        count, now = 0, begun
        while now < begun + seconds:
            await loop()
            count, before, now = count + 1, now, time.perf_counter()
            taken.append(now - before)
        rates.append(count / (now - begun))

    async with trio.open_nursery() as nursery:
        for loop in loops:
            nursery.start_soon(repeat, loop)
    return sum(rates), taken
