"""How busy this machine is."""

import os

BUSY = 3.0
"""Threads that want to run, for each processor."""


def is_busy() -> bool:
    """Whether threads had to wait for processors in the last minute; false where the system does not say."""
    try:
        return os.getloadavg()[0] > BUSY * (os.cpu_count() or 1)
    except (AttributeError, OSError):
        return False
