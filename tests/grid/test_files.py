"""Files that go to browsers on a Grid and come from them: a node shares no disk with us."""

import json
import re
from pathlib import Path

import pytest
from mcp.client import Client

from fixtures.site import Site, open_site
from tests.drivers.conftest import until
from tests.grid.conftest import Grid, ask, client_of

pytestmark = pytest.mark.grid

BROWSERS = ("chromium", "firefox")

READ = """async () => {
    const files = [...document.querySelector('input').files];
    return (await Promise.all(files.map(async file => `${file.name}=${await file.text()}`))).join();
}"""
"""JavaScript for the names and contents of what an input has."""


def files_in(folder: Path) -> dict[str, str]:
    """Return what is in the folder for downloads, by name."""
    return {path.name: path.read_text() for path in (folder / "downloads").iterdir()}


def serve_report(site: Site, name: str, text: str) -> str:
    """Register a download and return its address."""
    disposition = {"content-disposition": f'attachment; filename="{name}"'}
    return site.serve(text, content_type="text/csv", headers=disposition)


@pytest.mark.parametrize("name", BROWSERS)
async def test_upload(grid: Grid, tmp_path: Path, name: str) -> None:
    first, second = tmp_path / "note.txt", tmp_path / "Übersicht 1.txt"
    first.write_text("one")
    second.write_text("two")
    async with open_site() as site, client_of(grid, tmp_path, name) as client:
        await ask(client, "browser_navigate", url=site.html("<input type=file multiple aria-label=Files>"))
        said = await ask(client, "browser_file_upload", paths=[str(first), str(second)])
        assert said.startswith('Gave note.txt, Übersicht 1.txt to button "Files"'), said
        first.unlink()
        second.unlink()
        assert "note.txt=one,Übersicht 1.txt=two" in await ask(client, "browser_evaluate", function=READ)


@pytest.mark.parametrize("name", BROWSERS)
async def test_upload_in_another_toolset(grid: Grid, tmp_path: Path, name: str) -> None:
    (tmp_path / "note.txt").write_text("one")
    async with open_site() as site, client_of(grid, tmp_path, name, toolset=("extract",)) as client:
        await ask(client, "create_browser_session", session_id="s")
        await ask(client, "navigate", session_id="s", url=site.html("<input type=file>"))
        said = await ask(client, "upload_file", session_id="s", selector="input", path="note.txt")
        assert json.loads(said)["status"] == "uploaded"
        (tmp_path / "note.txt").unlink()
        assert "note.txt=one" in await ask(client, "execute_js", session_id="s", script=READ)


async def test_upload_that_fails(grid: Grid, tmp_path: Path) -> None:
    with (tmp_path / "huge.bin").open("wb") as file:
        file.truncate(100_000_001)
    async with open_site() as site, client_of(grid, tmp_path, "firefox") as client:
        await ask(client, "browser_navigate", url=site.html("<input type=file>"))
        huge = await ask(client, "browser_file_upload", paths=[str(tmp_path / "huge.bin")])
        unreadable = await ask(client, "browser_file_upload", paths=["/proc/self/mem"])
    assert huge == "huge.bin is larger than 100 MB, the most that goes through a Grid. Use a local browser for it."
    assert unreadable == "/proc/self/mem can't be read: Input/output error. Pass others."


@pytest.mark.parametrize("name", BROWSERS)
async def test_download(grid: Grid, tmp_path: Path, name: str) -> None:
    async with open_site() as site, client_of(grid, tmp_path, name) as client:
        link = serve_report(site, "report.csv", "Tea,1\n")
        await ask(client, "browser_navigate", url=site.html(f"<a href='{link}'>Report</a>"))
        said = await ask(client, "browser_click", selector="a")
        assert f'Download "report.csv": saved as {tmp_path}/downloads/report.csv.' in said
        assert files_in(tmp_path) == {"report.csv": "Tea,1\n"}
        assert f"saved as {tmp_path}/downloads/report" in await ask(client, "browser_click", selector="a")
        assert list(files_in(tmp_path).values()) == ["Tea,1\n", "Tea,1\n"]


@pytest.mark.parametrize("name", BROWSERS)
async def test_download_of_some_size(grid: Grid, tmp_path: Path, name: str) -> None:
    async with open_site() as site, client_of(grid, tmp_path, name) as client:
        said = await ask(client, "browser_navigate", url=site.url_for("/download/big.txt?size=8000000"))
        assert 'Download "big.txt": saved as' in said
    assert [len(text) for text in files_in(tmp_path).values()] == [8_000_000]


@pytest.mark.parametrize("name", BROWSERS)
async def test_downloads_of_two_sessions(grid: Grid, tmp_path: Path, name: str) -> None:
    async with open_site() as site, client_of(grid, tmp_path, name, caps=("sessions",)) as client:
        for session in ("a", "b"):
            await ask(client, "browser_session_create", name=session)
            link = serve_report(site, "report.csv", f"of {session}")
            await ask(client, "browser_navigate", url=site.html(f"<a href='{link}'>Report</a>"), session=session)
        for session in ("a", "b"):
            said = await ask(client, "browser_click", selector="a", session=session)
            [path] = [Path(line.partition("saved as ")[2][:-1]) for line in said.splitlines() if "saved as" in line]
            assert path.read_text() == f"of {session}"


async def download_that_stays_there(client: Client, site: Site) -> str:
    """Download something with the toolset ``extract`` and return what is said of it."""
    await ask(client, "create_browser_session", session_id="s")
    link = serve_report(site, "report.csv", "Tea,1\n")
    await ask(client, "navigate", session_id="s", url=site.html(f"<a href='{link}'>Report</a>"))
    said = await ask(client, "click", session_id="s", selector="a")
    [found] = json.loads(await ask(client, "get_downloads", session_id="s"))["downloads"]
    assert found["path"] is None
    assert "enable-managed-downloads" in found["missing"]
    return said


@pytest.mark.parametrize("name", BROWSERS)
async def test_grid_that_keeps_no_downloads(plain_grid: Grid, tmp_path: Path, name: str) -> None:
    async with open_site() as site, client_of(plain_grid, tmp_path, name, toolset=("extract",)) as client:
        said = await download_that_stays_there(client, site)
    [event] = json.loads(said)["events"]
    # A browser numbers the name if its own download folder has a file of this name.
    assert re.match(
        r'Download "report(\(\d+\))?\.csv": not saved\. The Grid keeps no downloads for us: start its nodes', event
    )


async def test_downloads_that_are_not_wanted(grid: Grid, tmp_path: Path) -> None:
    wishes = tmp_path / "wishes.json"
    wishes.write_text('{"se:downloadsEnabled": false}')
    async with (
        open_site() as site,
        client_of(grid, tmp_path, "firefox", toolset=("extract",), grid_capabilities=wishes) as client,
    ):
        assert "not saved" in await download_that_stays_there(client, site)
    await until(lambda: not grid.sessions(), seconds=20)
