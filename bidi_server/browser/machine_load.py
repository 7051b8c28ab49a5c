"""The load of this machine."""

import os

BUSY = 3.0
"""Minimum number of runnable threads for each processor on a busy machine."""


def is_busy() -> bool:
    """Whether threads had to wait for a processor in the last minute; False where the system does not report it."""
    try:
        return os.getloadavg()[0] > BUSY * (os.cpu_count() or 1)
    except (AttributeError, OSError):
        return False
