"""Installation of browsers on this machine."""

import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import get_args

import trio

from bidi_server.commands import UsageError
from bidi_server.commands.terminal import ERR, Steps
from drivers import BrowserName, InstallError

BROWSERS: tuple[BrowserName, ...] = get_args(BrowserName)


def install(names: Sequence[str], *, agreed: bool) -> int:
    """Install each missing browser. Return the exit code: 1 if one cannot be installed. Raises `UsageError`."""
    if unknown := [name for name in names if name not in BROWSERS]:
        raise UsageError(f"install: {unknown[0]!r} is none of {', '.join(BROWSERS)}.")
    may = (lambda: True) if agreed else ask
    failed = False
    for browser in BROWSERS:
        if browser in (names or BROWSERS[:1]):
            failed |= not trio.run(partial(get, browser, may))
    return 1 if failed else 0


async def get(browser: BrowserName, may: Callable[[], bool]) -> bool:
    """Install a browser if it is missing, and print the progress.

    Return False, with the reasons on stderr, if it cannot be installed. ``may`` returns whether the system may be
    changed; it is called after the commands have been shown.
    """
    from drivers.install import install as install_browser

    steps = Steps(ERR)

    def consent(commands: str) -> bool:
        steps.close()
        ERR.print(f"To install {browser}, this changes the system: {commands}")
        return may()

    try:
        await install_browser(browser, progress=steps.show, consent=consent)
    except InstallError as error:
        steps.close()
        ERR.print(str(error), style="red")
        return False
    finally:
        steps.close()
    return True


def ask() -> bool:
    """Return whether the user at the terminal agrees; False without a terminal."""
    if not sys.stdin.isatty():
        ERR.print("Nobody can be asked. To agree beforehand: --yes")
        return False
    # trio's handler would only record the signal, and `input` would keep waiting.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return input("Do that? [y/N] ").strip().lower() in ("y", "yes")
    finally:
        signal.signal(signal.SIGINT, handler)
