"""Downloads into our cache: browsers with Selenium Manager, a driver for an installed browser with webdriver-manager.

Both download into a temporary folder. Complete downloads move from there into the cache: NAME/PLATFORM/VERSION/….
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from drivers.find import Installation, cache_folder, candidates, installed, with_version
from drivers.json_values import fields
from drivers.ways import Unavailable

if TYPE_CHECKING:
    from collections.abc import Generator

    from drivers.options import BrowserName
    from drivers.ways import Progress

DOWNLOAD_SECONDS = 900
"""Timeout for the download of a browser, in seconds: a browser has 100 to 200 MB."""


@dataclass(frozen=True, slots=True)
class Mirrors:
    """Servers to download from instead of the makers' own."""

    browser: str | None = None
    """For Chrome, replaces https://googlechromelabs.github.io/chrome-for-testing, with its JSON files; archives are
    downloaded from the URLs in those files. For Firefox, replaces https://ftp.mozilla.org/pub/firefox/releases."""
    driver: str | None = None
    """For ChromeDriver, replaces the same address and https://storage.googleapis.com/chrome-for-testing-public; for
    geckodriver, replaces https://github.com/mozilla/geckodriver/releases."""


WEBKIT = (
    "download: macOS has Safari, whose driver `sudo safaridriver --enable` switches on"
    if sys.platform == "darwin"
    else "download: there is none of WebKitGTK; install your distribution's package of WebKitWebDriver, and Xvfb"
)
"""Why WebKit is not downloaded, and what to do instead."""


async def download(browser: BrowserName, progress: Progress, mirrors: Mirrors, version: str | None) -> None:
    """Download what is missing, which may be only the driver. Raises Unavailable if the download fails."""
    if browser == "webkit":
        raise Unavailable(WEBKIT)
    failures: list[str] = []
    if browser == "chromium" and version is None and (undriven := await browser_without_driver()):
        try:
            await download_chromedriver(undriven.version, progress, mirrors)
        except Unavailable as error:
            failures.append(str(error))
        if await installed(browser):
            return
    complaint = await download_browser(browser, progress, mirrors, version)
    if complaint:
        raise Unavailable("; ".join([*failures, f"Selenium Manager: {complaint}"]))


async def browser_without_driver() -> Installation | None:
    """Return the first Chromium that runs, or None. Edge is skipped: we do not download its drivers."""
    for candidate in candidates("chromium", "browser"):
        found = await with_version(candidate)
        if found.version and not found.is_edge:
            return found
    return None


@contextmanager
def staging() -> Generator[Path]:
    """Yield a temporary folder to download into; afterwards its NAME/PLATFORM/VERSION folders move into the cache."""
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".half-", dir=cache))
    try:
        yield folder
        for version in folder.glob("[!.]*/*/*/"):
            place = cache / version.relative_to(folder)
            if not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                version.rename(place)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def download_browser(browser: BrowserName, progress: Progress, mirrors: Mirrors, version: str | None) -> str:
    """Download a browser and the driver that Selenium Manager selects for it. Return an error message, or "".

    https://www.selenium.dev/documentation/selenium_manager. An error does not mean that the browser is missing: if
    GitHub cannot be reached, Selenium Manager fails at geckodriver, which we do not need.
    """
    from selenium.webdriver.common.selenium_manager import SeleniumManager

    name = {"chromium": "chrome", "firefox": "firefox"}.get(browser, browser)
    options = {
        "--browser-version": version,
        "--browser-mirror-url": mirrors.browser,
        "--driver-mirror-url": mirrors.driver,
    }
    progress(" ".join(filter(None, ["Downloading", name, version, "with Selenium Manager"])), None)
    try:
        with staging() as folder, trio.fail_after(DOWNLOAD_SECONDS):
            command = [
                str(SeleniumManager._get_binary()),  # noqa: SLF001 - its public method cannot be cancelled
                *("--browser", name, "--force-browser-download", "--skip-browser-in-path", "--skip-driver-in-path"),
                *("--cache-path", str(folder), "--avoid-stats", "--output", "json", "--language-binding", "python"),
                *(part for option, value in options.items() if value for part in (option, value)),
            ]
            done = await trio.run_process(command, capture_stdout=True, stderr=subprocess.DEVNULL, check=False)
    except trio.TooSlowError:
        return f"not done after {DOWNLOAD_SECONDS} seconds"
    try:
        result = fields(fields(json.loads(done.stdout))["result"])
    except (ValueError, KeyError):
        return f"exit code {done.returncode}"
    return str(result["message"]).partition("\n")[0] if done.returncode else ""


async def download_chromedriver(version: str, progress: Progress, mirrors: Mirrors) -> None:
    """Download the ChromeDriver for a browser version. Raises Unavailable if there is none or the download fails."""
    progress(f"Downloading the ChromeDriver for version {version} with webdriver-manager", None)

    def report(fraction: float) -> None:
        trio.from_thread.check_cancelled()
        trio.from_thread.run_sync(progress, f"Downloading the ChromeDriver for version {version}", fraction)

    def fetch() -> None:
        from drivers.chromedriver import fetch_chromedriver

        with staging() as folder:
            try:
                fetch_chromedriver(version, folder, report, mirrors.driver)
            except Exception as error:  # webdriver-manager raises nothing more precise
                raise Unavailable(f"webdriver-manager: {error}") from error

    await trio.to_thread.run_sync(fetch)
