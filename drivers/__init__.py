"""Find, install, start and reach browsers.

Only this package imports selenium and webdriver-manager, and only when they are needed: importing the package itself is
cheap.
"""

from __future__ import annotations

from importlib import import_module

from drivers.errors import (
    BrowserNotFoundError,
    DriverError,
    GridError,
    InstallError,
    LaunchError,
    VersionMismatchError,
)
from drivers.launched import Launched
from drivers.options import BrowserName, LaunchOptions, Remote, Tell, WebDriverSession

__all__ = [
    "BrowserName",
    "BrowserNotFoundError",
    "DriverError",
    "GridError",
    "InstallError",
    "LaunchError",
    "LaunchOptions",
    "Launched",
    "Remote",
    "Tell",
    "VersionMismatchError",
    "WebDriverSession",
    "launch",
    "prepare",
    "resume",
]


async def launch(options: LaunchOptions, tell: Tell | None = None) -> Launched:
    """Start a browser and return its address; `tell` reports the progress while a Grid has no free slot.

    Cancelling ends everything that was started. The caller must close the result. Raises BrowserNotFoundError if the
    browser, or the driver it needs, is not installed, and LaunchError if it is installed but was not usable within
    `options.start_timeout` (on a Grid: within `options.remote.queue_timeout`).
    """
    if options.remote is not None:
        from drivers.remote import launch_remote

        return await launch_remote(options, options.remote, tell)
    match options.browser:
        case "chromium":
            from drivers.chromium import launch_chromium

            return await launch_chromium(options)
        case "firefox":
            from drivers.firefox import launch_firefox

            return await launch_firefox(options)
        case "webkit":
            from drivers.webkit import launch_webkit

            return await launch_webkit(options)


def prepare(options: LaunchOptions) -> None:
    """Import what `launch` needs, which takes 0.1 s: in a thread, before a browser is needed."""
    if options.remote is not None:
        import_module("drivers.remote")
        return
    import_module(f"drivers.{options.browser}")
    if options.browser == "chromium":
        import_module("selenium.webdriver.chrome.options")
    if options.browser != "firefox":
        import_module("selenium.webdriver.remote.remote_connection")


def resume(options: LaunchOptions, session: WebDriverSession) -> Launched:
    """Return the address of a running browser, started by another process or by us before the connection was lost."""
    from drivers.remote import resume_remote

    return resume_remote(options, session)
