"""Search for browsers and drivers: the given path, else the system, else our cache.

A search costs a few `stat` calls: it runs and downloads nothing. Reading a version starts a process, so only callers
that need versions read them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import trio

from drivers.errors import BrowserNotFoundError
from drivers.places import ALSO_ON_PATH, CACHED, COMMANDS, HEADLESS_SHELLS, PLACES, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from drivers.options import BrowserName

Source = Literal["explicit", "system", "cache"]

VERSION_SECONDS = 10.0
"""Timeout for `--version`, in seconds; a first start from a cold disk takes about two seconds."""

OLDEST_SUPPORTED: dict[str, int] = {"chromium": 150, "firefox": 140, "webkit": 2}
"""Oldest major version that the tests run on: for Chromium six before the current one, for Firefox the previous ESR.

Used for a warning only: features that a version lacks are detected by trying them."""


@dataclass(frozen=True, slots=True)
class Installation:
    """A browser or driver on this machine."""

    kind: Kind
    path: Path
    """The program to run."""
    source: Source
    """How it was found."""
    version: str = ""
    """Dotted version; "" if it has not been read yet."""

    @property
    def major(self) -> str:
        """The part of the version that must be the same for a Chromium and its driver."""
        return self.version.partition(".")[0]

    @property
    def is_edge(self) -> bool:
        """Whether this is Edge, a Chromium that works only with its own driver, or that driver."""
        return "edge" in self.path.name.lower()


Pair = tuple[Installation, Installation]
"""A Chromium and its driver."""


def cache_folder() -> Path:
    """Return the folder for downloads; it may not exist yet."""
    import platformdirs

    return platformdirs.user_cache_path("bidi-server", appauthor=False)


def candidates(
    browser: BrowserName, kind: Kind, explicit: Path | None = None, *, headless: bool = False
) -> Iterator[Installation]:
    """Yield the programs that could be started, best first, without duplicates.

    `explicit`, if given, is the only candidate; raises BrowserNotFoundError if it cannot be run. Headless shells are
    yielded only if `headless`.
    """
    if explicit is not None:
        if not is_program(explicit):
            raise BrowserNotFoundError(
                f"{explicit} is not a program that can be run.",
                f"Give the path of a {browser} {kind}, or leave it out to use the one that is installed.",
            )
        yield Installation(kind, explicit, "explicit")
        return
    seen: set[Path] = set()
    shells = on_path(HEADLESS_SHELLS) if headless and (browser, kind) == ("chromium", "browser") else ()
    for source, path in [*shells, *system_paths(browser, kind), *cached_paths(browser, kind)]:
        real = path.resolve()
        if real not in seen:
            seen.add(real)
            yield Installation(kind, path, source, version_in_path(path) if source == "cache" else "")


def system_paths(browser: BrowserName, kind: Kind) -> Iterator[tuple[Source, Path]]:
    """Yield programs on the PATH, then those in the usual installation folders."""
    yield from on_path(COMMANDS[browser, kind])
    for place in PLACES.get((sys.platform, browser, kind), ()):
        path = Path(os.path.expandvars(place)).expanduser()
        # Debian has a folder for each architecture.
        for found in path.parent.parent.parent.glob(str(Path(*path.parts[-3:]))) if "*" in place else [path]:
            if is_program(found):
                yield "system", found


def on_path(commands: Iterable[str]) -> Iterator[tuple[Source, Path]]:
    """Yield the programs with these names on the PATH, those with the first name first."""
    folders = dict.fromkeys([*os.environ.get("PATH", os.defpath).split(os.pathsep), *ALSO_ON_PATH])
    for command, folder in product(commands, folders):
        if (found := shutil.which(command, path=folder)) and (path := behind_stub(Path(found))):
            yield "system", path


def cached_paths(browser: BrowserName, kind: Kind) -> Iterator[tuple[Source, Path]]:
    """Yield the programs in our cache, newest version first."""
    cache = cache_folder()
    found = {path for pattern in CACHED[browser, kind] for path in cache.glob(pattern) if is_program(path)}
    for path in sorted(found, key=lambda path: version_key(version_in_path(path)), reverse=True):
        yield "cache", path


def is_program(path: Path) -> bool:
    """Whether `path` is a file that we may execute."""
    return path.is_file() and os.access(path, os.X_OK)


def behind_stub(path: Path) -> Path | None:
    """Return the program, or the snap behind Ubuntu's stub script for one; None if that snap is not installed."""
    with path.open("rb") as file:
        head = file.read(4096)
    if not head.startswith(b"#!") or not (snap := re.search(rb"/snap/bin/[\w.-]+", head)):
        return path
    behind = Path(os.fsdecode(snap[0]))
    return behind if is_program(behind) else None


def version_in_path(path: Path) -> str:
    """Return the version in the folder name of a cached program, or ""."""
    return next((part for part in reversed(path.parts) if re.fullmatch(r"v?\d+(\.\d+)+\w*", part)), "")


