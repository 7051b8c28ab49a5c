"""The folder of one run: a temporary profile, and what the browser itself calls temporary."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from drivers.errors import LaunchError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

PREFIX = "bidi-server-"
"""The beginning of the names of run folders."""

LOCK = "lock"
"""Name of the file in a run folder that the server and the guard lock for as long as they live. The guard knows it too.

The system releases the locks of dead processes, so that an exclusive lock tells an abandoned folder.
"""

SNAP = Path("/snap/bin")

ROOM = "Free some space there, or name another folder: by TMPDIR for temporary files, by --user-data-dir for a profile."
"""Advice where a folder is full or read-only."""

SMALL = 100_000
"""Free bytes below which a full disk explains a failed start. Firefox 153 and Chromium 156 can start with 16 kB."""

LONGEST_PARENT = 36
"""Chromium puts a socket into its temporary folder, and the path of a socket may have 103 characters at most."""


_locks: dict[Path, int] = {}
"""Descriptors of the locks that this process holds."""


async def make_run_folder(executable: Path) -> Path:
    """Make the temporary folder of one run, with a "profile" folder in it. `remove` removes it.

    First removes the run folders of servers that were killed together with their guard. Raises `LaunchError` if there
    is no room.
    """
    return await trio.to_thread.run_sync(_make_run_folder, executable)


def _make_run_folder(executable: Path) -> Path:
    parent = _parent_for(executable)
    with used_by_browser(parent):
        remove_abandoned(parent)
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        try:
            _lock(folder)
            (folder / "profile").mkdir()
        except BaseException:
            remove(folder)
            raise
    return folder


def _parent_for(executable: Path) -> Path:
    """Return the folder for run folders.

    A snap sees neither our temporary folder nor hidden folders, only its own part of the home folder
    (https://snapcraft.io/docs/data-locations).
    """
    if executable.is_relative_to(SNAP):
        parent = Path.home() / "snap" / executable.name.partition(".")[0] / "common"
        with used_by_browser(parent):
            parent.mkdir(parents=True, exist_ok=True)
        return parent
    try:
        parent = Path(tempfile.gettempdir())
    except FileNotFoundError as error:  # every one that it knows is full or read-only
        raise LaunchError(f"{error.strerror}.", ROOM) from error
    if os.name == "posix" and len(os.fsencode(parent)) > LONGEST_PARENT:  # as on macOS
        parent = Path("/tmp")  # noqa: S108 - mkdtemp makes a folder that only we can enter
    return parent


def remove(folder: Path) -> None:
    """Remove a run folder and release its lock."""
    shutil.rmtree(folder, ignore_errors=True)
    descriptor = _locks.pop(folder, None)
    if descriptor is not None:
        os.close(descriptor)


def remove_abandoned(parent: Path) -> None:
    """Remove the run folders in a folder whose lock nobody holds."""
    if os.name == "nt":
        return  # there is no flock
    import fcntl

    for folder in parent.glob(f"{PREFIX}*"):
        # Folders of other users, folders that have just gone, and locked ones stay as they are.
        with suppress(OSError):
            descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(descriptor)


def _lock(folder: Path) -> None:
    if os.name == "nt":
        return
    import fcntl

    # Nobody may see the file before it is locked.
    unseen = folder / f".{LOCK}"
    descriptor = _locks[folder] = os.open(unseen, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    unseen.rename(folder / LOCK)


@contextmanager
def used_by_browser(folder: Path) -> Generator[None]:
    """Turn the system's errors in the block into a `LaunchError` that names the folder."""
    try:
        yield
    except OSError as error:
        raise LaunchError(f"The browser can't use the folder {folder}: {error.strerror or error}.", ROOM) from error


def is_full(folder: Path) -> bool:
    """Whether a folder has no room for a file of 100 kB."""
    with suppress(OSError):
        return shutil.disk_usage(folder).free < SMALL
    return False


def temporary_files_in(folder: Path) -> Mapping[str, str]:
    """Return the environment that makes a browser put its temporary files into the run's folder."""
    return dict.fromkeys(("TEMP", "TMP") if os.name == "nt" else ("TMPDIR",), str(folder))
