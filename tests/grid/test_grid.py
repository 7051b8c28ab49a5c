"""The product's main job in browsers on a Grid."""

from pathlib import Path

import pytest
import trio
from mcp.client import Client

from bidi_server.config import Config
from bidi_server.server import make_server
from fixtures.site import open_site
from tests.drivers.conftest import until
from tests.grid.conftest import Grid, ask, client_of, has_webkit

pytestmark = pytest.mark.grid

BROWSERS = ("chromium", "firefox")


@pytest.mark.parametrize("name", BROWSERS)
async def test_main_job(grid: Grid, tmp_path: Path, name: str) -> None:
    async with open_site() as site:
        page = site.html("<label>Name <input></label><button onclick='this.textContent += 1'>Press</button>")
        async with client_of(grid, tmp_path, name, caps=("pdf",)) as client:
            assert 'button "Press"' in await ask(client, "browser_navigate", url=page)
            [opened] = grid.sessions()
            assert opened.startswith("bidi-server ")
            assert 'button "Press1"' in await ask(client, "browser_click", selector="button")
            assert "Ada" in await ask(client, "browser_type", selector="input", text="Ada")
            assert "page.png" in await ask(client, "browser_take_screenshot", filename="page.png")
            assert "page.pdf" in await ask(client, "browser_pdf_save", filename="page.pdf")
            await ask(client, "browser_evaluate", function="() => console.error('odd')")
            assert "odd" in await ask(client, "browser_console_messages")
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    await until(lambda: not grid.sessions(), seconds=20)


@pytest.mark.parametrize("name", BROWSERS)
async def test_sessions_share_a_place(grid: Grid, tmp_path: Path, name: str) -> None:
    async with client_of(grid, tmp_path, name, caps=("sessions",)) as client:
        await ask(client, "browser_navigate", url="data:text/html,<h1>One</h1>")
        assert "two" in await ask(client, "browser_session_create", name="two")
        await ask(client, "browser_navigate", url="data:text/html,<h1>Two</h1>", session="two")
        assert "One" in await ask(client, "browser_snapshot")
        assert len(grid.sessions()) == 1


async def test_webkit(grid: Grid, tmp_path: Path) -> None:
    """WebKitGTK's driver has no WebSocket: its requests go to the Grid."""
    if not has_webkit():
        pytest.skip("needs WebKitGTK: bidi-server install webkit")
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear node")
    options = {"caps": ("sessions",), "isolation": "context", "upload_dirs": (tmp_path,), "grid_timeout": 3}
    async with open_site() as site:
        page = site.html(
            "<label>Name <input></label><button onclick='this.textContent += 1'>Press</button>"
            "<input type=file onchange='this.files[0].text().then(text => document.body.append(text))'>"
        )
        async with client_of(grid, tmp_path, "webkit", **options) as client:
            begun = await ask(client, "browser_navigate", url=page)
            assert 'button "Press"' in begun
            assert "downloads are not reported" in begun
            assert 'button "Press1"' in await ask(client, "browser_click", selector="button")
            assert "Ada" in await ask(client, "browser_type", selector="input", text="Ada")
            assert "page.png" in await ask(client, "browser_take_screenshot", filename="page.png")
            said = await ask(client, "browser_file_upload", selector="[type=file]", paths=[str(letter)])
            assert "Dear node" in said
            assert [name.startswith("bidi-server ") for name in grid.sessions()] == [True]
            proxy = {"server": "socks5://127.0.0.1:1"}
            said = await ask(client, "browser_context_create", name="office", proxy=proxy)
            assert "can't use socks5://127.0.0.1:1 itself, and runs elsewhere" in said
            # An isolated context needs a browser of its own, and so a place.
            await ask(client, "browser_session_create", name="two")
            said = await ask(client, "browser_navigate", url=page, session="two")
            assert "had no place for a browser within 3 s" in said
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")
    await until(lambda: not grid.sessions(), seconds=20)


async def test_no_place(grid: Grid, tmp_path: Path) -> None:
    async with (
        client_of(grid, tmp_path, "firefox") as first,
        client_of(grid, tmp_path, "firefox", grid_timeout=2) as other,
    ):
        await ask(first, "browser_navigate", url="about:blank")
        said = await ask(other, "browser_navigate", url="about:blank")
        assert "had no place for a browser within 2 s" in said
    # The one that was waiting gets a session after all, and gives it back.
    async with client_of(grid, tmp_path, "firefox", grid_timeout=60) as last:
        assert "Page:" in await ask(last, "browser_navigate", url="about:blank")


async def test_waiting_for_a_place(grid: Grid, tmp_path: Path) -> None:
    told: dict[str, list[str]] = {"one": [], "two": []}

    async def work(client: Client, session: str) -> None:
        async def note(progress: float, total: float | None, message: str | None) -> None:
            assert progress > 0
            assert total is None
            told[session].append(message or "")

        arguments = {"url": "data:text/html,<h1>Mine</h1>", "session": session}
        result = await client.call_tool("browser_navigate", arguments, progress_callback=note)
        assert not result.is_error

    async with (
        client_of(grid, tmp_path, "firefox", caps=("sessions",)) as other,
        trio.open_nursery() as nursery,
        client_of(grid, tmp_path, "firefox") as first,
    ):
        await ask(first, "browser_navigate", url="about:blank")
        for session in told:
            await ask(other, "browser_session_create", name=session)
            nursery.start_soon(work, other, session)
        await until(lambda: all("s, 1 in its queue)" in "".join(messages) for messages in told.values()), seconds=30)
    for messages in told.values():
        waiting = [message for message in messages if not message.startswith("running for ")]
        assert waiting[0].startswith("waiting for a browser on the Grid (3 s")


async def test_what_the_grid_does_not_have(grid: Grid, tmp_path: Path) -> None:
    (tmp_path / "wishes.json").write_text('{"platformName": "windows"}')
    async with client_of(
        grid, tmp_path, "firefox", grid_capabilities=tmp_path / "wishes.json", grid_timeout=5
    ) as client:
        said = await ask(client, "browser_navigate", url="about:blank")
    assert said.startswith("The Grid at http://127.0.0.1:")
    assert "se cret" not in said
    assert "--grid-capabilities" in said


async def test_no_grid(tmp_path: Path) -> None:
    async with Client(make_server(Config(grid_url="http://127.0.0.1:9", output_dir=tmp_path))) as client:
        said = await ask(client, "browser_navigate", url="about:blank")
    assert said.startswith("The Grid at http://127.0.0.1:9 can't be reached")
