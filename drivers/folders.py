"""The folder of one run: a temporary profile, and what the browser itself calls temporary."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SNAP = Path("/snap/bin")


def make_run_folder(executable: Path) -> Path:
    """Make the temporary folder of one run, with a "profile" and a "tmp" folder in it.

    A snap sees neither our temporary folder nor hidden folders, only its own part of the home folder
    (https://snapcraft.io/docs/data-locations).
    """
    parent = None
    if executable.is_relative_to(SNAP):
        parent = Path.home() / "snap" / executable.name.partition(".")[0] / "common"
        parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="bidi-server-", dir=parent))
    (folder / "profile").mkdir()
    (folder / "tmp").mkdir()
    return folder


def temporary_files_in(folder: Path) -> Mapping[str, str]:
    """Return the environment that makes a browser put its temporary files into the run's folder.

    Not on macOS, where the paths of sockets would become longer than sockets allow.
    """
    if sys.platform == "darwin":
        return {}
    names = ("TEMP", "TMP") if os.name == "nt" else ("TMPDIR",)
    return dict.fromkeys(names, str(folder / "tmp"))
