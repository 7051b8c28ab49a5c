"""Chromium, Chrome and Edge, started by their own driver with BiDi enabled."""

from __future__ import annotations

import os
import re
import sys
from functools import partial
from typing import TYPE_CHECKING, cast

from drivers.errors import PortTakenError, VersionMismatchError
from drivers.find import candidates, first_pair, matching_pair
from drivers.folders import make_run_folder, temporary_files_in
from drivers.options import OPEN_PROMPTS
from drivers.process import start_guarded
from drivers.webdriver import launch_driven

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from drivers.find import Installation
    from drivers.launched import Launched
    from drivers.options import LaunchOptions

ATTEMPTS = 3
"""Maximum number of starts: ChromeDriver chooses a port that is free in IPv6, and gives up if it is taken in IPv4."""

CONFINING_FLAGS = (
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    # What does not go through the proxy of a context goes nowhere.
    "--proxy-server=http://proxy.invalid:1",
    "--proxy-bypass-list=<-loopback>",
)
"""Flags for `LaunchOptions.confined`."""

LISTENING = re.compile(r"was started successfully on port (\d+)")

SMALL_SHARED_MEMORY = 512 * 2**20
"""Size of /dev/shm, in bytes, below which Chromium must not use it.

Containers often have 64 MiB, with which tabs crash. Chromium can use files in the temporary folder instead.
"""

# ChromeDriver adds its own flags, among them --enable-automation, --no-first-run, --disable-popup-blocking,
# --disable-sync, --disable-background-timer-throttling and --disable-backgrounding-occluded-windows. Never add flags
# that lift the frame rate limit: they make BiDi 3 to 22 times slower.
FLAGS = (
    # keep background tabs running
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-ipc-flooding-protection",
    # no requests except those of pages
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-field-trial-config",
    # no bubbles, bars or pages of the browser itself
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-search-engine-choice-screen",
    "--propagate-iph-for-testing",
    # no crash reporter: two processes fewer, and nothing is written to the home folder
    "--disable-breakpad",
    # same behavior on every machine
    "--disable-quic",
    "--force-color-profile=srgb",
    "--hide-crash-restore-bubble",
)
HEADLESS_FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--hide-scrollbars",
    "--mute-audio",
    # a mouse, as on a desktop: without one, headless Chromium matches neither (hover: hover) nor (pointer: fine)
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
)
DISABLED_FEATURES = (
    "AcceptCHFrame",
    "AutofillServerCommunication",
    "BackForwardCache",  # going back to a frozen page fires no `load` event
    "DestroyProfileOnBrowserClose",
    "DialMediaRouteProvider",
    "GlobalMediaControls",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "OptimizationHints",
    "PaintHolding",
    # A prerendered page replaces the tab's page, which BiDi reports as the end of the tab, and its requests bypass our
    # intercepts.
    "Prerender2",
    "Prerender2FallbackPrefetchSpecRules",
    "Translate",
)
PREFERENCES: dict[str, object] = {
    "credentials_enable_service": False,
    "profile.password_manager_enabled": False,
    "profile.password_manager_leak_detection": False,
    "autofill.credit_card_enabled": False,
    "autofill.profile_enabled": False,
}


async def launch_chromium(options: LaunchOptions) -> Launched:
    """Start a Chromium through its driver; see `drivers.launch`."""
    # A persistent profile may be opened in a window the next time, which the headless shell cannot do.
    headless = not (options.headed or options.whole or options.user_data_dir is not None)
    pair = first_pair(options.executable, options.driver, headless=headless)
    try:
        return await start(options, *pair)
    except VersionMismatchError:
        # Reading both versions first would cost every start a tenth of a second.
        fitting = await matching_pair(
            candidates("chromium", "browser", options.executable, headless=headless),
            candidates("chromium", "driver", options.driver),
        )
        if fitting is None or fitting == pair:
            raise
    return await start(options, *fitting)


async def start(options: LaunchOptions, browser: Installation, driver: Installation) -> Launched:
    """Start this browser with this driver. Raises LaunchError if it did not become usable."""
    for _ in range(ATTEMPTS - 1):
        try:
            return await _start(options, browser, driver)
        except PortTakenError:
            pass
    return await _start(options, browser, driver)


