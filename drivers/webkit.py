"""WebKitGTK and WPE through WebKitWebDriver, Safari through safaridriver.

They speak classic WebDriver; a driver that answers `webSocketUrl` is used like any other one.
"""

from __future__ import annotations

import os
import re
import sys
from functools import partial
from typing import TYPE_CHECKING

import trio

from drivers.classic import OR_BIDI, ClassicSession
from drivers.diagnosis import starting
from drivers.errors import BrowserNotFoundError, LaunchError, SessionNotCreatedError
from drivers.find import candidates, first_browser
from drivers.focus import ENVIRONMENT, give_focus
from drivers.folders import make_run_folder, temporary_files_in
from drivers.launched import Launched
from drivers.ports import reserved_port
from drivers.process import start_guarded
from drivers.webdriver import new_session, quit_session, unless_its_browser_ends
from drivers.webkit_ports import GTK, SAFARI, port_of_driver

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from drivers.find import Installation
    from drivers.options import LaunchOptions
    from drivers.process import GuardedProcess

DISPLAY_NUMBER = re.compile(r"^(\d+)$")
"""The line in which Xvfb prints the number of its display, for ``-displayfd 1``."""

SCREEN = "4096x4096x24"
"""Size of the private screen: WebKitGTK 2.50 limits no window to it, but draws only what is on it."""

LISTENING_SECONDS = 10.0
"""Timeout for the driver to accept connections, in seconds. WebKitWebDriver 2.50 prints nothing when it listens."""

LOOK_SECONDS = 0.01
"""Interval between two attempts to connect to the driver, in seconds. It needs 20 to 40 ms to listen."""

GONE_AFTER = 3.0
"""Time after which a driver without a browser has lost it, in seconds.

WebKitWebDriver 2.50 started its browser within 75 ms, on a loaded machine with two processors.
"""

INSPECTOR = "WEBKIT_INSPECTOR_SERVER"
"""Variable of the browser with the address of its inspector server, which its driver has chosen."""

ON_PRIVATE_DISPLAY = {
    **ENVIRONMENT,
    # Wayland would be preferred to the display.
    "WAYLAND_DISPLAY": "",
    "GDK_BACKEND": "x11",
    # It has no graphics processor. Mesa plays one, and compiles its programs anew in each page's process: the first
    # click of a session took 310 ms in WebKitGTK 2.50, 90 ms without. Compositing and WebGL stay as they are.
    "WEBKIT_SKIA_ENABLE_CPU_RENDERING": "1",
}
"""Variables of a driver whose windows are on a private display."""

EGRESS_ADVICE = "Use chromium or firefox, or start the server with --egress open."

STYLES = """\
* { min-width: 0; min-height: 0; padding: 0; margin: 0; border-width: 0; }
headerbar, headerbar * { font-size: 1px; -gtk-icon-transform: scale(0); }
"""
"""Styles of the window, without which the bar of MiniBrowser 2.50 makes it at least 447 pixels wide.

They do not reach pages: WebKitGTK draws the controls of forms itself.
"""


def _configure(folder: Path) -> dict[str, str]:
    """Write the configuration of the toolkit to a run folder, and return the variables that name it."""
    downloads, configuration = folder / "downloads", folder / "config"
    downloads.mkdir()
    for version in ("gtk-3.0", "gtk-4.0"):
        (configuration / version).mkdir(parents=True)
        (configuration / version / "gtk.css").write_text(STYLES)
    # MiniBrowser asks the toolkit for the folder of downloads, and WebDriver has no command for it.
    (configuration / "user-dirs.dirs").write_text(f'XDG_DOWNLOAD_DIR="{downloads}"\n')
    return {
        "XDG_CONFIG_HOME": str(configuration),
        "XDG_DATA_HOME": str(folder / "profile"),
        "XDG_CACHE_HOME": str(folder / "profile"),
    }


