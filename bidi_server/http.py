"""The Streamable HTTP transport, for any number of clients.

Clients that begin with ``initialize`` have an ``Mcp-Session-Id``:
https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http. Since version 2026-07-28 each
request stands for itself.
"""

import logging
import socket
import ssl
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, cast, get_args
from urllib.parse import urlsplit

import hypercorn.trio
import mcp_types as types
import trio
from hypercorn.config import Config as HypercornConfig
from mcp.server.auth.handlers.metadata import ProtectedResourceMetadataHandler
from mcp.server.auth.routes import build_resource_metadata_url, cors_middleware
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware
from mcp.shared.auth import ProtectedResourceMetadata
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from bidi_server.access import StartError, is_loopback, names_of, new_token, read_key
from bidi_server.audit import AuditLog
from bidi_server.bearer import PRINCIPAL, BearerGuard, Bearers, Challenge, Principal
from bidi_server.bearer import address_of as sender_of
from bidi_server.browser.engine.pool import address_of
from bidi_server.browser.sessions.allowance import Allowance, Usage
from bidi_server.browser.sessions.client import Client, known_names
from bidi_server.browser.sessions.handles import Handles
from bidi_server.browser.sessions.registry import Sessions
from bidi_server.browser.sessions.visitor import Visitor
from bidi_server.config import Capability, Config
from bidi_server.declared import MAX_MESSAGE
from bidi_server.fence import fence_of
from bidi_server.grants import Grant, GrantError, TokenFile
from bidi_server.metrics import Metrics
from bidi_server.server import make_server
from drivers.json_values import fields

if TYPE_CHECKING:
    from hypercorn.typing import ASGIFramework
    from mcp.server.context import ServerRequestContext
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from bidi_server.browser.bounded import Recent
    from bidi_server.server import State

PATH = "/mcp"
"""Path to which clients send their messages."""

WELL_KNOWN = "/.well-known/oauth-protected-resource"
"""Path to the metadata of the server for OAuth."""

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
        host, port = listener.getsockname()[:2]
        scheme = "https" if config.certfile else "http"
        url = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}{PATH}"
        # The files may be pipes, whose writers may keep us waiting.
        access = await trio.to_thread.run_sync(_access, config, url, abandon_on_cancel=True)
        key = await trio.to_thread.run_sync(read_key, config.handle_key, abandon_on_cancel=True)
        hypercorn_config = _hypercorn(config)
    except StartError as error:
        print(f"bidi-server: {error}", file=sys.stderr)
        return 1
    print(f"Serving MCP on {url}", file=sys.stderr, flush=True)
    hypercorn_config.bind = [f"fd://{listener.detach()}"]  # hypercorn closes it
    logging.getLogger("mcp.server.streamable_http").addFilter(_ClientsThatLeave())
    app = cast("ASGIFramework", make_app(config, sessions, key, access))
    await hypercorn.trio.serve(app, hypercorn_config)  # pyright: ignore[reportUnknownMemberType] - WSGI's dicts
    return 0


@dataclass(frozen=True, slots=True)
class Access:
    """Who may use a server."""

    bearers: Bearers | None = None
    """The accepted tokens; None lets everybody in that reaches the server."""
    issuer: str = ""
    """URL of the OAuth issuer; "" for none."""
    resource: str = ""
    """URL of this server, for which the issuer's tokens are."""


