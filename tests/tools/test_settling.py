"""When an answer comes: after the effects of an action, and without waiting for what is none of them."""

from collections.abc import Callable
from time import monotonic

import pytest
import trio

from bidi_server.attacks.tcp import open_tcp
from tests.support.world import Agent, Answer


class Timer:
    """Calls a tool and remembers for how long."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.seconds = 0.0

    def __call__(self, tool: str, **arguments: object) -> Answer:
        began = monotonic()
        try:
            return self.agent(tool, **arguments)
        finally:
            self.seconds = monotonic() - began


@pytest.fixture
def timed(agent: Agent) -> Timer:
    return Timer(agent)


GOES_ON = ["location.href = '/text'", "location.replace('/text')", "location.assign('/text?' + Math.random())"]


@pytest.mark.parametrize("script", GOES_ON)
@pytest.mark.parametrize("redirected", [False, True])
def test_a_page_that_goes_on_by_itself(agent: Agent, script: str, *, redirected: bool) -> None:
    url = agent.run(lambda: agent.site.html(f"<script>{script}</script><p>Here"))
    if redirected:
        url = agent.site.url_for(f"/redirect?to={url}")
    answer = agent("browser_navigate", url=url)
    assert "Plain text." in answer
    assert not answer.is_error


LEFT = {
    "stopped": "window.stop(); setTimeout(() => { location.href = '/text' })",
    "left": "location.href = '/goes-on'",
}


@pytest.mark.parametrize("how", LEFT)
def test_a_document_that_was_left_before_its_end_is_not_waited_for(timed: Timer, how: str) -> None:
    agent = timed.agent
    agent.run(lambda: agent.site.serve("<script>location.href = '/text'</script>", path="/goes-on"))
    url = agent.run(lambda: agent.site.html(f"<script>{LEFT[how]}</script>{'<p>Here</p>' * 5000}"))
    answer = timed("browser_navigate", url=url)
    assert "Plain text." in answer
    assert "still running" not in answer
    assert timed.seconds < 3


def test_a_page_that_goes_on_to_a_slow_one(agent: Agent) -> None:
    answer = agent.show("<script>location.href = '/slow?ms=900'</script><p>Here")
    assert "Alder" in answer


def test_a_link_to_a_page_that_goes_on_by_itself(agent: Agent) -> None:
    url = agent.run(lambda: agent.site.html("<script>location.replace('/text')</script><p>There"))
    agent.show(f"<a href='{url}'>Go</a>")
    assert "Plain text." in agent("browser_click", selector="a")


PARTS = {
    "picture": "<img src=/hold/picture>",
    "script": "<script async src=/hold/script></script>",
    "frame": "<iframe src=/hold/frame></iframe>",
}


@pytest.mark.parametrize("part", PARTS)
def test_a_page_with_a_part_that_never_comes_is_shown_after_three_quiet_seconds(timed: Timer, part: str) -> None:
    agent = timed.agent
    url = agent.run(lambda: agent.site.html(f"<h1>There</h1>{PARTS[part]}"))
    answer = timed("browser_navigate", url=url)
    assert "There" in answer
    assert "The page is still loading: GET" in answer
    assert f"/hold/{part}." in answer
    assert 3 <= timed.seconds < 20
    agent.open("/text")
    answer = timed("browser_navigate_back")
    assert "There" in answer
    assert 3 <= timed.seconds < 20
    agent.show(f"<a href='{url}'>Go</a>")
    answer = timed("browser_click", selector="a")
    assert "There" in answer
    assert f"/hold/{part}." in answer
    assert 3 <= timed.seconds < 20
    agent.run(lambda: agent.site.release(part))


def test_a_page_that_grows_while_a_part_is_missing_is_waited_for(make_agent: Callable[..., Agent]) -> None:
    timed = Timer(make_agent(navigation_timeout=6))
    grows = "let n = 0; setInterval(() => { if (n++ < 8) document.body.append(document.createElement('hr')) }, 500)"
    url = timed.agent.run(lambda: timed.agent.site.html(f"<h1>There</h1><img src=/hold/grows><script>{grows}</script>"))
    answer = timed("browser_navigate", url=url)
    assert "There" in answer
    assert timed.seconds > 5
    timed.agent.run(lambda: timed.agent.site.release("grows"))


def test_a_page_without_an_answer_is_told_apart_from_one_that_only_loads(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(navigation_timeout=2)
    busy = "setTimeout(() => { const end = Date.now() + 6000; while (Date.now() < end); }, 700)"
    url = agent.run(lambda: agent.site.html(f"<h1>There</h1><img src=/hold/busy><script>{busy}</script>"))
    answer = agent("browser_navigate", url=url)
    assert "The page is still loading: GET" in answer
    assert "A script keeps the page busy." in answer
    agent.run(lambda: agent.site.release("busy"))


def test_a_document_without_end_is_shown_as_it_is(timed: Timer) -> None:
    timed.agent.open("/text")
    answer = timed("browser_navigate", url=timed.agent.site.url_for("/stream?chunks=2&hold=document&type=text/html"))
    assert "chunk 1" in answer
    assert "The page is still loading: GET " in answer
    assert 3 <= timed.seconds < 20
    timed.agent.run(lambda: timed.agent.site.release("document"))


@pytest.mark.parametrize("kind", ["text/html", "text/plain"])
def test_a_document_that_grows_without_end_is_shown_as_it_is(timed: Timer, kind: str) -> None:
    async def grow(stream: trio.SocketStream) -> None:
        await stream.receive_some(65536)
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}; charset=utf-8\r\nconnection: close\r\n\r\n"
        await stream.send_all(head.encode() + b"Start " * 1000)
        while True:
            await stream.send_all(b"grows ")
            await trio.sleep(0.1)

    with timed.agent.world.opened(open_tcp(grow)) as port:
        answer = timed("browser_navigate", url=f"http://127.0.0.1:{port}/endless")
        assert "Start Start" in answer
        assert "The page is still loading" in answer
        assert "/endless" in answer
        assert timed.seconds < 25


def test_a_page_that_waits_for_its_script_is_waited_for(timed: Timer) -> None:
    """A development server may take long to build a script, and until it comes the page has nothing to show."""
    agent = timed.agent
    url = agent.run(lambda: agent.site.html("<p>Here</p><script type=module src=/hold/module></script>"))

    async def release() -> None:
        await agent.site.wait_request("/hold/module")
        await trio.sleep(4.5)
        agent.site.release("module")

    agent.run(lambda: agent.world.nursery.start_soon(release))
    assert "still loading" not in timed("browser_navigate", url=url)
    assert timed.seconds > 4


def test_a_navigation_that_was_cancelled_does_not_hold_the_next_call(timed: Timer) -> None:
    agent = timed.agent
    agent.show("<input value=precious>")
    site = agent.site

    async def begin_and_cancel() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(agent.client.call_tool, "browser_navigate", {"url": site.url_for("/hold/left")})
            await site.wait_request("/hold/left")
            nursery.cancel_scope.cancel()

    agent.world.run(begin_and_cancel)
    assert "precious" in timed("browser_snapshot")
    assert timed.seconds < 2
    agent.run(lambda: agent.site.release("left"))
    assert "precious" in agent("browser_snapshot")


UNREAD = {
    "a request": "fetch('/page/unread')",
    "a form": "fetch('/page/unread', {method: 'POST', body: 'x'})",
    "another site": "fetch('OTHER/page/unread', {mode: 'no-cors'})",
    "as the page leaves": "fetch('/page/unread', {method: 'POST', keepalive: true})",
    "only the status": "fetch('/page/unread').then((answer) => { if (answer.ok) out.textContent = 'ok'; })",
}


@pytest.mark.parametrize("request_", UNREAD)
def test_an_answer_whose_body_nobody_reads_is_not_waited_for(timed: Timer, request_: str) -> None:
    """A click took 5 s in Chromium, which may not tell the end of such a request."""
    agent = timed.agent
    agent.site.serve("x" * 2_000_000, path="/page/unread", content_type="text/plain")
    script = UNREAD[request_].replace("OTHER", agent.site.other_url_for(""))
    agent.show(f'<button onclick="{script}">Send</button><p id=out></p>')
    answer = timed("browser_click", selector="button")
    assert "still running" not in answer
    assert timed.seconds < 3


LATER = "document.querySelector('p').textContent = 'Later'"
PAUSE = "const pause = () => new Promise((done) => setTimeout(done, 300))"

AFTER = f"asks.onload = () => setTimeout(() => {{ {LATER} }}, 300)"

SEARCH = """
    <input aria-label=Query><ul></ul><script>
    let timer;
    document.querySelector('input').addEventListener('input', () => {
        clearTimeout(timer);
        timer = setTimeout(async () => {
            const answer = await fetch('/slow?ms=200');
            const found = await answer.text();
            document.querySelector('ul').innerHTML = `<li>Found ${found.length > 0}</li>`;
        }, 300);
    });
    </script>"""


@pytest.mark.parametrize(
    "script",
    [
        f"setTimeout(() => {{ {LATER} }}, 300)",
        f"setTimeout(() => setTimeout(() => {{ {LATER} }}, 300), 300)",
        f"Promise.resolve().then(() => setTimeout(() => {{ {LATER} }}, 450))",
        f"setTimeout(() => fetch('/slow?ms=300').then(() => {{ {LATER} }}), 300)",
        f"setTimeout(() => setTimeout(() => {{ {LATER} }}, 300))",
        f'setTimeout("{LATER}", 300)',
        f"const timer = setInterval(() => {{ {LATER}; clearInterval(timer) }}, 300)",
        f"if (window.scheduler) scheduler.postTask(() => {{ {LATER} }}, {{delay: 300}}); else {LATER}",
        f"{PAUSE}; (async () => {{ await pause(); await pause(); {LATER} }})()",
        f"{PAUSE}; const inner = async () => pause(); (async () => {{ await inner(); await inner(); {LATER} }})()",
        f"{PAUSE}; (async () => {{ await (await fetch('/slow?ms=200')).text(); await pause(); {LATER} }})()",
        f"const asks = new XMLHttpRequest(); asks.open('GET', '/slow?ms=200'); asks.send(); {AFTER}",
    ],
    ids=[
        "timer",
        "two timers",
        "timer of a promise",
        "timer that asks the server",
        "timer after a turn",
        "timer of text",
        "interval",
        "task",
        "two pauses of a promise",
        "pauses of functions that await each other",
        "pause after a request",
        "pause after a request by XMLHttpRequest",
    ],
)
def test_what_a_click_does_after_a_short_while(agent: Agent, script: str) -> None:
    agent.show(f"<p>Before</p><button>Go</button><script>onclick = () => {{ {script} }}</script>")
    assert "Later" in agent("browser_click", selector="button")


def test_a_list_that_follows_a_pause_in_typing(agent: Agent) -> None:
    agent.show(SEARCH)
    assert "Found true" in agent("browser_type", selector="input", text="alder")
    agent.show(SEARCH)
    assert "Found true" in agent("browser_type", selector="input", text="alder", slowly=True)


def test_a_timer_that_was_cleared_is_not_waited_for(agent: Agent) -> None:
    script = (
        "const timer = setTimeout(() => { window.fired = true }, 500); clearTimeout(timer); document.title = 'Done'"
    )
    agent.show(f'<button>Go</button><script>document.querySelector("button").onclick = () => {{ {script} }}</script>')
    agent("browser_click", selector="button")
    assert "false" in agent("browser_evaluate", function="() => Boolean(window.fired)")


TICK = "const tick = () => setTimeout(tick, 100)"
CLOCKS = {
    "of the page": f"{TICK}; tick()",
    "of a click": f"onclick = () => {{ {TICK}; tick() }}",
    "of an interval": "onclick = () => setInterval(() => {}, 100)",
    "of a promise": "onclick = async () => { for (;;) await new Promise((next) => setTimeout(next, 100)) }",
}


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_clock_does_not_hold_the_answer(agent: Agent, clock: str) -> None:
    agent.show(f"<button>Go</button><script>{CLOCKS[clock]}</script>")
    answer = agent("browser_click", selector="button")
    assert not answer.is_error
    assert "still" not in answer


def test_timers_are_the_pages_own(agent: Agent) -> None:
    agent.show("<p>Here")
    script = """async () => {
        const names = ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'];
        const same = names.every((name) => window[name].name === name && Object.keys(window).includes(name));
        const given = await new Promise((done) => {
            setTimeout(function (...rest) { done([this === window, ...rest].join()) }, 1, 'a', 'b');
        });
        return `${same} ${setTimeout.length} ${given}`;
    }"""
    assert "true 1 true,a,b" in agent("browser_evaluate", function=script)


ASKS = "async () => { await (await fetch(`/slow?ms=${ms}`)).text(); answer('done') }"
ANSWERS = {
    "worker": "const ms = {ms}, answer = postMessage.bind(self); onmessage = {asks}",
    "shared": "const ms = {ms}; onconnect = ({{ports: [port]}}) => {{ const answer = (data) => port.postMessage(data); "
    "port.onmessage = {asks} }}",
    "computes": "onmessage = () => {{ const end = Date.now() + {ms}; while (Date.now() < end); postMessage('done') }}",
    "service": "const ms = {ms}; let answer; onmessage = ({{source}}) => "
    "{{ answer = (data) => source.postMessage(data); ({asks})() }}",
    "silent": "onmessage = () => {{}}",
    "called": "onmessage = ({{data}}) => {{ postMessage('news'); setTimeout(() => postMessage('news'), 60); "
    "setTimeout(() => postMessage({{id: data.id}}), {ms}) }}",
    "reports": "onmessage = () => fetch('/hold/report')",
    "channel": "onmessage = ({{ports: [port]}}) => {{ const ms = {ms}, answer = (data) => port.postMessage(data); "
    "port.onmessage = {asks} }}",
}
"""Scripts of workers, by path."""


def show_messages(agent: Agent, script: str, *, ms: int = 250) -> None:
    for name, worker in ANSWERS.items():
        source, path = worker.format(ms=ms, asks=ASKS), f"/page/{name}.js"
        agent.run(lambda source=source, path=path: agent.site.serve(source, path=path, content_type="text/javascript"))
    agent.show(f"<button>Go</button><p>Before</p><script>const heard = () => {{ {LATER} }}; {script}</script>")


MESSAGES = {
    "worker": "const worker = new Worker('worker.js'); worker.onmessage = heard; onclick = () => worker.postMessage(1)",
    "listener": "const worker = new Worker('worker.js'); worker.addEventListener('message', heard); "
    "onclick = () => worker.postMessage(1)",
    "new worker": "onclick = () => { const worker = new Worker('worker.js'); worker.postMessage(1); "
    "worker.onmessage = heard }",
    "four answers of a worker": "const worker = new Worker('computes.js'); let n = 0; "
    "worker.onmessage = async () => { await null; ++n < 4 ? worker.postMessage(1) : heard() }; "
    "onclick = () => worker.postMessage(1)",
    "worker that is called": "const worker = new Worker('called.js'); let n = 0; "
    "worker.onmessage = ({data}) => { if (data.id && ++n === 2) heard() }; "
    "onclick = () => worker.postMessage({id: n + 1})",
    "worker while the page moves": "const worker = new Worker('worker.js'); worker.onmessage = heard; "
    "document.body.insertAdjacentHTML('beforeend', '<style>@keyframes cover { 50% { left: 0 } }</style>"
    '<i style="position: fixed; top: 0; left: -9999px; width: 100%; height: 100%"></i>\'); '
    "onclick = () => { worker.postMessage(1); "
    "document.querySelector('i').style.animation = 'cover .1s steps(1) infinite' }",
    "worker that computes": "const worker = new Worker('computes.js'); worker.onmessage = heard; "
    "onclick = () => worker.postMessage(1)",
    "worker after a pause": "const worker = new Worker('worker.js'); worker.onmessage = heard; "
    "onclick = () => setTimeout(() => worker.postMessage(1), 200)",
    "pause after a worker": "const worker = new Worker('worker.js'); worker.onmessage = () => setTimeout(heard, 200); "
    "onclick = () => worker.postMessage(1)",
    "shared worker": "const {port} = new SharedWorker('shared.js'); port.onmessage = heard; "
    "onclick = () => port.postMessage(1)",
    "port of a worker": "const {port1, port2} = new MessageChannel(); port1.onmessage = heard; "
    "new Worker('channel.js').postMessage(1, [port2]); onclick = () => port1.postMessage(1)",
    "service worker": "navigator.serviceWorker.register('service.js'); navigator.serviceWorker.onmessage = heard; "
    "onclick = async () => (await navigator.serviceWorker.ready).active.postMessage(1)",
    "socket": "const socket = new WebSocket(`ws://${location.host}/socket?ms=250`); socket.onmessage = heard; "
    "onclick = () => socket.send(1)",
    "new socket": "onclick = () => { const socket = new WebSocket(`ws://${location.host}/socket?ms=250`); "
    "socket.onopen = () => socket.send(1); socket.onmessage = heard }",
}


@pytest.mark.parametrize("script", MESSAGES.values(), ids=MESSAGES)
def test_an_answer_by_a_message_is_waited_for(agent: Agent, script: str) -> None:
    show_messages(agent, script)
    agent("browser_wait_for", text="Before")
    if "called.js" in script:
        # The first reply shows that the worker matches replies by ID.
        agent("browser_click", selector="p")
        agent.evaluate("async () => { while (!n) await new Promise((resolve) => setTimeout(resolve, 20)) }")
    assert "Later" in agent("browser_click", selector="button")


def test_requests_of_a_worker_that_was_asked_are_waited_for(agent: Agent) -> None:
    show_messages(agent, MESSAGES["worker"], ms=900)
    assert "Later" in agent("browser_click", selector="button")


def test_requests_of_a_worker_that_are_still_running_are_named(agent: Agent) -> None:
    show_messages(agent, MESSAGES["worker"].replace("worker.js", "reports.js"))
    answer = agent("browser_click", selector="button")
    assert "1 request is still running: GET" in answer
    assert "/hold/report." in answer
    assert "no change" not in answer


def test_what_does_not_answer_is_named_and_waited_for_once(timed: Timer) -> None:
    agent = timed.agent
    show_messages(agent, MESSAGES["worker"].replace("worker.js", "silent.js"))
    answer = agent("browser_click", selector="button")
    assert "A worker has not answered the page yet." in answer
    assert "Nothing has changed so far." in answer
    assert "A worker has not answered the page yet." in agent("browser_click", selector="button")
    agent.evaluate("() => { document.querySelector('button').onclick = () => { document.title = Math.random() } }")
    fastest = 1.0
    for _ in range(5):
        answer = timed("browser_click", selector="button")
        assert "has not answered" not in answer
        fastest = min(fastest, timed.seconds)
    assert fastest < 0.5


def test_a_message_that_nobody_wants_an_answer_to(agent: Agent) -> None:
    """React calls itself by a message channel."""
    script = """const {port1, port2} = new MessageChannel(); const worker = new Worker('silent.js');
        port1.onmessage = heard; onclick = () => { port2.postMessage(1); worker.postMessage(1) }"""
    show_messages(agent, script)
    answer = agent("browser_click", selector="button")
    assert "Later" in answer
    assert "has not answered" not in answer


def test_messengers_are_the_pages_own(agent: Agent) -> None:
    agent.show("<p>Here")
    script = """() => {
        class Mine extends WebSocket {}
        const socket = new Mine(`ws://${location.host}/socket`);
        const source = new EventSource('/events');
        source.close();
        return [
            WebSocket.name, WebSocket.length, WebSocket.OPEN, socket instanceof Mine, socket instanceof WebSocket,
            source.constructor === EventSource, WebSocket.prototype.constructor === WebSocket, typeof WebSocket,
            Worker.prototype.postMessage.name, MessagePort.prototype.postMessage.length, socket.send.name,
        ].join();
    }"""
    wanted = "WebSocket,1,1,true,true,true,true,function,postMessage,1,send"
    assert wanted in agent("browser_evaluate", function=script)
