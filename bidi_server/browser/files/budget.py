"""The maximum size of the files that the server writes by itself."""

import os
from contextlib import suppress
from pathlib import Path

from bidi_server.browser.disk import Identity, identity


class FileBudget:
    """The files that this server has written into its folders, with a maximum size for those of each folder.

    Saved cookies and storage are not among them: they are written to be read again.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        """In bytes; None for no limit."""
        self._files: dict[Path, dict[Path, Identity]] = {}
        """Files by folder, the oldest first."""

    def add(self, folder: Path, file: Path, *, is_new: bool = True) -> None:
        """Record a file that was just written, and remove the oldest ones of its folder that are too much beside it.

        A file that has replaced one that is not ours is not recorded, and one that was changed meanwhile is not
        removed. Files that cannot be removed stay.
        """
        if self._limit is None:
            return
        files = self._files.setdefault(Path(os.path.realpath(folder)), {})
        file = Path(os.path.realpath(file))
        known = identity(file)
        if known is None or (files.pop(file, None) is None and not is_new):
            return
        files[file] = known
        total = sum(size for size, *_ in files.values())
        for old in list(files)[:-1]:
            if total <= self._limit:
                break
            was = files.pop(old)
            total -= was[0]
            if identity(old) == was:
                with suppress(OSError):
                    old.unlink()
