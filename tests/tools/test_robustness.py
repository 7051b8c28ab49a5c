"""Pages that hang, browsers that die."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import trio

from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi.errors import BidiError
from bidi_server.browser.engine.browser import Browser
from tests.drivers.conftest import until
from tests.support.world import Agent, World


def test_page_that_hangs_does_not_hang_the_call_nor_the_next_page(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(action_timeout=1)
    page = agent.open("/hang")
    answer = agent("browser_click", ref=page.ref("button", "Hang for ever"))
    assert answer.is_error
    assert "did not react within 1 s" in answer
    assert "did not react" in agent("browser_snapshot")
    assert "fine" in agent.show("fine")


def test_promise_that_never_settles_is_no_page_that_hangs(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(action_timeout=1)
    agent.show("<button>Here</button>")
    answer = agent("browser_evaluate", function="() => new Promise(() => {})")
    assert answer.is_error
    assert (
        "though the page reacts. Look at the page before you repeat it; let a script that waits for a promise "
        in answer
    )
    assert "Here" in agent("browser_snapshot")


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("() => 'x'.repeat(50e6)", "a text of 50,000,000 characters"),
        ("async () => Array(5e6).fill('abcdefgh')", "more"),
        ("({ rows: Array.from({ length: 1e6 }, (_, id) => ({ id })) })", "more"),
    ],
)
def test_result_that_is_too_large_is_told_as_that(make_agent: Callable[..., Agent], script: str, what: str) -> None:
    agent = make_agent()
    agent.show("<button>Here</button>")
    answer = agent("browser_evaluate", function=script)
    assert answer.is_error
    assert f"The result is too large: {what}, where 10,000,000 characters are the most that one call" in answer
    assert "text.slice(" in answer
    assert "Here" in agent("browser_snapshot")
    assert len(agent.evaluate("() => 'x'.repeat(2e6)")) > 2e6 - 1


def test_page_that_hangs_while_it_loads(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(action_timeout=1, navigation_timeout=8)
    answer = agent("browser_navigate", url=agent.site.url_for("/hang-on-load"))
    assert "A script keeps the page busy." in answer or "still loading" in answer or answer.is_error
    assert "fine" in agent.show("fine")


def test_browser_that_died_is_replaced_and_the_answer_says_so(browser_name: str, tmp_path: Path) -> None:
    world = World(browser_name)
    world.start()
    try:
        agent = world.agent(output_dir=tmp_path)
        page = agent.show("<button>Go</button>", title="Lost one")

        async def kill() -> None:
            for browser in world.browsers.running:
                os.kill(browser.pid, signal.SIGKILL)
                with trio.fail_after(20):
                    await browser.connection.closed.wait()

        world.run(kill)
        answer = agent("browser_click", ref=page.ref("button", "Go"))
        assert "The browser ended" in answer
        assert "/page/" in answer
        assert "There is no element" in answer or answer.is_error
        assert "again" in agent.show("again")
        agent.close()
    finally:
        world.stop()


def test_browser_that_dies_during_a_call(browser_name: str, tmp_path: Path) -> None:
    world = World(browser_name)
    world.start()
    try:
        agent = world.agent(output_dir=tmp_path)
        agent.show("waiting")

        async def kill_during_call() -> str:
            async with trio.open_nursery() as nursery:

                async def kill() -> None:
                    for browser in world.browsers.running:
                        while browser.connection.commands_sent == sent:
                            await trio.lowlevel.checkpoint()
                        os.kill(browser.pid, signal.SIGKILL)

                sent = world.browsers.running[0].connection.commands_sent
                nursery.start_soon(kill)
                result = await agent.client.call_tool("browser_wait_for", {"text": "never", "time": 60})
            return str(result.content)

        assert "The browser ended" in world.run(kill_during_call)
        assert "again" in agent.show("again")
        agent.close()
    finally:
        world.stop()


def descendants(pid: int) -> dict[int, str]:
    """Return the processes below one, with their command lines."""
    found: dict[int, str] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == pid:
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    return found | {each: command for child in found for each, command in descendants(child).items()}


async def crash_page(browser: Browser) -> None:
    """Let the active tab's page crash, and wait until we know."""
    tab = browser.tabs[-1]
    if browser.name != "firefox":
        with suppress(BidiError):
            await tab.connection.send(bc.Navigate(context=tab.context, url="chrome://crash"))
    else:
        for pid, command in descendants(browser.pid).items():
            if "-contentproc" in command and command.endswith(" tab"):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
    await until(lambda: tab.crashed)