def make_app(config: Config, sessions: Sessions, key: bytes, access: Access | None = None) -> "ASGIApp":
    """Return the web application. Without ``access`` it serves every client that reaches it; ``key`` signs handles."""
    access = access or Access()
    sessions.fence = fence_of(key)
    clients = _Clients(sessions, config, Handles(key, address_of(config)))
    metrics = Metrics(sessions)
    audit = AuditLog(config.audit_log) if config.audit_log is not None else None
    server = make_server(config, sessions, client_of=clients.of, on_call=metrics.called, audit=audit)
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

    guard: list[Middleware] = []
    if access.bearers is not None:
        challenge = Challenge(str(_metadata_url(access.resource)), config.toolset[:1]) if access.issuer else Challenge()
        scopes = Scopes(config) if access.issuer else None
        guard.append(Middleware(BearerGuard, access.bearers, challenge, scopes, audit))
    return Starlette(
        routes=[
            Route(PATH, _Endpoint(messages), middleware=guard),
            Route("/metrics", figures, methods=["GET"], middleware=guard),
            Route("/healthz", health, methods=["GET"]),
            *(_metadata_routes(config, access) if access.issuer else ()),
        ],
        middleware=[Middleware(_OnlyOurNames, host=config.host, more=config.allowed_hosts, audit=audit)],
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

    def __init__(self, app: "ASGIApp", host: str, more: tuple[str, ...], audit: AuditLog | None = None) -> None:
        self._app = app
        self._audit = audit
        self._check = TransportSecurityMiddleware(names_of(host, more))

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] == "http" and (refusal := await self._check.validate_request(Request(scope))):
            if self._audit is not None:
                reason = "Host or Origin is not a name of this server: see --allowed-hosts"
                self._audit.refusal({"address": sender_of(Request(scope))}, reason, status=refusal.status_code)
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)


class _Clients:
    """Finds the client of a request, by its connection or by its token.

    Each token, and each subject of an OAuth issuer, has its own folder for files.
    """

    def __init__(self, sessions: Sessions, config: Config, handles: Handles) -> None:
        self._sessions = sessions
        self._config = config
        self._handles = handles
        self._connected: dict[_Connection, Client] = {}
        self._tenants: dict[str, _Tenant] = {}

    def of(self, context: "ServerRequestContext[State]") -> Client:
        """Return the client of a request."""
        request = cast("Request", context.request)
        connection, principal = _connection(request), _principal(request)
        tenant = self._tenant(principal)
        client = self._find(connection, tenant, context.protocol_version)
        client.allowance = tenant.allowance(principal)
        return client

    def _find(self, connection: "_Connection", tenant: "_Tenant", version: str) -> Client:
        if not connection.id or version not in HANDSHAKE_PROTOCOL_VERSIONS:
            # Other clients have no connection, and a connection id that they send has not been verified.
            return Visitor(self._sessions, connection.identity, tenant.config, self._handles, tenant.known)
        client = self._connected.get(connection)
        if client is None:
            # Nothing else removes the clients of connections that have ended after `idle_timeout`.
            self._connected = {name: each for name, each in self._connected.items() if each.sessions}
            client = self._connected[connection] = Client(self._sessions, connection, tenant.config)
        return client

    def _tenant(self, principal: Principal) -> "_Tenant":
        tenant = self._tenants.get(principal.identity)
        if tenant is None:
            tenant = self._tenants[principal.identity] = _Tenant()
        if tenant.grant != principal.grant:
            folders = ("output_dir", "baseline_dir")
            own = {name: getattr(self._config, name).absolute() / principal.identity for name in folders}
            tenant.config = principal.grant.configured(self._config).with_changes(own)
            tenant.grant = principal.grant
        return tenant

    async def left(self, request: Request) -> None:
        """Close the sessions of a client that has ended its connection."""
        client = self._connected.pop(_connection(request), None)
        if client is not None:
            await client.aclose()


@dataclass(slots=True)
class _Tenant:
    """The state of a principal, which all of its connections share."""

    grant: Grant | None = None
    """The grant of the configuration."""
    config: Config = field(default_factory=Config)
    """The configuration of its next sessions."""
    known: "Recent[str]" = field(default_factory=known_names)
    usage: Usage = field(default_factory=Usage)

    def allowance(self, principal: Principal) -> Allowance:
        """Return what a request of the principal may do."""
        grant = principal.grant
        return Allowance(
            holder=principal.title,
            way_out="The operator of the server can change that in --token-file.",
            who=principal.who,
            usage=self.usage,
            sessions=grant.sessions,
            calls_per_minute=grant.calls_per_minute,
            bytes_per_minute=grant.bytes_per_minute,
            tools=grant.tools,
            caps=frozenset(grant.caps) if grant.caps is not None else None,
            scopes=principal.scopes,
        )


@dataclass(frozen=True, slots=True)
class _Connection:
    """A client's connection. The client sends ``id``; ``identity`` comes from its token."""

    identity: str
    id: str


_EVERYBODY = Principal("", "The client", {}, Grant())
"""The principal of requests without a token, where none is needed."""


