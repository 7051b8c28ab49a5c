"""The emulated clock: ``--caps emulate``."""

import json
from collections.abc import Callable

import pytest

from tests.support.world import Agent

MakeAgent = Callable[..., Agent]

COUNTDOWN = """<p id=left>60</p><script>
setInterval(() => { left.textContent = Math.max(0, left.textContent - 1) }, 1000);
</script>"""

TIMEOUT = """<p id=state>Signed in</p><button onclick=rearm()>More time</button><script>
let timer;
const rearm = () => {
    clearTimeout(timer);
    timer = setTimeout(() => { state.textContent = 'Signed out' }, 30 * 60 * 1000);
};
rearm();
</script>"""

PICKER = """<p>A date</p><p id=today></p><script>
const format = new Intl.DateTimeFormat('en-GB', {timeZone: 'UTC', dateStyle: 'long'});
const show = () => {
    const parts = format.formatToParts().map((part) => part.value).join('');
    today.textContent = [format.format(), parts, new Date().toISOString().slice(0, 10)].join(' | ');
};
show();
</script><button onclick=show()>Today</button>"""

MOVING = """<div id=box style='position:absolute;left:0'>Box</div><script>
let start;
requestAnimationFrame(function step(time) {
    start ??= time;
    box.style.left = `${Math.min(1000, time - start)}px`;
    if (time - start < 1000) requestAnimationFrame(step);
});
</script>"""


@pytest.fixture
def clocked(make_agent: MakeAgent) -> Agent:
    """Return an agent with the tool."""
    return make_agent(caps=("emulate",))


def test_a_countdown(clocked: Agent) -> None:
    clocked("browser_clock", action="pauseAt", time="2999-01-01T08:00Z")
    clocked.show(COUNTDOWN)
    answer = clocked("browser_clock", action="runFor", ticks=15_500)
    assert "The clock is paused at 2999-01-01T08:00:15.500Z.\n15 timers fired." in answer
    assert "paragraph: 45" in answer
    assert clocked.evaluate("left.textContent") == "45"
    assert "1 timer fired." in clocked("browser_clock", action="fastForward", ticks="30")
    assert clocked.evaluate("left.textContent") == "44"
    assert "The clock runs at 2999-01-01T08:00:45.500Z." in clocked("browser_clock", action="resume")
    assert "The text '43' is there." in clocked("browser_wait_for", text="43")


def test_a_session_that_times_out(clocked: Agent) -> None:
    clocked.show(TIMEOUT)
    assert "Signed out" not in clocked("browser_clock", action="fastForward", ticks="29:00")
    clocked("browser_click", selector="button")
    assert "Signed out" not in clocked("browser_clock", action="fastForward", ticks="29:00")
    answer = clocked("browser_clock", action="fastForward", ticks=60_000)
    assert "1 timer fired." in answer
    assert "Signed out" in answer


def test_the_date_of_today(clocked: Agent) -> None:
    clocked.show(PICKER)
    clocked("browser_clock", action="setFixedTime", time="2031-02-03T12:00")
    assert "paragraph: 3 February 2031 | 3 February 2031 | 2031-02-03" in clocked("browser_click", selector="button")
    clocked.show("<p>Another page")
    assert "paragraph: 3 February 2031 | 3 February 2031 | 2031-02-03" in clocked.show(PICKER)
    clocked("browser_clock", action="install", time=0)
    assert "paragraph: 1 January 1970 | 1 January 1970 | 1970-01-01" in clocked.show(PICKER)
    assert "The clock shows the real time." in clocked("browser_clock", action="reset")
    for page in (clocked("browser_click", selector="button"), clocked.show(PICKER)):
        assert " 1970 " not in page


def test_animation_frames(clocked: Agent) -> None:
    clocked("browser_clock", action="pauseAt", time="2999-01-01")
    clocked.show(MOVING)
    assert clocked.evaluate("box.style.left") == "0px"
    clocked("browser_clock", action="runFor", ticks=320)
    # The first frame comes within 17 ms.
    assert clocked.evaluate("box.style.left") in {"288px", "304px"}
    clocked("browser_clock", action="runFor", ticks=1000)
    assert clocked.evaluate("box.style.left") == "1000px"


