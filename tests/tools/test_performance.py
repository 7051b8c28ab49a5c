"""Performance of pages: ``--caps perf``."""

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.world import Agent, Answer

MakeAgent = Callable[..., Agent]

STYLE = "<link rel=stylesheet href='/slow?ms=100&vitals'>"
PAGE = """<div id=room></div><h1>Large title of the page</h1><button id=slow>Slow</button>
<button id=shift>Shift</button><script>
const work = (time) => { const begun = performance.now(); while (performance.now() - begun < time); };
slow.onclick = () => { work(200); slow.textContent = 'Done'; };
// Half a second after an input, a shift counts.
shift.onclick = () => setTimeout(() => {
  room.style.height = '200px';
  requestAnimationFrame(() => requestAnimationFrame(() => { shift.textContent = 'Shifted'; }));
}, 700);
</script>"""


@pytest.fixture
def coach(make_agent: MakeAgent) -> Agent:
    """Return an agent with the tools."""
    return make_agent(caps=("perf",))


def reports(agent: Agent, kind: str) -> bool:
    """Whether the browser reports entries of a type."""
    return agent.evaluate(f"PerformanceObserver.supportedEntryTypes.includes('{kind}')") == "true"


def test_vitals_of_a_page_that_loads(coach: Agent) -> None:
    coach.show(PAGE, head=STYLE)
    answer = coach("browser_vitals")
    assert re.search(r'^LCP: \d+ ms, \w[\w ]*: heading "Large title of the page"$', answer.text, re.MULTILINE)
    assert re.search(
        r"^  TTFB \d+ ms, load delay 0 ms, load time 0 ms, render delay \d+ ms$", answer.text, re.MULTILINE
    )
    assert re.search(r"^FCP: \d+ ms, ", answer.text, re.MULTILINE)
    assert re.search(r"^TTFB: \d+ ms, ", answer.text, re.MULTILINE)
    if coach.evaluate("'renderBlockingStatus' in PerformanceResourceTiming.prototype") == "true":
        assert re.search(
            r"^Render-blocking: http\S+/slow\S*vitals, \d+ ms from \d+ ms, \d+ bytes$", answer.text, re.MULTILINE
        )
    else:
        assert "This browser does not report layout shifts, " in answer
        assert "render-blocking requests." in answer


def test_a_slow_interaction(coach: Agent) -> None:
    coach.show(PAGE)
    coach("browser_click", selector="#slow")
    answer = coach("browser_vitals")
    if "slow interactions" in answer:  # Firefox 140
        assert coach.evaluate("'interactionId' in PerformanceEventTiming.prototype") == "false"
        return
    assert re.search(r'^INP: \d+ ms, .*: click on button "Done" \[ref=\w+\] at \d+ ms$', answer.text, re.MULTILINE)
    assert re.search(r"^  input delay \d+ ms, processing \d+ ms, presentation delay \d+ ms$", answer.text, re.MULTILINE)
    if reports(coach, "long-animation-frame"):
        assert re.search(
            r"^  \d+ ms at \d+ ms, blocking \d+ ms: BUTTON#slow.onclick \d+ ms in http", answer.text, re.MULTILINE
        )


def test_a_layout_shift_and_its_source(coach: Agent) -> None:
    coach.show(PAGE)
    if not reports(coach, "layout-shift"):
        assert "does not report layout shifts" in coach("browser_vitals")
        return
    coach("browser_click", selector="#shift")
    coach("browser_wait_for", text="Shifted")
    answer = coach("browser_vitals")
    found = re.search(r"^CLS: (0\.\d+), .*\n  0\.\d+ at \d+ ms: (.*)$", answer.text, re.MULTILINE)
    assert found, answer
    assert float(found[1]) > 0
    assert re.search(r'Large title of the page.*" from \d+,\d+ \d+x\d+ to \d+,\d+ \d+x\d+', found[2])


def test_a_picture_is_the_largest_paint(coach: Agent) -> None:
    coach.show("<img src='/slow?ms=50&picture' alt=Missing><img src='/image.png' alt=Chart width=600 height=400>")
    answer = coach("browser_vitals")
    found = re.search(
        r'^LCP: .*: img "Chart" \S+/image\.png\n  TTFB \d+ ms, load delay \d+ ms, load time \d+ ms, ',
        answer.text,
        re.MULTILINE,
    )
    assert found, answer


def cannot(agent: Agent) -> bool:
    """Whether the browser has no DevTools protocol."""
    return agent.world.browser != "chromium"


