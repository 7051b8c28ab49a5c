"""What to launch and what a launched browser is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from drivers.process import GuardedProcess

BrowserName = Literal["chromium", "firefox"]
"""The browsers we can start ourselves."""

OPEN_PROMPTS = {"default": "ignore"}
"""Leaves every dialog to whoever watches the events. Just "ignore" would not cover those of `beforeunload`: they would
be accepted unseen (https://www.w3.org/TR/webdriver2/#dfn-user-prompt-handler)."""

FAREWELL_SECONDS = 3.0
"""How long a browser may take to end by itself."""


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """What to launch; hashable, so that sessions with equal options can share one browser."""

    browser: BrowserName = "chromium"
    headed: bool = False
    """Show a window."""
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
    process: GuardedProcess = field(repr=False)
    farewell: Callable[[], Awaitable[None]] | None = field(default=None, repr=False)
    """What to do first when it is to end, such as letting it complete a profile to keep."""
    closing: trio.Lock = field(default_factory=trio.Lock, repr=False)

    @property
    def pid(self) -> int:
        """The process that guards the browser and its driver."""
        return self.process.pid

    def log_tail(self) -> str:
        """Return the last lines that the browser and its driver printed."""
        return self.process.log_tail()

    async def wait_exited(self) -> None:
        """Wait until the browser or its driver has ended, whoever ended it."""
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
                    if farewell is not None and self.process.running:
                        with trio.move_on_after(FAREWELL_SECONDS):
                            await farewell()
                finally:
                    await self.process.aclose()
