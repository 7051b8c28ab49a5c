"""Several servers that serve the same sessions: with one key for handles, each goes on where another was."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.site import open_site
from tests.drivers.conftest import until
from tests.drivers.standing import Driver, open_driver
from tests.support.fronts import MODERN, TWO, Front, connected
from tests.support.replicas import agent_at, open_fronts, ref, thirty_steps
from tests.test_http_browsing import text_of

IDLE = 6
"""Seconds after which an unused session is closed."""


@pytest.fixture
def driver(browser_name: str, tmp_path: Path) -> Iterator[Driver]:
    """A driver on a free port."""
    with open_driver(browser_name, tmp_path) as driver:
        yield driver


@pytest.fixture
def fronts(driver: Driver, browser_name: str, tmp_path: Path) -> Iterator[list[Front]]:
    """Two servers with the same driver."""
    options = ("--caps", "sessions", "--idle-timeout", str(IDLE), "--browser", browser_name, "--endpoint", driver.url)
    with open_fronts(tmp_path, *options) as fronts:
        yield fronts


def names_of_cookies(folder: Path) -> list[str]:
    """Return the cookies in what was saved below a folder."""
    [file] = folder.glob("**/state.json")
    return [cookie["name"] for cookie in json.loads(file.read_text())["cookies"]]


async def test_a_task_outlives_its_server(fronts: list[Front]) -> None:
    await thirty_steps(fronts)


async def test_they_agree(fronts: list[Front]) -> None:
    """Tabs, contexts, dialogs and what the agent has seen are the same at both servers."""
    async with open_site() as site, agent_at(*(front.url for front in fronts)) as agent:
        count = "<title>One</title><button onclick='this.textContent += 1'>Press</button>"
        ask = "<title>Two</title><button onclick=\"this.textContent = confirm('Sure?')\">Ask</button>"
        page = await agent.call("browser_navigate", url=site.html(count))
        await agent.call("browser_tabs", action="new", url=site.html(ask))
        assert 'A confirm dialog "Sure?"' in await agent.call("browser_click", selector="button")
        assert 'A confirm dialog "Sure?"' in text_of(await agent.ask("browser_snapshot", at=1))
        await agent.call("browser_handle_dialog", at=1, accept=True)
        assert 'button "true"' in await agent.call("browser_snapshot", at=1)
        await agent.call("browser_tabs", at=1, action="select", index=0)
        # The first server has not seen what the second has shown since: no diff against what is long gone.
        pressed = await agent.call("browser_click", ref=ref(page, "button"))
        assert 'button "Press1"' in pressed
        assert 'button "Press11"' in await agent.call("browser_click", at=1, selector="button")
        assert "Changes" in await agent.call("browser_click", at=1, selector="button")
        await agent.call("browser_context_create", at=1, name="guest")
        assert "guest" in await agent.call("browser_context_list")
        await agent.call("browser_navigate", url=site.html("<h1>Guests</h1>"))
        assert "Guests" in await agent.call("browser_snapshot", at=1)
        # The session goes on, in what is now its only context.
        await agent.call("browser_context_close", at=1, name="default")
        assert "Guests" in await agent.call("browser_snapshot")


async def test_closed_is_closed_everywhere(fronts: list[Front], driver: Driver) -> None:
    """The browser ends with the last session, at whichever server that was."""
    async with agent_at(*(front.url for front in fronts)) as agent, agent_at(fronts[0].url) as other:
        await agent.call("browser_navigate", url="data:text/html,<h1>Here</h1>")
        await other.call("browser_navigate", url="data:text/html,<h1>There</h1>")
        assert "Here" in await agent.call("browser_snapshot", at=1)
        await agent.call("browser_session_close", at=1, name=agent.session.pop("session"))
        assert driver.has_browser()
        assert "There" in await other.call("browser_snapshot")
        await other.call("browser_session_close", name=other.session.pop("session"))
        await until(lambda: not driver.has_browser(), seconds=20)


async def test_a_session_that_was_closed_elsewhere(fronts: list[Front]) -> None:
    async with agent_at(*(front.url for front in fronts)) as agent:
        await agent.call("browser_navigate", url="data:text/html,<h1>Here</h1>")
        await agent.call("browser_session_close", at=1, name=agent.session["session"])
        for server in (0, 1):
            refused = await agent.ask("browser_snapshot", at=server)
            assert refused.is_error
            assert text_of(refused).endswith("call without one."), text_of(refused)


async def test_idle_here_is_not_idle_elsewhere(fronts: list[Front], driver: Driver) -> None:
    """A server that has not heard of a session for long leaves it to the one that has."""
    async with agent_at(*(front.url for front in fronts)) as agent:
        await agent.call("browser_navigate", url="data:text/html,<h1>Here</h1>")
        for _ in range(4):
            # Longer than half of --idle-timeout, as a user waits.
            await agent.call("browser_wait_for", at=1, time=IDLE / 3)
        assert "Here" in await agent.call("browser_snapshot", at=1)
        assert "Here" in await agent.call("browser_snapshot")
    await until(lambda: not driver.has_browser(), seconds=3 * IDLE + 10)


async def test_a_handle_is_its_owners(fronts: list[Front]) -> None:
    async with agent_at(*(front.url for front in fronts)) as agent:
        await agent.call("browser_navigate", url="data:text/html,<h1>Here</h1>")
        for url in (fronts[0].url, fronts[1].url):
            async with connected(url, token=TWO, era=MODERN) as client:
                refused = await client.call_tool("browser_snapshot", agent.session)
                assert refused.is_error
                assert text_of(refused).startswith(f"There is no session {agent.session['session']!r}. Open: none.")


async def test_what_they_tell_each_other_is_no_cookie_of_the_agent(fronts: list[Front], tmp_path: Path) -> None:
    async with open_site() as site, agent_at(fronts[0].url) as agent:
        await agent.call("browser_navigate", url=site.html("<h1>Here</h1>"))
        await agent.call("browser_evaluate", function="document.cookie = 'mine=1'")
        said = await agent.call("browser_context_save_storage", name="default", path="state.json")
    assert names_of_cookies(tmp_path) == ["mine"]
    assert "Saved 1 cookies" in said