def test_a_time_is_of_the_zone_of_the_pages(clocked: Agent) -> None:
    clocked("browser_emulate", timezone="Asia/Tokyo")
    clocked.show("<p>Here")
    assert "2030-05-05T15:00:00.000Z" in clocked("browser_clock", action="pauseAt", time="2030-05-06T00:00")
    assert clocked.evaluate("new Date().getHours()") == "0"


NOW = """() => JSON.stringify({
    date: Date.now(), made: +new Date(), text: Date.parse(Date()), class: +new (class extends Date {})(),
    sum: performance.timeOrigin + performance.now(),
    stamp: new Event('x').timeStamp - performance.now(),
    temporal: globalThis.Temporal ? Temporal.Now.instant().epochMilliseconds : Date.now(),
    zoned: globalThis.Temporal ? String(Temporal.Now.plainDateTimeISO('UTC')) : '2040',
    is: new Date() instanceof Date && new Date().constructor === Date && Date.name === 'Date' && Date.length === 7,
})"""


def test_all_that_tells_the_time(clocked: Agent) -> None:
    clocked.show("<p>Here")
    real = json.loads(clocked.evaluate("Date.now()"))
    for frozen in (False, True):
        clocked("browser_clock", action="pauseAt" if frozen else "install", time="2040-06-01T00:00Z")
        now = json.loads(clocked.evaluate(NOW))
        begin = 2_222_121_600_000
        for name in ("date", "made", "class", "temporal", "text", "sum"):
            assert begin - 1000 <= now[name] <= begin + 60_000, name
        assert abs(now["stamp"]) < 1000
        assert now["zoned"].startswith("2040")
        assert now["is"] is True
    clocked("browser_emulate", reset=True)
    assert real <= json.loads(clocked.evaluate("Date.now()")) < real + 600_000


def test_frames_and_other_tabs(clocked: Agent) -> None:
    inner = "<p id=left>9</p><script>setInterval(() => { left.textContent -= 1 }, 1000)</script>"
    clocked.show(f'<iframe srcdoc="{inner}"></iframe>{inner}')
    clocked("browser_tabs", action="new", url=clocked.site.url_for("/text"))
    clocked("browser_clock", action="pauseAt", time="2999-01-01")
    clocked("browser_tabs", action="select", index=0)
    shown = "[left.textContent, frames[0].left.textContent, frames[0].Date.now() === Date.now()].join()"
    before = clocked.evaluate(shown).split(",")
    assert before[2] == "true"
    clocked("browser_clock", action="runFor", ticks=3000)
    after = clocked.evaluate(shown).split(",")
    assert [int(old) - int(new) for old, new in zip(before[:2], after[:2], strict=True)] == [3, 3]


def test_settling_with_a_clock(clocked: Agent) -> None:
    page = """<p id=state>idle</p><button onclick="setTimeout(() => { state.textContent = 'done' }, 300)">Go</button>"""
    clocked.show(page)
    assert "paragraph: done" in clocked("browser_click", selector="button")
    clocked("browser_clock", action="install", time="2999-01-01")
    clocked.show(page)
    assert "paragraph: done" in clocked("browser_click", selector="button")
    clocked("browser_clock", action="pauseAt", time="2999-01-02")
    clocked.show(page)
    answer = clocked("browser_click", selector="button")
    assert "paragraph: done" not in answer
    assert "still" not in answer
    assert "paragraph: done" in clocked("browser_clock", action="runFor", ticks=300)


def test_a_request_of_a_timer(clocked: Agent) -> None:
    clocked("browser_clock", action="pauseAt", time="2999-01-01")
    clocked.show(
        "<p id=state>idle</p><script>setTimeout(async () => { "
        "state.textContent = `answer ${(await fetch('/slow?seconds=0.3')).status}` }, 60000)</script>"
    )
    assert "paragraph: answer 200" in clocked("browser_clock", action="fastForward", ticks="01:00")


