"""A running browser, and how to end it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from drivers.classic import ClassicDrivers, ClassicSession
    from drivers.grid import GridSession
    from drivers.options import BrowserName, DevTools, WebDriverSession
    from drivers.process import GuardedProcess

FAREWELL_SECONDS = 3.0
"""Timeout for a browser to end by itself, in seconds."""


@dataclass(eq=False, slots=True)
class Launched:
    """A running browser and its WebDriver BiDi address."""

    web_socket_url: str
    """Address to connect to."""
    session_ready: bool
    """True: a driver has created the session and `web_socket_url` is its address. False: a plain BiDi port; the caller
    must first send `session.new` (https://www.w3.org/TR/webdriver-bidi/#command-session-new)."""
    capabilities: Mapping[str, object]
    """Capabilities of the session if `session_ready`, else those to request in `alwaysMatch` of `session.new`."""
    browser: BrowserName
    """The requested browser."""
    browser_name: str
    """The browser's own name in lower case, as in its capabilities: "chrome", "chrome-headless-shell", "firefox",
    "microsoftedge"."""
    browser_version: str
    """For example "156.0.8078.79"; empty if only `session.new` reports it."""
    process: GuardedProcess | None = field(default=None, repr=False)
    """The process of the browser or its driver; None for a browser whose process is not ours to end."""
    farewell: Callable[[], Awaitable[None]] | None = field(default=None, repr=False)
    """Called before the browser is ended, for example to let it complete a persistent profile."""
    session: WebDriverSession | None = None
    """The session, if other processes can use it too."""
    stays: bool = False
    """Whether the browser ran before us and keeps running after us."""
    is_elsewhere: bool = False
    """Whether the browser runs on a machine without our files."""
    grid: GridSession | None = None
    """File transfer to and from the browser's machine, if a Grid has started it."""
    devtools: DevTools | None = field(default=None, repr=False)
    """Access to a Chromium without WebDriver BiDi, for commands of its browser target."""
    classic: ClassicDrivers | None = field(default=None, repr=False)
    """Starts further sessions of a driver that speaks classic WebDriver."""
    first_session: ClassicSession | None = field(default=None, repr=False)
    """The first session of that driver, unless it speaks WebDriver BiDi too. `web_socket_url` is then empty."""
    closing: trio.Lock = field(default_factory=trio.Lock, repr=False)

    @property
    def pid(self) -> int:
        """Process id of the guard of the browser and its driver; 0 if we have not started them."""
        return self.process.pid if self.process is not None else 0

    def log_tail(self) -> str:
        """Return the last lines of output of the browser and its driver."""
        return self.process.log_tail() if self.process is not None else ""

    async def wait_exited(self) -> None:
        """Wait until the browser or its driver has ended. Return at once for a browser that we have not started."""
        if self.process is not None:
            await self.process.wait_exited()

    async def aclose(self) -> None:
        """End the browser, its driver and all their children, and remove temporary files. It takes at most 8 seconds.

        Safe to call twice, at any time, and during cancellation. To keep the very last changes in a Firefox profile
        with `user_data_dir`, first send `browser.close` (https://www.w3.org/TR/webdriver-bidi/#command-browser-close)
        and call `wait_exited`: only the owner of Firefox's one BiDi session can ask it to quit.
        """
        with trio.CancelScope(shield=True):
            async with self.closing:
                farewell, self.farewell = self.farewell, None
                try:
                    if farewell is not None and (self.process is None or self.process.running):
                        with trio.move_on_after(FAREWELL_SECONDS):
                            await farewell()
                finally:
                    if self.process is not None:
                        await self.process.aclose()
                    if self.classic is not None:
                        await self.classic.aclose()
