"""What is said when a Grid does not do what it should: a site answers in its place."""

import base64
import json
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from drivers import GridError
from drivers.grid import MAX_FILE, GridSession, keeps_downloads, queue_length
from fixtures.site import Site, open_site

FILES = "/session/s/se/files"


def session_at(site: Site) -> GridSession:
    return GridSession(site.url.replace("http://", "http://agent:se%20cret@"), "s")


def answer(site: Site, path: str, value: object, status: int = 200) -> None:
    site.serve(json.dumps({"value": value}), path=path, content_type="application/json", status=status)


async def test_a_grid_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("one")
    with pytest.raises(GridError, match=r"^The Grid at http://127.0.0.1:9 can't be reached: .*refused.*\nCheck that"):
        await GridSession("http://agent:se%20cret@127.0.0.1:9", "s").send(tmp_path / "note.txt")
    assert await queue_length("http://127.0.0.1:9") is None
    assert not await keeps_downloads("http://127.0.0.1:9", "chrome")


async def test_something_that_is_no_grid(tmp_path: Path) -> None:
    async with open_site() as site:
        with pytest.raises(GridError, match=r"answered 404 without JSON\.\nSee what it logs\."):
            await session_at(site).fetch("report.csv", tmp_path / "report.csv")
        assert await queue_length(site.url) is None
        assert not await keeps_downloads(site.url, "chrome")


async def test_refusal(tmp_path: Path) -> None:
    async with open_site() as site:
        answer(site, FILES, {"message": "Cannot find file [x].\nBuild info"}, 500)
        with pytest.raises(GridError, match=r"^The Grid at http://127\.\S+ refuses: Cannot find file \[x\]\.\nSee"):
            await session_at(site).fetch("x", tmp_path / "x")
        with pytest.raises(GridError, match="refuses"):
            await session_at(site).downloads_folder()


@pytest.mark.parametrize("folder", ["/tmp/uuid1/download2", r"C:\Users\ci user\Temp\download2"])
async def test_folder_for_downloads(folder: str) -> None:
    async with open_site() as site:
        answer(site, FILES, {"message": f"Cannot find file [x] in directory {folder}.\nBuild info"}, 500)
        assert await session_at(site).downloads_folder() == folder


@pytest.mark.parametrize("value", [None, {}, {"contents": "UEsDBA=="}, {"contents": "?"}])
async def test_a_download_that_is_broken(tmp_path: Path, value: object) -> None:
    async with open_site() as site:
        answer(site, FILES, value)
        with pytest.raises(GridError, match=r"^It did not come whole: .*\nDownload it again\."):
            await session_at(site).fetch("report.csv", tmp_path / "report.csv")
    assert not (tmp_path / "report.csv").exists()


async def test_a_download_that_is_too_large(tmp_path: Path) -> None:
    async with open_site() as site:
        site.serve(b" " * 150_000_001, path=FILES)
        with pytest.raises(GridError, match=r"^It is larger than 100 MB, the most that goes through a Grid\."):
            await session_at(site).fetch("report.csv", tmp_path / "report.csv")


async def test_a_download_that_is_too_large_when_unpacked(tmp_path: Path) -> None:
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        archive.writestr("report.csv", bytes(MAX_FILE + 1))
    async with open_site() as site:
        answer(site, FILES, {"contents": base64.b64encode(packed.getvalue()).decode()})
        with pytest.raises(GridError, match=r"^It is larger than 100 MB"):
            await session_at(site).fetch("report.csv", tmp_path / "report.csv")
    assert not (tmp_path / "report.csv").exists()


@pytest.mark.parametrize(
    ("places", "kept"),
    [
        ([], False),
        ([{"browserName": "firefox", "se:downloadsEnabled": True}], False),
        ([{"browserName": "Chrome", "se:downloadsEnabled": True}, {"browserName": "firefox"}], True),
        ([{"browserName": "chrome", "se:downloadsEnabled": True}, {"browserName": "chrome"}], False),
    ],
)
async def test_whether_downloads_are_kept(places: list[dict[str, object]], kept: bool) -> None:
    async with open_site() as site:
        answer(site, "/status", {"nodes": [{"slots": [{"stereotype": place} for place in places]}, {}]})
        assert await keeps_downloads(site.url, "chrome") is kept
