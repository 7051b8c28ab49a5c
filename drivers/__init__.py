"""Find, install, start and reach browsers.

The only place that knows selenium and webdriver-manager, and it loads them when they are needed: importing this package
costs next to nothing.
"""

from __future__ import annotations

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
    "resume",
]


async def launch(options: LaunchOptions, tell: Tell | None = None) -> Launched:
    """Start a browser and return where it listens; `tell` hears of it when a Grid has no place yet.

    Cancelling ends what was started. Whoever gets the result closes it. Raises BrowserNotFoundError when the browser,
    or the driver it needs, is not installed, and LaunchError when it is but was not usable in `options.start_timeout`.
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


def resume(options: LaunchOptions, session: WebDriverSession) -> Launched:
    """Return where a browser listens that somebody else has had started, or we before we lost the connection."""
    from drivers.remote import resume_remote

    return resume_remote(options, session)
