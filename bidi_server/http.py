"""The Streamable HTTP transport, for any number of clients.

Clients that begin with ``initialize`` have an ``Mcp-Session-Id``:
https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http. Since version 2026-07-28 each
request stands for itself.
"""

import logging
import socket
import ssl
import sys
from collections import defaultdict
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, cast

import hypercorn.trio
import mcp_types as types
import trio
from hypercorn.config import Config as HypercornConfig
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, BearerAuthBackend, RequireAuthMiddleware
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from bidi_server.access import StartError, Tokens, is_loopback, names_of, new_token, read_key, read_tokens
from bidi_server.browser.engine.pool import address_of
from bidi_server.browser.sessions.client import Client, known_names
from bidi_server.browser.sessions.handles import Handles
from bidi_server.browser.sessions.registry import Sessions
from bidi_server.browser.sessions.visitor import Visitor
from bidi_server.config import Config
from bidi_server.declared import MAX_MESSAGE
from bidi_server.fence import fence_of
from bidi_server.metrics import Metrics
from bidi_server.server import make_server

if TYPE_CHECKING:
    from hypercorn.typing import ASGIFramework
    from mcp.server.context import ServerRequestContext
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from bidi_server.browser.bounded import Recent
    from bidi_server.server import State

PATH = "/mcp"
"""Path to which clients send their messages."""

KEEP_ALIVE = 75
"""Timeout for an idle connection between two requests, in seconds."""

SHUTDOWN = 2
"""Timeout for running requests when the server ends, in seconds."""

_SESSION_HEADER = "mcp-session-id"


class _ClientsThatLeave(logging.Filter):
    """Replaces the traceback that the SDK logs for a client that disconnects during its request by one line."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every record."""
        if record.exc_info and isinstance(record.exc_info[1], ClientDisconnect):
            record.msg, record.args = "a client left before the end of its request", ()
            record.exc_info, record.levelno, record.levelname = None, logging.WARNING, "WARNING"
        return True


async def serve_http(config: Config, sessions: Sessions) -> int:
    """Serve until the task is cancelled. Return the exit code."""
    try:
        listener = _listen(config)
        # The files may be pipes, whose writers may keep us waiting.
        tokens = await trio.to_thread.run_sync(_tokens, config, abandon_on_cancel=True)
        key = await trio.to_thread.run_sync(read_key, config.handle_key, abandon_on_cancel=True)
        hypercorn_config = _hypercorn(config)
    except StartError as error:
        print(f"bidi-server: {error}", file=sys.stderr)
        return 1
    host, port = listener.getsockname()[:2]
    scheme = "https" if config.certfile else "http"
    name = f"[{host}]" if ":" in host else host
    print(f"Serving MCP on {scheme}://{name}:{port}{PATH}", file=sys.stderr, flush=True)
    hypercorn_config.bind = [f"fd://{listener.detach()}"]  # hypercorn closes it
    logging.getLogger("mcp.server.streamable_http").addFilter(_ClientsThatLeave())
    app = cast("ASGIFramework", make_app(config, sessions, key, tokens))
    await hypercorn.trio.serve(app, hypercorn_config)  # pyright: ignore[reportUnknownMemberType] - WSGI's dicts
    return 0


def make_app(config: Config, sessions: Sessions, key: bytes, tokens: Tokens | None = None) -> "ASGIApp":
    """Return the web application. Without ``tokens`` it serves every client that reaches it; ``key`` signs handles."""
    sessions.fence = fence_of(key)
    clients = _Clients(sessions, config, Handles(key, address_of(config)))
    metrics = Metrics(sessions)
    server = make_server(config, sessions, client_of=clients.of, on_call=metrics.called)
    manager = StreamableHTTPSessionManager(
        server, session_idle_timeout=config.idle_timeout, max_request_body_size=MAX_MESSAGE
    )

    async def messages(scope: "Scope", receive: "Receive", send: "Send") -> None:
        ended = False

        refused = False

        async def watch(message: "Message") -> None:
            nonlocal ended, refused
            if message["type"] == "http.response.start":
                ended = scope["method"] == "DELETE" and message["status"] < 400
                refused = message["status"] == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
                if refused:
                    await _too_large()(scope, receive, send)
            if not refused:
                await send(message)

        await manager.handle_request(scope, receive, watch)
        if ended:
            await clients.left(Request(scope))

    async def figures(_: Request) -> Response:
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def health(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    middleware, guard = [Middleware(_OnlyOurNames, host=config.host, more=config.allowed_hosts)], list[Middleware]()
    if tokens is not None:
        middleware.append(Middleware(AuthenticationMiddleware, backend=BearerAuthBackend(tokens)))
        guard.append(Middleware(RequireAuthMiddleware, required_scopes=[]))
    return Starlette(
        routes=[
            Route(PATH, _Endpoint(messages), middleware=guard),
            Route("/metrics", figures, methods=["GET"], middleware=guard),
            Route("/healthz", health, methods=["GET"]),
        ],
        middleware=middleware,
        lifespan=lambda _: manager.run(),
    )


def _too_large() -> Response:
    """Return the answer to a message that is too large; the SDK's answer does not contain the limit."""
    what = f"The message is too large: at most {MAX_MESSAGE:,} bytes are read. Send less in one call."
    error = types.JSONRPCError(jsonrpc="2.0", id=None, error=types.ErrorData(code=types.INVALID_REQUEST, message=what))
    return JSONResponse(error.model_dump(mode="json"), HTTPStatus.REQUEST_ENTITY_TOO_LARGE)


class _Endpoint:
    """ASGI application as an object; Starlette would treat a function as a request handler."""

    def __init__(self, app: "ASGIApp") -> None:
        self._app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        await self._app(scope, receive, send)


class _OnlyOurNames:
    """Middleware that refuses requests whose Host or Origin is not accepted."""

    def __init__(self, app: "ASGIApp", host: str, more: tuple[str, ...]) -> None:
        self._app = app
        self._check = TransportSecurityMiddleware(names_of(host, more))

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] == "http" and (refusal := await self._check.validate_request(Request(scope))):
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)


