"""The state of the machine after a test in which a browser did not answer, for whoever reads the report."""

import time
from collections.abc import Iterator
from pathlib import Path

import psutil

SILENT = ("did not answer within", "has not answered", "did not react within", "TooSlowError")
"""Texts in the reports of such tests."""

INTERVAL = 0.5
"""Time over which the use of processors is measured, in seconds."""

BUSY = 20
"""Percentage of a processor from which on a browser's threads are named."""


def is_silence(report: str) -> bool:
    """Whether the report of a failed test says that a browser did not answer."""
    return any(text in report for text in SILENT)


def describe_machine() -> str:
    """Return the load, the pressure and the busiest and blocked processes, a line each."""
    return "\n".join([*_pressure(), *_processes()])


def _pressure() -> Iterator[str]:
    yield f"load {psutil.getloadavg()}, available memory {psutil.virtual_memory().available >> 20} MiB"
    for file in sorted(Path("/proc/pressure").glob("*")):  # Linux with PSI only
        yield f"{file.name}: {' '.join(file.read_text().split())}"


def _processes() -> Iterator[str]:
    running = list(psutil.process_iter())
    for process in running:
        _use(process)
    time.sleep(INTERVAL)
    for use, process in sorted(((_use(process), process) for process in running), key=lambda each: -each[0]):
        try:
            is_browser = any(name in process.name() for name in ("firefox", "Web Content", "gecko", "chrom"))
            if is_browser or use > 0 or process.status() == psutil.STATUS_DISK_SLEEP:
                yield (
                    f"{process.pid} of {process.ppid()} {process.name()}: {process.status()} {_wait(process.pid)}, "
                    f"{use:.0f} % of a processor, {sum(process.cpu_times()[:2]):.1f} s"
                    f"{_threads(process) if is_browser and use > BUSY else ''}"
                )
        except psutil.Error:
            continue


def _threads(process: psutil.Process) -> str:
    """Return the threads that have used most of the processor since the process began."""
    spent = sorted(((thread.user_time + thread.system_time, thread.id) for thread in process.threads()), reverse=True)
    return "".join(f"; {_name(process.pid, thread)} {seconds:.1f} s" for seconds, thread in spent[:4])


def _name(pid: int, thread: int) -> str:
    try:
        return Path(f"/proc/{pid}/task/{thread}/comm").read_text().strip()
    except OSError:
        return str(thread)


def _use(process: psutil.Process) -> float:
    try:
        return process.cpu_percent()
    except psutil.Error:
        return 0


def _wait(pid: int) -> str:
    """Return where in the kernel the main thread waits; "" if that is not known."""
    try:
        return Path(f"/proc/{pid}/wchan").read_text()
    except OSError:
        return ""
