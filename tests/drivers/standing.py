"""A driver that runs before the product comes and after it has gone, as a Grid does."""

import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

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
        return any(child.status() != psutil.STATUS_ZOMBIE for child in self.process.children())


@contextmanager
def open_driver(browser: str, folder: Path) -> Generator[Driver]:
    """Start a driver on a free port; it ends with its browsers."""
    with reserved_port() as port, reserved_port() as web_socket_port:
        if browser == "firefox":
            command = [str(geckodriver_in(folder)), f"--port={port}", f"--websocket-port={web_socket_port}"]
        else:
            command = [str(next(candidates("chromium", "driver")).path), f"--port={port}"]
        with psutil.Popen(command) as process:
            try:
                wait = f"until curl -sf http://127.0.0.1:{port}/status >/dev/null; do sleep 0.05; done"
                subprocess.run(["sh", "-c", wait], timeout=30, check=True)
                yield Driver(f"http://127.0.0.1:{port}", process)
            finally:
                family = process.children(recursive=True)
                for each in [process, *family]:
                    with suppress(psutil.NoSuchProcess):
                        each.kill()
                psutil.wait_procs([process, *family])
