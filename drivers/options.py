"""What to launch and what a launched browser is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import trio

if TYPE_CHECKING:
    from pathlib import Path

    from drivers.grid import GridSession
    from drivers.process import GuardedProcess

BrowserName = Literal["chromium", "firefox"]
"""The browsers we can start ourselves."""

OPEN_PROMPTS = {"default": "ignore"}
"""Leaves every dialog to whoever watches the events. Just "ignore" would not cover those of `beforeunload`: they would
be accepted unseen (https://www.w3.org/TR/webdriver2/#dfn-user-prompt-handler)."""

Tell = Callable[[float, float | None, str], Awaitable[None]]
"""Tells whoever waits for a browser how far it is: done, of how much where that is known, what."""

DevTools = Callable[[str, Mapping[str, object]], Awaitable[Mapping[str, object]]]
"""Carries out a command of the Chrome DevTools Protocol and returns its result; {} where it can't."""

FAREWELL_SECONDS = 3.0
"""How long a browser may take to end by itself."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A browser that somebody else starts, or has started."""

    url: str
    """A Selenium Grid or a driver (http, https; with user:password if need be), or a BiDi port (ws, wss)."""
    is_grid: bool = False
    """Whether it is a Grid, which has a queue and keeps WebSockets behind its own address."""
    capabilities: str = "{}"
    """JSON object of what to ask for besides: https://www.w3.org/TR/webdriver2/#capabilities."""
    queue_timeout: float = 300.0
    """Seconds that a Grid may take until it has a place."""


@dataclass(frozen=True, slots=True)
class WebDriverSession:
    """A session that a Grid or a driver holds: it goes on when the connection to it ends.

    https://www.w3.org/TR/webdriver-bidi/#transport. No URL here has a login.
    """

    id: str
    browser_name: str
    """The browser's own name in lower case."""
    address: str
    """The Grid, the driver, or the BiDi port that we attached to."""
    web_socket_url: str
    """Where to connect; "" for where a Grid has it."""


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """What to launch; hashable, so that sessions with equal options can share one browser."""

    browser: BrowserName = "chromium"
    headed: bool = False
    """Show a window."""
    whole: bool = False
    """Start Chromium itself without a window, not its headless shell."""
    executable: Path | None = None
    """This browser and no other, instead of the first one found."""
    driver: Path | None = None
    """This ChromeDriver; for Firefox: go through this geckodriver instead of Firefox's own BiDi port."""
    user_data_dir: Path | None = None
    """A profile to keep. Without it the profile is temporary and gone when the browser is."""
    arguments: tuple[str, ...] = ()
    """More arguments for the browser, after ours."""
    preferences: tuple[tuple[str, str | int | bool], ...] = ()
    """Firefox preferences, or Chromium profile preferences, by name."""
    window: tuple[int, int] = (1280, 720)
    """Outer width and height of the first window, in CSS pixels."""
    accept_insecure_certs: bool = False
    """Open pages with invalid TLS certificates: https://www.w3.org/TR/webdriver2/#dfn-insecure-tls-certificates."""
    start_timeout: float = 60.0
    """Seconds until a start that has not succeeded is given up."""
    remote: Remote | None = None
    """Where to have it started instead of on this machine."""


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