async def _start(options: LaunchOptions, browser: Installation, driver: Installation) -> Launched:
    folder = await make_run_folder(browser.path)
    profile = (options.user_data_dir or folder / "profile").absolute()
    process = await start_guarded(
        [str(driver.path), "--port=0", "--enable-chrome-logs"],
        folders=[folder],
        environment={**temporary_files_in(folder), **dict(options.environment)},
    )
    requested = partial(requested_capabilities, options, browser, profile)
    return await launch_driven("chromium", browser.path, driver.path, process, LISTENING, requested, options)


def requested_capabilities(
    options: LaunchOptions, browser: Installation, profile: Path, driver_port: int
) -> Mapping[str, object]:
    """Return the capabilities to request: https://developer.chrome.com/docs/chromedriver/capabilities."""
    if browser.is_edge:
        from selenium.webdriver.edge.options import Options
    else:
        from selenium.webdriver.chrome.options import Options

    wanted = Options()
    wanted.binary_location = str(browser.path)
    for argument in [*flags(options, profile), guarding(driver_port, options), *options.arguments]:
        wanted.add_argument(argument)
    wanted.add_experimental_option(  # pyright: ignore[reportUnknownMemberType]
        "prefs", {**PREFERENCES, **dict(options.preferences)}
    )
    # With enable-logging, Chromium logs everything that pages write to their consoles. It logs its own errors anyway.
    wanted.add_experimental_option("excludeSwitches", ["enable-logging"])  # pyright: ignore[reportUnknownMemberType]
    wanted.set_capability("webSocketUrl", True)
    wanted.set_capability("unhandledPromptBehavior", OPEN_PROMPTS)
    wanted.set_capability("acceptInsecureCerts", options.accept_insecure_certs)
    return cast("dict[str, object]", wanted.to_capabilities())  # pyright: ignore[reportUnknownMemberType]


def flags(options: LaunchOptions, profile: Path) -> list[str]:
    """Return our command-line flags: https://peter.sh/experiments/chromium-command-line-switches."""
    width, height = options.window
    found = [*flags_anywhere(options), f"--user-data-dir={profile}"]
    if sys.platform != "win32":  # on Windows nothing reports that a browser behind a pipe failed to start
        found.append("--remote-debugging-pipe")  # instead of a port, which exposes all pages to each of them
    if not options.headed:
        found.append(f"--screen-info={{{width}x{height}}}")
    return [*found, *flags_here()]


def flags_here() -> list[str]:
    """Return the additional flags that this machine and our user need."""
    found: list[str] = []
    if sys.platform == "linux":
        if os.geteuid() == 0:
            found.append("--no-sandbox")  # root has no sandbox, and Chromium does not start without this flag
        if shared_memory() < SMALL_SHARED_MEMORY:
            found.append("--disable-dev-shm-usage")
    return found


def guarding(driver_port: int, options: LaunchOptions) -> str:
    """Return the flag that keeps pages away from the driver, which starts programs for any local page that asks.

    https://developer.chrome.com/docs/chromedriver/security-considerations

    With `LaunchOptions.confined`, it ends all look-ups of names: the proxy of a context is at an address, and looks up
    names itself.
    """
    if options.confined:
        return "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    return f"--host-resolver-rules=MAP *:{driver_port} ~NOTFOUND"


def flags_anywhere(options: LaunchOptions) -> list[str]:
    """Return the flags that fit any machine."""
    width, height = options.window
    found = [*FLAGS, f"--disable-features={','.join(DISABLED_FEATURES)}", f"--window-size={width},{height}"]
    if options.web_tools:
        found.append("--enable-features=WebMCP")  # ChromeDriver adds the user's features to it
    if options.confined:
        found += CONFINING_FLAGS
    return found if options.headed else [*found, *HEADLESS_FLAGS]


def shared_memory() -> int:
    """Return the size of /dev/shm in bytes, or 0 if it does not exist."""
    try:
        status = os.statvfs("/dev/shm")  # noqa: S108 - asking, not writing
    except OSError:
        return 0
    return status.f_blocks * status.f_frsize
