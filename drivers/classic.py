"""Sessions of drivers that only speak classic WebDriver: https://www.w3.org/TR/webdriver2/."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from drivers.process import GuardedProcess

FAREWELL_SECONDS = 1.0
"""Timeout for a browser to end by itself, in seconds. MiniBrowser 2.50 needs 0.1 s."""


@dataclass(eq=False, slots=True)
class ClassicSession:
    """A session of a driver that runs on this machine."""

    host: str
    port: int
    id: str
    capabilities: Mapping[str, object]
    process: GuardedProcess
    """The driver, whose child the browser is."""
    farewell: Callable[[], Awaitable[None]]
    downloads: Path | None = None
    """Folder of the browser's downloads, if it is ours."""

    async def aclose(self) -> None:
        """End the browser and its driver."""
        with trio.CancelScope(shield=True):
            with trio.move_on_after(FAREWELL_SECONDS):
                await self.farewell()
            await self.process.aclose()


class ClassicDrivers(Protocol):
    """Starts further sessions of the same browser."""

    async def start(self, wishes: Mapping[str, object]) -> ClassicSession:
        """Start a driver and its session, with additional capabilities. Raises LaunchError."""
        ...

    async def aclose(self) -> None:
        """End all sessions and what they need."""
        ...
