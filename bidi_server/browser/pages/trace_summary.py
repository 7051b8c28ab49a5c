"""Summary of a Chromium trace, which is read line by line.

https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from heapq import heappush, heappushpop

from drivers.json_values import Json, fields, is_object

LONG_TASK = 50_000
"""Minimum duration of a long task, in microseconds: https://w3c.github.io/longtasks/."""

MOST = 5
"""Maximum numbers of tasks and requests in a summary."""

MOSTLY = 0.5
"""Minimum fraction of a task that a script takes for the task to be named after it."""

_decode = json.JSONDecoder().raw_decode
"""Reads a JSON value at the beginning of a text: a comma or the end of the list follows each event."""

MAX_REQUESTS = 10_000
"""Maximum number of requests whose URLs are remembered."""

_KINDS = {
    **dict.fromkeys(
        (
            "EvaluateScript", "FunctionCall", "TimerFire", "FireAnimationFrame", "FireIdleCallback", "EventDispatch",
            "RunMicrotasks", "v8.compile", "v8.compileModule", "v8.evaluateModule", "v8.produceCache", "v8.run",
            "XHRReadyStateChange", "XHRLoad",
        ),
        "scripts",
    ),
    **dict.fromkeys(("MinorGC", "MajorGC", "BlinkGC.AtomicPhase", "V8.GC_MARK_COMPACTOR"), "garbage collection"),
    **dict.fromkeys(
        ("UpdateLayoutTree", "Layout", "PrePaint", "HitTest", "IntersectionObserverController::computeIntersections"),
        "styles and layout",
    ),
    **dict.fromkeys(("Paint", "PaintImage", "Layerize", "Commit", "UpdateLayer", "Decode Image"), "painting"),
    **dict.fromkeys(("ParseHTML", "ParseAuthorStyleSheet", "CommitLoad"), "parsing"),
}  # fmt: skip
"""Kinds of work by the names of events, as in the summary of Chromium's DevTools."""


@dataclass(order=True, frozen=True, slots=True)
class Ranked:
    """A task (a duration in milliseconds) or a request (a size in bytes), with its time in the trace and its source."""

    value: float
    time: float
    what: str


@dataclass(slots=True)
class Work:
    """The sums and the largest items of a process that shows pages."""

    times: Counter[str] = field(default_factory=Counter[str])
    """Time of its main thread by kind of work, in microseconds."""
    long_tasks: int = 0
    tasks: list[Ranked] = field(default_factory=list[Ranked])
    """The longest of them."""
    requests: int = 0
    bytes: float = 0
    """Received over the network."""
    largest: list[Ranked] = field(default_factory=list[Ranked])
    """The largest requests."""

    def add(self, other: "Work") -> None:
        """Add the work of another process."""
        self.times += other.times
        self.long_tasks += other.long_tasks
        self.requests += other.requests
        self.bytes += other.bytes
        for mine, more in ((self.tasks, other.tasks), (self.largest, other.largest)):
            for item in more:
                _keep(mine, item)


@dataclass(slots=True)
class _Open:
    """An event on a main thread, whose nested events may follow. Times are in microseconds."""

    end: float
    duration: float
    kind: str
    is_task: bool
    what: str
    """The script that it is about, or that the longest event in it is about."""
    is_named: bool
    """Whether it is about a script itself."""
    inner: float = 0
    """Duration of the events directly in it."""
    longest: float = 0
    """Duration of the event that `what` is from."""


@dataclass(slots=True)
class _Process:
    """A process in the trace."""

    work: Work = field(default_factory=Work)
    main_thread: object = None
    stack: list[_Open] = field(default_factory=list[_Open])
    """Open events of the main thread."""
    shows_page: bool = False
    """Whether it has shown the document of the traced page."""


