"""axe-core, the rules of the accessibility audit, in our cache: https://github.com/dequelabs/axe-core.

The package comes from npm by the user's own npm, which knows the registry, the proxy and the certificates to use. The
checksum is that of this one version, and is compared at each use as well. axe-core is under the MPL 2.0.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tarfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from drivers.download import staging
from drivers.errors import InstallError
from drivers.find import cache_folder

if TYPE_CHECKING:
    from drivers.ways import Progress

VERSION = "4.14.1"

SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
"""Checksum of axe.min.js: the entry of the version in the package's sri-history.json."""

COMMAND = "bidi-server install axe"
"""The command that installs it."""

INSTALL_SECONDS = 120
"""Timeout for npm, in seconds: the package has 0.7 MB."""

_PLACE = Path("axe-core", "any", VERSION)


def axe_file() -> Path:
    """Return the place of the file in our cache; it may not exist."""
    return cache_folder() / _PLACE / "axe.min.js"


def read_axe() -> str | None:
    """Return the source of axe-core; None if it is not installed, or if it is not the original."""
    try:
        path = axe_file()
        return _read(path, path.stat().st_mtime_ns)
    except OSError:
        return None


@cache
def _read(path: Path, _changed: int) -> str | None:
    """Return the text of a file with the right checksum. It is read again when it has changed."""
    data = path.read_bytes()
    return data.decode() if hashlib.sha256(data).hexdigest() == SHA256 else None


async def install_axe(progress: Progress) -> Path:
    """Return the file, after getting it from npm if it is missing. Raises InstallError."""
    if read_axe() is not None:
        progress(f"Already there: {axe_file()} ({VERSION})", 1.0)
        return axe_file()
    if (npm := shutil.which("npm")) is None:
        raise _failed("there is no npm on the PATH")
    progress(f"Getting axe-core {VERSION} from npm", None)
    if axe_file().exists() and read_axe() is None:  # not the original
        shutil.rmtree(axe_file().parent, ignore_errors=True)
    try:
        with staging() as folder:
            await _pack(npm, folder)
            _unpack(folder)
    except (OSError, tarfile.TarError, KeyError) as error:
        # Another process may have installed it meanwhile.
        if read_axe() is None:
            raise _failed(str(error)) from error
    progress(f"Installed: {axe_file()} ({VERSION})", 1.0)
    return axe_file()


async def _pack(npm: str, folder: Path) -> None:
    """Let npm download the package into a folder. Raises InstallError."""
    command = [npm, "pack", f"axe-core@{VERSION}", "--ignore-scripts", "--loglevel=error"]
    try:
        with trio.fail_after(INSTALL_SECONDS):
            done = await trio.run_process(
                command,
                cwd=folder,
                env={**os.environ, "npm_config_update_notifier": "false"},
                capture_stdout=True,
                stderr=subprocess.STDOUT,
                check=False,
            )
    except trio.TooSlowError:
        raise _failed(f"npm was not done after {INSTALL_SECONDS} seconds") from None
    if done.returncode:
        said = done.stdout.decode(errors="replace").strip().splitlines()
        raise _failed(f"npm: {said[0] if said else f'exit code {done.returncode}'}")


def _unpack(folder: Path) -> None:
    """Extract axe.min.js and its licence from the package in a folder. Raises InstallError if it was changed."""
    place = folder / _PLACE
    place.mkdir(parents=True)
    for package in folder.glob("*.tgz"):
        with tarfile.open(package) as archive:
            for name in ("axe.min.js", "LICENSE"):
                member = archive.extractfile(f"package/{name}")
                (place / name).write_bytes(member.read() if member is not None else b"")
    if hashlib.sha256((place / "axe.min.js").read_bytes()).hexdigest() != SHA256:
        raise _failed(f"what npm brought is not the original of axe-core {VERSION}")


def _failed(reason: str) -> InstallError:
    return InstallError(
        f"axe-core could not be installed: {reason}.",
        f"Install Node.js with npm and check npm's registry, or put axe.min.js of axe-core {VERSION} at {axe_file()}.",
    )