def test_page_that_crashes_between_calls_or_during_one(browser_name: str, tmp_path: Path) -> None:
    world = World(browser_name)
    world.start()
    try:
        agent = world.agent(output_dir=tmp_path)
        page = agent.show("<button>Go</button>")
        [browser] = world.browsers.running
        world.run(lambda: crash_page(browser))
        for answer in (agent("browser_click", ref=page.ref("button", "Go")), agent("browser_take_screenshot")):
            assert answer.is_error
            assert str(answer).startswith("The page has crashed; ")
        assert "fine" in agent.show("fine")

        async def crash_during_call() -> str:
            async with trio.open_nursery() as nursery:

                async def crash() -> None:
                    while browser.connection.commands_sent == sent:
                        await trio.lowlevel.checkpoint()
                    await crash_page(browser)

                sent = browser.connection.commands_sent
                nursery.start_soon(crash)
                result = await agent.client.call_tool("browser_wait_for", {"text": "never", "time": 60})
            return str(result.content)

        assert "The page has crashed" in world.run(crash_during_call)
        assert "0: (active)" in agent("browser_tabs", action="list")
        assert "again" in agent.show("again")
        agent.close()
    finally:
        world.stop()


def test_sessions_are_limited(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(max_sessions=1)
    agent.show("one")

    async def second() -> str:
        from mcp.client import Client

        from bidi_server.server import make_server

        async with Client(make_server(agent.config, agent.sessions)) as client:
            result = await client.call_tool("browser_snapshot", {})
            return str(result.content)

    assert "All 1 sessions are in use" in agent.world.run(second)


def test_idle_session_is_closed_and_the_next_answer_says_so(world: World, tmp_path: Path) -> None:
    agent = world.agent(output_dir=tmp_path, idle_timeout=0.3)
    agent.show("soon gone")

    async def reap() -> None:
        with trio.fail_after(30):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(agent.sessions.reap)
                while len(agent.sessions):
                    await trio.lowlevel.checkpoint()
                nursery.cancel_scope.cancel()

    world.run(reap)
    answer = agent("browser_tabs", action="list")
    agent.close()
    assert "The session was closed after 0.3 idle seconds" in answer


def test_a_frame_that_hangs_does_not_hide_the_page(browser_name: str, agent: Agent) -> None:
    if browser_name == "chromium":
        pytest.skip("the headless shell runs all frames of a page in one process, which hangs as a whole")
    hangs = "<p>Hung</p><script>onmessage = () => { while (true); }</script>"
    frame = agent.run(lambda: agent.site.html(hangs)).replace("127.0.0.1", "localhost")
    agent.show(f"<p>Here</p><iframe src='{frame}'></iframe><iframe srcdoc='<p>Inner'></iframe>")
    agent.evaluate("() => frames[0].postMessage('hang', '*')")
    for text in ("Here", "Inner"):
        assert f"The text {text!r} is there." in agent("browser_wait_for", text=text)


def test_a_busy_page_leaves_the_other_tabs_alone(make_agent: Callable[..., Agent]) -> None:
    """WebKitWebDriver 2.50 does not choose its window, which held up every request of the session."""
    agent = make_agent(action_timeout=1.5)
    agent.show("<p>First</p>")
    agent("browser_tabs", action="new", url=f"{agent.site.other_url}/form")
    assert agent("browser_evaluate", function="() => { for (;;); }").is_error
    agent("browser_tabs", action="select", index=0)
    assert "paragraph: First" in agent("browser_snapshot")
    agent("browser_tabs", action="close", index=1)
    assert "paragraph: First" in agent("browser_snapshot")


def test_a_page_that_hangs_right_after_a_message_stops_nobody_else(make_agent: Callable[..., Agent]) -> None:
    agent, other = make_agent(action_timeout=1), make_agent()
    other.show("<button>Other</button>")
    agent.show("<button onclick='console.log({a: 1}); while (true);'>Go</button>")
    assert "did not react" in agent("browser_click", selector="button")
    assert "snapshot shows no change" in other("browser_click", selector="button")
