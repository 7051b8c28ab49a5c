"""The downloads of a tab."""

from dataclasses import dataclass
from itertools import count
from pathlib import Path

from bidi_server.bidi.browsing_context import DownloadEnd, DownloadWillBegin

from .ring import Ring

LIMIT = 200
"""Downloads kept for each tab."""


@dataclass(slots=True)
class Download:
    """One download; ``status`` is running, complete or canceled. ``path`` is where the browser put the file."""

    url: str
    name: str
    key: str
    status: str = "running"
    path: str | None = None


class Downloads:
    """The newest downloads. The browser puts files where they overwrite their likes; we move them on."""

    def __init__(self, folder: Path | None = None) -> None:
        self.all: Ring[Download] = Ring(LIMIT)
        self._folder = folder

    def begun(self, event: DownloadWillBegin) -> None:
        """Take the start of one from the browser."""
        self.all.append(Download(event.url, event.suggested_filename, event.download or event.navigation or event.url))

    def ended(self, event: DownloadEnd) -> None:
        """Take the end of one from the browser."""
        key = event.download or event.navigation or event.url
        for download in reversed(list(self.all)):
            if download.status == "running" and key in (download.key, download.url):
                download.status, download.path = event.status, self._kept(event.filepath)
                break

    def running_since(self, mark: int) -> list[Download]:
        """Return those that began after a mark of `all` and have not ended."""
        return [download for download in self.all.since(mark) if download.status == "running"]

    def _kept(self, path: str | None) -> str | None:
        """Move a file to where nothing of its name is, and return where it is now."""
        source = Path(path) if path else None
        # With a browser on another machine there is no such file here.
        if source is None or self._folder is None or not source.is_file():
            return path
        for number in count():
            target = self._folder / (f"{source.stem}-{number}{source.suffix}" if number else source.name)
            try:
                target.hardlink_to(source)
            except FileExistsError:
                continue
            except OSError:
                return path  # a file system without links
            source.unlink()
            return str(target)
        return path