def trace_of(answer: Answer) -> tuple[Path, list[dict[str, object]]]:
    """Return the path of a trace that an answer names, and its events."""
    found = re.search(r"^Trace of [\d,]+ bytes: (.*)$", answer.text, re.MULTILINE)
    assert found, answer
    path = Path(found[1])
    data = path.read_bytes()
    return path, json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)["traceEvents"]


def test_a_trace_of_a_load(coach: Agent) -> None:
    coach.show(f"{PAGE}<script>work(120)</script>", head="<link rel=stylesheet href='/slow?ms=10&trace'>")
    answer = coach("browser_trace_start")
    if cannot(coach):
        assert answer.is_error
        assert "Only Chromium records traces. Use Chromium." in answer
        return
    path, events = trace_of(answer)
    assert path.name.endswith(".json.gz")
    names = {event["name"] for event in events}
    assert {"navigationStart", "ResourceSendRequest", "RunTask", "ParseHTML", "TracingStartedInBrowser"} <= names
    assert re.search(r"^Main thread: .*scripts \d+ ms", answer.text, re.MULTILINE)
    assert re.search(r"^Long tasks: [1-9]", answer.text, re.MULTILINE)
    assert re.search(r"^  [\d,]+ bytes at \d+ ms: http\S+&trace$", answer.text, re.MULTILINE)
    assert "The page since it was opened:\n  LCP: " in answer
    assert "No trace is being recorded." in coach("browser_trace_stop")


def test_a_trace_of_actions(coach: Agent) -> None:
    coach.show(PAGE)
    if cannot(coach):
        assert "No trace is being recorded." in coach("browser_trace_stop")
        return
    assert "Recording a trace until browser_trace_stop." in coach("browser_trace_start", reload=False)
    answer = coach("browser_trace_start", reload=False)
    assert answer.is_error
    assert "A browser records one at a time" in answer
    coach("browser_click", selector="#slow")
    assert coach("browser_trace_stop", filename="trace.png").is_error
    answer = coach("browser_trace_stop", filename="actions.json")
    path, events = trace_of(answer)
    assert path.name == "actions.json"
    dispatched = [event for event in events if event["name"] == "EventDispatch"]
    assert any('"type": "click"' in json.dumps(event) for event in dispatched)
    assert re.search(r"^  \d+ ms at \d+ ms: slow\.onclick in http", answer.text, re.MULTILINE)


def test_a_trace_over_http_needs_a_browser_of_its_own(make_agent: MakeAgent) -> None:
    answer = make_agent(caps=("perf",), transport="http")("browser_trace_start")
    assert answer.is_error
    assert "A trace shows the pages of every client" in answer


LEAK = """<button id=leak>Leak</button><button id=none>None</button><script>
const kept = [];
leak.onclick = () => {
  for (let number = 0; number < 50; number++) {
    const element = document.createElement('div');
    element.addEventListener('click', () => {});
    kept.push(element);
  }
};
</script>"""


def growth(answer: Answer) -> tuple[float, float]:
    """Return how many nodes and listeners each run of the steps has added."""
    found = re.search(r"^Growth for each run: \S+ kB, (\S+) nodes, (\S+) listeners, ", answer.text, re.MULTILINE)
    assert found, answer
    return float(found[1]), float(found[2])


def test_the_size_of_the_heap(coach: Agent) -> None:
    coach.show(LEAK)
    answer = coach("browser_heap")
    if cannot(coach):
        assert answer.is_error
        assert "Only Chromium tells the size of the heap. Use Chromium." in answer
        return
    assert re.search(r"^\d+\.\d\d MB of objects, \d+ DOM nodes, \d+ listeners, \d+ documents", answer.text)


def test_steps_that_leak(coach: Agent) -> None:
    coach.show(LEAK)
    step = {"tool": "browser_click", "arguments": {"selector": "#leak"}}
    answer = coach("browser_heap", steps=[step], times=2)
    if cannot(coach):
        assert answer.is_error
        return
    nodes, listeners = growth(answer)
    assert nodes > 40
    assert listeners == 50
    answer = coach("browser_heap", steps=[{"tool": "browser_click", "arguments": {"selector": "#none"}}], times=2)
    nodes, listeners = growth(answer)
    assert nodes < 10
    assert listeners == 0


def test_steps_that_fail(coach: Agent) -> None:
    coach.show(LEAK)
    answer = coach("browser_heap", steps=[{"tool": "browser_click", "arguments": {"selector": "#nowhere"}}])
    assert answer.is_error
    if not cannot(coach):
        assert "Run 1 of the steps:\n1. No element matches the selector '#nowhere'." in answer
