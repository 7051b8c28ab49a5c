"""Download of the ChromeDriver for an installed browser, with webdriver-manager.

Import this module late: it imports webdriver-manager.
"""

# pyright: reportUnknownMemberType=false, reportMissingParameterType=false, reportUnknownParameterType=false
# (webdriver-manager has no types)

from __future__ import annotations

from typing import TYPE_CHECKING

import requests
from webdriver_manager.chrome import ChromeDriverManager
from webdriver_manager.core.download_manager import WDMDownloadManager
from webdriver_manager.core.driver_cache import DriverCacheManager
from webdriver_manager.core.http import WDMHttpClient
from webdriver_manager.core.os_manager import OperationSystemManager

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from urllib3 import BaseHTTPResponse

MAKERS = (
    "https://googlechromelabs.github.io/chrome-for-testing",
    "https://storage.googleapis.com/chrome-for-testing-public",
)
TIMEOUTS = (10.0, 60.0)
"""Timeouts to connect and between two chunks of a response, in seconds."""


def fetch_chromedriver(version: str, folder: Path, report: Callable[[float], None], mirror: str | None) -> None:
    """Download into `folder`/chromedriver/PLATFORM/VERSION. Blocks; raises what webdriver-manager raises.

    `report` is called with the fraction done (0 to 1) at every percent, and may raise to stop the download. `mirror`
    replaces the makers' servers: webdriver-manager's `url` and `latest_release_url` apply only to drivers before
    version 115.
    """
    system = KnownBrowser(version)
    manager = ChromeDriverManager(
        download_manager=WDMDownloadManager(Client(report, mirror)),
        cache_manager=DriverCacheManager(root_dir=str(folder), os_system_manager=system),
        os_system_manager=system,
    )
    manager.install()
    # Under pytest-xdist, webdriver-manager inserts another folder into the path.
    next(folder.glob(".wdm/**/drivers/chromedriver")).rename(folder / "chromedriver")
    for archive in folder.glob("chromedriver/*/*/*.zip"):
        archive.unlink()


class KnownBrowser(OperationSystemManager):
    """Tells webdriver-manager the browser's version, which it would otherwise run other programs to find."""

    def __init__(self, version: str) -> None:
        super().__init__()
        self._version = version

    def get_browser_version_from_os(self, browser_type: str | None = None) -> str:
        """Return the version of the browser to be driven."""
        return self._version


class Client(WDMHttpClient):
    """HTTP client that downloads from the mirror, if there is one, with timeouts, and reports its progress."""

    def __init__(self, report: Callable[[float], None], mirror: str | None) -> None:
        super().__init__()
        self._report = report
        self._mirror = mirror

    def get(self, url: str, **options: object) -> requests.Response:
        """Fetch `url` and its whole body."""
        for maker in MAKERS:
            if self._mirror and url.startswith(maker):
                url = self._mirror.rstrip("/") + url.removeprefix(maker)
        with requests.get(url, verify=self._ssl_verify, stream=True, timeout=TIMEOUTS) as response:
            self.validate_response(response)
            if url.endswith(".zip"):
                response.raw = Reported(response.raw, int(response.headers.get("Content-Length", 0)), self._report)
            response.content  # noqa: B018 - reads the body
        return response


class Reported:
    """Response body that reports how much of it has been read."""

    def __init__(self, body: BaseHTTPResponse, length: int, report: Callable[[float], None]) -> None:
        self._body = body
        self._length = length
        self._report = report

    def stream(self, amount: int, decode_content: bool | None = None) -> Generator[bytes]:
        """Yield the body in chunks; requests calls this."""
        done = percent = 0
        for piece in self._body.stream(amount, decode_content=decode_content):
            yield piece
            done += len(piece)
            if self._length and done * 100 // self._length > percent:
                percent = done * 100 // self._length
                self._report(min(1.0, percent / 100))

    def __getattr__(self, name: str) -> object:
        return getattr(self._body, name)
