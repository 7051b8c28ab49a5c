"""File transfer to and from a browser on a Grid, whose nodes have their own disks."""

import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from bidi_server.errors import BrowserUnavailableError, DeadlineError, InvalidParametersError
from drivers import GridError

if TYPE_CHECKING:
    from drivers.grid import GridSession

logger = logging.getLogger(__name__)

SEND_SECONDS = 120.0
"""Timeout for sending the files of one upload, in seconds."""


class NodeFiles:
    """File transfer between this machine and a browser's node. ``nursery`` runs transfers that no caller awaits."""

    def __init__(self, grid: "GridSession", nursery: trio.Nursery) -> None:
        self.nursery = nursery
        self.folder = ""
        """Download folder on the node, for browsers that must be told which to use."""
        self.refusal = ""
        """Why downloads cannot be fetched; "" if they can."""
        self._grid = grid

    async def prepare(self, *, needs_folder: bool) -> None:
        """Find out whether downloads can be fetched and, with ``needs_folder``, from which folder."""
        try:
            if needs_folder:
                self.folder = await self._grid.downloads_folder()
            else:
                await self._grid.check_downloads()
        except GridError as error:
            logger.info("no downloads from the Grid: %s", error)
            self.refusal = "The Grid keeps no downloads for us: start its nodes with enable-managed-downloads = true."

    async def send(self, files: list[Path]) -> list[str]:
        """Send files to the node within `SEND_SECONDS` and return their paths there.

        Raises `InvalidParametersError`, `BrowserUnavailableError`, `DeadlineError`.
        """
        paths: list[str] = []
        with trio.move_on_after(SEND_SECONDS) as limit:
            for file in files:
                try:
                    paths.append(await self._grid.send(file))
                except OSError as error:
                    raise InvalidParametersError(f"{file} can't be read: {error.strerror}.", "Pass others.") from error
                except GridError as error:
                    raise BrowserUnavailableError(error.message, error.advice) from error
        if limit.cancelled_caught:
            raise DeadlineError(
                f"The Grid did not take the files within {SEND_SECONDS:g} s.", "Upload fewer, or smaller ones."
            )
        return paths

    async def fetch(self, path: str, target: Path) -> str:
        """Copy a download from its path on the node to a new file here. Return the reason if that failed, else ""."""
        name = re.split(r"[\\/]", path)[-1]  # the node may run Windows
        try:
            await self._grid.fetch(name, target)
        except GridError as error:
            return f"{error.message} {error.advice}"
        return ""
