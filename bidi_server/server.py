"""The MCP server: what it tells a client about itself, its tools and its files.

Tools, protocol and browser code are imported when a client first needs them: ``initialize`` is answered before that.
"""

from __future__ import annotations

from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mcp_types as types
import trio
from mcp.shared.exceptions import MCPError

from bidi_server import __version__
from bidi_server.browser.disk import read
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.registry import open_sessions
from bidi_server.browser.words import clip
from bidi_server.calls import call
from bidi_server.escapes import one_line
from bidi_server.resources import MAX_FILE, contents, files_of, mime_type, name_of, uri_of
from bidi_server.tools import instructions

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp.server.models import InitializationOptions
    from pydantic import BaseModel

    from bidi_server.browser.sessions.registry import Sessions
    from bidi_server.config import Config
    from bidi_server.tools.base import Tool

NAME = "bidi-server"

NOT_INITIALIZED = -32000
"""Error code for a request before the handshake, from seed 003."""


TOOL_NOT_FOUND = -32001
"""Error code for a tool that does not exist, from seed 003."""


MAX_MESSAGE = 4 * 2**20
"""Maximum size of a message from a client, in bytes."""


@dataclass(frozen=True, slots=True)
class State:
    """State of one client's connection."""

    client: Client


class Catalogue:
    """The tools that a server offers, by the capabilities of a client. They are imported when they are first needed."""

    def __init__(self, config: Config) -> None:
        self._toolsets, self._far = config.toolset, config.transport == "http"
        self._known: dict[tuple[str, ...], dict[str, type[Tool]]] = {}

    @property
    def is_new(self) -> bool:
        """Whether the tools have not been imported yet."""
        return not self._known

    async def of(self, client: Client) -> dict[str, type[Tool]]:
        """Return a client's tools by name."""
        capabilities = client.config.caps
        if self.is_new:
            # The import takes a quarter of a second, half of the time in which a browser starts.
            await trio.to_thread.run_sync(self._find, capabilities)
        return self._known.get(capabilities) or self._find(capabilities)

    def _find(self, capabilities: tuple[str, ...]) -> dict[str, type[Tool]]:
        from bidi_server.tools.base import offered

        found = self._known[capabilities] = offered(self._toolsets, capabilities, far=self._far)
        return found

    async def find(self, name: str, client: Client) -> type[Tool]:
        """Return a tool. Raises MCPError if the client has none of this name."""
        tools = await self.of(client)
        if name in tools:
            return tools[name]
        from bidi_server.tools.base import unknown_tool

        code = TOOL_NOT_FOUND if name.startswith("browser.") else types.METHOD_NOT_FOUND
        raise MCPError(code, unknown_tool(name, list(tools)))


@dataclass(frozen=True, slots=True)
class Handler:
    """What answers the requests of one method."""

    params_type: type[BaseModel]
    handler: Callable[[ServerRequestContext[State], Any], Awaitable[HandlerResult]]  # each takes its own type


