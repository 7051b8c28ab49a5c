"""A trap: a port that no page may reach."""

import re
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import trio

from bidi_server.attacks.tcp import open_tcp

MAX_HEAD = 65_536
"""Maximum number of bytes to read of a connection."""

_RESPONSE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 6\r\n"
    b"Connection: close\r\n\r\nCaught"
)

_HOST = re.compile(rb"(?i)\r\nhost: ([^\r]+?)(?::\d+)?\r")

_SERVER_NAME = re.compile(rb"([\w-]+)\.localhost")
"""The host of a TLS connection, whose first message contains it as text (SNI)."""


@dataclass
class Trap:
    """A port of 127.0.0.1, for TCP and UDP, that records the connections."""

    port: int
    hosts: set[str] = field(default_factory=set[str])
    """Hosts of the requests and TLS connections, without ``.localhost``; "" for a connection without a host."""
    datagrams: int = 0

    def forget(self) -> None:
        """Forget the connections up to now, including those that are open: browsers keep some for later."""
        self.hosts = set()

    def url(self, host: str = "127.0.0.1") -> str:
        """Return a URL of the trap."""
        return f"http://{host}:{self.port}/"


def host_of(head: bytes) -> str:
    """Return the host that the first bytes of a connection name, without ``.localhost``; "" for none."""
    found = _SERVER_NAME.search(head) if head.startswith(b"\x16\x03") else _HOST.search(head)
    return found[1].decode("latin-1").removesuffix(".localhost") if found else ""


@asynccontextmanager
async def open_trap() -> AsyncGenerator[Trap]:
    """Open a trap."""

    async def catch(stream: trio.SocketStream) -> None:
        hosts, head = trap.hosts, b""
        while b"\r\n\r\n" not in head and len(head) < MAX_HEAD and (data := await stream.receive_some()):
            head += data
            if head.startswith(b"\x16\x03") and host_of(head):
                break
        hosts.add(host_of(head))
        await stream.send_all(_RESPONSE)

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
