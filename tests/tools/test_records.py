"""Console and network."""

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.world import Agent


def test_errors_of_an_action_are_in_its_answer(agent: Agent) -> None:
    agent.show("<button onclick='missing()'>Break</button>")
    answer = agent("browser_click", selector="button")
    assert "Console errors (1):" in answer
    assert "missing is not defined" in answer
    assert "[uncaught]" in agent("browser_console_messages", level="error")


def test_requests(agent: Agent) -> None:
    agent.show("<img src=/image.png><button onclick=\"fetch('/json'); fetch('/status/500')\">Load</button>")
    agent("browser_click", selector="button")
    answer = agent("browser_network_requests")
    assert "/json → 200" in answer
    assert "/status/500 → 500" in answer
    assert "image.png" not in answer
    assert "static files left out" in answer
    assert "image.png → 200" in agent("browser_network_requests", includeStatic=True)


def test_failed_request_has_its_reason(agent: Agent) -> None:
    agent.show("<button onclick=\"fetch('http://127.0.0.1:65431/').catch(() => 0)\">Load</button>")
    agent("browser_click", selector="button")
    assert "→ failed: " in agent("browser_network_requests")


def printed(agent: Agent, script: str) -> list[str]:
    """Return what the console shows of a script in the page, without places."""
    agent.show(f"<script>{script}</script>")
    text = agent("browser_console_messages", level="debug").text
    return [line.partition(" @ ")[0] for line in text.splitlines()]


FORMATS = {
    "console.error('Failed: %s', 'x', {status: 500})": "[error] Failed: x {status: 500}",
    "console.log('%cApp', 'color: red', {a: 1})": "[info] App {a: 1}",
    "console.log('%s', 'a', undefined)": "[info] a undefined",
    "console.warn('%s %s', 'only')": "[warning] only %s",
    "console.log('%d items')": "[info] %d items",
    "console.debug('50%d')": "[debug] 50%d",
    "console.log('%d %i %f', '12.7', 12.7, '1.5kg', true)": "[info] 12 12 1.5 true",
    "console.log('%s', 1, [1, 'b', null], new Map([['k', 1]]), new Set([true, false]), 10n, /x/g)": (
        '[info] 1 [1, "b", null] Map(1) {"k" => 1} Set(2) {true, false} 10n /x/g'
    ),
    "console.assert(false, 'no %s', 1, 2)": "[error] Assertion failed: no 1 2",
}


IN_FIREFOX = {
    "console.warn('%s %s', 'only')": "[warning] only ",
    "console.log('%d %i %f', '12.7', 12.7, '1.5kg', true)": "[info] 12 12 NaN true",
}
"""It formats what is printed itself."""


@pytest.mark.parametrize(("script", "line"), FORMATS.items(), ids=FORMATS)
def test_messages_are_told_whatever_their_format_takes(agent: Agent, script: str, line: str) -> None:
    if agent.config.browser == "firefox":
        line = IN_FIREFOX.get(script, line)
    lines = printed(agent, f"console.log('before');\n{script};\nconsole.log('after')")
    assert lines == ["[info] before", line, "[info] after"]


SHALLOW = {
    "console.log('%s', 1, [1, {c: 1}])": "[info] 1 [1, {…}]",
    "console.log('%s', 1, {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6})": "[info] 1 {a: 1, b: 2, c: 3, d: 4, e: 5, …}",
    "console.log('a getter', {get x() { throw 1 }})": "[info] a getter {x: …}",
    "console.log('%s', 1, document.createElement('p'), () => 1, Symbol('s'))": "[info] 1 <p> function symbol",
}

IN_WEBKIT = {
    "console.log('%s', 1, [1, {c: 1}])": "[info] 1 [1, {c: 1}]",
    "console.log('%s', 1, {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6})": "[info] 1 {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6}",
    "console.log('a getter', {get x() { throw 1 }})": "[info] a getter {x: {…}}",
}
"""Our own recorder tells more than a level."""


@pytest.mark.parametrize(("script", "line"), SHALLOW.items(), ids=SHALLOW)
def test_messages_that_only_chromium_itself_tells_show_a_level_of_objects(agent: Agent, script: str, line: str) -> None:
    if agent.config.browser == "firefox":
        pytest.skip("Firefox tells all of them, or nothing of an object with a getter that throws")
    if agent.config.browser == "webkit":
        line = IN_WEBKIT.get(script, line)
    assert printed(agent, script) == [line]


def test_message_of_another_format_has_its_place_and_errors(agent: Agent) -> None:
    agent.show("<script>\nfunction warn() {\nconsole.error('%s', 'a', new TypeError('bad'))\n}\nwarn()</script>")
    line = agent("browser_console_messages", level="error").text
    assert "a TypeError: bad" in line
    assert re.search(r" @ \S+/page/\d+:\d+ \d\d:\d\d:\d\d\.\d{3}Z$", line)