def version_key(version: str) -> tuple[int, ...]:
    """Return a sort key that orders dotted versions by their numbers."""
    return tuple(map(int, re.findall(r"\d+", version)))


async def read_version(path: Path) -> str:
    """Return the version that `path --version` prints, or "" if it prints none within 10 seconds.

    On Windows browsers do not print it; there it is read from the name of the folder that installers create beside the
    program.
    """
    if sys.platform == "win32" and "driver" not in path.name:
        folders = [entry.name for entry in path.parent.iterdir() if re.fullmatch(r"\d+(\.\d+){3}", entry.name)]
        return max(folders, key=version_key, default="")
    with trio.move_on_after(VERSION_SECONDS):
        try:
            done = await trio.run_process(
                [str(path), "--version"], capture_stdout=True, stderr=subprocess.DEVNULL, check=False
            )
        except OSError:
            return ""
        found = re.search(r"\d+(\.\d+)+\w*", done.stdout.decode(errors="replace"))
        return found[0] if found and done.returncode == 0 else ""
    return ""


async def with_version(installation: Installation) -> Installation:
    """Return the same installation with its version filled in."""
    version = installation.version or await read_version(installation.path)
    return Installation(installation.kind, installation.path, installation.source, version)


async def find_installations(browser: BrowserName) -> list[Installation]:
    """Return every browser and driver that runs, with its version, in the order they would be used."""
    found = [item for kind in ("browser", "driver") for item in candidates(browser, kind, headless=True)]
    if browser == "webkit":
        return found  # WebKitWebDriver 2.50 has no --version, and MiniBrowser needs a display for it
    return [item for item in [await with_version(item) for item in found] if item.version]


def first_browser(browser: BrowserName, explicit: Path | None = None, kind: Kind = "browser") -> Installation:
    """Return the browser to start, or its driver. Raises BrowserNotFoundError if there is none."""
    for found in candidates(browser, kind, explicit):
        return found
    raise BrowserNotFoundError(
        f"bidi-server install {browser} installs the {kind} that is missing: there is none on the PATH, in the usual "
        f"places or in {cache_folder()}.",
        "Run that, or give the path of one that is installed.",
    )


def first_pair(
    explicit_browser: Path | None = None, explicit_driver: Path | None = None, *, headless: bool = False
) -> Pair:
    """Return a Chromium and a driver for it. A version mismatch shows only when the driver starts the browser.

    Raises BrowserNotFoundError if there is no browser, or no driver that could fit one.
    """
    browsers = list(candidates("chromium", "browser", explicit_browser, headless=headless))
    drivers = list(candidates("chromium", "driver", explicit_driver))
    for pair in product(browsers, drivers):
        if may_fit(*pair):
            return pair
    raise no_driver_for(browsers[0] if browsers else first_browser("chromium"))


def no_driver_for(browser: Installation) -> BrowserNotFoundError:
    """Return the error for a Chromium without a driver that could fit."""
    wanted = "msedgedriver" if browser.is_edge else "chromedriver"
    return BrowserNotFoundError(
        f"bidi-server install chromium installs the driver that is missing: {browser.path} needs a {wanted} of its "
        f"version, and there is none on the PATH or in {cache_folder()}.",
        "Run that, or give the path of one.",
    )


def may_fit(browser: Installation, driver: Installation) -> bool:
    """Whether a browser and a driver could work together, as far as is known without running them."""
    known = bool(browser.version and driver.version)
    return browser.is_edge == driver.is_edge and (not known or browser.major == driver.major)


async def matching_pair(browsers: Iterable[Installation], drivers: Iterable[Installation]) -> Pair | None:
    """Return the first Chromium for which there is a driver of the same major version, and that driver.

    Runs `--version` of the programs that it checks.
    """
    known = [await with_version(item) for item in drivers]
    for candidate in browsers:
        browser = await with_version(candidate)
        for driver in known:
            if browser.version and driver.version and may_fit(browser, driver):
                return browser, driver
    return None


async def installed(browser: BrowserName, version: str | None = None) -> list[Installation]:
    """Return a browser that runs, with its driver if it needs one; empty if something is missing.

    `version` limits the search to a version, such as "140" or "140.0".
    """
    if browser == "webkit":
        # None of them tells its version without a display.
        parts = [next(candidates(browser, kind), None) for kind in ("browser", "driver", "display")]
        needed = [part for part in parts if part is not None]
        return needed if version is None and len(needed) == len(parts) else []
    for candidate in candidates(browser, "browser"):
        found = await with_version(candidate)
        if not found.version or (version is not None and not f"{found.version}.".startswith(f"{version}.")):
            continue
        if browser == "firefox":
            return [found]
        if pair := await matching_pair([found], candidates("chromium", "driver")):
            return list(pair)
    return []
