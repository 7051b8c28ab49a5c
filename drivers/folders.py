"""Temporary folder of one run, with a temporary profile and the browser's own temporary files."""

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
"""Prefix of the names of run folders."""

LOCK = "lock"
"""Name of the file in a run folder that the server and the guard lock while they live. `drivers/guard.py` repeats it.

The system releases the locks of dead processes. A folder is abandoned if its file can be locked exclusively.
"""

SNAP = Path("/snap/bin")

ROOM = "Free some space there, or name another folder: by TMPDIR for temporary files, by --user-data-dir for a profile."
"""Advice for a full or read-only folder."""

SMALL = 100_000
"""Free space, in bytes, below which a full disk explains a failed start.

Firefox 153 and Chromium 156 can start with 16 kB.
"""

LONGEST_PARENT = 36
"""Maximum length of the path of the folder for run folders, in bytes.

Chromium puts a socket into its temporary folder, and the path of a socket may have at most 103 characters.
"""


_locks: dict[Path, int] = {}
"""Descriptors of the locks that this process holds, by run folder."""


async def make_run_folder(executable: Path) -> Path:
    """Create the temporary folder of one run, with a "profile" folder in it. `remove` removes it.

    First removes the run folders of servers that were killed together with their guard. Raises `LaunchError` if the
    folder cannot be created.
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
    """Return the folder to create run folders in. Raises `LaunchError`.

    A snap can access neither our temporary folder nor hidden folders, only its own part of the home folder
    (https://snapcraft.io/docs/data-locations).
    """
    if executable.is_relative_to(SNAP):
        parent = Path.home() / "snap" / executable.name.partition(".")[0] / "common"
        with used_by_browser(parent):
            parent.mkdir(parents=True, exist_ok=True)
        return parent
    try:
        parent = Path(tempfile.gettempdir())
    except FileNotFoundError as error:  # every folder that it tries is full or read-only
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
    """Remove the run folders in `parent` whose lock no process holds."""
    if os.name == "nt":
        return  # Windows has no flock
    import fcntl

    for folder in parent.glob(f"{PREFIX}*"):
        # Skip folders of other users, folders that have just been removed, and locked folders.
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

    # Other processes must not see the file before it is locked.
    unseen = folder / f".{LOCK}"
    descriptor = _locks[folder] = os.open(unseen, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    unseen.rename(folder / LOCK)


@contextmanager
def used_by_browser(folder: Path) -> Generator[None]:
    """Turn an `OSError` in the block into a `LaunchError` that names the folder."""
    try:
        yield
    except OSError as error:
        raise LaunchError(f"The browser can't use the folder {folder}: {error.strerror or error}.", ROOM) from error


def is_full(folder: Path) -> bool:
    """Whether a folder has less than 100 kB of free space."""
    with suppress(OSError):
        return shutil.disk_usage(folder).free < SMALL
    return False


def temporary_files_in(folder: Path) -> Mapping[str, str]:
    """Return the environment variables that make a browser put its temporary files into the run folder."""
    return dict.fromkeys(("TEMP", "TMP") if os.name == "nt" else ("TMPDIR",), str(folder))
