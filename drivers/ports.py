"""Ports for programs that have to be told one."""

import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def reserved_port() -> Generator[int]:
    """Keep a port of 127.0.0.1 for a program until it listens there.

    On Linux nothing else gets it meanwhile, not even as the near end of a connection: two sockets with SO_REUSEADDR
    share a port while neither listens (socket(7)). Elsewhere it was free a moment ago.
    """
    with socket.socket() as keeper:
        if sys.platform == "linux":
            keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind(("127.0.0.1", 0))
        port: int = keeper.getsockname()[1]
        if sys.platform != "linux":
            keeper.close()
        yield port
