"""The processes of one server, found by an environment variable that all descendants inherit. Linux only."""

import os
import re
import time
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

import psutil

MIB = 2**20

MARK = "BENCHMARK_SERVER"
"""The environment variable. A daemon that left its parent and process group still has it."""

BROWSER = re.compile("chrom|headless|firefox|gecko|webkit|minibrowser|xvfb", re.IGNORECASE)
"""Names of programs that belong to browsers and drivers."""

END_SECONDS = 5.0
"""Timeout for processes to end after they were asked to, in seconds."""


def machine() -> str:
    """Return a description of the machine: its size and load."""
    memory = psutil.virtual_memory().total / MIB / 1024
    return f"{os.cpu_count()} processors, {memory:.0f} GiB, load before {os.getloadavg()[0]:.1f}"


def pss(process: psutil.Process) -> float:
    """Return the proportional set size of a process in MiB: https://docs.kernel.org/filesystems/proc.html."""
    try:
        return process.memory_full_info().pss / MIB
    except psutil.NoSuchProcess:
        return 0.0  # a renderer process that has ended with its page


class Family:
    """All processes with this mark in their environment, and their descendants."""

    def __init__(self) -> None:
        self.environment = {MARK: token_hex(8)}
        self.server: list[psutil.Process] = []
        """Processes of the server itself at the last look, without browsers, drivers and their descendants."""

    def look(self) -> None:
        """Find the server's processes. Takes some milliseconds."""
        self.server = [process for process, of_browser in self._members().items() if not of_browser]

    def memory(self) -> float:
        """Return the memory of the server's processes, in MiB."""
        return sum(map(pss, self.server))

    def cpu_ms(self) -> float:
        """Return the processor time of the server's processes in milliseconds, including children that have ended."""
        return sum(map(_cpu_ms, self.server))

    def end(self) -> None:
        """End all processes that still run, including browsers. Blocks for up to 10 seconds."""
        left = list(self._members())
        for process in left:
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        _, left = psutil.wait_procs(left, END_SECONDS)
        for process in {*left, *self._members()}:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(left, END_SECONDS)

    def _members(self) -> dict[psutil.Process, bool]:
        """Return the running processes, and whether each belongs to a browser."""
        found: dict[int, bool] = {}
        members: dict[psutil.Process, bool] = {}
        for process in psutil.process_iter():
            # Processes of other users, and processes that have just ended.
            with suppress(psutil.AccessDenied, psutil.NoSuchProcess):
                parent = process.ppid()
                if parent in found or self.environment.items() <= process.environ().items():
                    of_browser = found.get(parent, False) or bool(BROWSER.search(Path(process.exe()).name))
                    found[process.pid] = members[process] = of_browser
        return members


def _cpu_ms(process: psutil.Process) -> float:
    """Return the processor time of a process and of the children it has waited for.

    Its own is exact (https://man7.org/linux/man-pages/man3/clock_getcpuclockid.3.html; a process's clock is
    ``~pid << 3 | CPUCLOCK_SCHED``, as in the kernel's ``posix-timers_types.h``), its children's is in clock ticks.
    """
    with suppress(OSError, psutil.NoSuchProcess):
        own = time.clock_gettime(~process.pid << 3 | 2)
        waited = process.cpu_times()
        return (own + waited.children_user + waited.children_system) * 1000
    return 0.0
