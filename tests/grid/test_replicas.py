"""Several servers in front of one Grid."""

from pathlib import Path

import pytest

from tests.drivers.conftest import until
from tests.grid.conftest import Grid
from tests.grid.test_grid import BROWSERS
from tests.support.fronts import connected, open_front
from tests.support.replicas import agent_at, open_fronts, thirty_steps
from tests.test_http_browsing import text_of

pytestmark = pytest.mark.grid


@pytest.mark.parametrize("name", BROWSERS)
async def test_a_task_outlives_its_server(grid: Grid, tmp_path: Path, name: str) -> None:
    """Handles say enough to reach the Grid again, whose login each server has for itself."""
    options = ["--browser", name, "--grid-url", grid.url, "--idle-timeout", "4"]
    if name == "chromium":
        options += ["--grid-capabilities", str(grid.capabilities)]
    with open_fronts(tmp_path, *options) as fronts:
        await thirty_steps(fronts)
        await until(lambda: not grid.sessions(), seconds=30)


async def test_a_grid_of_a_sessions_own(grid: Grid, tmp_path: Path) -> None:
    # Clients over HTTP choose no other than the server's.
    options = ("--browser", "firefox", "--caps", "sessions", "--grid-url", grid.url)
    with open_fronts(tmp_path, *options) as fronts:
        async with agent_at(*(front.url for front in fronts)) as agent:
            said = await agent.call("browser_session_create", gridUrl=grid.url)
            assert len(grid.sessions()) == 1
            agent.session = {"session": said.split("'")[1]}
            await agent.call("browser_navigate", url="data:text/html,<h1>Here</h1>")
            assert "Here" in await agent.call("browser_snapshot")
            # The login is not in the handle, but Grid 4.20 asks for none at its WebSockets.
            assert "Here" in await agent.call("browser_snapshot", at=1)
            await agent.call("browser_session_close", name=agent.session.pop("session"))
        assert not grid.sessions()


async def test_what_a_killed_server_leaves(grid: Grid, tmp_path: Path) -> None:
    """Another server ends it when it has been idle for long, and not before."""
    options = ["--browser", "firefox", "--grid-url", grid.url, "--idle-timeout", "6"]
    with open_front(tmp_path, *options) as front, open_front(tmp_path, *options):
        async with connected(front.url) as client:
            await client.call_tool("browser_navigate", {"url": "data:text/html,<h1>Here</h1>"})
            await client.call_tool("browser_wait_for", {"time": 8})
            assert "Here" in text_of(await client.call_tool("browser_snapshot", {}))
            front.process.kill()
            front.process.wait()
            assert len(grid.sessions()) == 1
        await until(lambda: not grid.sessions(), seconds=40)
