"""A name server in this process."""

import socket
from collections.abc import Mapping, Sequence
from typing import Any

import trio


class Resolver(trio.abc.HostnameResolver):
    """Gives the answers for some names in turn, and repeats the last one. An empty answer has no address.

    The system answers for the other names.
    """

    def __init__(self, names: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self._answers = {name: list(answers) for name, answers in names.items()}
        self.asked: list[str] = []

    async def getaddrinfo(
        self,
        host: bytes | None,
        port: bytes | str | int | None,
        family: int = 0,
        type: int = 0,  # noqa: A002 - as trio calls it
        proto: int = 0,
        flags: int = 0,
    ) -> list[Any]:  # Any: trio's own type is private
        """Return the addresses of a name as `socket.getaddrinfo` does."""
        name = (host or b"").decode()
        if name not in self._answers:
            return await trio.to_thread.run_sync(socket.getaddrinfo, host, port, family, type, proto, flags)
        self.asked.append(name)
        answers = self._answers[name]
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [
            (socket.AF_INET6 if ":" in each else socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port))
            for each in addresses
        ]

    async def getnameinfo(self, sockaddr: tuple[str, int] | tuple[str, int, int, int], flags: int) -> tuple[str, str]:
        """Return the name of an address: nothing here asks for one."""
        raise NotImplementedError
