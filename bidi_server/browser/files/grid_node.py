"""The files of a browser on a Grid, whose nodes have a disk of their own."""

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
"""How long it may take to send the files of one upload."""


class NodeFiles:
    """The way of files to a browser's node and back. ``nursery`` runs what nobody waits for."""

    def __init__(self, grid: "GridSession", nursery: trio.Nursery) -> None:
        self.nursery = nursery
        self.folder = ""
        """Where on the node downloads must be, for browsers that have to be told."""
        self.refusal = ""
        """Why downloads can't be fetched; "" while they can."""
        self._grid = grid

    async def prepare(self, *, needs_folder: bool) -> None:
        """Learn whether downloads can be fetched, and from which folder if that is needed."""
        try:
            if needs_folder:
                self.folder = await self._grid.downloads_folder()
            else:
                await self._grid.check_downloads()
        except GridError as error:
            logger.info("no downloads from the Grid: %s", error)
            self.refusal = "The Grid keeps no downloads for us: start its nodes with enable-managed-downloads = true."

    async def send(self, files: list[Path]) -> list[str]:
        """Put files on the node and return their paths there, within two minutes.

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
        """Copy a download from its path on the node to a new file here; return why that failed, if it did."""
        name = re.split(r"[\\/]", path)[-1]  # the node may run Windows
        try:
            await self._grid.fetch(name, target)
        except GridError as error:
            return f"{error.message} {error.advice}"
        return ""
