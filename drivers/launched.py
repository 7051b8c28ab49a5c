"""A browser that runs, and how it is ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from drivers.grid import GridSession
    from drivers.options import BrowserName, DevTools, WebDriverSession
    from drivers.process import GuardedProcess

FAREWELL_SECONDS = 3.0
"""How long a browser may take to end by itself."""


@dataclass(eq=False, slots=True)
class Launched:
    """A running browser and the address it speaks WebDriver BiDi on."""

    web_socket_url: str
    """Where to connect."""
    session_ready: bool
    """True: a driver has created the session and `web_socket_url` addresses it. False: a plain BiDi port; the caller
    sends `session.new` (https://www.w3.org/TR/webdriver-bidi/#command-session-new) first."""
    capabilities: Mapping[str, object]
    """What the session has when `session_ready`, else what to ask for in `session.new`'s `alwaysMatch`."""
    browser: BrowserName
    """What was asked for."""
    browser_name: str
    """The browser's own name in lower case, as in its capabilities: "chrome", "chrome-headless-shell", "firefox",
    "microsoftedge"."""
    browser_version: str
    """For example "156.0.8078.79"; empty when only `session.new` will tell."""
    process: GuardedProcess | None = field(default=None, repr=False)
    """None for a browser that is not ours to end."""
    farewell: Callable[[], Awaitable[None]] | None = field(default=None, repr=False)
    """What to do first when it is to end, such as letting it complete a profile to keep."""
    session: WebDriverSession | None = None
    """What other processes need to take part in it, where they can."""
    stays: bool = False
    """Whether it was there before us and goes on after us."""
    is_elsewhere: bool = False
    """Whether it runs on a machine that does not have our files."""
    grid: GridSession | None = None
    """The way of files to its machine and back, if a Grid has started it."""
    devtools: DevTools | None = field(default=None, repr=False)
    """A way to a Chromium past WebDriver BiDi, for commands of its browser target."""
    closing: trio.Lock = field(default_factory=trio.Lock, repr=False)

    @property
    def pid(self) -> int:
        """The process that guards the browser and its driver; 0 where that is not ours."""
        return self.process.pid if self.process is not None else 0

    def log_tail(self) -> str:
        """Return the last lines that the browser and its driver printed."""
        return self.process.log_tail() if self.process is not None else ""

    async def wait_exited(self) -> None:
        """Wait until the browser or its driver has ended, whoever ended it. One that is not ours is not waited for."""
        if self.process is not None:
            await self.process.wait_exited()

    async def aclose(self) -> None:
        """End the browser, its driver and all their children and remove what was temporary, within 5 seconds.

        Safe to call twice, at any time, and while being cancelled. To keep the very last changes in a Firefox profile
        with `user_data_dir`, send `browser.close` (https://www.w3.org/TR/webdriver-bidi/#command-browser-close) and
        `wait_exited` before: only the owner of its one BiDi session can ask Firefox to quit.
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