def _principal(request: Request) -> Principal:
    found: object = request.scope.get(PRINCIPAL)
    return found if isinstance(found, Principal) else _EVERYBODY


def _connection(request: Request) -> _Connection:
    return _Connection(_principal(request).identity, request.headers.get(_SESSION_HEADER, ""))


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


def _access(config: Config, url: str) -> Access:
    """Return who may use a server that listens on a URL. Raises `StartError`."""
    issuer = None
    if config.oauth_issuer is not None:
        if config.oauth_audience is None and not is_loopback(config.host):
            raise StartError(
                "--oauth-issuer needs --oauth-audience: the URL of this server as clients know it, such as "
                f"https://{config.host}{PATH}."
            )
        # Imported late: most servers need no cryptography.
        from bidi_server.oauth import Issuer

        issuer = Issuer(config.oauth_issuer, config.oauth_audience or url)
    elif config.oauth_audience is not None:
        raise StartError("--oauth-audience does nothing without --oauth-issuer. Add that, or leave it out.")
    if config.token_file is None:
        if issuer is not None:
            return Access(Bearers(None, issuer), issuer.url, issuer.audience)
        if is_loopback(config.host):
            return Access()
        token = new_token()
        print(f"Clients must send this header (--token-file keeps it):\nAuthorization: Bearer {token}", file=sys.stderr)
        return Access(Bearers(None, generated=token))
    file = TokenFile(config.token_file, config, _tool_names(config))
    try:
        file.read()
    except GrantError as error:
        raise StartError(f"--token-file {config.token_file}: {error}") from None
    return Access(Bearers(file, issuer), issuer.url, issuer.audience) if issuer is not None else Access(Bearers(file))


def _tool_names(config: Config) -> tuple[str, ...]:
    from bidi_server.tools.base import offered

    return tuple(offered(config.toolset, get_args(Capability), far=True))


class Scopes:
    """The scopes of OAuth that the messages of clients need: those of the tools that they call."""

    def __init__(self, config: Config) -> None:
        from bidi_server.tools.base import offered

        self._tools = offered(config.toolset, get_args(Capability), far=True)

    def __call__(self, message: Mapping[str, object]) -> tuple[str, ...]:
        """Return the scopes of which a message needs one; none if it needs no scope."""
        from bidi_server.tools.resources import live

        parameters = fields(message.get("params"))
        name, uri = parameters.get("name"), parameters.get("uri")
        if message.get("method") == "resources/read" and isinstance(uri, str):
            found = live(uri)
            name = found.tool if found is not None else None
        elif message.get("method") != "tools/call":
            return ()
        tool = self._tools.get(name) if isinstance(name, str) else None
        return tool.scopes() if tool is not None else ()


def scopes_supported(config: Config) -> list[str]:
    """Return the scopes of the tools that a server offers, those that a client needs to begin with first."""
    from bidi_server.tools.base import offered

    found = (scope for tool in offered(config.toolset, config.caps, far=True).values() for scope in tool.scopes())
    enabled = {*config.toolset, *config.caps}
    return list(dict.fromkeys([*config.toolset, *sorted(scope for scope in found if scope in enabled)]))


def _metadata_url(resource: str) -> AnyHttpUrl:
    return build_resource_metadata_url(AnyHttpUrl(resource))


def _metadata_routes(config: Config, access: Access) -> list[Route]:
    """Return the metadata of this server as a protected resource: https://www.rfc-editor.org/rfc/rfc9728#section-3.

    A reverse proxy may pass it on without the path, so that it is at both URLs.
    """
    # Validated from texts: the SDK's own function adds a slash to an issuer without a path.
    metadata = ProtectedResourceMetadata.model_validate(
        {
            "resource": access.resource,
            "authorization_servers": [access.issuer],
            "scopes_supported": scopes_supported(config),
            "resource_name": "bidi-server",
        }
    )
    answer = cors_middleware(ProtectedResourceMetadataHandler(metadata).handle, ["GET", "OPTIONS"])
    paths = dict.fromkeys([urlsplit(str(_metadata_url(access.resource))).path, WELL_KNOWN, f"{WELL_KNOWN}{PATH}"])
    return [Route(path, answer, methods=["GET", "OPTIONS"]) for path in paths]


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
