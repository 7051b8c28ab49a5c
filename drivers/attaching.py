"""A running Chromium, driven at its debugging port by a ChromeDriver of ours.

https://developer.chrome.com/docs/chromedriver/capabilities#recognized_capabilities (``debuggerAddress``)
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import trio

from drivers.address import is_local, without_login
from drivers.chromium import LISTENING
from drivers.devtools_relay import Relay
from drivers.errors import VersionMismatchError
from drivers.find import Installation, candidates, matching_pair, no_driver_for
from drivers.folders import make_run_folder, temporary_files_in
from drivers.json_values import fields
from drivers.options import OPEN_PROMPTS
from drivers.process import start_guarded
from drivers.webdriver import launch_driven

if TYPE_CHECKING:
    from collections.abc import Mapping

    from drivers.launched import Launched
    from drivers.options import LaunchOptions

ASK_SECONDS = 5.0
"""Timeout for an address to tell what listens there, in seconds."""

_PRODUCT = re.compile(r"(?P<name>\w+)/(?P<version>\d+(\.\d+)*)")
"""The answer to ``/json/version``, such as "Chrome/156.0.8078.79", "HeadlessChrome/…" and "Edg/…"."""


@dataclass(frozen=True, slots=True)
class RunningChromium:
    """A Chromium that listens on a debugging port."""

    url: str
    """http://HOST:PORT."""
    name: str
    version: str

    @property
    def is_edge(self) -> bool:
        """Whether it is Edge, which needs its own driver."""
        return self.name.startswith("Edg")

    def __str__(self) -> str:
        return f"{self.name} {self.version} at {self.url}"


async def running_chromium(url: str) -> RunningChromium | None:
    """Return the Chromium whose debugging port is at a URL; None if something else, or nothing, answers there.

    https://chromedevtools.github.io/devtools-protocol/#endpoints
    """

    def ask() -> object:
        import requests

        with requests.Session() as session:
            session.trust_env = not is_local(url)  # bypass the environment's proxies
            try:
                return session.get(f"{url.rstrip('/')}/json/version", timeout=ASK_SECONDS).json()
            except requests.RequestException:
                return None

    told = fields(await trio.to_thread.run_sync(ask, abandon_on_cancel=True))
    found = _PRODUCT.fullmatch(str(told.get("Browser")))
    if found is None or "webSocketDebuggerUrl" not in told:
        return None
    return RunningChromium(without_login(url), found["name"], found["version"])


async def attach_chromium(options: LaunchOptions, browser: RunningChromium) -> Launched:
    """Drive a running Chromium, which goes on when the driver ends. Raises LaunchError, BrowserNotFoundError."""
    driver = await _driver_for(options, browser)
    folder = await make_run_folder(driver.path)
    command = [str(driver.path), "--port=0"]
    process = await start_guarded(command, folders=[folder], environment=temporary_files_in(folder))
    parts = urlsplit(browser.url)
    relay = Relay(parts.hostname or "", parts.port or 80, process)
    requested = partial(_requested_capabilities, options, browser, relay)
    options = replace(options, user_data_dir=None)
    try:
        await relay.start()
        launched = await launch_driven("chromium", str(browser), driver.path, process, LISTENING, requested, options)
    except VersionMismatchError:
        raise _mismatch(browser, driver) from None
    except BaseException:
        await process.aclose()
        raise
    return replace(launched, stays=True, is_elsewhere=not is_local(browser.url))


async def _driver_for(options: LaunchOptions, browser: RunningChromium) -> Installation:
    """Return the driver of the browser's version, or else the first: it reports that it does not fit."""
    running = Installation("browser", Path("msedge" if browser.is_edge else "chrome"), "system", browser.version)
    if pair := await matching_pair([running], candidates("chromium", "driver", options.driver)):
        return pair[1]
    for driver in candidates("chromium", "driver", options.driver):
        if driver.is_edge == running.is_edge:
            return driver
    raise no_driver_for(running)


def _mismatch(browser: RunningChromium, driver: Installation) -> VersionMismatchError:
    wanted = f"{'msedgedriver' if browser.is_edge else 'chromedriver'} {browser.version.partition('.')[0]}"
    return VersionMismatchError(
        f"{browser} needs a {wanted}; {driver.path} is of another version.",
        f"Restart that browser if it was updated meanwhile, or pass the path of a {wanted} with --driver.",
    )


def _requested_capabilities(
    options: LaunchOptions, browser: RunningChromium, relay: Relay, _driver_port: int
) -> Mapping[str, object]:
    vendor = "ms:edgeOptions" if browser.is_edge else "goog:chromeOptions"
    return {
        "browserName": "MicrosoftEdge" if browser.is_edge else "chrome",
        "webSocketUrl": True,
        "unhandledPromptBehavior": OPEN_PROMPTS,
        "acceptInsecureCerts": options.accept_insecure_certs,
        vendor: {"debuggerAddress": f"127.0.0.1:{relay.port}"},
    }
