"""The downloads of a tab."""

import shutil
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from bidi_server.bidi.browsing_context import DownloadEnd, DownloadWillBegin
from bidi_server.browser.files.budget import FileBudget
from bidi_server.browser.journal import Journal, Log
from bidi_server.browser.words import MAX_PATH, clip

if TYPE_CHECKING:
    from bidi_server.browser.files.grid_node import NodeFiles

LIMIT = 200
"""Maximum number of downloads kept for each tab."""

LITTLE_SPACE = 1_000_000_000
"""Free space in bytes below which the answer about a canceled download names the free space."""


@dataclass(slots=True)
class Download:
    """One download. ``status`` is running, complete or canceled; ``path`` is the path of the file."""

    url: str
    name: str
    key: str
    status: str = "running"
    path: str | None = None
    ended: bool = False
    """Whether the browser has reported its end."""
    missing: str = ""
    """Reason why there is no file here; "" if there is none or it is unknown."""


class Downloads:
    """The newest downloads of a tab.

    The browser saves files to a folder where they overwrite files of the same name, so they are moved to ``folder``.
    With ``node_files``, files are fetched from the node of a Grid: a download is running until its file is here, and
    ``arrived`` is called then. Downloads that have ended are added to ``untold``.
    """

    def __init__(
        self,
        journal: Journal,
        folder: Path | None,
        budget: FileBudget | None,
        node_files: "NodeFiles | None",
        arrived: Callable[[], object],
        untold: deque[object],
    ) -> None:
        self.all: Log[Download] = journal.log(Download, LIMIT)
        self.folder = folder
        self._budget = budget
        self._node_files = node_files
        self._arrived = arrived
        self._untold = untold

    def begun(self, event: DownloadWillBegin) -> None:
        """Record the start of a download."""
        self.all.append(Download(event.url, event.suggested_filename, event.download or event.navigation or event.url))

    def ended(self, event: DownloadEnd) -> None:
        """Record the end of a download, and move its file or begin to fetch it."""
        key = event.download or event.navigation or event.url
        for download in reversed(list(self.all)):
            if not download.ended and key in (download.key, download.url):
                download.ended = True
                if self._node_files is None:
                    download.status, download.path = event.status, self._kept(event.filepath)
                    if event.status == "canceled":
                        download.missing = self._lack_of_space()
                elif self._node_files.refusal or not event.filepath:
                    download.status, download.missing = event.status, self._node_files.refusal
                else:
                    self._node_files.nursery.start_soon(self._fetch, self._node_files, download, event.filepath)
                    break
                self._untold.append(download)
                break

    def running_since(self, cursor: int) -> list[Download]:
        """Return the downloads that began after a cursor of the journal and are still running."""
        return [download for download in self.all.since(cursor) if download.status == "running"]

    async def _fetch(self, node_files: "NodeFiles", download: Download, path: str) -> None:
        assert self.folder is not None
        staged = self.folder / f".{token_hex(4)}" / (Path(download.name).name or "download")
        download.missing = await node_files.fetch(path, staged)
        download.path = None if download.missing else self._kept(str(staged))
        with suppress(OSError):
            staged.parent.rmdir()
        download.status = "complete"
        self._untold.append(download)
        self._arrived()

    def _lack_of_space(self) -> str:
        """Return the free space of the folder and what to do, as a message; "" if there is enough space.

        Browsers do not report why they canceled a download.
        """
        if self.folder is None:
            return ""
        place = next(folder for folder in (self.folder, *self.folder.parents) if folder.is_dir())
        free = shutil.disk_usage(place).free
        if free >= LITTLE_SPACE:
            return ""
        where = clip(str(self.folder), MAX_PATH)
        return (
            f"The browser canceled it, and the disk of {where} has only {free / 1e6:,.1f} MB free. "
            "If the file is larger, free some space there, or name another folder with --output-dir."
        )

    def _kept(self, path: str | None) -> str | None:
        """Move a file to an unused name in the folder, and return its path."""
        source = Path(path) if path else None
        # If the browser runs on another machine, there is no such file here.
        if source is None or self.folder is None or not source.is_file():
            return path
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)  # the browser has created only its own folder
        for number in count():
            target = self.folder / (f"{source.stem}-{number}{source.suffix}" if number else source.name)
            try:
                target.hardlink_to(source)
            except FileExistsError:
                continue
            except OSError:
                return path  # the file system has no hard links
            source.unlink()
            if self._budget is not None:
                self._budget.add(self.folder.parent, target)
            return str(target)
        return path
