"""What to launch, and what names a session that others can take part in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

BrowserName = Literal["chromium", "firefox"]
"""The browsers we can start ourselves."""

OPEN_PROMPTS = {"default": "ignore"}
"""Leaves every dialog to whoever watches the events. Just "ignore" would not cover those of `beforeunload`: they would
be accepted unseen (https://www.w3.org/TR/webdriver2/#dfn-user-prompt-handler)."""

Tell = Callable[[float, float | None, str], Awaitable[None]]
"""Tells whoever waits for a browser how far it is: done, of how much where that is known, what."""

DevTools = Callable[[str, Mapping[str, object]], Awaitable[Mapping[str, object]]]
"""Carries out a command of the Chrome DevTools Protocol and returns its result; {} where it can't."""


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
