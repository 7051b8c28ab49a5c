"""Sessions of drivers that only speak classic WebDriver: https://www.w3.org/TR/webdriver2/."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from drivers.grid import GridSession
    from drivers.process import GuardedProcess

FAREWELL_SECONDS = 1.0
"""Timeout for a browser to end by itself, in seconds. MiniBrowser 2.50 needs 0.1 s."""

OR_BIDI: tuple[Mapping[str, object], ...] = ({"webSocketUrl": True}, {})
"""``firstMatch`` of a new session: WebDriver BiDi if the driver has it, otherwise the classic protocol."""


@dataclass(eq=False, slots=True)
class ClassicSession:
    """A session of a driver, which has a browser of its own."""

    address: str
    """URL of the driver or the Grid, with user:password@ if it needs a login."""
    id: str
    capabilities: Mapping[str, object]
    farewell: Callable[[], Awaitable[None]]
    process: GuardedProcess | None = None
    """The driver, whose child the browser is, if we have started it."""
    downloads: Path | None = None
    """Folder of the browser's downloads, if it is ours."""
    inspector: str = ""
    """HOST:PORT of the browser's inspector server; "" if we reach none. Whoever connects to it controls the pages."""
    grid: GridSession | None = None
    """Transfer of files to the browser's machine, if a Grid has started it."""

    async def aclose(self) -> None:
        """End the browser, and its driver if it is ours."""
        with trio.CancelScope(shield=True):
            with trio.move_on_after(FAREWELL_SECONDS):
                await self.farewell()
            if self.process is not None:
                await self.process.aclose()


class ClassicDrivers(Protocol):
    """Starts further sessions of the same browser."""

    async def start(self, wishes: Mapping[str, object]) -> ClassicSession:
        """Start a driver and its session, with additional capabilities. Raises LaunchError."""
        ...

    async def aclose(self) -> None:
        """End all sessions and what they need."""
        ...
