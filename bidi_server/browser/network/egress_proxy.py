"""The proxy of a context that connects only where the policy of ``--egress`` allows it.

It looks up names itself and connects to the address that it has checked, so that a name can't change its address in
between (DNS rebinding). Everything of the context goes through it: the browser has no other way, and each redirect is a
new request. The browser logs in with a password of the context, so that no other process can use it.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from bidi_server.browser.network.connections import (
    NOT_FOUND,
    UnreachableError,
    bypasses,
    connect,
    connect_behind,
    look_up,
)
from bidi_server.browser.network.entrance import Entrance, RefusedError
from bidi_server.browser.network.proxy import Proxy
from bidi_server.egress import Request

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from bidi_server.addresses import Address
    from bidi_server.browser.network.connections import Server
    from bidi_server.egress import EgressPolicy

USER = "bidi-server"


class EgressProxy(Entrance):
    """The proxy of a context.

    All connections go through ``upstream``, the proxy of the context itself, if it has one; the policy is for the hosts
    behind that, and for the proxy itself unless the operator has chosen it. The policy never allows a port of
    ``reserved`` on this machine: ChromeDriver starts programs for every process that reaches its port.
    """

    def __init__(self, policy: EgressPolicy, upstream: Proxy | None = None, reserved: Collection[int] = ()) -> None:
        self._password = secrets.token_urlsafe(32)
        super().__init__(f"{USER}:{self._password}")
        self._reserved = reserved
        self._policy = policy
        self._upstream = upstream

    @property
    def proxy(self) -> Proxy:
        """The address of this proxy, with a login that no other context has."""
        return Proxy("http", "127.0.0.1", self.port, USER, self._password)

    def _why_not(self, request: Request, addresses: Sequence[Address]) -> str:
        return self._policy.why_not(request, addresses)

    async def _open(self, request: Request) -> Server:
        found = await self._look_up(request)
        addresses = list(found.values())
        is_named = self._policy.names(request)
        if not found and not is_named and self._policy.heeds_addresses and self._upstream is None:
            raise UnreachableError.from_code(NOT_FOUND)
        if why := self._policy.why_not(request, addresses):
            raise RefusedError(why)
        if request.port in self._reserved and any(address.is_loopback for address in addresses):
            raise RefusedError("the port is the one that the server drives the browser by")
        usable = [spelled for spelled, address in found.items() if is_named or self._policy.lets(address)]
        upstream = self._upstream
        if upstream is None or bypasses(upstream, request, addresses):
            return await connect(request, addresses, usable)
        place = await self._place_of(upstream)
        return await connect_behind(upstream, request, place, addresses, usable[0] if usable else "")

    async def _place_of(self, proxy: Proxy) -> str:
        """Return where to reach another proxy. Raises `RefusedError`."""
        if proxy.trusted:
            return proxy.host
        itself = Request(proxy.host, proxy.port)
        addresses = await self._look_up(itself)
        if why := self._policy.why_not(itself, list(addresses.values())):
            raise RefusedError(f"the proxy {proxy}: {why}")
        # A certificate shows that a name leads to the host that was checked.
        return next(iter(addresses), proxy.host) if proxy.scheme != "https" else proxy.host

    async def _look_up(self, request: Request) -> dict[str, Address]:
        """Return the addresses of a host, of a name only if they can matter: a look-up could carry data."""
        by_name = self._policy.heeds_addresses or self._policy.names(request)
        return await look_up(request, by_name=by_name)
