"""Firefox's settings and its startup cache, without a Firefox."""

import os
import time
from pathlib import Path

import pytest

from drivers import LaunchOptions, find
from drivers.firefox_profile import application_ini, keep_warm, prepare_profile, warm_folder
from tests.support.machines import program

INI = "; comment\n[App]\nVendor=Mozilla\nVersion=140.7.0\nBuildID=20260101000000\n\n[Gecko]\nVersion=0\n"


def firefox(folder: Path) -> Path:
    (folder / "firefox").mkdir()
    (folder / "firefox" / "application.ini").write_text(INI)
    return program(folder / "firefox" / "firefox", "")


def used_profile(folder: Path, *, age: float) -> Path:
    """A profile that Firefox has run in, with a startup cache written `age` seconds ago."""
    (folder / "startupCache").mkdir(parents=True)
    for name in (
        "startupCache/startupCache.8.little",
        "startupCache/scriptCache.bin",
        "compatibility.ini",
        "cookies.sqlite",
    ):
        (folder / name).write_text(name)
        os.utime(folder / name, (time.time() - age, time.time() - age))
    return folder


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def run_folder(folder: Path, name: str = "run") -> Path:
    (folder / name / "profile").mkdir(parents=True)
    return folder / name


def test_version_and_build_are_read_without_running_firefox(tmp_path: Path) -> None:
    assert application_ini(firefox(tmp_path)) == {
        "Vendor": "Mozilla",
        "Version": "140.7.0",
        "BuildID": "20260101000000",
    }
    assert application_ini(program(tmp_path / "script", "#!/bin/sh\n")) == {}


async def test_settings_are_firefoxs_own_format(tmp_path: Path) -> None:
    options = LaunchOptions("firefox", preferences=(("a.b", 'quote " and \\'), ("c", 7), ("browser.startup.page", 3)))
    profile = await prepare_profile(options, firefox(tmp_path), run_folder(tmp_path))
    lines = (profile / "user.js").read_text().splitlines()
    assert 'user_pref("a.b", "quote \\" and \\\\");' in lines
    assert 'user_pref("c", 7);' in lines
    assert 'user_pref("app.normandy.enabled", false);' in lines
    assert [line for line in lines if "browser.startup.page" in line] == ['user_pref("browser.startup.page", 3);']


async def test_somebody_elses_settings_are_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "user.js").write_text("// my own\n")
    options = LaunchOptions("firefox", user_data_dir=mine)
    assert await prepare_profile(options, firefox(tmp_path), run_folder(tmp_path)) == mine
    assert (mine / "user.js").read_text() == "// my own\n"


async def test_a_complete_startup_cache_is_kept_and_used(bare_machine: Path, tmp_path: Path) -> None:
    program = firefox(tmp_path)
    await keep_warm(program, used_profile(tmp_path / "used", age=60))
    warm = warm_folder(program)
    assert warm is not None
    assert warm.is_relative_to(find.cache_folder())
    assert names(warm) == {"startupCache/startupCache.8.little", "startupCache/scriptCache.bin", "compatibility.ini"}
    profile = await prepare_profile(LaunchOptions("firefox"), program, run_folder(tmp_path))
    assert names(profile) == names(warm) | {"user.js"}
    kept = await prepare_profile(
        LaunchOptions("firefox", user_data_dir=tmp_path / "kept"), program, run_folder(tmp_path, "other")
    )
    assert names(kept) == {"user.js"}


async def test_an_unfinished_startup_cache_is_not_kept(bare_machine: Path, tmp_path: Path) -> None:
    program = firefox(tmp_path)
    warm = warm_folder(program)
    assert warm is not None
    await keep_warm(program, used_profile(tmp_path / "young", age=0))
    old = used_profile(tmp_path / "old", age=60)
    (old / "startupCache" / "scriptCache.bin").unlink()
    await keep_warm(program, old)
    await keep_warm(program, tmp_path / "none")
    assert not warm.exists()


async def test_another_build_or_place_has_a_startup_cache_of_its_own(tmp_path: Path) -> None:
    first = firefox(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    second = firefox(tmp_path / "elsewhere")
    folders = {warm_folder(first), warm_folder(second)}
    (first.parent / "application.ini").write_text(INI.replace("2026", "2027"))
    folders.add(warm_folder(first))
    assert len(folders) == 3
    assert warm_folder(program(tmp_path / "script", "#!/bin/sh\n")) is None


@pytest.mark.parametrize("confined", [False, True])
@pytest.mark.parametrize("proxied", [False, True])
async def test_pages_of_this_machine_do_not_go_through_its_proxy(
    bare_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxied: bool, confined: bool
) -> None:
    """With --egress they do: its own proxy must see everything."""
    if proxied:
        monkeypatch.setenv("http_proxy", "http://proxy.test:3128")
    options = LaunchOptions("firefox", confined=confined)
    profile = await prepare_profile(options, firefox(tmp_path), run_folder(tmp_path))
    assert ("allow_hijacking_localhost" in (profile / "user.js").read_text()) is (confined or not proxied)
