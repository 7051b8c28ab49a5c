"""A driver that runs before the product comes and after it has gone, as a Grid does."""

import os
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psutil
import pytest

from drivers.find import candidates
from drivers.ports import reserved_port
from tests.drivers.geckodriver import geckodriver_in


@dataclass(frozen=True)
class Driver:
    """A running driver."""

    url: str
    process: psutil.Process

    def has_browser(self) -> bool:
        """Whether a browser runs."""
        try:
            return any(child.status() != psutil.STATUS_ZOMBIE for child in self.process.children())
        except psutil.NoSuchProcess:  # a child has just ended
            return any(each.is_running() for each in self.process.children())


@contextmanager
def open_driver(browser: str, folder: Path) -> Generator[Driver]:
    """Start a driver on a free port; it ends with its browsers."""
    with reserved_port() as port, reserved_port() as web_socket_port:
        if browser == "firefox":
            command = [str(geckodriver_in(folder)), f"--port={port}", f"--websocket-port={web_socket_port}"]
        else:
            command = [program_of(browser, "driver"), f"--port={port}"]
        with _variables(browser) as variables, psutil.Popen(command, env=variables) as process:
            try:
                wait_until_ready(process, f"http://127.0.0.1:{port}/status", seconds=30)
                yield Driver(f"http://127.0.0.1:{port}", process)
            finally:
                family = process.children(recursive=True)
                for each in [process, *family]:
                    with suppress(psutil.NoSuchProcess):
                        each.kill()
                psutil.wait_procs([process, *family])


@contextmanager
def _variables(browser: str) -> Generator[dict[str, str]]:
    """Return the environment of a driver. For WebKitGTK, which is never headless, it names a display."""
    if browser != "webkit":
        yield dict(os.environ)
        return
    command = [program_of("webkit", "display"), "-displayfd", "1", "-screen", "0", "1920x1200x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as display:
        assert display.stdout is not None
        number = display.stdout.readline().strip()
        try:
            # root has no sandbox
            yield {**os.environ, "DISPLAY": f":{number}", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        finally:
            display.terminate()


def program_of(browser: str, kind: str) -> str:
    """Return the path of an installed browser, driver or display."""
    return str(next(candidates(browser, kind)).path)  # pyright: ignore[reportArgumentType] - names of browsers and kinds


def wait_until_ready(
    process: psutil.Popen,
    status: str,
    *,
    seconds: float,
    login: tuple[str, str] | None = None,
    log: Callable[[], str] = str,
) -> None:
    """Wait until a program that speaks WebDriver is ready; fail with its log when it ends before, or takes too long.

    https://w3c.github.io/webdriver/#status
    """
    deadline = time.monotonic() + seconds
    while not _is_ready(status, login):
        with suppress(psutil.TimeoutExpired):
            process.wait(0.05)
            pytest.fail(f"It has ended:\n{log()}")
        if time.monotonic() > deadline:
            pytest.fail(f"It is not ready after {seconds:g} s:\n{log()}")


def _is_ready(status: str, login: tuple[str, str] | None) -> bool:
    try:
        return httpx2.get(status, auth=login).json()["value"]["ready"]
    except (httpx2.HTTPError, ValueError):
        return False
