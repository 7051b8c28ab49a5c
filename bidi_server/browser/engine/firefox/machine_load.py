"""The load of this machine."""

import os

BUSY = 3.0
"""Number of runnable threads per processor above which a machine is busy."""


def is_busy() -> bool:
    """Whether the load average of the last minute exceeds `BUSY`; False if the system does not report it."""
    try:
        return os.getloadavg()[0] > BUSY * (os.cpu_count() or 1)
    except (AttributeError, OSError):
        return False
