"""Browsers from Debian's packages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import deque
from functools import partial
from typing import TYPE_CHECKING

import trio

from drivers.ways import Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from drivers.options import BrowserName
    from drivers.ways import Consent, Progress

PACKAGES: Mapping[BrowserName, tuple[str, ...]] = {
    "chromium": ("chromium", "chromium-driver"),
    "firefox": ("firefox-esr",),
    "webkit": ("webkit2gtk-driver", "xvfb"),
}
FASTER: Mapping[BrowserName, tuple[str, ...]] = {"chromium": ("chromium-headless-shell",), "firefox": (), "webkit": ()}
"""Optional packages that make the browser faster. They are installed if apt offers them."""
ENVIRONMENT = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
STATUS = re.compile(rb"(?:pm|dl)status:[^:]*:([\d.]+):(.*)")


async def apt_install(browser: BrowserName, progress: Progress, consent: Consent) -> None:
    """Install the browser's packages.

    Raises Unavailable without apt-get, root or the user's consent, and when apt-get fails.
    """
    if os.name != "posix" or not shutil.which("apt-get"):
        raise Unavailable("apt-get: not on this system")
    if os.geteuid() != 0:
        raise Unavailable(f"apt-get: needs root; by hand: sudo apt-get install {' '.join(PACKAGES[browser])}")
    offered = await offered_versions([*PACKAGES[browser], *FASTER[browser]])
    refuse_snaps(offered)
    # Package lists may be missing, as in container images, or so old that they offer last year's browser.
    update = ["apt-get", "update"]
    has_lists = all(package in offered for package in PACKAGES[browser])
    packages = [*PACKAGES[browser], *(each for each in FASTER[browser] if each in offered or not has_lists)]
    if not consent(f"{' '.join(update)} && {' '.join(_installing(packages))}"):
        raise Unavailable("apt-get: not agreed to")
    try:
        await run(update, progress)
    except Unavailable:
        if not has_lists:
            raise  # if there are lists, their packages may still be available
    offered = await offered_versions(packages)
    refuse_snaps(offered)
    await run(_installing([each for each in packages if each in PACKAGES[browser] or each in offered]), progress)


def _installing(packages: Sequence[str]) -> list[str]:
    """Return the command that installs packages."""
    return ["apt-get", "install", "-y", *packages]


async def offered_versions(packages: Sequence[str]) -> dict[str, str]:
    """Return the version of each package that apt would install; unknown packages are left out."""
    listing = await trio.run_process(
        ["apt-cache", "policy", *packages], capture_stdout=True, env={**os.environ, **ENVIRONMENT}, check=False
    )
    found = re.findall(r"^(\S+):\n(?:.*\n)*?\s+Candidate: (\S+)", listing.stdout.decode(), re.MULTILINE)
    return {package: version for package, version in found if version != "(none)"}


def refuse_snaps(versions: Mapping[str, str]) -> None:
    """Raise Unavailable for Ubuntu's packages that contain no browser and only install a snap."""
    for package, version in versions.items():
        if "snap" in version:
            raise Unavailable(f"apt-get: {package} {version} is only a stand-in for a snap")


async def run(command: Sequence[str], progress: Progress) -> None:
    """Run one apt-get command and report its progress. Raises Unavailable with its last output if it fails."""
    what = " ".join(command)
    progress(what, None)
    start = partial(trio.run_process, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    last: deque[str] = deque(maxlen=3)
    async with trio.open_nursery() as nursery:
        process = await nursery.start(
            partial(start, [*command, "-o", "APT::Status-Fd=1"], env={**os.environ, **ENVIRONMENT})
        )
        unfinished = b""
        async for chunk in process.stdout:
            *lines, unfinished = (unfinished + chunk).split(b"\n")
            for line in lines:
                if status := STATUS.match(line):
                    progress(f"{what}: {status[2].decode(errors='replace')}", float(status[1]) / 100)
                elif line.strip():
                    last.append(line.decode(errors="replace").strip())
    if process.returncode != 0:
        raise Unavailable(f"{what}: {' '.join(last)}")
