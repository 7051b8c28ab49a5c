"""Where browsers are looked for, in which order, and what is said when there is none."""

import subprocess
import sys
from pathlib import Path

import pytest
import trio

from drivers import BrowserName, BrowserNotFoundError, find
from tests.support.machines import program


def answering(version: str) -> str:
    return f"#!/bin/sh\necho 'noise: on stderr 1.2.3' >&2\necho 'Some Browser {version} built on Debian 12'\n"


def paths(browser: BrowserName, kind: find.Kind) -> list[Path]:
    return [found.path for found in find.candidates(browser, kind)]


def test_explicit_path_is_the_only_candidate(bare_machine: Path, tmp_path: Path) -> None:
    program(bare_machine / "chromium", answering("150.0.1.2"))
    mine = program(tmp_path / "mine", answering("150.0.1.2"))
    assert list(find.candidates("chromium", "browser", mine)) == [find.Installation("browser", mine, "explicit")]


@pytest.mark.parametrize("what", ["missing", "folder", "plain file"])
def test_explicit_path_must_be_a_program(tmp_path: Path, what: str) -> None:
    path = tmp_path / "mine"
    if what == "folder":
        path.mkdir()
    elif what == "plain file":
        path.write_text("")
    with pytest.raises(BrowserNotFoundError, match="is not a program") as caught:
        list(find.candidates("firefox", "browser", path))
    assert str(path) in caught.value.message


def test_system_comes_before_cache_and_newer_downloads_before_older(bare_machine: Path) -> None:
    system = program(bare_machine / "google-chrome", answering("150.0.1.2"))
    cache = find.cache_folder() / "chrome" / "linux64"
    cached = [program(cache / version / "chrome", "") for version in ("9.0.0.1", "156.0.0.10", "156.0.0.9")]
    assert paths("chromium", "browser") == [system, cached[1], cached[2], cached[0]]
    assert [found.source for found in find.candidates("chromium", "browser")] == ["system", "cache", "cache", "cache"]
    assert [found.version for found in find.candidates("chromium", "browser")][1:] == [
        "156.0.0.10",
        "156.0.0.9",
        "9.0.0.1",
    ]


def test_both_downloaders_layouts_are_known(bare_machine: Path) -> None:
    cache = find.cache_folder()
    by_selenium = program(cache / "chromedriver" / "linux64" / "150.0.1.2" / "chromedriver", "")
    by_webdriver = program(cache / "chromedriver/linux64/149.0.1.2/chromedriver-linux64/chromedriver", "")
    firefox = program(cache / "firefox" / "linux64" / "140.0" / "firefox", "")
    assert paths("chromium", "driver") == [by_selenium, by_webdriver]
    assert paths("firefox", "browser") == [firefox]


def test_the_same_program_under_two_names_is_one(bare_machine: Path) -> None:
    real = program(bare_machine / "firefox-esr", answering("140.0"))
    (bare_machine / "firefox").symlink_to(real)
    assert paths("firefox", "browser") == [real]


def test_a_stand_in_for_a_snap_that_is_not_installed_is_no_browser(bare_machine: Path) -> None:
    program(bare_machine / "chromium-browser", "#!/bin/sh\nexec /snap/bin/no-such-snap-at-all\n")
    assert paths("chromium", "browser") == []


def test_a_headless_shell_is_for_those_who_need_no_window(bare_machine: Path) -> None:
    browser = program(bare_machine / "chromium", answering("150.0.1.2"))
    driver = program(bare_machine / "chromedriver", answering("150.0.1.2"))
    shell = program(bare_machine / "chromium-headless-shell", answering("150.0.1.2"))
    assert [found.path for found in find.first_pair(headless=True)] == [shell, driver]
    assert [found.path for found in find.first_pair(browser, headless=True)] == [browser, driver]
    assert [found.path for found in find.first_pair()] == [browser, driver]
    assert paths("chromium", "browser") == [browser]


def test_nothing_there_names_the_command_that_helps(bare_machine: Path) -> None:
    for browser in ("chromium", "firefox"):
        with pytest.raises(BrowserNotFoundError, match=f"^bidi-server install {browser} "):
            find.first_browser(browser)
    program(bare_machine / "chromium", answering("150.0.1.2"))
    with pytest.raises(BrowserNotFoundError, match="needs a chromedriver") as caught:
        find.first_pair()
    assert caught.value.message.startswith("bidi-server install chromium ")


async def test_version_is_read_past_noise_and_silence(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await find.read_version(program(bare_machine / "good", answering("150.0.1.2"))) == "150.0.1.2"
    assert await find.read_version(program(bare_machine / "esr", answering("140.7.0esr"))) == "140.7.0esr"
    assert await find.read_version(program(bare_machine / "none", "#!/bin/sh\necho hello\n")) == ""
    assert await find.read_version(program(bare_machine / "bad", "#!/bin/sh\necho 1.2.3.4; exit 1\n")) == ""
    assert await find.read_version(program(bare_machine / "junk", "not a program")) == ""
    assert await find.read_version(bare_machine / "missing") == ""
    monkeypatch.setattr(find, "VERSION_SECONDS", 0.3)
    with trio.fail_after(5):
        assert await find.read_version(program(bare_machine / "hangs", "#!/bin/sh\nexec /bin/sleep 300\n")) == ""


async def test_a_driver_is_chosen_by_the_browsers_major_version(bare_machine: Path) -> None:
    program(bare_machine / "chromium", answering("150.0.1.2"))
    system_driver = program(bare_machine / "chromedriver", answering("149.0.9.9"))
    assert find.first_pair()[1].path == system_driver  # cheap, and wrong: the start will tell
    pair = find.matching_pair(find.candidates("chromium", "browser"), find.candidates("chromium", "driver"))
    assert await pair is None
    cached = program(find.cache_folder() / "chromedriver/linux64/150.0.7.7/chromedriver", "")
    pair = find.matching_pair(find.candidates("chromium", "browser"), find.candidates("chromium", "driver"))
    found = await pair
    assert found is not None
    assert (found[0].version, found[1].path) == ("150.0.1.2", cached)


def test_edge_and_chrome_do_not_lend_each_other_drivers(bare_machine: Path) -> None:
    program(bare_machine / "microsoft-edge", answering("150.0.1.2"))
    program(bare_machine / "chromedriver", answering("150.0.1.2"))
    with pytest.raises(BrowserNotFoundError, match="needs a msedgedriver"):
        find.first_pair()
    driver = program(bare_machine / "msedgedriver", answering("150.0.1.2"))
    assert find.first_pair()[1].path == driver


async def test_installed_asks_for_all_that_a_launch_needs(bare_machine: Path) -> None:
    program(bare_machine / "chromium", answering("150.0.1.2"))
    assert await find.installed("chromium") == []
    program(bare_machine / "chromedriver", answering("150.0.3.4"))
    assert [found.kind for found in await find.installed("chromium")] == ["browser", "driver"]
    assert await find.installed("chromium", "150")
    assert await find.installed("chromium", "150.0.1.2")
    assert await find.installed("chromium", "15") == []
    program(bare_machine / "firefox", answering("140.0"))
    assert [found.version for found in await find.installed("firefox")] == ["140.0"]
    assert [found.version for found in await find.find_installations("chromium")] == ["150.0.1.2", "150.0.3.4"]


def test_importing_drivers_loads_nothing_heavy() -> None:
    heavy = {"selenium", "webdriver_manager", "requests", "urllib3", "platformdirs", "psutil", "http.client", "json"}
    code = (
        f"import sys, trio; before = set(sys.modules); import drivers; print({heavy!r} & sys.modules.keys() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