def test_timers_that_never_end(make_agent: MakeAgent) -> None:
    agent = make_agent(caps=("emulate",), action_timeout=4)
    agent.show(
        "<p id=n>0</p><script>(function again() { n.textContent -= -1; setTimeout(again, 0) })();"
        "setTimeout(() => { document.title = 'late' }, 3e6)</script>"
    )
    agent("browser_clock", action="pauseAt", time="2999-01-01")
    answer = agent("browser_clock", action="runFor", ticks="59:00")
    assert "They were too many: in the last part of the time each fired only once." in answer
    assert not answer.is_error
    assert agent.evaluate("document.title") == "late"


def test_a_dialog_and_an_error_of_a_timer(clocked: Agent) -> None:
    clocked("browser_clock", action="pauseAt", time="2999-01-01")
    clocked.show(
        "<p id=n>0</p><script>setTimeout(() => { alert('Time is up') }, 1000); "
        "setTimeout(() => { throw new Error('broken') }, 2000); setTimeout('n.textContent = 1', 3000)</script>"
    )
    assert 'alert dialog "Time is up"' in clocked("browser_clock", action="runFor", ticks=5000)
    answer = clocked("browser_handle_dialog", accept=True)
    assert "broken" in answer
    assert clocked.evaluate("n.textContent") == "1"


def test_what_is_cancelled_does_not_fire(clocked: Agent) -> None:
    clocked("browser_clock", action="pauseAt", time="2999-01-01")
    clocked.show(
        """<pre id=log></pre><script>
        const note = (...words) => { log.textContent += `${words.join(' ')};` };
        clearTimeout(setTimeout(note, 10, 'timer'));
        cancelAnimationFrame(requestAnimationFrame(note));
        const interval = setInterval(() => { note('interval'); clearInterval(interval) }, 10);
        const frame = requestAnimationFrame(() => note('frame'));
        clearTimeout(frame); clearTimeout(undefined);
        setTimeout(note, 30, 'with', 'parameters');
        setTimeout(function () { note(this === window, window.event?.type) }, 40);
        if (window.requestIdleCallback) requestIdleCallback((d) => note('idle', d.didTimeout, d.timeRemaining() > 0));
        else note('idle false true');
        </script>"""
    )
    clocked("browser_clock", action="runFor", ticks=100)
    said = clocked.evaluate("log.textContent").split(";")
    assert sorted(said) == sorted(["idle false true", "interval", "frame", "with parameters", "true ", ""])


def test_pages_cannot_break_the_clock(clocked: Agent) -> None:
    clocked.show(
        """<p id=n>0</p><script>
        setTimeout(() => { n.textContent = 'fired' }, 60000);
        for (const type of [EventTarget, Document, Event, MessageEvent, Map, WeakMap, Array, Object, Function])
            for (const name of Object.getOwnPropertyNames(type.prototype))
                try {
                    if (name === 'constructor' || typeof type.prototype[name] !== 'function') continue;
                    type.prototype[name] = function () {
                        for (let index = 0; index < arguments.length; index++)
                            if (`${arguments[index]}`.length > 15) document.title = 'a secret';
                        throw new Error('mine');
                    };
                } catch {}
        JSON.parse = Math.max = Math.round = Reflect.apply = Date.now = performance.now = queueMicrotask = null;
        </script>"""
    )
    answer = clocked("browser_clock", action="fastForward", ticks="02:00")
    assert "1 timer fired." in answer
    assert "paragraph: fired" in answer
    assert '"Test"' in clocked("browser_tabs", action="list")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"action": "runFor"}, "runFor needs ticks: "),
        ({"action": "fastForward", "ticks": -1}, "fastForward needs ticks: "),
        ({"action": "fastForward", "ticks": "1800000"}, "fastForward needs ticks: "),
        ({"action": "fastForward", "ticks": 1e15}, "fastForward needs ticks: "),
        ({"action": "fastForward", "ticks": 253_370_000_000_000}, "The clock ends with the year 9999."),
        ({"action": "install", "time": "tomorrow"}, "'tomorrow' is not a time. Pass one such as "),
        ({"action": "install", "time": 1e300}, "'1e+300' is not a time."),
        ({"action": "pauseAt", "time": "2001-01-01"}, "already. Use install with an earlier time first."),
    ],
)
def test_what_a_clock_cannot_do(clocked: Agent, wrong: dict[str, object], said: str) -> None:
    clocked.show("<p>Here")
    answer = clocked("browser_clock", **wrong)
    assert answer.is_error
    assert said in answer
