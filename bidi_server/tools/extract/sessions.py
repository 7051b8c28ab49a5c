"""Sessions: each has a browser context with its own device and location (seed 004, section 1)."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from bidi_server.browser.contexts.emulation import Emulation, Place
from bidi_server.browser.engine.installation import default_browser
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.session import Preset
from bidi_server.errors import InvalidParametersError
from bidi_server.tools.extract.base import ClientQuery, Part, Result
from bidi_server.tools.outcome import Outcome
from bidi_server.tools.proxy import ProxyServer

_PROFILE = re.compile(r"[\w][\w.-]{0,63}")


class ViewportSize(Part):
    """CSS pixels."""

    width: Annotated[int, Field(ge=1, le=10_000)] = 1280
    height: Annotated[int, Field(ge=1, le=10_000)] = 720


class Position(Part):
    """Degrees, and metres."""

    latitude: Annotated[float, Field(ge=-90, le=90)]
    longitude: Annotated[float, Field(ge=-180, le=180)]
    accuracy: Annotated[float, Field(ge=0)] = 10


class SessionReady(Result):
    """A session that can be used."""

    session_id: str
    status: Literal["ready"] = "ready"


class SessionClosed(Result):
    """A closed session."""

    status: Literal["closed"] = "closed"


class SessionInfo(Part):
    """A session."""

    session_id: str
    browser: str
    tabs: list[str]
    """URLs."""


class SessionList(Result):
    """Sessions."""

    sessions: list[SessionInfo]


class CreateBrowserSession(ClientQuery):
    """Launch a browser session with its own cookies, storage and tabs."""

    session: str | None = Field(default=None, alias="session_id", min_length=1, max_length=200)
    """Name of the new session; default: an unguessable one."""
    headless: bool = True
    viewport: ViewportSize = ViewportSize()
    user_agent: str | None = Field(default=None, alias="userAgent", min_length=1)
    browser: Literal["chromium", "firefox", "webkit"] = "chromium"
    """Default: the server's."""
    locale: str | None = None
    """Language tag: de-DE."""
    timezone: str | None = None
    """IANA name: Europe/Berlin."""
    geolocation: Position | None = None
    device_scale_factor: Annotated[float, Field(gt=0, le=10)] | None = None
    mobile: bool = False
    """Use the layout of a phone."""
    touch: bool = False
    proxy: ProxyServer | None = None
    profile: str | None = None
    """Profile that keeps logins for later sessions of the same name."""

    async def answer(self, client: Client, out: Outcome) -> SessionReady:
        """See the class."""
        emulation = Emulation(
            user_agent=self.user_agent,
            locale=self.locale,
            timezone=self.timezone,
            place=Place(**self.geolocation.model_dump()) if self.geolocation else None,
            pixel_ratio=self.device_scale_factor,
            mobile=self.mobile,
            touch=self.touch,
            granted=("geolocation",) if self.geolocation else (),
        )
        proxy = self.proxy.to_proxy() if self.proxy else None
        preset = Preset(emulation, proxy)
        name = await client.create(self.session, self._changes(client), out.progress, preset=preset, start=True)
        return SessionReady(session_id=name)

    def _changes(self, client: Client) -> dict[str, object]:
        """Return the server options that this session overrides: only those that the call gives.

        Raises `InvalidParametersError` for an invalid profile name.
        """
        said = self.model_fields_set
        changes: dict[str, object] = {}
        if "browser" in said:
            changes["browser"] = self.browser
        if "headless" in said:
            changes["headed"] = not self.headless
        if "viewport" in said:
            changes["viewport"] = (self.viewport.width, self.viewport.height)
        if self.profile is not None:
            if not _PROFILE.fullmatch(self.profile):
                raise InvalidParametersError(
                    f"{self.profile!r} is not a valid profile name.", "Use letters, digits, dots and dashes."
                )
            browser = changes.get("browser") or client.config.browser or default_browser()
            changes["user_data_dir"] = _profiles(client) / f"{browser}-{self.profile}"
        return changes


def _profiles(client: Client) -> Path:
    import platformdirs

    folder = client.config.profile_dir
    return folder if folder is not None else platformdirs.user_data_path("bidi-server", appauthor=False) / "profiles"


class CloseBrowserSession(ClientQuery):
    """Close a browser session."""

    async def answer(self, client: Client, out: Outcome) -> SessionClosed:
        """See the class."""
        await client.close(self.session or "")
        return SessionClosed()


class ListBrowserSessions(ClientQuery):
    """List the open sessions."""

    read_only = True

    session: str | None = Field(default=None, alias="session_id")
    """Only this one."""

    async def answer(self, client: Client, out: Outcome) -> SessionList:
        """See the class."""
        found = [
            SessionInfo(
                session_id=client.label(name),
                browser=session.config.browser or "default",
                tabs=[tab.url for context in session.contexts.values() for tab in context.tabs],
            )
            for name, session in client.sessions.items()
            if self.session in (None, name, client.label(name))
        ]
        return SessionList(sessions=found)
