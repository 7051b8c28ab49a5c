"""Diagnosis of a failed start, from the output of the browser and its driver, and advice."""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

import trio

from drivers.errors import LaunchError, PortTakenError, SessionNotCreatedError, VersionMismatchError
from drivers.folders import ROOM, is_full
from drivers.process import EndedEarlyError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from drivers.process import GuardedProcess

LAST_LINES = 8
"""Maximum number of log lines that an error quotes."""


class Cause(NamedTuple):
    """A known cause: the pattern that identifies it, and the message and advice to give instead of a log."""

    pattern: str
    message: str
    advice: str
    kind: type[LaunchError] = LaunchError


CAUSES = (
    Cause(
        r"only supports .*version",
        "{what}",
        "Run `bidi-server install`, which gets a driver that fits, or give the path of one.",
        VersionMismatchError,
    ),
    Cause(r"IPv[46] port not available", "{what} Its port was taken by another program.", "Try again.", PortTakenError),
    Cause(
        r"user data directory is already in use|existing browser session|ProcessSingleton"
        r"|already running, but is not responding|profile .* in use",
        "The profile is in use by another browser process.",
        "Close that browser, or use another user_data_dir.",
    ),
    Cause(
        r"DevTools remote debugging requires a non-default data directory",
        "Chromium does not let its default profile be automated.",
        "Use a copy of that folder, or another one, as user_data_dir.",
    ),
    Cause(
        r"No usable sandbox|without --no-sandbox|failed to move to new namespace|setuid sandbox",
        "Chromium may not create its sandbox here.",
        "Allow user namespaces on this machine, or pass the argument --no-sandbox if you trust the pages you open.",
    ),
    Cause(
        r"Running Firefox as root in a regular user's session",
        "Firefox refuses to run as root with another user's home folder.",
        "Run as that user, or set HOME to a folder of root's.",
    ),
    Cause(
        r"Missing X server or \$DISPLAY|cannot open display|no DISPLAY environment variable"
        r"|platform failed to initialize",
        "There is no display to open a window on.",
        "Run headless, or under `xvfb-run`.",
    ),
    Cause(
        r"error while loading shared libraries: [^\s:]+",
        "A system library is missing: {found}",
        "Install it; `bidi-server install` with apt-get brings all that the browser needs.",
    ),
    Cause(r"cannot create default profile directory", "The browser can't write to its profile.", ROOM),
    Cause(r"No space left on device", "The disk is full.", ROOM),
)
OTHERWISE = "Run `bidi-server doctor`, and try the program by hand with --version."


@asynccontextmanager
async def starting(process: GuardedProcess, what: str, seconds: float) -> AsyncGenerator[None]:
    """End the process if the block fails or times out. Raises LaunchError with the cause if the start failed."""
    try:
        with trio.fail_after(seconds):
            yield
    except BaseException as error:
        full = [folder.parent for folder in process.folders if is_full(folder)]  # before closing frees space
        await process.aclose()
        log = process.log_tail()
        if full and isinstance(error, trio.TooSlowError | EndedEarlyError | SessionNotCreatedError):
            raise LaunchError(f"{what} did not start: the folder {full[0]} is full.", ROOM) from None
        match error:
            case trio.TooSlowError():
                raise explain(f"{what} was not usable after {seconds:g} seconds.", log) from None
            case EndedEarlyError():
                raise explain(f"{what} ended before it was usable.", log) from None
            case SessionNotCreatedError():
                raise explain(f"{what} did not start: {error}", log) from None
            case _:
                raise


def explain(what: str, log: str) -> LaunchError:
    """Return the error for a failed start: with advice for a known cause, else with the end of the log."""
    said = f"{what}\n{log}"
    for cause in CAUSES:
        if found := re.search(cause.pattern, said):
            return cause.kind(cause.message.format(what=what, found=found[0]), cause.advice)
    last = "\n".join(log.splitlines()[-LAST_LINES:])
    return LaunchError(f"{what}\n{last}".rstrip(), OTHERWISE)
