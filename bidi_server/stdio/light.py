"""The MCP server for one client on a pair of streams, without what the SDK's own class imports for HTTP.

`mcp.server.runner` runs the connection, and needs of a server only what is here. See `bidi_server.sdk`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import mcp_types as types
from mcp.server.models import InitializationOptions
from mcp.server.runner import serve_dual_era_loop
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from bidi_server import __version__
from bidi_server.declared import NAME
from bidi_server.icon import icon
from bidi_server.server import Handler, Service, State, declared, lifespan, refuse_strangers
from bidi_server.tools import instructions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp.server.caching import CacheHint
    from mcp.server.context import ServerMiddleware, ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

    from bidi_server.browser.sessions.registry import Sessions
    from bidi_server.config import Config


class LightServer:
    """A server as `mcp.server.runner` uses it, with the interface of `mcp.server.lowlevel.Server`."""

    def __init__(self, config: Config, fence: str) -> None:
        self._instructions = instructions(config, fence)
        self._capabilities = declared(config)
        self._icons = [icon()] if config.structured else None
        described = types.Implementation(name=NAME, version=__version__, icons=self._icons)
        self._description = described.model_dump(by_alias=True, mode="json", exclude_none=True)
        self._service = Service(config, has_tokens=True)
        self._handlers: Mapping[str, Handler] = {
            "ping": Handler(types.RequestParams, _pong),
            "server/discover": Handler(types.RequestParams, self._discover),
            "notifications/initialized": Handler(types.NotificationParams, self._prepare),
            **self._service.handlers,
        }
        self.cache_hints: Mapping[str, CacheHint] = {}
        self.middleware: list[ServerMiddleware[State]] = [refuse_strangers]

    def get_request_handler(self, method: str) -> Handler | None:
        """Return what answers a request."""
        return self._handlers.get(method)

    def get_notification_handler(self, method: str) -> Handler | None:
        """Return what hears a notification."""
        return self._handlers.get(method)

    @property
    def server_info_stamp(self) -> dict[str, Any]:  # the runner adds to it
        """The description of the server in answers of protocol 2026-07-28."""
        return {**self._description}

    def create_initialization_options(self) -> InitializationOptions:
        """Return what `initialize` answers."""
        return InitializationOptions(
            server_name=NAME,
            server_version=__version__,
            capabilities=self._capabilities,
            instructions=self._instructions,
            icons=self._icons,
        )

    async def _discover(self, _context: ServerRequestContext[State], _: types.RequestParams) -> types.DiscoverResult:
        return types.DiscoverResult(
            supported_versions=list(MODERN_PROTOCOL_VERSIONS),
            capabilities=self._capabilities,
            instructions=self._instructions,
        )

    async def _prepare(self, context: ServerRequestContext[State], _: types.NotificationParams) -> None:
        """Import what the first calls need while the client thinks: the tools, which it lists next, then the rest."""
        client = context.lifespan_context.client
        if not client.has_first_call:  # which imports what it needs itself
            await self._service.catalogue.of(client)
            await client.prepare()


async def _pong(_context: ServerRequestContext[State], _: types.RequestParams) -> types.EmptyResult:
    return types.EmptyResult()


async def run(
    config: Config,
    sessions: Sessions,
    requests: ReadStream[SessionMessage | Exception],
    answers: WriteStream[SessionMessage],
) -> None:
    """Serve the client that writes the requests and reads the answers, until there are no more requests."""
    server = cast(
        "Server[State]", LightServer(config, sessions.fence)
    )  # the runner's annotation; it uses what LightServer has
    async with lifespan(config, sessions) as state:
        await serve_dual_era_loop(server, requests, answers, lifespan_state=state)
