"""The proxy of a context that forwards to a proxy which the browser cannot use itself.

Browsers support neither logins for SOCKS nor TLS to a proxy that is set by hand, WebKitGTK much less:
`EngineQuirks.takes_proxy`. The relay has no login, which WebKitGTK could not give: every process of this machine can
use it while the context exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bidi_server.browser.network.connections import bypasses, connect, connect_behind, look_up
from bidi_server.browser.network.entrance import Entrance
from bidi_server.browser.network.proxy import Proxy

if TYPE_CHECKING:
    from bidi_server.browser.network.connections import Server
    from bidi_server.egress import Request


class Relay(Entrance):
    """The relay of a context."""

    def __init__(self, upstream: Proxy) -> None:
        super().__init__()
        self._upstream = upstream

    @property
    def proxy(self) -> Proxy:
        """The address of the relay."""
        return Proxy("http", "127.0.0.1", self.port)

    async def _open(self, request: Request) -> Server:
        literal = await look_up(request, by_name=False)
        if not bypasses(self._upstream, request, list(literal.values())):
            return await connect_behind(self._upstream, request)
        found = literal or await look_up(request)
        return await connect(request, list(found.values()), list(found))