def handlers(
    catalogue: Catalogue,
    *,
    client_of: Callable[[ServerRequestContext[State]], Client] | None = None,
    on_call: Callable[[str, str, float], None] | None = None,
) -> dict[str, Handler]:
    """Return the handlers of a server by method.

    ``client_of`` returns the client of a request, for a server with many clients. ``on_call`` receives the name of each
    called tool, the outcome ("answered", "failed" or "cancelled") and the duration in seconds.
    """
    client_of = client_of or (lambda context: context.lifespan_context.client)

    async def list_tools(
        context: ServerRequestContext[State], _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        client = client_of(context)
        named = "sessions" in client.config.caps or client.is_visitor
        tools = await catalogue.of(client)
        return types.ListToolsResult(tools=[describe(tool, sessions=named) for tool in tools.values()])

    async def call_tool(
        context: ServerRequestContext[State], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        client = client_of(context)
        with client.ahead() if catalogue.is_new and "navigate" in params.name else nullcontext():
            tool = await catalogue.find(params.name, client)
            began, outcome, before = trio.current_time(), "failed", client.config.caps
            try:
                result = await call(tool, params.arguments or {}, client, context.session.report_progress)
            except trio.Cancelled:
                outcome = "cancelled"
                raise
            else:
                outcome = "failed" if result.is_error else "answered"
                if client.config.caps != before:
                    await context.session.send_tool_list_changed()
                return result
            finally:
                if on_call is not None:
                    on_call(params.name, outcome, trio.current_time() - began)

    async def list_resources(
        context: ServerRequestContext[State], _: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        files = files_of(client_of(context))
        found = [types.Resource(name=one_line(name), uri=uri_of(name), mime_type=mime_type(name)) for name in files]
        return types.ListResourcesResult(resources=found[::-1])

    async def read_resource(
        context: ServerRequestContext[State], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        # Looked up by name among the client's own files, so no URI leads anywhere else.
        path = files_of(client_of(context)).get(name_of(params.uri))
        if path is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no resource {clip(params.uri)}. See resources/list.")
        try:
            data = await trio.to_thread.run_sync(read, path, MAX_FILE, abandon_on_cancel=True)
        except OSError as error:
            raise MCPError(types.INVALID_PARAMS, f"{path} can't be read as a resource: {error.strerror}.") from error
        return types.ReadResourceResult(contents=[contents(params.uri, data)])

    return {
        "tools/list": Handler(types.PaginatedRequestParams, list_tools),
        "tools/call": Handler(types.CallToolRequestParams, call_tool),
        "resources/list": Handler(types.PaginatedRequestParams, list_resources),
        "resources/read": Handler(types.ReadResourceRequestParams, read_resource),
    }


def make_server(
    config: Config,
    sessions: Sessions | None = None,
    *,
    client_of: Callable[[ServerRequestContext[State]], Client] | None = None,
    on_call: Callable[[str, str, float], None] | None = None,
) -> Server[State]:
    """Return a server of the SDK, for HTTP and for clients in this process. Parameters as for `handlers`.

    ``sessions`` may be shared with other servers; by default the server has its own.
    """
    from mcp.server.lowlevel import NotificationOptions, Server

    class ChangingServer(Server[State]):
        """A server whose list of tools can change, which the SDK's would not say."""

        def create_initialization_options(self, *_: object, **__: object) -> InitializationOptions:
            return super().create_initialization_options(NotificationOptions(tools_changed=True))

    server = ChangingServer(
        NAME,
        version=__version__,
        instructions=instructions(config.toolset),
        lifespan=lambda _: lifespan(config, sessions),
        get_tool_input_schema=lambda _: None,  # none of our parameters is sent in a header
    )
    for method, each in handlers(Catalogue(config), client_of=client_of, on_call=on_call).items():
        server.add_request_handler(method, each.params_type, each.handler)
    server.middleware.append(refuse_strangers)
    return server


async def refuse_strangers(ctx: ServerRequestContext[State], call_next: CallNext) -> HandlerResult:
    """Answer a request before the handshake with an error that says so; the SDK would report invalid parameters."""
    try:
        return await call_next(ctx)
    except MCPError as error:
        if error.code == types.INVALID_PARAMS and error.error.data == "" and ctx.session.client_params is None:
            raise MCPError(NOT_INITIALIZED, "Server not initialized. Send initialize first.") from error
        raise


@asynccontextmanager
async def lifespan(config: Config, shared: Sessions | None) -> AsyncGenerator[State]:
    """Provide the state of a connection, with sessions of its own or shared ones."""
    if shared is None:
        async with open_sessions(config) as sessions:
            yield State(Client(sessions, object(), config))
        return
    client = Client(shared, object(), config)
    try:
        yield State(client)
    finally:
        await client.aclose()


def describe(tool: type[Tool], *, sessions: bool = False) -> types.Tool:
    """Return a tool as clients see it; with ``sessions``, it takes the name of a session."""
    return types.Tool(
        name=tool.tool_name(),
        description=tool.description(),
        input_schema=tool.input_schema(sessions=sessions),
        output_schema=tool.output_schema(),
        annotations=types.ToolAnnotations(read_only_hint=True) if tool.read_only else None,
    )
