"""Measure operations round robin over all subjects, so that each one meets the same load of the machine."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field

import trio
from mcp import MCPError

from benchmarks.operations import Operation
from benchmarks.servers import CallFailedError
from benchmarks.subjects import LIMIT, Shown, Subject

WARM_UP = 3

START_ROUNDS = 10
"""Maximum number of measured starts: each takes seconds and varies little."""

FAILURES = (CallFailedError, MCPError, trio.TooSlowError, OSError, ExceptionGroup)
"""Failures of a server that do not end the run. A closed connection raises MCPError."""

INITIALIZE, FIRST_NAVIGATE = "start-initialize", "start-navigate"
"""Time from the start of the process to the first answer, and to the first page. At the floor: to the session."""

Opener = Callable[[], AbstractAsyncContextManager[Subject]]
"""Starts a server, or the browser of a floor."""


@dataclass
class Figure:
    """Figures of one operation by one subject."""

    ms: list[float] = field(default_factory=list[float])
    cpu_ms: list[float] = field(default_factory=list[float])
    """Processor time of the server, without its browser. Empty at the floor."""
    size: int = 0
    """Bytes of the last answer's text."""
    shown: Shown = "yes"
    """Where the last answer showed the effect, for operations that have one."""
    error: str = ""
    """Reason why the measurement stopped early."""


@dataclass
class Cost:
    """Cost of a server, independent of operations."""

    tools: int = 0
    tools_bytes: int = 0
    start_mib: float = 0.0
    """Memory with the first page open while no other server runs."""
    end_mib: float = 0.0
    """Memory after all operations. Memory shared by two servers counts half for each."""


Figures = dict[str, dict[str, Figure]]
"""Figures by operation, then by subject."""


async def measure_starts(
    openers: Mapping[str, Opener], first: Operation, rounds: int, costs: dict[str, Cost]
) -> Figures:
    """Start each subject alone, open a page and end it, in turn. Also records the start-up cost."""
    initialize, navigate = {name: Figure() for name in openers}, {name: Figure() for name in openers}
    for number in range(1 + min(rounds, START_ROUNDS)):
        for name, opener in openers.items():
            if initialize[name].error or navigate[name].error:
                continue
            begun = time.perf_counter()
            try:
                async with opener() as subject:
                    taken = [(time.perf_counter() - begun) * 1000]
                    if subject.offers(first):
                        with trio.fail_after(LIMIT):
                            await subject.start()
                            await subject.open(first.url)
                        taken.append((time.perf_counter() - begun) * 1000)
                    if subject.family:
                        subject.family.look()
                        costs[name].start_mib = subject.family.memory()
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
    """Start all subjects and measure one operation after the other. Also records the final cost."""
    found: Figures = {operation.name: {} for operation in wanted}
    subjects: list[Subject] = []
    async with AsyncExitStack() as stack:
        for name, opener in openers.items():
            try:
                subject = await stack.enter_async_context(opener())
                with trio.fail_after(LIMIT):
                    tools = await subject.tools()
                    await subject.start()
            except FAILURES as error:
                for figures in found.values():
                    figures[name] = Figure(error=first_line(error))
                continue
            costs[name].tools, costs[name].tools_bytes = len(tools), len(f"[{','.join(tools)}]".encode())
            subjects.append(subject)
        for operation in wanted:
            print(f"{operation.name} …", file=sys.stderr, flush=True)
            found[operation.name] |= await measure(operation, subjects, rounds)
        for subject in subjects:
            if subject.family:
                subject.family.look()
                costs[subject.name].end_mib = subject.family.memory()
    return found


async def measure(operation: Operation, subjects: Sequence[Subject], rounds: int) -> dict[str, Figure]:
    """Repeat the operation by each subject in turn; every round begins with another subject."""
    able = [subject for subject in subjects if subject.offers(operation)]
    found = {subject.name: Figure() for subject in able}
    for number in range(WARM_UP + rounds):
        first = number % len(able) if able else 0
        for subject in able[first:] + able[:first]:
            figure = found[subject.name]
            if figure.error:
                continue
            try:
                with trio.fail_after(LIMIT):
                    await _once(operation, subject, figure, number)
            except FAILURES as error:
                figure.error = first_line(error)
    return found


async def _once(operation: Operation, subject: Subject, figure: Figure, number: int) -> None:
    if operation.reload or not number:
        await subject.open(operation.url)
    if operation.element:
        element = await subject.find(operation.element)
    else:
        # The work of other subjects cools caches down, by a few milliseconds. Finding an element warms them again.
        element = ""
        await subject.perform(operation, element)
    if subject.family and number == WARM_UP:
        subject.family.look()
    cpu, begun = subject.family.cpu_ms() if subject.family else 0.0, time.perf_counter()
    answer = await subject.perform(operation, element)
    taken = (time.perf_counter() - begun) * 1000
    if number < WARM_UP:
        return
    figure.ms.append(taken)
    figure.size = len(answer.encode())
    figure.shown = subject.shows(operation.effect, answer)
    if subject.family:
        figure.cpu_ms.append(subject.family.cpu_ms() - cpu)


def first_line(error: BaseException) -> str:
    """Return the first line of an error, or of the first error in a group."""
    match error:
        case BaseExceptionGroup(exceptions=[first, *_]):
            return first_line(first)
        case _:
            lines = str(error).strip().splitlines() or [""]
            return f"{type(error).__name__}: {lines[0]}"[:200]