IN_FIREFOXES_WORDS = {
    "new Error('boom happened'), undefined": "Error: boom happened undefined",
    "'a', new Error('b c'), {n: [1]}, /x y/g, 10n, true, null, 1.5": ("a Error: b c {n: [1]} /x y/g 10n true null 1.5"),
    "new Error('a b'), document.body, {n: 1}": "Error: a b <body> {n: 1}",
    # Where one ends and the next begins nobody knows.
    "new Error('a b'), new Error('c d'), {n: 1}": "Error: a b Error: c d Object(1)",
    "{e: new Error('a b')}": "{e: Error}",
}


@pytest.mark.parametrize(("arguments", "said"), IN_FIREFOXES_WORDS.items(), ids=IN_FIREFOXES_WORDS)
def test_errors_say_what_they_say_and_nothing_else(agent: Agent, arguments: str, said: str) -> None:
    if agent.config.browser == "chromium":
        pytest.skip("Chromium tells what each error says, and with its stack")
    assert printed(agent, f"console.error({arguments})") == [f"[error] {said}"]


ENDLESS = {
    "a request that is blocked": "console.log('Cross-Origin Request Blocked: ' + ' at u (Reason: '.repeat(30_000))",
    "nothing but lines": "console.error('\\n'.repeat(300_000))",
    "a stack": "const e = new Error('no'); e.stack = '\\n'.repeat(500_000); throw e",
    "one line of a stack": "const e = new Error('no'); e.stack = 'at a (b:1'.repeat(30_000); throw e",
    "many errors": f"console.error(new Error('a '.repeat(3000)), {'new Date(), ' * 9} new Error('x'))",
}


@pytest.mark.parametrize("script", ENDLESS.values(), ids=ENDLESS)
def test_no_text_of_a_page_holds_the_server(agent: Agent, script: str) -> None:
    agent.show("here")
    began = time.monotonic()
    agent("browser_evaluate", function=script)
    assert "here" in agent("browser_snapshot")
    assert time.monotonic() - began < 8


SURROGATES = {
    "console.log('a\\ud800')": "[info] a\ufffd",
    "console.log('%s', 'a\\ud800', {b: 1})": "[info] a\ufffd {b: 1}",
    "console.log({['\\udfff']: ['\\ud800']})": '[info] {"\ufffd": ["\ufffd"]}',
    "console.table([{a: '\\ud800'}])": '[table] [{a: "\ufffd"}]',
    "console.log(new Map([['\\ud800', 1]]))": '[info] Map(1) {"\ufffd" => 1}',
    "console.log(/\\ud800/, '\\\\ud800', '\\ud83d\\ude00')": "[info] /\\ud800/ \\ud800 \U0001f600",
    "console.error(new Error('\\ud800'))": "[error] Error: \ufffd",
    "console.assert(false, '\\ud800')": "[error] Assertion failed: \ufffd",
    "throw new Error('\\ud800')": "[uncaught] Error: \ufffd",
}


@pytest.mark.parametrize(("script", "line"), SURROGATES.items(), ids=range(len(SURROGATES)))
def test_messages_with_lone_surrogates_are_kept_and_delay_nothing(agent: Agent, script: str, line: str) -> None:
    began = time.monotonic()
    assert [each.partition("\\n")[0] for each in printed(agent, script)] == [line]
    assert time.monotonic() - began < 4  # ChromeDriver waits for 5 to 7 s where Chromium drops its question