class Drivers:
    """Starts drivers with a session each: a driver has only one, and sessions share neither cookies nor storage."""

    def __init__(self, options: LaunchOptions, browser: Installation | None, driver: Installation) -> None:
        self._options = options
        self._browser = browser
        self._driver = driver
        self._port = port_of_driver(driver.path.name)
        self._display: GuardedProcess | None = None
        self._display_name = ""
        self._lock = trio.Lock()
        self._sessions: list[ClassicSession] = []

    async def start(self, wishes: Mapping[str, object]) -> ClassicSession:
        """Start a driver and its session, with additional capabilities. Raises LaunchError."""
        options = self._options
        async with self._lock:
            environment = await self._environment()
        folder = await make_run_folder(self._driver.path)
        with reserved_port() as port:
            process = await start_guarded(
                [str(self._driver.path), *(("-p", str(port)) if self._port is SAFARI else (f"--port={port}",))],
                folders=[folder],
                environment={
                    **environment,
                    **temporary_files_in(folder),
                    **_configure(folder),
                    **dict(options.environment),
                },
            )
            process.read_on()
            what = f"{self._browser.path if self._browser else 'Safari'}, driven by {self._driver.path},"
            async with starting(process, what, options.start_timeout):
                await self._listens(process, port)
                address = f"http://127.0.0.1:{port}"
                wanted = self._port.proxied({**self._capabilities(), **wishes})
                ask = partial(new_session, address, wanted, options.start_timeout, OR_BIDI)
                # Safari is no child of its driver.
                capabilities = await (unless_its_browser_ends(process, ask, GONE_AFTER) if self._browser else ask())
        session = str(capabilities["sessionId"])

        farewell = partial(quit_session, address, session)
        downloads = folder / "downloads" if self._browser else None
        inspector = await process.variable_of_child(INSPECTOR) if self._browser else ""
        opened = ClassicSession(address, session, capabilities, farewell, process, downloads, inspector)
        self._sessions.append(opened)
        return opened

    async def _environment(self) -> dict[str, str]:
        """Return variables of the driver; start the private display first if there is none."""
        found: dict[str, str] = {}
        if sys.platform != "linux":
            return found
        if os.geteuid() == 0:
            found["WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS"] = "1"  # root has no sandbox, and pages do not start
        if self._options.headed or not self._port.needs_display:
            return found
        if self._display is None or not self._display.running:
            self._display, self._display_name = await start_display(self._options.start_timeout)
        return {**found, **ON_PRIVATE_DISPLAY, "DISPLAY": self._display_name}

    def _capabilities(self) -> dict[str, object]:
        options = self._options
        binary = str(self._browser.path) if self._browser else ""
        arguments = [*(() if options.headed else self._port.headless), *options.arguments]
        return self._port.capabilities(arguments, binary, insecure=options.accept_insecure_certs)

    async def _listens(self, process: GuardedProcess, port: int) -> None:
        with trio.move_on_after(LISTENING_SECONDS):
            while process.running:
                try:
                    stream = await trio.open_tcp_stream("127.0.0.1", port)
                except OSError:
                    await trio.sleep(LOOK_SECONDS)
                else:
                    await stream.aclose()
                    return
        raise SessionNotCreatedError("the driver does not listen.")

    async def aclose(self) -> None:
        """End all sessions and the private display."""
        async with trio.open_nursery() as nursery:
            for session in self._sessions:
                if session.process is not None:
                    nursery.start_soon(session.process.aclose)
        if self._display is not None:
            await self._display.aclose()


async def start_display(limit: float) -> tuple[GuardedProcess, str]:
    """Start a private X display that ends with this process. Return it and its name. Raises LaunchError."""
    program = next(candidates("webkit", "display"), None)
    if program is None:
        raise LaunchError(
            "WebKitGTK needs a display, and Xvfb is not installed.", "Run: bidi-server install webkit, or set DISPLAY."
        )
    process = await start_guarded(
        [str(program.path), "-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset"]
    )
    async with starting(process, str(program.path), limit):
        name = f":{(await process.read_until(DISPLAY_NUMBER))[1]}"
        await give_focus(name)
    return process, name


def _browser(options: LaunchOptions, driver: Installation) -> Installation | None:
    """Return the browser for a driver, or None if the driver knows it. Raises BrowserNotFoundError."""
    port = port_of_driver(driver.path.name)
    if not port.program:
        return None
    for found in candidates("webkit", "browser", options.executable):
        if options.executable is not None or found.path.name == port.program:
            return found
    if port is GTK:
        return first_browser("webkit")
    raise BrowserNotFoundError(
        f"{port.program}, the browser of {driver.path}, is not installed.",
        f"Install {port.program}, or give its path with --executable.",
    )


async def launch_webkit(options: LaunchOptions) -> Launched:
    """Start a WebKit; see `drivers.launch`."""
    if options.confined:
        raise LaunchError("--egress does not hold for WebKit, whose driver cannot confine it.", EGRESS_ADVICE)
    if options.user_data_dir is not None:
        raise LaunchError("WebKit's driver has no profiles.", "Leave --user-data-dir out, or use another browser.")
    driver = first_browser("webkit", options.driver, "driver")
    drivers = Drivers(options, _browser(options, driver), driver)
    try:
        session = await drivers.start({})
    except BaseException:
        await drivers.aclose()
        raise
    speaks_bidi = isinstance(session.capabilities.get("webSocketUrl"), str)
    return Launched(
        web_socket_url=str(session.capabilities["webSocketUrl"]) if speaks_bidi else "",
        session_ready=True,
        capabilities=session.capabilities,
        browser="webkit",
        browser_name=str(session.capabilities.get("browserName")).lower() if speaks_bidi else "webkit",
        browser_version=str(session.capabilities.get("browserVersion", "")),
        process=session.process,
        classic=drivers,
        first_session=None if speaks_bidi else session,
    )
