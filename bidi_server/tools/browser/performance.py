"""Performance of pages: ``--caps perf``."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated

from pydantic import Field

from bidi_server.browser.files.outputs import timestamp
from bidi_server.browser.pages.heap import Heap, measure_heap
from bidi_server.browser.pages.navigate import reload
from bidi_server.browser.pages.performance import vitals
from bidi_server.browser.pages.trace import Trace, give_up_trace, start_trace, stop_trace
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import address, clip, describe
from bidi_server.errors import InvalidParametersError, NotAllowedError, ToolError
from bidi_server.page.api import BusyTimes, Interaction, LargestPaint, Shifts, Vitals
from bidi_server.tools.base import SessionTool, TabTool
from bidi_server.tools.browser.run import MAX_STEPS, BrowserRun, Step
from bidi_server.tools.outcome import Outcome

_RATED: Mapping[str, tuple[float, float]] = {
    "LCP": (2500, 4000),
    "CLS": (0.1, 0.25),
    "INP": (200, 500),
    "FCP": (1800, 3000),
    "TTFB": (800, 1800),
}
"""Maximum values that are good, and that need improvement; times in milliseconds: https://web.dev/articles/vitals."""

_LACKS = {
    "largest-contentful-paint": "the largest contentful paint",
    "layout-shift": "layout shifts",
    "event": "slow interactions",
    "longtask": "long animation frames and long tasks",
}
"""Words for types of entries that a browser does not report."""


class BrowserVitals(TabTool):
    """Measure the page's web vitals so far, with their causes: LCP, CLS, INP, FCP, TTFB, long frames, what blocks."""

    capabilities = ("perf",)
    read_only = True

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        out.say(*_vitals(await vitals(tab)))


class BrowserTraceStart(SessionTool):
    """Record a trace of the browser's work on the page, for DevTools or Perfetto (Chromium)."""

    capabilities = ("perf",)
    is_step = False

    reload: bool = True
    """Reload the page once recording has begun."""
    auto_stop: bool = True
    """With reload: stop when the page has settled."""
    filename: str | None = None
    """With autoStop: .json.gz or .json."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        name = _trace_name(self.filename)
        if session.config.transport == "http" and session.config.isolation != "process":
            raise NotAllowedError(
                "A trace shows the pages of every client that uses the browser.",
                "Start the server with --isolation process.",
            )
        tab = await session.tab()
        tab.dialogs.check_none()
        await start_trace(tab)
        stops = self.reload and self.auto_stop
        try:
            if self.reload:
                await out.settle(tab, reload(tab))
        except BaseException:
            await give_up_trace(tab)
            raise
        if stops:
            await _stop(session, tab, name, out)
        else:
            out.say("Recording a trace until browser_trace_stop.")


class BrowserTraceStop(SessionTool):
    """Stop the trace and write it to a file, with a summary."""

    capabilities = ("perf",)
    ignores_dialog = True
    is_step = False

    filename: str | None = None
    """.json.gz or .json."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        name = _trace_name(self.filename)
        tab = _traced(session)
        await _stop(session, tab, name, out)


