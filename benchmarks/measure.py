"""Servers and floors take turns at an operation, so that all of them meet the same machine."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field

import trio
from mcp import MCPError

from benchmarks.operations import Operation
from benchmarks.servers import CallFailedError
from benchmarks.ways import LIMIT, Shown, Way

WARM_UP = 3

START_ROUNDS = 10
"""How many starts are measured at most: each takes seconds, and varies little."""

FAILURES = (CallFailedError, MCPError, trio.TooSlowError, OSError, ExceptionGroup)
"""What a server may do wrong without ending the run; a connection that it has closed is an MCPError."""

INITIALIZE, FIRST_NAVIGATE = "start-initialize", "start-navigate"
"""From the start of the process to the first answer, and to the first page. At the floor: to the browser's session."""

Opener = Callable[[], AbstractAsyncContextManager[Way]]
"""Starts a server, or a browser for a floor."""


@dataclass
class Figure:
    """What one operation took in one way."""

    ms: list[float] = field(default_factory=list[float])
    cpu_ms: list[float] = field(default_factory=list[float])
    """Processor time of the server, without its browser. Empty at the floor."""
    size: int = 0
    """Bytes of the last answer's text."""
    shown: Shown = "yes"
    """Where the last answer had the effect, if there was to be one."""
    error: str = ""
    """Why it wasn't measured to the end."""


@dataclass
class Cost:
    """What a server costs, whatever it does."""

    tools: int = 0
    tools_bytes: int = 0
    start_mib: float = 0.0
    """Memory when only this server runs and has opened its first page."""
    end_mib: float = 0.0
    """Memory after all operations; what two of the same kind share, counts half."""


Figures = dict[str, dict[str, Figure]]
"""By the operation, and then by the way."""


async def measure_starts(
    openers: Mapping[str, Opener], first: Operation, rounds: int, costs: dict[str, Cost]
) -> Figures:
    """Start each alone, go to a page, and end it, in turn. Also looks at what it costs then."""
    initialize, navigate = {name: Figure() for name in openers}, {name: Figure() for name in openers}
    for number in range(1 + min(rounds, START_ROUNDS)):
        for name, opener in openers.items():
            if initialize[name].error or navigate[name].error:
                continue
            begun = time.perf_counter()
            try:
                async with opener() as way:
                    taken = [(time.perf_counter() - begun) * 1000]
                    if way.offers(first):
                        with trio.fail_after(LIMIT):
                            await way.start()
                            await way.open(first.url)
                        taken.append((time.perf_counter() - begun) * 1000)
                    if way.family:
                        way.family.look()
                        costs[name].start_mib = way.family.memory()
            except FAILURES as error:
                initialize[name].error = navigate[name].error = first_line(error)
                continue
            if number:
                for figure, ms in zip((initialize[name], navigate[name]), taken, strict=False):
                    figure.ms.append(ms)
    return {INITIALIZE: initialize, FIRST_NAVIGATE: navigate}


async def measure_all(
    openers: Mapping[str, Opener], wanted: Sequence[Operation], rounds: int, costs: dict[str, Cost]
) -> Figures:
    """Start all, and measure one operation after the other. Also looks at what each server costs in the end."""
    found: Figures = {operation.name: {} for operation in wanted}
    ways: list[Way] = []
    async with AsyncExitStack() as stack:
        for name, opener in openers.items():
            try:
                way = await stack.enter_async_context(opener())
                with trio.fail_after(LIMIT):
                    tools = await way.tools()
                    await way.start()
            except FAILURES as error:
                for figures in found.values():
                    figures[name] = Figure(error=first_line(error))
                continue
            costs[name].tools, costs[name].tools_bytes = len(tools), len(f"[{','.join(tools)}]".encode())
            ways.append(way)
        for operation in wanted:
            print(f"{operation.name} …", file=sys.stderr, flush=True)
            found[operation.name] |= await measure(operation, ways, rounds)
        for way in ways:
            if way.family:
                way.family.look()
                costs[way.name].end_mib = way.family.memory()
    return found


async def measure(operation: Operation, ways: Sequence[Way], rounds: int) -> dict[str, Figure]:
    """Do the operation once in each way in turn, again and again, beginning with another way each time."""
    able = [way for way in ways if way.offers(operation)]
    found = {way.name: Figure() for way in able}
    for number in range(WARM_UP + rounds):
        first = number % len(able) if able else 0
        for way in able[first:] + able[:first]:
            figure = found[way.name]
            if figure.error:
                continue
            try:
                with trio.fail_after(LIMIT):
                    await _once(operation, way, figure, number)
            except FAILURES as error:
                figure.error = first_line(error)
    return found


async def _once(operation: Operation, way: Way, figure: Figure, number: int) -> None:
    if operation.reload or not number:
        await way.open(operation.url)
    if operation.element:
        element = await way.find(operation.element)
    else:
        # What the others ran meanwhile has cooled it down, by a few milliseconds. Finding an element warms it, too.
        element = ""
        await way.perform(operation, element)
    if way.family and number == WARM_UP:
        way.family.look()
    cpu, begun = way.family.cpu_ms() if way.family else 0.0, time.perf_counter()
    answer = await way.perform(operation, element)
    taken = (time.perf_counter() - begun) * 1000
    if number < WARM_UP:
        return
    figure.ms.append(taken)
    figure.size = len(answer.encode())
    figure.shown = way.shows(operation.effect, answer)
    if way.family:
        figure.cpu_ms.append(way.family.cpu_ms() - cpu)


def first_line(error: BaseException) -> str:
    """Return what an error says first, or what the first error of a group does."""
    match error:
        case BaseExceptionGroup(exceptions=[first, *_]):
            return first_line(first)
        case _:
            lines = str(error).strip().splitlines() or [""]
            return f"{type(error).__name__}: {lines[0]}"[:200]