@dataclass(slots=True)
class TraceSummary:
    """A summary of the work on one page, given by the DevTools' id of its main frame. Feed it with the trace's text."""

    frame: str
    _rest: str = ""
    _begin: float = 0
    _processes: dict[object, _Process] = field(default_factory=dict[object, _Process])
    _begun: dict[tuple[object, str], tuple[float, str]] = field(
        default_factory=dict[tuple[object, str], tuple[float, str]]
    )
    """Requests that have begun: their times and URLs."""

    def feed(self, text: str) -> None:
        """Read the next part of the trace. Chromium 150 and 156 write each event on a line of its own."""
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            try:
                event, _ = _decode(line.lstrip())
            except (ValueError, RecursionError):
                continue
            if is_object(event):
                self._on_event(event)

    def finish(self) -> Work:
        """Return the work of the processes that have shown the page."""
        found = Work()
        for process in self._processes.values():
            while process.stack:
                self._close(process)
            if process.shows_page:
                found.add(process.work)
        return found

    def _on_event(self, event: Json) -> None:
        time, arguments = event.get("ts"), fields(event.get("args"))
        if not isinstance(time, int | float):
            return
        data = fields(arguments.get("data"))
        self._begin = self._begin or time
        process = self._processes.setdefault(event.get("pid"), _Process())
        if self.frame in (arguments.get("frame"), data.get("frame")):
            process.shows_page = True
        duration = event.get("dur")
        match event.get("name"):
            case "thread_name":
                if arguments.get("name") == "CrRendererMain":
                    process.main_thread = event.get("tid")
            case "ResourceSendRequest":
                if len(self._begun) < MAX_REQUESTS:
                    self._begun[event.get("pid"), str(data.get("requestId"))] = time, str(data.get("url", ""))
            case "ResourceFinish":
                self._on_response(
                    process.work, self._begun.pop((event.get("pid"), str(data.get("requestId"))), None), data
                )
            case name if event.get("ph") == "X" and event.get("tid") == process.main_thread:
                if isinstance(duration, int | float):
                    self._nest(process, str(name), data, time, duration)
            case _:
                pass

    def _on_response(self, work: Work, begun: tuple[float, str] | None, data: Json) -> None:
        size = data.get("encodedDataLength")
        # A data: URL is not fetched.
        if begun is None or not isinstance(size, int | float) or begun[1].startswith("data:"):
            return
        work.requests += 1
        work.bytes += size
        _keep(work.largest, Ranked(size, self._since_begin(begun[0]), begun[1]))

    def _nest(self, process: _Process, name: str, data: Json, time: float, duration: float) -> None:
        stack = process.stack
        while stack and time >= stack[-1].end:
            self._close(process)
        above = stack[-1] if stack else None
        if above is not None:
            above.inner += duration
        # What has no kind of its own counts as part of what it is in.
        kind = _KINDS.get(name) or (above.kind if above is not None else "other")
        url, function = str(data.get("url") or ""), str(data.get("functionName") or "")
        what = f"{function} in {url}" if function and url else url
        stack.append(_Open(time + duration, duration, kind, name == "RunTask", what, bool(what), longest=duration))

    def _close(self, process: _Process) -> None:
        event, work = process.stack.pop(), process.work
        work.times[event.kind] += max(0, round(event.duration - event.inner))
        if event.is_task and event.duration >= LONG_TASK:
            work.long_tasks += 1
            what = event.what if event.longest >= event.duration * MOSTLY else ""
            _keep(work.tasks, Ranked(event.duration / 1000, self._since_begin(event.end - event.duration), what))
        above = process.stack[-1] if process.stack else None
        if above is None or above.is_named or not event.what:
            return
        if not above.what or event.longest > above.longest:
            above.what, above.longest = event.what, event.longest

    def _since_begin(self, time: float) -> float:
        return (time - self._begin) / 1000


def _keep(largest: list[Ranked], item: Ranked) -> None:
    """Add an item to a heap of the `MOST` largest."""
    if len(largest) < MOST:
        heappush(largest, item)
    else:
        heappushpop(largest, item)