class BrowserHeap(SessionTool):
    """Measure the memory of the page; with steps, whether it grows each time that they are repeated (Chromium)."""

    capabilities = ("perf",)
    is_step = False

    collect: bool = True
    """Collect garbage before."""
    steps: Annotated[list[Step], Field(max_length=MAX_STEPS)] = Field(default_factory=list[Step])
    """As for browser_run; they should end where they begin."""
    times: Annotated[int, Field(ge=2, le=20)] = 3
    """That the steps are repeated."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab = await session.tab()
        tab.dialogs.check_none()
        if not self.steps:
            out.say(_heap(await measure_heap(tab, collect=self.collect)))
            return
        await measure_heap(tab, collect=False)  # before steps are done in vain in another browser
        measured: list[Heap] = []
        # Not counted: what the first run loads and caches stays.
        for number in range(self.times + 1):
            if not await self._repeat(session, out, number):
                return
            measured.append(await measure_heap(await session.tab(), collect=True))
            await out.progress(number + 1, self.times + 1, f"Run {number + 1} of {self.times + 1}")
        out.say(f"After the first run: {_heap(measured[0])}")
        out.say(*(f"After {number} more: {_heap(heap)}" for number, heap in enumerate(measured[1:], 1)))
        out.say(f"Growth for each run: {_growth(measured)}")

    async def _repeat(self, session: Session, out: Outcome, number: int) -> bool:
        """Do the steps. Return whether all were done; otherwise the outcome says what went wrong."""
        part = Outcome(snapshot_mode="none")
        await BrowserRun(steps=self.steps).run(session, part)
        if part.failure:
            out.failure = f"Run {number + 1}: {part.failure}"
            out.say(f"Run {number + 1} of the steps:")
            out.lines += part.lines
        return not part.failure


def _heap(heap: Heap) -> str:
    return (
        f"{heap.used / 1e6:.2f} MB of objects, {heap.nodes:.0f} DOM nodes, {heap.listeners:.0f} listeners, "
        f"{heap.documents:.0f} documents"
    )


def _growth(measured: Sequence[Heap]) -> str:
    first, last, runs = measured[0], measured[-1], len(measured) - 1

    def each(name: str) -> float:
        return (getattr(last, name) - getattr(first, name)) / runs

    return (
        f"{each('used') / 1000:+.1f} kB, {each('nodes'):+.1f} nodes, {each('listeners'):+.1f} listeners, "
        f"{each('documents'):+.1f} documents"
    )


def _trace_name(name: str | None) -> str:
    if name is None:
        return f"trace-{timestamp()}.json.gz"
    if not name.endswith((".json", ".json.gz")):
        raise InvalidParametersError(
            f"{clip(name)!r} has another ending.", "Pass a name that ends in .json.gz or .json."
        )
    return name


def _traced(session: Session) -> Tab:
    """Return the tab that a trace is recorded of. Raises `InvalidParametersError` if there is none."""
    for context in session.contexts.values():
        for tab in context.tabs:
            if tab.trace_session:
                return tab
    raise InvalidParametersError("No trace is being recorded.", "Call browser_trace_start.")


async def _stop(session: Session, tab: Tab, name: str, out: Outcome) -> None:
    try:
        path = await session.outputs.place(name)
        await session.outputs.check_replaceable(path)
    except BaseException:
        await give_up_trace(tab)
        raise
    trace = await stop_trace(tab, path)
    out.files.append(path)
    out.say(f"Trace of {trace.size:,} bytes: {path}", *_trace(trace))
    # A page that does not answer has no vitals.
    with suppress(ToolError):
        out.say("The page since it was opened:", *(f"  {line}" for line in _vitals(await vitals(tab))))


def _trace(trace: Trace) -> Iterator[str]:
    found = trace.work
    if trace.is_cut:
        yield "The browser's buffer was full before the end."
    work = [f"{kind} {_ms(time / 1000)}" for kind, time in found.times.most_common() if time >= 500]
    yield f"Main thread: {', '.join(work) or 'nothing'}"
    yield f"Long tasks: {found.long_tasks}"
    for task in sorted(found.tasks, reverse=True):
        what = f": {clip(task.what, 200)}" if task.what else ""
        yield f"  {_ms(task.value)} at {_ms(task.time)}{what}"
    yield f"Requests: {found.requests}, {found.bytes:,.0f} bytes over the network"
    for request in sorted(found.largest, reverse=True):
        yield f"  {request.value:,.0f} bytes at {_ms(request.time)}: {address(request.what)}"


def _vitals(found: Vitals) -> Iterator[str]:
    yield from _largest(found.largest)
    yield from _shifts(found.shifts)
    yield from _interaction(found.interaction, reported="event" not in found.lacks)
    if found.first_paint is not None:
        yield _rated("FCP", found.first_paint)
    yield _rated("TTFB", found.first_byte)
    for request in found.blocking or ():
        yield (
            f"Render-blocking: {address(request.url)}, {_ms(request.duration)} from {_ms(request.time)}, "
            f"{request.size} bytes"
        )
    yield from _busy(found.busy)
    lacks = [_LACKS[name] for name in found.lacks]
    lacks += [] if found.blocking is not None else ["render-blocking requests"]
    if lacks:
        yield f"This browser does not report {', '.join(lacks)}."


def _rated(name: str, value: float) -> str:
    good, fair = _RATED[name]
    grade = "good" if value <= good else "needs improvement" if value <= fair else "poor"
    return f"{name}: {f'{value:.3f}' if name == 'CLS' else _ms(value)}, {grade}"


def _ms(time: float) -> str:
    return f"{time:.0f} ms"


def _parts(names: str, times: tuple[float, ...]) -> str:
    return ", ".join(f"{name} {_ms(time)}" for name, time in zip(names.split(", "), times, strict=True))


def _element(element: Mapping[str, object] | None) -> str:
    return describe(element) if element is not None else "an element that is gone"


def _largest(found: LargestPaint | None) -> Iterator[str]:
    if found is None:
        return
    url = f" {address(found.url)}" if found.url else ""
    yield f"{_rated('LCP', found.time)}: {_element(found.element)}{url}"
    yield f"  {_parts('TTFB, load delay, load time, render delay', found.parts)}"


def _shifts(found: Shifts | None) -> Iterator[str]:
    if found is None:
        return
    yield _rated("CLS", found.sum)
    for shift in found.largest:
        moved = [
            f"{_element(source.element)} from {_box(source.before)} to {_box(source.after)}" for source in shift.sources
        ]
        yield f"  {shift.value:.3f} at {_ms(shift.time)}: {'; '.join(moved) or 'nothing that is still there'}"


def _box(box: tuple[int, int, int, int]) -> str:
    x, y, width, height = box
    return f"{x},{y} {width}x{height}"


def _interaction(found: Interaction | None, *, reported: bool) -> Iterator[str]:
    if found is None:
        if reported:
            yield "INP: no interaction took 104 ms or longer"
        return
    yield f"{_rated('INP', found.duration)}: {clip(found.event)} on {_element(found.element)} at {_ms(found.time)}"
    yield f"  {_parts('input delay, processing, presentation delay', found.parts)}"


def _busy(found: BusyTimes) -> Iterator[str]:
    if found.count:
        kind = "animation frames" if found.tells == "long-animation-frame" else "tasks"
        yield f"Long {kind}: {found.count}"
    for each in found.longest:
        scripts = [
            f"{clip(script.invoker)} {_ms(script.duration)}"
            + (f" ({_ms(script.layout)} in forced layouts)" if script.layout >= 1 else "")
            + (f" in {address(script.url)}" if script.url and script.url != script.invoker else "")
            for script in each.scripts
        ]
        by = f": {'; '.join(scripts)}" if scripts else ""
        yield f"  {_ms(each.duration)} at {_ms(each.time)}, blocking {_ms(each.blocking)}{by}"
