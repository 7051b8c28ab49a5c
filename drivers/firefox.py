"""Firefox, reached on its own BiDi port, or through geckodriver if one is given."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, cast

from drivers.diagnosis import starting
from drivers.find import candidates, first_browser
from drivers.firefox_profile import application_ini, keep_warm, prepare_profile
from drivers.folders import make_run_folder, temporary_files_in
from drivers.launched import Launched
from drivers.options import OPEN_PROMPTS
from drivers.ports import reserved_port
from drivers.process import start_guarded
from drivers.webdriver import launch_driven

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from drivers.find import Installation
    from drivers.options import LaunchOptions

BIDI_LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
DRIVER_LISTENING = re.compile(r"Listening on \S+:(\d+)")

ENVIRONMENT = {
    "MOZ_CRASHREPORTER_DISABLE": "1",
    "MOZ_DISABLE_AUTO_SAFE_MODE": "1",  # we kill Firefox, which must not count as a crash
}


async def launch_firefox(options: LaunchOptions) -> Launched:
    """Start a Firefox; see `drivers.launch`."""
    browser = first_browser("firefox", options.executable)
    if options.driver is not None:
        driver = next(candidates("firefox", "driver", options.driver))
        return await start_with_driver(options, browser, driver)
    return await start_alone(options, browser)


async def start_alone(options: LaunchOptions, browser: Installation) -> Launched:
    """Start Firefox and wait for its BiDi port. Raises LaunchError if it opens none.

    https://firefox-source-docs.mozilla.org/remote/
    """
    folder = await make_run_folder(browser.path)
    profile = await prepare_profile(options, browser.path, folder)
    process = await start_guarded(
        [str(browser.path), *arguments(options, profile), "--remote-debugging-port", "0"],
        folders=[folder],
        environment={**ENVIRONMENT, **temporary_files_in(folder), **dict(options.environment)},
    )
    async with starting(process, str(browser.path), options.start_timeout):
        address = (await process.read_until(BIDI_LISTENING))[1]

    async def farewell() -> None:
        await keep_warm(browser.path, profile)

    return Launched(
        web_socket_url=f"{address}/session",
        session_ready=False,
        capabilities={
            "acceptInsecureCerts": options.accept_insecure_certs,
            "unhandledPromptBehavior": OPEN_PROMPTS,
        },
        browser="firefox",
        browser_name="firefox",
        browser_version=application_ini(browser.path).get("Version", ""),
        process=process,
        farewell=farewell if options.user_data_dir is None else None,
    )


async def start_with_driver(options: LaunchOptions, browser: Installation, driver: Installation) -> Launched:
    """Start Firefox through geckodriver. Raises LaunchError if it did not become usable."""
    folder = await make_run_folder(browser.path)
    profile = await prepare_profile(options, browser.path, folder)
    with reserved_port() as port:  # geckodriver refuses our requests if it has chosen the port itself
        process = await start_guarded(
            [str(driver.path), "--port", str(port), "--websocket-port", "0"],
            folders=[folder],
            environment={**ENVIRONMENT, **temporary_files_in(folder), **dict(options.environment)},
        )
        return await launch_driven(
            "firefox",
            browser.path,
            driver.path,
            process,
            DRIVER_LISTENING,
            lambda _: requested_capabilities(options, browser, profile),
            options,
        )


def requested_capabilities(options: LaunchOptions, browser: Installation, profile: Path) -> Mapping[str, object]:
    """Return the capabilities to request from geckodriver: https://developer.mozilla.org/docs/Web/WebDriver."""
    from selenium.webdriver.firefox.options import Options

    wanted = Options()
    wanted.binary_location = str(browser.path)
    for argument in arguments(options, profile):
        wanted.add_argument(argument)
    wanted.set_capability("webSocketUrl", True)
    wanted.set_capability("unhandledPromptBehavior", "ignore")  # older geckodrivers do not know OPEN_PROMPTS
    wanted.set_capability("acceptInsecureCerts", options.accept_insecure_certs)
    return cast("dict[str, object]", wanted.to_capabilities())  # pyright: ignore[reportUnknownMemberType]


def arguments(options: LaunchOptions, profile: Path) -> list[str]:
    """Return our command-line arguments: https://wiki.mozilla.org/Firefox/CommandLineOptions."""
    width, height = options.window
    found = ["--profile", str(profile), "--no-remote", "--width", str(width), "--height", str(height)]
    if not options.headed:
        found.append("--headless")
    if sys.platform == "win32":
        found.append("--wait-for-browser")  # otherwise the launcher ends while the browser keeps running
    return [*found, *options.arguments]
