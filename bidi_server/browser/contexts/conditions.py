"""Conditions that DevTools adds to the emulation of BiDi: slow network and processor, a phone's screen, print media."""

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bidi_server.bidi import cdp
from bidi_server.bidi.emulation import NetworkConditionsOffline, SetNetworkConditions
from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.browser.contexts.emulation import Media
from bidi_server.errors import NotSupportedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bidi_server.bidi.connection import Connection
    from bidi_server.browser.tab.tab import Tab

_NETWORK = "Network.emulateNetworkConditions"
_PROCESSOR = "Emulation.setCPUThrottlingRate"
_SCREEN = "Emulation.setDeviceMetricsOverride"
_MEDIA = "Emulation.setEmulatedMedia"


@dataclass(frozen=True, slots=True)
class Throttle:
    """Limits of a slow network: ``latency`` in milliseconds, the others in kilobits per second; None means no limit."""

    latency: float = 0
    download: float | None = None
    upload: float | None = None


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen in CSS pixels; ``pixel_ratio`` is in device pixels per CSS pixel, None for the real one."""

    width: int
    height: int
    pixel_ratio: float | None
    mobile: bool
    """Whether pages use their viewport meta tag for layout, zoom and scroll as on a phone."""


class Conditions:
    """The network conditions, the processor and the screen of a user context.

    WebDriver BiDi can take pages offline, but leaves their workers online and cannot slow the network or the processor
    down. Where the browser has the DevTools protocol (``complete``), that adds these, for each of the context's
    ``tabs`` and workers. It also has the layout of a phone, which is wrong by BiDi in Chromium 156: a page without a
    viewport meta tag is as wide as the screen, not 980 pixels, and after a turn of the screen a page is shown at a
    quarter of its size.
    """

    def __init__(
        self, connection: "Connection", user_context: str, tabs: "Sequence[Tab]", *, browser: str, complete: bool
    ) -> None:
        self.offline = False
        self.throttle: Throttle | None = None
        self.slowdown = 1.0
        """The factor by which the processor is slower."""
        self.complete = complete
        """Whether the conditions apply to service workers, and all of them are there."""
        self._screen: Screen | None = None
        self._media = Media()
        self._connection = connection
        self._user_context = user_context
        self._tabs = tabs
        self._browser = browser
        self._workers: set[str] = set()
        self._used: set[str] = set()
        """DevTools methods that tabs need: they had other than the usual conditions."""

    async def set_offline(self, *, offline: bool) -> None:
        """Take the pages and workers of the context offline, or online again."""
        wanted = NetworkConditionsOffline() if offline else None
        command = SetNetworkConditions(network_conditions=wanted, user_contexts=[self._user_context])
        await self._connection.send(command)
        self.offline = offline
        await self._apply()

    async def set_throttle(self, throttle: Throttle | None) -> None:
        """Slow down the network of the context's pages and workers. None removes the limits.

        Raises `NotSupportedError` if the browser does not support it.
        """
        if not self.complete:
            raise NotSupportedError(
                f"{self._browser} can't slow its network down: WebDriver BiDi has no command for it.", "Use Chromium."
            )
        self.throttle = throttle
        self._used.add(_NETWORK)
        await self._apply()

    async def set_slowdown(self, factor: float) -> None:
        """Slow down the processor for the context's pages. Call it only where the conditions are `complete`."""
        if factor != self.slowdown:
            self.slowdown = factor
            self._used.add(_PROCESSOR)
            await self._apply_to_tabs()

    async def set_screen(self, screen: Screen) -> None:
        """Change the screen after BiDi commands for it. Call it only where the conditions are `complete`."""
        if screen.mobile or _SCREEN in self._used:
            self._screen = screen
            self._used.add(_SCREEN)
            await self._apply_to_tabs()

    async def set_media(self, media: Media) -> None:
        """Change the media type after BiDi commands for media features. Call it only where these are `complete`."""
        if media.type is not None or _MEDIA in self._used:
            self._media = media
            self._used.add(_MEDIA)
            await self._apply_to_tabs()

    def worker_started(self, session: str) -> bool:
        """Add the DevTools session of a new worker. Return whether the caller must use `apply_to` on it."""
        self._workers.add(session)
        return self.offline or self.throttle is not None

    def worker_ended(self, session: str) -> None:
        """Forget a worker."""
        self._workers.discard(session)

    @property
    def need_renewal(self) -> bool:
        """Whether a new tab, or a new document in a tab, lacks some of the conditions until `renew`."""
        is_phone = self._screen is not None and self._screen.mobile
        looks_different = is_phone or self._media.type is not None
        return self.complete and (self.offline or self.throttle is not None or self.slowdown != 1 or looks_different)

    async def renew(self, id_: str) -> None:
        """Apply the conditions to a tab that is new or has a new document.

        In Chromium 150 a new document is offline, but its ``navigator.onLine`` stays true; 156 keeps both.
        """
        if self.offline:
            self._used.add(_NETWORK)
        with suppress(BidiError, ConnectionLostError):
            await self._apply_to_tab(id_)

    async def apply_to(self, session: str) -> None:
        """Apply the network conditions to the DevTools session of a worker. Forget it if it has ended."""
        try:
            await self._send(session, _NETWORK, self._network())
        except (BidiError, ConnectionLostError):
            self._workers.discard(session)  # it has just ended

    async def _apply(self) -> None:
        if not self.complete:
            return
        for session in list(self._workers):
            await self.apply_to(session)
        await self._apply_to_tabs()

    async def _apply_to_tabs(self) -> None:
        for tab in list(self._tabs) if self._used else ():
            await self._apply_to_tab(tab.context)

    async def _apply_to_tab(self, id_: str) -> None:
        found = await self._connection.send(cdp.GetSession(context=id_))
        if found.session is None:
            return
        if _NETWORK in self._used:
            await self._send(found.session, _NETWORK, self._network())
        if _PROCESSOR in self._used:
            await self._send(found.session, _PROCESSOR, {"rate": self.slowdown})
        if _SCREEN in self._used and (screen := self._screen) is not None:
            # A ratio of 0 is the real one: https://chromedevtools.github.io/devtools-protocol/tot/Emulation/
            ratio = {"deviceScaleFactor": screen.pixel_ratio or 0, "mobile": screen.mobile}
            await self._send(found.session, _SCREEN, {"width": screen.width, "height": screen.height, **ratio})
        if _MEDIA in self._used:
            # Without the features, the command would undo those that BiDi has set, as BiDi's undoes the type.
            features = self._media.features()
            given = features.model_dump(by_alias=True, exclude_none=True) if features else {}
            listed = [{"name": name, "value": value} for name, value in given.items()]
            await self._send(found.session, _MEDIA, {"media": self._media.type or "", "features": listed})

    async def _send(self, session: str, method: str, parameters: dict[str, object]) -> None:
        await self._connection.send(cdp.SendCommand(cdp_method=method, params=parameters, session=session))

    def _network(self) -> dict[str, object]:
        throttle = self.throttle or Throttle()
        return {
            "offline": self.offline,
            "latency": throttle.latency,
            "downloadThroughput": _bytes_per_second(throttle.download),
            "uploadThroughput": _bytes_per_second(throttle.upload),
        }


def _bytes_per_second(kilobits: float | None) -> float:
    return -1 if kilobits is None else kilobits * 125
