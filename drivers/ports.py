"""Ports for programs that must be given one."""

import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def reserved_port() -> Generator[int]:
    """Reserve a port of 127.0.0.1 for a program until it listens there.

    On Linux no other program gets the port meanwhile, not even as the local end of a connection: two sockets with
    SO_REUSEADDR share a port while neither listens (socket(7)). On other systems, the port was free a moment ago.
    """
    with socket.socket() as keeper:
        if sys.platform == "linux":
            keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind(("127.0.0.1", 0))
        port: int = keeper.getsockname()[1]
        if sys.platform != "linux":
            keeper.close()
        yield port
