"""The downloads of a tab."""

from dataclasses import dataclass

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
    """The newest downloads."""

    def __init__(self) -> None:
        self.all: Ring[Download] = Ring(LIMIT)

    def begun(self, event: DownloadWillBegin) -> None:
        """Take the start of one from the browser."""
        self.all.append(Download(event.url, event.suggested_filename, event.download or event.navigation or event.url))

    def ended(self, event: DownloadEnd) -> None:
        """Take the end of one from the browser."""
        key = event.download or event.navigation or event.url
        for download in reversed(list(self.all)):
            if download.status == "running" and key in (download.key, download.url):
                download.status, download.path = event.status, event.filepath
                break

    def running_since(self, mark: int) -> list[Download]:
        """Return those that began after a mark of `all` and have not ended."""
        return [download for download in self.all.since(mark) if download.status == "running"]
