"""A trap: a port that nothing may reach."""

import re
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import trio

from fixtures.tcp import open_tcp


@dataclass
class Trap:
    """A port of 127.0.0.1, for TCP and UDP, that remembers who came."""

    port: int
    hosts: set[str] = field(default_factory=set[str])
    """Hosts whose HTTP requests came, without ``.localhost``; "" for another connection."""
    datagrams: int = 0

    def url(self, host: str = "127.0.0.1") -> str:
        """Return an address of the trap."""
        return f"http://{host}:{self.port}/"


@asynccontextmanager
async def open_trap() -> AsyncGenerator[Trap]:
    """Open a trap."""

    async def catch(stream: trio.SocketStream) -> None:
        head = b""
        while b"\r\n\r\n" not in head and (data := await stream.receive_some()):
            head += data
        found = re.search(rb"(?i)\nhost: ([^\r:]+)", head)
        trap.hosts.add(found[1].decode().removesuffix(".localhost") if found else "")
        await stream.send_all(b"HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n")

    async def listen() -> None:
        while await datagrams.recv(2000):
            trap.datagrams += 1

    async with open_tcp(catch) as port:
        trap = Trap(port)
        with trio.socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
            await datagrams.bind(("127.0.0.1", port))
            async with trio.open_nursery() as nursery:
                nursery.start_soon(listen)
                yield trap
                nursery.cancel_scope.cancel()
