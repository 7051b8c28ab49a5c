"""Several sessions of one client: they work side by side, and nothing of one is seen in another."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import UUID

import pytest
import trio
from mcp_types import TextContent

from tests.support.world import Agent

MakeAgent = Callable[..., Agent]
Call = Callable[..., Awaitable[str]]

NAMES = [f"s{number}" for number in range(8)]


@pytest.fixture
def agent(make_agent: MakeAgent) -> Agent:
    """A client of a server that knows sessions by name."""
    return make_agent(caps=("sessions",), max_sessions=9)


def caller(agent: Agent, session: str) -> Call:
    """Return a function that calls a tool in a session."""

    async def call(tool: str, **arguments: object) -> str:
        result = await agent.client.call_tool(tool, {**arguments, "session": session})
        text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
        assert not result.is_error, f"{session}: {text}"
        return text

    return call


def test_create_list_and_close(agent: Agent) -> None:
    assert agent("browser_session_list").text == "No session is open."
    assert agent("browser_session_create", name="shop", viewport="800x600").text == (
        "Session 'shop' is open. Give its name to other tools as session."
    )
    agent("browser_navigate", url=agent.site.url_for("/text"), session="shop")
    size = agent("browser_evaluate", function="innerWidth + 'x' + innerHeight", session="shop")
    assert size.text == "800x600"
    assert f"- shop: {agent.world.browser}, {agent.site.url_for('/text')}" in agent("browser_session_list")
    assert agent("browser_session_create", name="shop").is_error
    assert agent("browser_session_close", name="shop").text == "Session 'shop' is closed."
    gone = agent("browser_snapshot", session="shop")
    assert gone.is_error
    assert "There is no session 'shop'" in gone
    assert agent("browser_session_close", name="shop").is_error


def test_where_pages_are_named_no_other_grid_is_reached(make_agent: MakeAgent) -> None:
    agent = make_agent(caps=("sessions",), allowed_urls=("127.0.0.1",))
    refused = agent("browser_session_create", gridUrl=agent.site.url)
    assert refused.is_error
    assert refused.text == (
        "gridUrl with --allowed-urls must be the --grid-url of the server; none is configured. Leave it out."
    )


def test_a_name_that_nobody_guesses(agent: Agent) -> None:
    names = {agent("browser_session_create").text.split("'")[1] for _ in range(3)}
    assert len(names) == 3
    assert all(UUID(name).version == 4 for name in names)


def test_limit(make_agent: MakeAgent) -> None:
    agent = make_agent(caps=("sessions",), max_sessions=1)
    agent("browser_session_create", name="one")
    answer = agent("browser_session_create", name="two")
    assert answer.is_error
    assert "All 1 sessions are in use" in answer


def test_the_parameter_is_there_where_sessions_are(agent: Agent, make_agent: MakeAgent) -> None:
    def takes(agent: Agent) -> set[str]:
        tools = agent.world.run(agent.client.list_tools).tools
        return {tool.name for tool in tools if "session" in tool.input_schema.get("properties", {})}

    assert "browser_click" in takes(agent)
    assert "browser_session_close" not in takes(agent)
    assert takes(make_agent()) == set()


def test_another_clients_session_is_out_of_reach(agent: Agent, make_agent: MakeAgent) -> None:
    agent("browser_session_create", name="mine")
    stranger = make_agent(caps=("sessions",))
    assert "There is no session 'mine'" in stranger("browser_snapshot", session="mine")


def test_none_waits_for_another(agent: Agent) -> None:
    ended: list[str] = []

    async def slow(call: Call) -> None:
        await call("browser_wait_for", text="never there", time=20)

    async def both() -> None:
        for name in ("slow", "quick"):
            await agent.client.call_tool("browser_session_create", {"name": name})
        waiting, busy = caller(agent, "slow"), caller(agent, "quick")
        await waiting("browser_navigate", url=agent.site.url_for("/text"))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(slow, waiting)
            await busy("browser_navigate", url=agent.site.url_for("/form"))
            await busy("browser_snapshot")
            ended.append("quick")
            nursery.cancel_scope.cancel()

    agent.world.run(both)
    assert ended == ["quick"]


def test_eight_at_once_have_nothing_in_common(agent: Agent, tmp_path: Path) -> None:
    url = agent.run(
        lambda: agent.site.html(
            "<button onclick=\"out.textContent = 'pressed ' + who\">Press</button><p id=out>nothing</p>"
            "<button onclick=\"out.textContent = confirm('Who?') + who\">Ask</button>"
            "<a href=/download/report.csv>Download</a><script>let who = ''</script>"
        )
    )
    found: dict[str, list[str]] = {}

    async def live(name: str) -> None:
        call = caller(agent, name)
        page = await call("browser_navigate", url=url)
        press = re.search(r'button "Press".*?\[ref=(\w+)\]', page)
        assert press
        await call("browser_evaluate", function=f"() => {{ who = '{name}'; document.cookie = 'who={name}' }}")
        await call("browser_evaluate", function=f"() => {{ localStorage.who = '{name}'; console.log('I am {name}') }}")
        said = [await call("browser_click", ref=press[1])]
        said.append(await call("browser_click", selector="button:nth-of-type(2)"))
        said.append(await call("browser_handle_dialog", accept=int(name[1]) % 2 == 0))
        said.append(await call("browser_click", selector="a"))
        said.append(await call("browser_console_messages"))
        said.append(await call("browser_evaluate", function="document.cookie + ' ' + localStorage.who"))
        found[name] = said

    async def all_at_once() -> None:
        for name in NAMES:
            await agent.client.call_tool("browser_session_create", {"name": name})
        async with trio.open_nursery() as nursery:
            for name in NAMES:
                nursery.start_soon(live, name)

    agent.world.run(all_at_once)
    for name in NAMES:
        pressed, asked, answered, downloaded, logged, kept = found[name]
        assert f"pressed {name}" in pressed
        assert 'A confirm dialog "Who?" is open.' in asked
        assert f"{'true' if int(name[1]) % 2 == 0 else 'false'}{name}" in answered
        assert downloaded.count("report") >= 1
        assert re.findall(r"I am (\w+)", logged) == [name]
        assert kept.endswith(f"\nwho={name} {name}")
    assert len(list((tmp_path / "shots" / "downloads").glob("report*.csv"))) == len(NAMES)


def test_a_process_of_its_own(make_agent: MakeAgent) -> None:
    agent = make_agent(caps=("sessions",), isolation="process")
    before = agent.run(lambda: len(agent.world.browsers.running))
    agent("browser_session_create", name="own")
    agent("browser_navigate", url=agent.site.url_for("/text"), session="own")
    assert agent.run(lambda: len(agent.world.browsers.running)) == before + 1
    agent("browser_session_close", name="own")
    assert agent.run(lambda: len(agent.world.browsers.running)) == before


def test_two_engines_in_one_server(agent: Agent) -> None:
    other = "chromium" if agent.world.browser == "firefox" else "firefox"
    if not agent.run(lambda: _is_there(other)):
        pytest.skip(f"{other} is not installed")
    agent("browser_session_create", name="other", browser=other)
    agent("browser_navigate", url=agent.site.url_for("/text"), session="other")
    agent("browser_navigate", url=agent.site.url_for("/text"))
    names = [
        agent("browser_evaluate", function="navigator.userAgent", **session).text
        for session in ({"session": "other"}, {})
    ]
    assert ["Firefox" in name for name in names] == [other == "firefox", other != "firefox"]


def _is_there(browser: str) -> bool:
    from drivers import BrowserName, find

    name: BrowserName = "firefox" if browser == "firefox" else "chromium"
    return next(find.candidates(name, "browser"), None) is not None


def test_the_first_answer_says_what_an_old_version_lacks(agent: Agent) -> None:
    agent.open("/text")
    agent("browser_snapshot")
    assert len(agent.shortcomings) == len(agent.world.run(agent.world.shortcomings))
