"""Diagnosis: which browsers are installed on this machine, and whether they work."""

import os
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from importlib.metadata import version
from pkgutil import iter_modules
from typing import get_args

import trio
from rich.text import Text

import bidi_server.bidi
from bidi_server import __version__
from bidi_server.bidi.connection import Connection
from bidi_server.bidi.errors import BidiError, UnknownCommandError, UnsupportedOperationError
from bidi_server.bidi.wire import Command, Result
from bidi_server.browser.engine.browser import Browser
from bidi_server.browser.engine.pool import launch_options, open_browser
from bidi_server.commands.terminal import OUT, seconds
from bidi_server.config import Config
from bidi_server.errors import BrowserUnavailableError
from drivers import BrowserName, BrowserNotFoundError
from drivers.axe import COMMAND, VERSION, axe_file, read_axe
from drivers.find import OLDEST_SUPPORTED, Installation, candidates, find_installations, installed, with_version

ENDING = frozenset({"browser.close", "session.end", "session.new"})
"""Commands that are not sent to test whether the browser knows them: they would run and break the session."""


async def doctor(config: Config, *, quick: bool) -> int:
    """Print what was found where and what it can do. Return 1, and print what to run, if no browser is usable."""
    OUT.print(f"bidi-server {__version__}", style="bold")
    libraries = ", ".join(f"{name} {version(name)}" for name in ("mcp", "trio", "selenium"))
    _line("Python", f"{platform.python_version()} ({sys.executable})")
    _line("system", f"{platform.system()} {platform.release()} {platform.machine()}")
    _line("libraries", libraries)
    axe = f"axe-core {VERSION} ({axe_file()})" if read_axe() is not None else f"no axe-core. To have it, run: {COMMAND}"
    _line("audits", axe)
    chosen = launch_options(config).browser
    explicit = config.executable is not None or config.driver is not None
    usable: list[BrowserName] = []
    every: tuple[BrowserName, ...] = get_args(BrowserName)
    for browser in (chosen,) if explicit or config.browser else every:
        OUT.print(f"\n{browser}", style="bold")
        if await _examine(browser, config if browser == chosen else Config(), quick=quick):
            usable.append(browser)
    if not usable:
        named = [
            f"--{name} {path}"
            for name, path in (("executable", config.executable), ("driver", config.driver))
            if path is not None
        ]
        advice = f"Correct or leave out {' and '.join(named)}" if named else f"Run: bidi-server install {chosen}"
        OUT.print(f"\nNo browser to work with. {advice}", style="red")
        return 1
    best = chosen if chosen in usable else usable[0]
    hint = "" if best == chosen else f" when told to: --browser {best}"
    OUT.print(f"\nbidi-server works with {best}{hint}.", style="green")
    return 0


async def _examine(browser: BrowserName, config: Config, *, quick: bool) -> bool:
    """Print the installations of a browser. Return whether it can be used."""
    try:
        found = await _look(browser, config)
    except BrowserNotFoundError as error:
        _line("not found", error.message, style="red")
        _line("", error.advice)
        return False
    for item in found:
        _line(item.kind, f"{item.path} {item.version or '(no version)'} ({item.source})")
    if not any(item.kind == "browser" for item in found):
        _line("not found", f"Run: bidi-server install {browser}")
        return False
    for item in found:
        if item.kind == "browser" and item.major.isdigit() and int(item.major) < OLDEST_SUPPORTED[browser]:
            oldest = f"The oldest supported version of {browser} is {OLDEST_SUPPORTED[browser]}"
            _line("old", f"{item.path} is version {item.version}. {oldest}; update it.", style="red")
    if browser == "chromium" and sys.platform == "linux" and os.geteuid() == 0:
        _line("as root", "Chromium runs with --no-sandbox. Open only pages you trust, or run as another user.")
    if quick:
        there = bool(config.executable or await installed(browser))
        _line("complete", "yes" if there else f"no driver fits. Run: bidi-server install {browser}")
        return there
    return await _start(browser, config)


async def _look(browser: BrowserName, config: Config) -> list[Installation]:
    """Return all installations, or those that the options name. Raises `BrowserNotFoundError`."""
    if config.executable is None and config.driver is None:
        return await find_installations(browser)
    named = [next(candidates(browser, "browser", config.executable), None)]
    if browser == "chromium" or config.driver is not None:
        named.append(next(candidates(browser, "driver", config.driver), None))
    return [await with_version(item) for item in named if item is not None]


async def _start(browser: BrowserName, config: Config) -> bool:
    """Start the browser and print which commands it knows. Return whether it started."""
    # A persistent profile may be in use at this moment.
    options = replace(launch_options(config), browser=browser, user_data_dir=None)
    began = time.perf_counter()
    async with trio.open_nursery() as nursery:
        try:
            started = await open_browser(options, nursery)
        except BrowserUnavailableError as error:
            _line("starts", f"no: {error.message}", style="red")
            _line("", str(error.advice))
            return False
        took = time.perf_counter() - began
        try:
            _line("starts", f"in {seconds(took)}: {started.name} {started.version}, over {started.quirks.protocol}")
            there, missing = await _ask_commands(started)
            lacks = f"; not {', '.join(missing)}" if missing else ""
            _line("knows", f"{there} of {there + len(missing)} commands of BiDi and its extensions{lacks}")
        finally:
            await started.aclose()
    return True


async def _ask_commands(browser: Browser) -> tuple[int, list[str]]:
    """Return the number of our commands that the browser knows, and the names of the others."""
    there, missing = 0, list[str]()
    for command in sorted(known_commands(), key=lambda command: command.method):
        if await is_known(browser.connection, command):
            there += 1
        else:
            missing.append(command.method)
    return there, missing


async def is_known(connection: Connection, command: type[Command[Result]]) -> bool:
    """Return whether the browser knows a command.

    The command is sent without parameters. Most commands are invalid then, but only a browser that knows the command
    reports that.
    """
    try:
        with trio.fail_after(5):
            await connection.send(command.model_construct())
    except (UnknownCommandError, UnsupportedOperationError, trio.TooSlowError):
        return False
    except BidiError:
        pass
    return True


def known_commands() -> Iterator[type[Command[Result]]]:
    """Yield the commands of `bidi_server.bidi`, except those that would end the session."""
    for module in iter_modules(bidi_server.bidi.__path__):
        name = f"bidi_server.bidi.{module.name}"
        for value in vars(import_module(name)).values():
            if (
                isinstance(value, type)
                and issubclass(value, Command)
                and value.__module__ == name  # others are imported
                and value.method not in {"", *ENDING}
            ):
                yield value


def _line(what: str, text: str, style: str = "") -> None:
    for line in text.splitlines():
        OUT.print(Text.assemble(f"  {what:<10} ", (line, style)))
        what = ""