class _Clients:
    """Finds the client of a request, by its connection or by its token.

    Each token has its own folder for files.
    """

    def __init__(self, sessions: Sessions, config: Config, handles: Handles) -> None:
        self._sessions = sessions
        self._config = config
        self._handles = handles
        self._connected: dict[_Connection, Client] = {}
        self._known: defaultdict[str, Recent[str]] = defaultdict(known_names)
        self._configs: dict[str, Config] = {}

    def of(self, context: "ServerRequestContext[State]") -> Client:
        """Return the client of a request."""
        request = cast("Request", context.request)
        connection = _connection(request)
        identity, config = connection.identity, self._config_for(connection.identity)
        if not connection.id or context.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS:
            # Other clients have no connection, and a connection id that they send has not been verified.
            return Visitor(self._sessions, identity, config, self._handles, self._known[identity])
        client = self._connected.get(connection)
        if client is None:
            # Nothing else removes the clients of connections that have ended after `idle_timeout`.
            self._connected = {name: each for name, each in self._connected.items() if each.sessions}
            client = self._connected[connection] = Client(self._sessions, connection, config)
        return client

    def _config_for(self, identity: str) -> Config:
        config = self._configs.get(identity)
        if config is None:
            folders = ("output_dir", "baseline_dir")
            own = {name: getattr(self._config, name).absolute() / identity for name in folders}
            config = self._configs[identity] = self._config.model_copy(update=own)
        return config

    async def left(self, request: Request) -> None:
        """Close the sessions of a client that has ended its connection."""
        client = self._connected.pop(_connection(request), None)
        if client is not None:
            await client.aclose()


@dataclass(frozen=True, slots=True)
class _Connection:
    """A client's connection. The client sends ``id``; ``identity`` comes from its token."""

    identity: str
    id: str


def _connection(request: Request) -> _Connection:
    user = request.scope.get("user")
    identity = user.access_token.client_id if isinstance(user, AuthenticatedUser) else ""
    return _Connection(identity, request.headers.get(_SESSION_HEADER, ""))


def _listen(config: Config) -> socket.socket:
    listener = None
    try:
        family, kind, _, _, address = socket.getaddrinfo(config.host, config.port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(100)
    except OSError as error:
        if listener is not None:
            listener.close()
        where = f"{config.host}:{config.port}"
        raise StartError(f"It can't listen on {where}: {error.strerror}. Choose another --host or --port.") from None
    return listener


def _tokens(config: Config) -> Tokens | None:
    if config.token_file is not None:
        return Tokens(read_tokens(config.token_file))
    if is_loopback(config.host):
        return None
    token = new_token()
    print(f"Clients must send this header (--token-file keeps it):\nAuthorization: Bearer {token}", file=sys.stderr)
    return Tokens([token])


def _hypercorn(config: Config) -> HypercornConfig:
    found = HypercornConfig()
    found.include_server_header = False
    found.keep_alive_timeout = KEEP_ALIVE
    found.graceful_timeout = SHUTDOWN
    found.errorlog = logging.getLogger("hypercorn.error")
    if config.keyfile is not None and config.certfile is None:
        raise StartError("--keyfile without --certfile: TLS needs both. Add --certfile, or leave --keyfile out.")
    if config.certfile is not None:
        found.certfile = str(config.certfile)
        found.keyfile = str(config.keyfile or config.certfile)
        try:
            found.create_ssl_context()
        except (OSError, ssl.SSLError) as error:
            reason = error.strerror or str(error)
            raise StartError(f"--certfile {config.certfile}: it can't be used: {reason}.") from None
    return found
