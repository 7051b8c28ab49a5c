"""Getting browsers: from our cache, from packages, and from makers' servers, played by a local one."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from drivers import InstallError, find
from drivers.install import Mirrors, install
from tests.support.machines import program
from tests.support.mirror import VERSION, Mirror, open_mirror

LINUX = pytest.mark.skipif(sys.platform != "linux" or os.uname().machine != "x86_64", reason="archives are for linux64")


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    with open_mirror() as server:
        yield server


class Log:
    """Remembers what it was told and asked."""

    def __init__(self, *, agree: bool = False) -> None:
        self.texts: list[str] = []
        self.fractions: list[float] = []
        self.asked: list[str] = []
        self._agree = agree

    def progress(self, text: str, fraction: float | None) -> None:
        self.texts.append(text)
        if fraction is not None:
            self.fractions.append(fraction)

    def consent(self, command: str) -> bool:
        self.asked.append(command)
        return self._agree


async def test_what_is_there_is_not_installed(bare_machine: Path) -> None:
    program(bare_machine / "firefox", "#!/bin/sh\necho Mozilla Firefox 140.0\n")
    log = Log()
    assert [found.path.name for found in await install("firefox", progress=log.progress, consent=log.consent)] == [
        "firefox"
    ]
    assert log.texts[0].startswith("Already there")
    assert log.asked == []


@LINUX
async def test_chromium_and_its_driver_are_downloaded_once(bare_machine: Path, mirror: Mirror) -> None:
    log, mirrors = Log(), Mirrors(mirror.url, mirror.url)
    found = await install("chromium", progress=log.progress, consent=log.consent, mirrors=mirrors)
    assert [(item.kind, item.version, item.source) for item in found] == [
        ("browser", VERSION, "cache"),
        ("driver", VERSION, "cache"),
    ]
    assert sorted(mirror.archives_asked()) == ["chrome-linux64.zip", "chromedriver-linux64.zip"]
    assert log.fractions[-1] == 1.0
    mirror.asked.clear()
    again = await install("chromium", progress=log.progress, consent=log.consent, mirrors=mirrors)
    assert again == found
    assert (
        await install("chromium", progress=log.progress, consent=log.consent, mirrors=mirrors, version="157") == found
    )
    assert mirror.asked == []
    assert [path.name for path in find.cache_folder().glob(".half-*")] == []


@LINUX
async def test_only_the_driver_is_downloaded_for_a_browser_that_is_there(bare_machine: Path, mirror: Mirror) -> None:
    program(bare_machine / "google-chrome", f"#!/bin/sh\necho Google Chrome {VERSION}\n")
    log, mirrors = Log(), Mirrors(mirror.url, mirror.url)
    browser, driver = await install("chromium", progress=log.progress, consent=log.consent, mirrors=mirrors)
    assert (browser.source, driver.source) == ("system", "cache")
    assert mirror.archives_asked() == ["chromedriver-linux64.zip"]
    assert log.fractions == sorted(log.fractions)
    mirror.asked.clear()
    await install("chromium", progress=log.progress, consent=log.consent, mirrors=mirrors)
    assert mirror.asked == []


@LINUX
async def test_firefox_is_there_although_its_driver_is_not_to_be_had(bare_machine: Path, mirror: Mirror) -> None:
    log, mirrors = Log(), Mirrors(mirror.url, mirror.url)
    for _ in range(2):
        found = await install("firefox", progress=log.progress, consent=log.consent, mirrors=mirrors, version="140.0")
        assert [(item.kind, item.version) for item in found] == [("browser", "140.0")]
    assert mirror.archives_asked().count("firefox-140.0.tar.xz") == 1


@LINUX
async def test_every_failed_way_is_named(bare_machine: Path, mirror: Mirror) -> None:
    program(bare_machine / "google-chrome", "#!/bin/sh\necho Google Chrome 99.0.1.2\n")
    del mirror.files["/chrome-linux64.zip"]
    log = Log()
    with pytest.raises(InstallError) as caught:
        await install("chromium", progress=log.progress, consent=log.consent, mirrors=Mirrors(mirror.url, mirror.url))
    assert mirror.archives_asked() == ["chrome-linux64.zip"]
    for way in ("apt-get", "webdriver-manager", "Selenium Manager"):
        assert way in caught.value.message
    assert "mirrors" in caught.value.advice
    assert await find.installed("chromium") == []


@LINUX
async def test_a_cut_download_is_not_taken_for_a_browser(bare_machine: Path, mirror: Mirror) -> None:
    mirror.files["/chrome-linux64.zip"] = mirror.files["/chrome-linux64.zip"][:-40]
    log = Log()
    with pytest.raises(InstallError):
        await install("chromium", progress=log.progress, consent=log.consent, mirrors=Mirrors(mirror.url, mirror.url))
    assert mirror.archives_asked() == ["chrome-linux64.zip"]
    assert list(find.candidates("chromium", "browser")) == []


@LINUX
async def test_a_cancelled_download_leaves_nothing(bare_machine: Path) -> None:
    """A server that accepts and never answers."""
    async with trio.open_nursery() as nursery:
        listener = (await trio.open_tcp_listeners(0, host="127.0.0.1"))[0]
        asked = trio.Event()

        async def never_answer(stream: trio.SocketStream) -> None:
            asked.set()
            await trio.sleep_forever()

        nursery.start_soon(trio.serve_listeners, never_answer, [listener])
        url = f"http://127.0.0.1:{listener.socket.getsockname()[1]}"
        log = Log()
        with trio.CancelScope() as scope:
            async with trio.open_nursery() as inner:

                @inner.start_soon
                async def _() -> None:
                    await asked.wait()
                    scope.cancel()

                with trio.fail_after(20):
                    await install("chromium", progress=log.progress, consent=log.consent, mirrors=Mirrors(url, url))
        assert scope.cancelled_caught
        nursery.cancel_scope.cancel()
    assert list(find.cache_folder().iterdir()) == []


@pytest.fixture
def apt(bare_machine: Path) -> Path:
    """A Debian whose apt-get brings a Firefox, and logs how it was called."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("packages are installed by root only")
    offered = "firefox-esr:\n  Installed: (none)\n  Candidate: 140.7.0esr-1~deb12u1\n  Version table:\n"
    program(bare_machine / "apt-cache", f"#!/bin/sh\nprintf '%b' '{offered}'\n".replace("\n  ", "\\n  "))
    program(
        bare_machine / "apt-get",
        f"""#!/bin/sh
echo "$@" >> {bare_machine}/log
echo 'dlstatus:1:20.5:Retrieving file 1 of 1'
echo 'pmstatus:firefox-esr:60.0:Unpacking firefox-esr'
printf '#!/bin/sh\\necho Mozilla Firefox 140.7.0esr\\n' > {bare_machine}/firefox-esr
/bin/chmod +x {bare_machine}/firefox-esr
""",
    )
    return bare_machine


