"""The processes of one server, wherever they went: all have inherited a variable of the environment. On Linux only."""

import os
import re
import time
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

import psutil

MIB = 2**20

MARK = "BENCHMARK_SERVER"
"""The variable. A daemon that left its parent and its process group still has it."""

BROWSER = re.compile("chrom|headless|firefox|gecko")
"""Programs that are a browser or a driver, or came with one."""

END_SECONDS = 5.0
"""How long processes may take to end once they were asked to."""


def machine() -> str:
    """Return what figures depend on: the size of the machine, and how busy it is."""
    memory = psutil.virtual_memory().total / MIB / 1024
    return f"{os.cpu_count()} processors, {memory:.0f} GiB, load before {os.getloadavg()[0]:.1f}"


def pss(process: psutil.Process) -> float:
    """Return the MiB of a process, its proportional set size: https://docs.kernel.org/filesystems/proc.html."""
    try:
        return process.memory_full_info().pss / MIB
    except psutil.NoSuchProcess:
        return 0.0  # a page's process, which went with the page


class Family:
    """Every process that was started with this mark in its environment, and their descendants."""

    def __init__(self) -> None:
        self.environment = {MARK: token_hex(8)}
        self.server: list[psutil.Process] = []
        """Those of the server itself at the last look: neither browsers nor drivers nor anything that these started."""

    def look(self) -> None:
        """Find the server's processes. It takes some milliseconds."""
        self.server = [process for process, of_browser in self._members().items() if not of_browser]

    def memory(self) -> float:
        """Return the MiB of the server's processes."""
        return sum(map(pss, self.server))

    def cpu_ms(self) -> float:
        """Return the processor time that the server's processes have had, with that of short-lived ones they ran."""
        return sum(map(_cpu_ms, self.server))

    def end(self) -> None:
        """End what still runs, browsers included. Blocks for up to 10 seconds."""
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
        """Return the processes that run, by id, and whether each belongs to a browser."""
        found: dict[int, bool] = {}
        members: dict[psutil.Process, bool] = {}
        for process in psutil.process_iter():
            # Those of other users, and those that have just ended.
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
