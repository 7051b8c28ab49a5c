"""Browsers, nodes and whole Grids that are lost in the middle."""

from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from fixtures.site import open_site
from tests.grid.conftest import Grid, ask, client_of
from tests.grid.test_grid import BROWSERS

pytestmark = pytest.mark.grid


@pytest.mark.parametrize("name", BROWSERS)
async def test_a_browser_that_crashes_on_its_node(grid: Grid, tmp_path: Path, name: str) -> None:
    """The Grid leaves our WebSocket open; its driver knows."""
    async with client_of(grid, tmp_path, name, action_timeout=8) as client:
        await ask(client, "browser_navigate", url="data:text/html,<h1>Here</h1>")
        grid.kill_browsers()
        said = await ask(client, "browser_snapshot")
        assert said.startswith("The browser ended (the Grid says: ")
        assert "Call the tool again: a new browser will be started." in said
        said = await ask(client, "browser_navigate", url="data:text/html,<h1>Again</h1>")
        assert "Again" in said
        assert "Lost: data:text/html,<h1>Here</h1>" in said


@pytest.mark.parametrize("name", BROWSERS)
async def test_a_page_that_hangs_is_no_loss(grid: Grid, tmp_path: Path, name: str) -> None:
    async with open_site() as site, client_of(grid, tmp_path, name, action_timeout=6) as client:
        page = site.html("<button onclick='for (;;) {}'>Hang</button>")
        await ask(client, "browser_navigate", url=page)
        assert "The page did not react within 6 s" in await ask(client, "browser_click", selector="button")
        said = await ask(client, "browser_navigate", url="data:text/html,<h1>On</h1>")
        assert "On" in said
        assert "ended" not in said


async def test_a_grid_that_goes_away(plain_grid: Grid, tmp_path: Path) -> None:
    async with client_of(plain_grid, tmp_path, "firefox") as client:
        await ask(client, "browser_navigate", url="data:text/html,<h1>Here</h1>")
        family = [plain_grid.process, *plain_grid.process.children(recursive=True)]
        for each in family:
            with suppress(psutil.NoSuchProcess):  # ended with its parent
                each.kill()
        psutil.wait_procs(family)
        assert "The browser ended" in await ask(client, "browser_snapshot")
        said = await ask(client, "browser_snapshot")
        assert "Lost: data:text/html,<h1>Here</h1>.\nThe Grid at http://127.0.0.1:" in said
        assert "can't be reached" in said
        said = await ask(client, "browser_snapshot")
        assert said.startswith("The Grid at")
