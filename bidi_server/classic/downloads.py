"""Downloads, which the driver does not report: they are found in the folder of downloads."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from bidi_server.classic.contexts import BrowsingContext, new_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from bidi_server.classic.session import Session
    from drivers.json_values import Json

UNFINISHED = ".wkdownload"
"""End of the name of a file while WebKitGTK downloads it."""


class Downloads:
    """The downloads of a session."""

    def __init__(self, folder: Path | None, session: Session, emit: Callable[[str, Json], None]) -> None:
        self._folder = folder
        self._session = session
        self._emit = emit
        self._known: dict[str, Json] = {}
        """Events of the downloads that have begun, by name of the file."""
        self._ended: set[str] = set()

    async def look(self, target: str) -> bool:
        """Report what is new in the folder, and move what has ended to another one. Return whether a download runs."""
        if self._folder is None:
            return False
        try:
            names = {entry.name for entry in self._folder.iterdir()}
        except OSError:  # it is gone with its session, or somebody has removed it
            return False
        for name in sorted(names):
            final = name.removesuffix(UNFINISHED)
            if final not in self._known:
                await self._begin(final)
            if name == final and name not in self._ended and final + UNFINISHED not in names:
                self._ended.add(name)
                await self._end(name, target)
        return any(name not in self._ended for name in self._known)

    async def _begin(self, name: str) -> None:
        context = self._context()
        if context is None:
            return
        url = context.wanted or context.url
        told: Json = {**context.navigated(url), "suggestedFilename": name, "download": new_id()}
        self._known[name] = told
        # The navigation is over, though the document was told that it is left.
        self._session.stay(context)
        self._emit("browsingContext.downloadWillBegin", told)

    async def _end(self, name: str, target: str) -> None:
        assert self._folder is not None
        path = self._folder / name
        outcome: Json = {"status": "complete", "filepath": str(path)}
        if target:
            moved = Path(target) / name
            try:
                moved.parent.mkdir(parents=True, exist_ok=True)
                await trio.to_thread.run_sync(shutil.move, path, moved)
            except OSError:
                moved.unlink(missing_ok=True)
                path.unlink(missing_ok=True)
                outcome = {"status": "canceled"}
            else:
                outcome["filepath"] = str(moved)
        if name in self._known:
            self._emit("browsingContext.downloadEnd", {**self._known.pop(name), **outcome})
        self._ended.discard(name)

    def _context(self) -> BrowsingContext | None:
        """Return the tab that the download probably began in: one that is being left, otherwise the one used last."""
        windows = list(self._session.windows.values())
        leaving = [each for each in windows if each.wanted]
        return next(
            iter([*leaving, *([self._session.last.top] if self._session.last else []), *reversed(windows)]), None
        )