async def test_packages_are_installed_when_agreed_to(apt: Path) -> None:
    log = Log(agree=True)
    found = await install("firefox", progress=log.progress, consent=log.consent)
    assert [(item.path, item.version) for item in found] == [(apt / "firefox-esr", "140.7.0esr")]
    assert log.asked == ["apt-get update && apt-get install -y firefox-esr"]
    assert [line.split()[0] for line in (apt / "log").read_text().splitlines()] == ["update", "install"]
    assert {0.205, 0.6} <= set(log.fractions)
    assert any("Unpacking firefox-esr" in text for text in log.texts)


async def test_what_makes_a_browser_faster_is_installed_where_there_is_such(apt: Path) -> None:
    offered = "".join(
        f"{package}:\\n  Installed: (none)\\n  Candidate: 150.0\\n"
        for package in ("chromium", "chromium-driver", "chromium-headless-shell")
    )
    program(apt / "apt-cache", f"#!/bin/sh\nprintf '%b' '{offered}'\n")
    log = Log(agree=False)
    with pytest.raises(InstallError):
        await install("chromium", progress=log.progress, consent=log.consent, mirrors=Mirrors("", ""))
    assert log.asked == ["apt-get update && apt-get install -y chromium chromium-driver chromium-headless-shell"]


async def test_packages_are_left_alone_when_not_agreed_to(apt: Path, mirror: Mirror) -> None:
    log = Log(agree=False)
    with pytest.raises(InstallError, match="not agreed to"):
        await install("firefox", progress=log.progress, consent=log.consent, mirrors=Mirrors(mirror.url, mirror.url))
    assert log.asked == ["apt-get update && apt-get install -y firefox-esr"]
    assert not (apt / "log").exists()


async def test_lists_that_cannot_be_refreshed_may_still_name_packages(apt: Path) -> None:
    script = (apt / "apt-get").read_text()
    program(apt / "apt-get", script.replace("\n", '\n[ "$1" = update ] && exit 100\n', 1))
    log = Log(agree=True)
    found = await install("firefox", progress=log.progress, consent=log.consent)
    assert [item.path for item in found] == [apt / "firefox-esr"]


async def test_missing_package_lists_are_fetched_first(apt: Path) -> None:
    program(apt / "apt-cache", "#!/bin/sh\nexit 0\n")
    log = Log(agree=True)
    await install("firefox", progress=log.progress, consent=log.consent)
    assert log.asked == ["apt-get update && apt-get install -y firefox-esr"]
    assert [line.split()[0] for line in (apt / "log").read_text().splitlines()] == ["update", "install"]


@LINUX
async def test_ubuntus_stand_ins_for_snaps_are_passed_over(apt: Path, mirror: Mirror) -> None:
    stand_in = "chromium:\\n  Installed: (none)\\n  Candidate: 2:1snap1-0ubuntu2\\n"
    program(apt / "apt-cache", f"#!/bin/sh\nprintf '%b' '{stand_in}'\n")
    log = Log(agree=True)
    found = await install(
        "chromium", progress=log.progress, consent=log.consent, mirrors=Mirrors(mirror.url, mirror.url)
    )
    assert [item.source for item in found] == ["cache", "cache"]
    assert log.asked == []


async def test_what_a_package_manager_says_last_is_passed_on(apt: Path, mirror: Mirror) -> None:
    program(apt / "apt-get", "#!/bin/sh\necho 'E: Could not get lock /var/lib/dpkg/lock-frontend'\nexit 100\n")
    log = Log(agree=True)
    with pytest.raises(InstallError, match="Could not get lock"):
        await install("firefox", progress=log.progress, consent=log.consent, mirrors=Mirrors(mirror.url, mirror.url))
