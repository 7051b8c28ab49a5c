"""Performance of pages: ``--caps perf``."""

import re
from collections.abc import Callable

import pytest

from tests.support.world import Agent

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
        assert "This browser does not report layout shifts, long animation frames and long tasks, " in answer
        assert "render-blocking requests." in answer


def test_a_slow_interaction(coach: Agent) -> None:
    coach.show(PAGE)
    coach("browser_click", selector="#slow")
    answer = coach("browser_vitals")
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
