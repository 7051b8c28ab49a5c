"""The folder of one run: a temporary profile, and what the browser itself calls temporary."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SNAP = Path("/snap/bin")

LONGEST_PARENT = 36
"""Chromium puts a socket into its temporary folder, and the path of a socket may have 103 characters at most."""


def make_run_folder(executable: Path) -> Path:
    """Make the temporary folder of one run, with a "profile" folder in it.

    A snap sees neither our temporary folder nor hidden folders, only its own part of the home folder
    (https://snapcraft.io/docs/data-locations).
    """
    parent = Path(tempfile.gettempdir())
    if executable.is_relative_to(SNAP):
        parent = Path.home() / "snap" / executable.name.partition(".")[0] / "common"
        parent.mkdir(parents=True, exist_ok=True)
    elif os.name == "posix" and len(os.fsencode(parent)) > LONGEST_PARENT:  # as on macOS
        parent = Path("/tmp")  # noqa: S108 - mkdtemp makes a folder that only we can enter
    folder = Path(tempfile.mkdtemp(prefix="bidi-server-", dir=parent))
    (folder / "profile").mkdir()
    return folder


def temporary_files_in(folder: Path) -> Mapping[str, str]:
    """Return the environment that makes a browser put its temporary files into the run's folder."""
    return dict.fromkeys(("TEMP", "TMP") if os.name == "nt" else ("TMPDIR",), str(folder))