def test_console_keeps_so_many_characters_of_the_newest_messages(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(caps="dev")
    agent.show("<script>for (let i = 1; i <= 60; i++) console.log(`no ${i} ` + 'x'.repeat(300_000))</script>")
    agent("browser_evaluate", function="() => console.log('y'.repeat(2_000_000))")
    deadline = time.monotonic() + 60
    # A busy Chromium tells some of them after the answer.
    while "60" not in (kept := re.findall(r"no (\d+) x", agent("browser_console_messages").text)):
        assert time.monotonic() < deadline
        agent("browser_wait_for", time=0.1)
    assert kept[-1] == "60"
    assert 10 < len(kept) < 40
    path = agent("browser_recent_console_logs").text.rpartition("written to ")[2]
    assert "yyy… (only the start is kept of about " in Path(path).read_text("utf-8")


def test_the_end_of_what_a_page_prints_without_pause_is_kept(agent: Agent) -> None:
    agent.show(
        "<button onclick='setTimeout(print)'>Print</button><script>function print() {"
        "for (let i = 0; i < 50_000; i++) console.log(i); console.error('the last') }</script>"
    )
    agent("browser_click", selector="button")
    expected = ["the last", "older console messages were dropped"][: 2 if agent.config.browser == "chromium" else 1]
    deadline = time.monotonic() + 60
    while not all(text in agent("browser_console_messages", level="warning") for text in expected):
        assert time.monotonic() < deadline
        agent("browser_wait_for", time=0.1)


PRINT = "['error', 'warn', 'info', 'debug'].forEach(kind => console[kind](`as ${kind}`))"


def test_level_of_messages_that_answers_mention(make_agent: Callable[..., Agent]) -> None:
    page = f'<button onclick="{PRINT}">Print</button>'
    usual = make_agent()
    usual.show(page)
    answer = usual("browser_click", selector="button")
    assert "Console errors (1):\n  as error\n" in answer
    assert "as debug" not in usual("browser_console_messages")
    assert "as info" in usual("browser_console_messages")
    agent = make_agent(console_level="warning")
    agent.show(page)
    answer = agent("browser_click", selector="button")
    assert "Console messages (2):\n  [error] as error\n  [warning] as warn\n" in answer
    assert "as info" not in answer
    assert "as info" not in agent("browser_console_messages")
    assert "as info" in agent("browser_console_messages", level="info")
    assert "as debug" in agent("browser_console_messages", level="debug")
    steps = [{"tool": "browser_click", "arguments": {"selector": "button"}}]
    assert "[warning] as warn" in agent("browser_run", steps=steps, stopOn="error")


def test_messages_since_the_last_call(agent: Agent) -> None:
    agent.show("<script>console.log('first')</script><button onclick=\"console.log('second')\">Print</button>")
    assert "first" in agent("browser_console_messages", since="last call")
    assert agent("browser_console_messages", since="last call").text == "No messages of level info."
    agent("browser_click", selector="button")
    agent.show("<script>console.log('third')</script>")
    lines = agent("browser_console_messages", since="last call").text.splitlines()
    assert [line.partition(" @ ")[0] for line in lines] == ["[info] second", "[info] third"]
    assert "second" not in agent("browser_console_messages", since="navigation")
    assert "second" not in agent("browser_console_messages")


def test_messages_since_the_time_of_one(agent: Agent) -> None:
    agent.show("<script>console.log('first')</script>")
    agent("browser_wait_for", time=0.1)
    agent.show("<script>console.log('second')</script>")
    time = agent("browser_console_messages").text.rpartition(" ")[2]
    for since in (time, time.removesuffix("Z"), f"{datetime.now(UTC).date()}T{time}"):
        lines = agent("browser_console_messages", since=since).text.splitlines()
        assert [line.partition(" @ ")[0] for line in lines] == ["[info] second"]
    assert "first" in agent("browser_console_messages", since=f"{datetime.now(UTC).date()}")


@pytest.mark.parametrize("since", ["yesterday", "25:00", "last", "\n# Ours"])
def test_what_is_no_time_is_an_error(agent: Agent, since: str) -> None:
    answer = agent("browser_console_messages", since=since)
    assert answer.is_error
    assert f"since: {since!r} is neither a time nor 'last call' nor 'navigation'. Pass a time as" in answer


def test_issues_of_the_page(make_agent: Callable[..., Agent]) -> None:
    """Firefox prints them into the console. In Chromium no answer to an action mentions them."""
    agent = make_agent(console_level="debug", caps=("dev",))
    other = agent.site.other_url_for("/json")
    url = agent.run(
        lambda: agent.site.serve(
            f"<!doctype html><button onclick=\"fetch('{other}').catch(() => document.title = 'failed')\">Ask</button>",
            headers={"content-type": "text/html", "set-cookie": "sid=1; SameSite=None"},
        )
    )
    assert "[issue]" not in agent("browser_navigate", url=url)
    assert "[issue]" not in agent("browser_click", selector="button")
    agent("browser_click", selector="button")
    said = agent("browser_console_messages", level="warning").text
    if agent.world.browser == "chromium":
        assert said.count(f"[issue] CORS: MissingAllowOriginHeader {other} @ ") == 1
        cookie = "cookie: sid 127.0.0.1 SetCookie ExcludeSameSiteNoneInsecure WarnSameSiteNoneInsecure"
        assert said.count(f"[issue] {cookie} {url} @ ") == 1
        agent("browser_reload")
        assert f"[issue] {cookie} {url} @ " in agent("browser_console_messages")
        assert "[issue] CORS" in agent("browser_recent_console_logs")
        assert "[issue]" not in agent("browser_console_messages", level="error")
    else:
        assert "] Cross-Origin Request Blocked: " in said
        assert "Cookie “sid” rejected because it has the “SameSite=None” attribute" in said
    agent("browser_clear_console_logs")
    assert agent("browser_console_messages").text == "No messages of level debug."


def test_messages_of_frames_workers_and_popups_are_told_once(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(caps="dev")
    other = agent.site.html("<script>console.log('in a frame %s', 1, 2)</script>").replace("127.0.0.1", "localhost")
    agent.show(
        f"<iframe src='{other}'></iframe><script>"
        "new Worker(URL.createObjectURL(new Blob([\"console.log('in a worker %s', 1, 2); postMessage(1)\"])))"
        ".onmessage = () => { const popup = open('about:blank');"
        " popup.console.log('in a popup'); popup.console.log('in a popup %s', 1, 2) }</script>"
    )
    agent("browser_wait_for", time=0.3)
    assert shown_in_tab(agent, 0) == ["in a frame 1 2", "in a worker 1 2"]
    assert shown_in_tab(agent, 1) == ["in a popup", "in a popup 1 2"]


def shown_in_tab(agent: Agent, index: int) -> list[str]:
    agent("browser_tabs", action="select", index=index)
    return sorted(re.findall(r"\] (.*?) @ ", agent("browser_recent_console_logs").text))
