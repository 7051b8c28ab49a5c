"""Sockets of other processes, on Linux."""

import ctypes
import os
import socket
import sys
from contextlib import closing, suppress
from pathlib import Path

_PIDFD_GETFD = 438
"""The number of the system call, on every architecture. https://man7.org/linux/man-pages/man2/pidfd_getfd.2.html"""


def send_at_once(pid: int, port: int) -> int:
    """Let the TCP connections of a process that begin or end at a port send each message at once.

    Otherwise a message waits until the one before is acknowledged, which Linux delays by 40 ms: see TCP_NODELAY in
    https://man7.org/linux/man-pages/man7/tcp.7.html. Return the number of connections. It is 0 where the system does
    not allow it: before Linux 5.6, in containers without the right to trace processes, and elsewhere than on Linux.
    """
    if sys.platform != "linux":
        return 0
    changed = 0
    with suppress(OSError):
        process = os.pidfd_open(pid)
        try:
            for entry in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(OSError):
                    changed += str(entry.readlink()).startswith("socket:") and _changed(process, int(entry.name), port)
        finally:
            os.close(process)
    return changed


def _changed(process: int, number: int, port: int) -> bool:
    """Change a socket of a process if it is one of these. Raises `OSError`."""
    copied = ctypes.CDLL(None, use_errno=True).syscall(_PIDFD_GETFD, process, number, 0)
    if copied < 0:
        raise OSError(ctypes.get_errno(), "pidfd_getfd")
    # Both descriptors mean one socket; closing this one leaves the other open.
    with closing(socket.socket(fileno=copied)) as found:
        if found.family not in {socket.AF_INET, socket.AF_INET6}:
            return False
        if port not in {found.getsockname()[1], found.getpeername()[1]}:
            return False
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return True
