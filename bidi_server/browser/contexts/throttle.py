"""Emulation of network conditions for a context: offline, or a slow connection."""

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bidi_server.advice import Advice, Operation
from bidi_server.bidi import cdp
from bidi_server.bidi.emulation import NetworkConditionsOffline, SetNetworkConditions
from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.errors import NotSupportedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bidi_server.bidi.connection import Connection
    from bidi_server.browser.tab.tab import Tab


@dataclass(frozen=True, slots=True)
class Throttle:
    """Limits of a slow network: ``latency`` in milliseconds, the others in kilobits per second; None means no limit."""

    latency: float = 0
    download: float | None = None
    upload: float | None = None


class Conditions:
    """The network conditions of a user context.

    WebDriver BiDi can take pages offline, but leaves their workers online and cannot slow the network down. Where the
    browser ``slows`` networks, the DevTools protocol adds both, for each of the context's ``tabs`` and workers.
    """

    def __init__(
        self, connection: "Connection", user_context: str, tabs: "Sequence[Tab]", *, browser: str, slows: bool
    ) -> None:
        self.offline = False
        self.throttle: Throttle | None = None
        self.complete = slows
        """Whether the conditions apply to service workers and can slow the network down."""
        self._connection = connection
        self._user_context = user_context
        self._tabs = tabs
        self._browser = browser
        self._workers: set[str] = set()
        self._tabs_have_own = False
        """Whether DevTools sessions of tabs have conditions of their own, which BiDi commands may not undo."""

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
                f"{self._browser} can't slow its network down: WebDriver BiDi knows only offline.",
                Advice.of("Use Chromium, or ", Operation.SET_OFFLINE, "."),
            )
        self.throttle = throttle
        self._tabs_have_own = True
        await self._apply()

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
        return self.complete and (self.offline or self.throttle is not None)

    async def renew(self, id_: str) -> None:
        """Apply the conditions to a tab that is new or has a new document.

        In Chromium 150 a new document is offline, but its ``navigator.onLine`` stays true; 156 keeps both.
        """
        self._tabs_have_own = True
        with suppress(BidiError, ConnectionLostError):
            await self._apply_to_tab(id_)

    async def apply_to(self, session: str) -> None:
        """Apply the conditions to a DevTools session. Forget it if it has ended."""
        throttle = self.throttle or Throttle()
        parameters: dict[str, object] = {
            "offline": self.offline,
            "latency": throttle.latency,
            "downloadThroughput": _bytes_per_second(throttle.download),
            "uploadThroughput": _bytes_per_second(throttle.upload),
        }
        try:
            await self._connection.send(
                cdp.SendCommand(cdp_method="Network.emulateNetworkConditions", params=parameters, session=session)
            )
        except (BidiError, ConnectionLostError):
            self._workers.discard(session)  # it has just ended

    async def _apply(self) -> None:
        if not self.complete:
            return
        for session in list(self._workers):
            await self.apply_to(session)
        if self._tabs_have_own:
            for tab in list(self._tabs):
                await self._apply_to_tab(tab.context)

    async def _apply_to_tab(self, id_: str) -> None:
        found = await self._connection.send(cdp.GetSession(context=id_))
        if found.session is not None:
            await self.apply_to(found.session)


def _bytes_per_second(kilobits: float | None) -> float:
    return -1 if kilobits is None else kilobits * 125
