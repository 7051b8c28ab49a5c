"""Run a command with the oldest browser that Debian's package lists offer.

``python -m tests.old_browsers BROWSER COMMAND [ARGUMENT …]``. The packages are downloaded and unpacked into the
user's cache folder, once for each version; the system is not changed. The command finds the browser and its driver
first on its PATH, and so do all processes that it starts. What the packages depend on must be installed:
``bidi-server install`` does that with the current version.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import platformdirs

from drivers.find import version_key

PACKAGES: Mapping[str, tuple[str, ...]] = {
    "chromium": ("chromium", "chromium-common", "chromium-driver", "chromium-headless-shell"),
    "firefox": ("firefox-esr",),
}
"""Packages to unpack. The first one names the version; they are built together and have the same one."""

PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "chromium": ("lib/chromium/chromium", "lib/chromium/chromium-headless-shell", "bin/chromedriver"),
    "firefox": ("lib/firefox-esr/firefox-esr",),
}
"""Programs below ``usr``."""

SCRIPT = "bin/chromium"
"""Debian's script, which would start the installed version. ChromeDriver looks for the browser here: beside itself."""


def oldest_version(listing: str) -> str:
    """Return the oldest version that ``apt-cache madison PACKAGE`` lists; "" when it lists none."""
    versions = [line.split("|")[1].strip() for line in listing.splitlines() if line.count("|") >= 2]
    return min(versions, key=version_key, default="")


def unpack(browser: str, version: str, folder: Path) -> None:
    """Download the packages of a version and unpack them into a new folder."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        root = Path(temporary) / "root"
        wanted = [f"{package}={version}" for package in PACKAGES[browser]]
        subprocess.run(["apt-get", "download", "-q", *wanted], cwd=temporary, check=True, stdout=sys.stderr)
        for package in Path(temporary).glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, root], check=True)
        programs = root / "programs"
        programs.mkdir()
        for program in PROGRAMS[browser]:
            (programs / Path(program).name).symlink_to(Path("../usr") / program)
        script = root / "usr" / SCRIPT
        if script.exists():
            script.unlink()
            script.symlink_to(Path("..") / PROGRAMS["chromium"][0])
        root.rename(folder)


def prepare(browser: str) -> Path:
    """Return the folder with the programs of the oldest version, after getting it if it is not in the cache."""
    if not shutil.which("apt-cache"):
        sys.exit("Old browsers come from Debian's packages, and this system has no apt-cache.")
    package = PACKAGES[browser][0]
    listing = subprocess.run(["apt-cache", "madison", package], check=True, capture_output=True, text=True)
    version = oldest_version(listing.stdout)
    if not version:
        sys.exit(f"The package lists do not offer {package}. Run: apt-get update")
    folder = platformdirs.user_cache_path("bidi-server-tests", appauthor=False) / f"{browser}-{version}"
    if not folder.is_dir():
        unpack(browser, version, folder)
    return folder / "programs"


def main(arguments: Sequence[str]) -> int:
    """Run a command with an old browser and return its exit code."""
    if len(arguments) < 2 or arguments[0] not in PACKAGES:
        sys.exit(f"Usage: python -m tests.old_browsers {'|'.join(PACKAGES)} COMMAND [ARGUMENT …]")
    browser, *command = arguments
    programs = prepare(browser)
    for program in sorted(programs.iterdir()):
        subprocess.run([program, "--version"], check=True)
    path = f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    environment = {**os.environ, "PATH": path, "BIDI_TEST_BROWSER": browser}
    # Found on the PATH as it was: the command is not to be a program of the browser's package.
    return subprocess.run(
        [shutil.which(command[0]) or command[0], *command[1:]], env=environment, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
