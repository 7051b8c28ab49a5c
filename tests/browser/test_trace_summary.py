"""The summary of a trace, from its text."""

import json

from bidi_server.browser.pages.trace_summary import TraceSummary, Work

PAGE, OTHER = 7, 8
"""Processes: that of the traced page, and that of another."""


def event(name: str, time: int, duration: int | None = None, pid: int = PAGE, **data: object) -> dict[str, object]:
    """Return an event on the main thread of a process; times are in milliseconds."""
    timed = {"ph": "I"} if duration is None else {"ph": "X", "dur": duration * 1000}
    return {"args": {"data": data}, "name": name, "pid": pid, "tid": pid, "ts": 1_000_000 + time * 1000, **timed}


def main_thread(pid: int) -> dict[str, object]:
    return {"args": {"name": "CrRendererMain"}, "name": "thread_name", "ph": "M", "pid": pid, "tid": pid, "ts": 0}


def summary(*events: dict[str, object], step: int = 10_000) -> Work:
    """Return the summary of a trace that arrives in parts of some characters."""
    text = '{"traceEvents":[\n' + ",\n".join(map(json.dumps, events)) + '],\n"metadata":{"x":1}}'
    found = TraceSummary("page")
    for at in range(0, len(text), step):
        found.feed(text[at : at + step])
    return found.finish()


EVENTS = (
    main_thread(PAGE),
    main_thread(OTHER),
    event("Begin", 0, frame="page"),
    event("RunTask", 0, 100),
    event("EvaluateScript", 5, 90, url="http://a/a.js"),
    event("Unknown", 10, 20),
    event("FunctionCall", 40, 30, functionName="f", url="http://a/b.js"),
    event("Layout", 50, 15),
    event("RunTask", 110, 60),
    event("RunTask", 200, 10),
    event("RunTask", 300, 500, pid=OTHER),
    event("ResourceSendRequest", 20, requestId="1", url="http://a/x"),
    event("ResourceSendRequest", 21, requestId="2", url="data:,x"),
    event("ResourceSendRequest", 22, requestId="1", url="http://b/secret", pid=OTHER),
    event("ResourceFinish", 30, requestId="1", encodedDataLength=500),
    event("ResourceFinish", 31, requestId="2", encodedDataLength=9),
    event("ResourceFinish", 32, requestId="1", encodedDataLength=9, pid=OTHER),
)


def test_work_is_summed_by_kind_without_what_is_in_it() -> None:
    found = summary(*EVENTS)
    assert dict(found.times) == {"scripts": 75_000, "styles and layout": 15_000, "other": 80_000}


def test_long_tasks_are_named_after_the_script_that_took_most_of_them() -> None:
    found = summary(*EVENTS)
    assert found.long_tasks == 2
    assert [(task.value, task.time, task.what) for task in sorted(found.tasks)] == [
        (60, 110, ""),
        (100, 0, "http://a/a.js"),
    ]


def test_requests_of_the_page_are_counted() -> None:
    found = summary(*EVENTS)
    assert (found.requests, found.bytes) == (1, 500)
    assert [request.what for request in found.largest] == ["http://a/x"]


def test_it_does_not_matter_how_the_text_is_cut() -> None:
    assert summary(*EVENTS, step=7) == summary(*EVENTS)


def test_only_the_largest_items_are_kept() -> None:
    tasks = [event("RunTask", 1000 * number, 50 + number) for number in range(100)]
    found = summary(*EVENTS[:3], *tasks)
    assert found.long_tasks == 100
    assert sorted(task.value for task in found.tasks) == [145, 146, 147, 148, 149]


def test_odd_events_are_ignored() -> None:
    odd: list[dict[str, object]] = [
        {"name": "RunTask"},
        {"ts": "x"},
        {"ts": 1, "args": 5},
        {"ts": 2, "name": "ResourceFinish", "args": []},
    ]
    found = TraceSummary("page")
    found.feed("no JSON\n[1],\n" + "[" * 100_000 + "\n" + "".join(f"{json.dumps(each)},\n" for each in odd))
    assert found.finish() == Work()
