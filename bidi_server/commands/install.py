"""Installation of browsers on this machine, and of axe-core for audits."""

import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import get_args

import trio

from bidi_server.commands import UsageError
from bidi_server.commands.terminal import ERR, Steps
from drivers import BrowserName, InstallError

BROWSERS: tuple[BrowserName, ...] = get_args(BrowserName)

AXE = "axe"
"""The name of axe-core, which `browser_audit` needs."""


def install(names: Sequence[str], *, agreed: bool) -> int:
    """Install what is missing. Return the exit code: 1 if something cannot be installed. Raises `UsageError`."""
    if unknown := [name for name in names if name not in (*BROWSERS, AXE)]:
        raise UsageError(f"install: {unknown[0]!r} is none of {', '.join((*BROWSERS, AXE))}.")
    may = (lambda: True) if agreed else ask
    wanted = names or BROWSERS[:1]
    works = [partial(get, browser, may) for browser in BROWSERS if browser in wanted]
    works += [get_axe] if AXE in wanted else []
    done = [trio.run(work) for work in works]
    return 0 if all(done) else 1


async def get_axe() -> bool:
    """Install axe-core if it is missing, as `get` does for a browser."""
    from drivers.axe import install_axe

    steps = Steps(ERR)
    return await _succeeds(steps, partial(install_axe, steps.show))


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

    return await _succeeds(steps, partial(install_browser, browser, progress=steps.show, consent=consent))


async def _succeeds(steps: Steps, install: Callable[[], Awaitable[object]]) -> bool:
    """Run an installation that shows its steps. Return False, with the reasons on stderr, if it fails."""
    try:
        await install()
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
