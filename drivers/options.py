"""Options for launching a browser, and the description of a session that other processes can use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

BrowserName = Literal["chromium", "firefox", "webkit"]
"""The browsers we can start ourselves."""

OPEN_PROMPTS = {"default": "ignore"}
"""Capability that leaves every dialog open for the subscriber of its events.

Plain "ignore" would not cover `beforeunload` dialogs, which would be accepted unseen
(https://www.w3.org/TR/webdriver2/#dfn-user-prompt-handler)."""

Tell = Callable[[float, float | None, str], Awaitable[None]]
"""Reports the progress of a start: amount done, total if known, and a message."""

DevTools = Callable[[str, Mapping[str, object]], Awaitable[Mapping[str, object]]]
"""Executes a command of the Chrome DevTools Protocol and returns its result, or {} if that fails."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A browser that another program starts or has started."""

    url: str
    """URL of a Selenium Grid or a driver (http, https; with user:password if needed), or of a BiDi port (ws, wss)."""
    is_grid: bool = False
    """Whether it is a Grid, which has a queue and serves WebSockets at its own address."""
    capabilities: str = "{}"
    """Additional capabilities to request, as a JSON object: https://www.w3.org/TR/webdriver2/#capabilities."""
    queue_timeout: float = 300.0
    """Timeout for a free slot on a Grid, in seconds."""


@dataclass(frozen=True, slots=True)
class WebDriverSession:
    """A session that a Grid or a driver holds: it outlives the connection to it.

    https://www.w3.org/TR/webdriver-bidi/#transport. No URL here contains a login.
    """

    id: str
    browser_name: str
    """The browser's own name in lower case."""
    address: str
    """Address of the Grid, the driver, or the BiDi port that we attached to."""
    web_socket_url: str
    """Address to connect to; "" for the usual one of a Grid."""


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """Options for a launch; hashable, so that sessions with equal options can share one browser."""

    browser: BrowserName = "chromium"
    headed: bool = False
    """Show a window."""
    whole: bool = False
    """Start the full Chromium even without a window, instead of its headless shell."""
    executable: Path | None = None
    """Use this browser instead of the first one found."""
    driver: Path | None = None
    """Use this ChromeDriver; for Firefox, this geckodriver instead of Firefox's own BiDi port."""
    user_data_dir: Path | None = None
    """Persistent profile. Without it, the profile is temporary and removed when the browser ends."""
    arguments: tuple[str, ...] = ()
    """Additional arguments for the browser, after ours."""
    preferences: tuple[tuple[str, str | int | bool], ...] = ()
    """Firefox preferences, or Chromium profile preferences, by name."""
    environment: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Environment variables of a browser that is started on this machine, beside ours. They may be secrets."""
    web_tools: bool = False
    """Let pages offer tools to agents, where the browser can: https://webmachinelearning.github.io/webmcp/."""
    confined: bool = False
    """Leave pages no way past the proxy of their context: no WebRTC without it, no QUIC, no look-ups of names."""
    window: tuple[int, int] = (1280, 720)
    """Outer width and height of the first window, in CSS pixels."""
    accept_insecure_certs: bool = False
    """Open pages with invalid TLS certificates: https://www.w3.org/TR/webdriver2/#dfn-insecure-tls-certificates."""
    start_timeout: float = 60.0
    """Timeout for a start, in seconds."""
    remote: Remote | None = None
    """Where to start or reach the browser instead of on this machine."""
