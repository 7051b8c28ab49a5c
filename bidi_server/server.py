"""The MCP server: what it tells a client about itself, its tools and its files.

Tools, protocol and browser code are imported when a client first needs them: ``initialize`` is answered before that.
"""

from __future__ import annotations

import json
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import mcp_types as types
import trio
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from bidi_server import __version__, picks
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.registry import open_sessions
from bidi_server.calls import call, text_of
from bidi_server.declared import NAME, can_subscribe, capabilities, opens_page
from bidi_server.icon import icon
from bidi_server.sdk import imported
from bidi_server.secret.boundary import redacted
from bidi_server.subscriptions import listen, subscribe, unsubscribe
from bidi_server.tools import instructions
from bidi_server.tools.resources import live

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
    from contextlib import AbstractContextManager

    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.server.lowlevel import Server
    from pydantic import BaseModel

    from bidi_server.audit import AuditLog, Record
    from bidi_server.browser.sessions.registry import Sessions
    from bidi_server.calls import Progress
    from bidi_server.config import Config
    from bidi_server.tools.base import Tool
    from bidi_server.tools.resources import Live

NOT_INITIALIZED = -32000
"""Error code for a request before the handshake, from seed 003."""


TOOL_NOT_FOUND = -32001
"""Error code for a tool that does not exist, from seed 003."""


@dataclass(frozen=True, slots=True)
class State:
    """State of one client's connection."""

    client: Client
    nursery: trio.Nursery
    """Runs the subscriptions, and imports beside calls."""


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
            await imported(partial(self._find, capabilities))
        found = self._known.get(capabilities) or self._find(capabilities)
        if not client.allowance.restricts_tools:
            return found
        return {name: tool for name, tool in found.items() if tool.is_in(client.allowance)}

    def _find(self, capabilities: tuple[str, ...]) -> dict[str, type[Tool]]:
        from bidi_server.tools.base import offered

        found = self._known[capabilities] = offered(self._toolsets, capabilities, far=self._far)
        return found

    def _find_alone(self, name: str, capabilities: tuple[str, ...]) -> type[Tool] | None:
        from bidi_server.tools.base import offered_alone

        return offered_alone(name, self._toolsets, capabilities, far=self._far)

    async def find(self, name: str, client: Client) -> type[Tool]:
        """Return a tool. Raises MCPError if the client has none of this name."""
        tool = await trio.to_thread.run_sync(self._find_alone, name, client.config.caps) if self.is_new else None
        if tool is not None and tool.is_in(client.allowance):
            return tool
        tools = await self.of(client)
        if name in tools:
            return tools[name]
        from bidi_server.tools.base import unknown_tool

        code = TOOL_NOT_FOUND if name.startswith("browser.") else types.METHOD_NOT_FOUND
        raise MCPError(code, unknown_tool(name, list(tools)))


@dataclass(frozen=True, slots=True)
class Handler:
    """The function that answers the requests of one method, and the type of their parameters."""

    params_type: type[BaseModel]
    handler: Callable[[ServerRequestContext[State], Any], Awaitable[HandlerResult]]  # each takes its own type


class Service:
    """The handlers of the requests of clients.

    ``client_of`` returns the client of a request, for a server with many clients. ``on_call`` receives the name of each
    called tool, the outcome ("answered", "failed" or "cancelled") and the duration in seconds. ``audit`` is the log of
    ``--audit-log`` if it is open already. ``has_tokens`` means that clients ask for progress by a token, as on stdio.
    Clients in this process ask without one.
    """

    def __init__(
        self,
        config: Config,
        *,
        client_of: Callable[[ServerRequestContext[State]], Client] | None = None,
        on_call: Callable[[str, str, float], None] | None = None,
        audit: AuditLog | None = None,
        has_tokens: bool = False,
    ) -> None:
        if audit is None and config.audit_log is not None:
            from bidi_server.audit import AuditLog

            audit = AuditLog(config.audit_log)
        self._audit = audit
        self.catalogue = Catalogue(config)
        self._can_subscribe = can_subscribe(config)
        self._client_of = client_of or _only_client
        self._on_call = on_call or _count_nothing
        self._has_tokens = has_tokens

    @property
    def handlers(self) -> dict[str, Handler]:
        """The handlers by method."""
        subscribing = {
            "resources/subscribe": Handler(types.SubscribeRequestParams, self._subscribe),
            "resources/unsubscribe": Handler(types.UnsubscribeRequestParams, self._unsubscribe),
            "subscriptions/listen": Handler(types.SubscriptionsListenRequestParams, self._listen),
        }
        return {
            "tools/list": Handler(types.PaginatedRequestParams, self._list_tools),
            "tools/call": Handler(types.CallToolRequestParams, self._call_tool),
            "resources/list": Handler(types.PaginatedRequestParams, self._list_resources),
            "resources/templates/list": Handler(types.PaginatedRequestParams, self._list_templates),
            "resources/read": Handler(types.ReadResourceRequestParams, self._read_resource),
            "prompts/list": Handler(types.PaginatedRequestParams, self._list_prompts),
            "prompts/get": Handler(types.GetPromptRequestParams, self._get_prompt),
            "completion/complete": Handler(types.CompleteRequestParams, self._complete),
            **(subscribing if self._can_subscribe else {}),
        }

    async def _list_tools(
        self, context: ServerRequestContext[State], _: types.PaginatedRequestParams
    ) -> types.ListToolsResult:
        client = self._client_of(context)
        named = "sessions" in client.config.caps or client.is_visitor
        tools = await self.catalogue.of(client)
        structured = client.config.structured
        return types.ListToolsResult(
            tools=[describe(tool, sessions=named, structured=structured) for tool in tools.values()]
        )

    async def _call_tool(
        self, context: ServerRequestContext[State], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        client = self._client_of(context)
        with self._recorded(context, client, params.name, params.arguments or {}) as record:
            result = await self._run_tool(context, client, params, record)
            client.allowance.count_sent(lambda: size_of(result))
            if record is not None:
                record.ended("failed" if result.is_error else "answered", size_of(result))
        return result

    def _recorded(
        self, context: ServerRequestContext[State], client: Client, tool: str, arguments: Mapping[str, object]
    ) -> AbstractContextManager[Record | None]:
        """Return a block whose call is in the audit log, if there is one."""
        if self._audit is None:
            return nullcontext()
        told = context.session.client_params
        program = f"{told.client_info.name} {told.client_info.version}" if told is not None else ""
        return self._audit.call(client.allowance.who, program, tool, arguments)

    async def _find(self, name: str, client: Client, record: Record | None) -> type[Tool]:
        try:
            return await self.catalogue.find(name, client)
        except MCPError:
            if record is not None:
                record.refuse("not offered to this client")
            raise

    async def _run_tool(
        self,
        context: ServerRequestContext[State],
        client: Client,
        params: types.CallToolRequestParams,
        record: Record | None,
    ) -> types.CallToolResult:
        with client.ahead() if self.catalogue.is_new and opens_page(params.name) else nullcontext():
            tool = await self._find(params.name, client, record)
            if self.catalogue.is_new:
                context.lifespan_context.nursery.start_soon(self._import_rest, client)
            began, outcome, before = trio.current_time(), "cancelled", client.config.caps
            try:
                run = partial(call, tool, params.arguments or {}, client, record=record)
                # Without a token nobody hears of the progress, and a task for it takes 0.2 ms of each call.
                silent = self._has_tokens and (params.meta or {}).get("progress_token") is None
                result = await (run(None) if silent else with_progress(run, context.session.report_progress))
            except MCPError:
                outcome = "failed"
                raise
            else:
                outcome = "failed" if result.is_error else "answered"
                if client.config.caps != before:
                    await context.session.send_tool_list_changed()
                return result
            finally:
                self._on_call(params.name, outcome, trio.current_time() - began)

    async def _import_rest(self, client: Client) -> None:
        """Import the tools beside that of a first call, once its browser is there: before, Python itself is busy."""
        await client.wait_for_browser()
        await self.catalogue.of(client)

    @redacted
    async def _read_resource(
        self, context: ServerRequestContext[State], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        client = self._client_of(context)
        found = live(params.uri)
        named = found.tool if found is not None else "resources/read"
        with self._recorded(context, client, named, found.arguments if found is not None else {"uri": ""}) as record:
            if found is None:
                read = await picks.read_file(client, params.uri)
            else:
                read = await self._read_live(client, params.uri, found, record)
            client.allowance.count_sent(lambda: size_of(read))
            if record is not None:
                record.ended("answered", size_of(read))
        return read

    async def _read_live(
        self, client: Client, uri: str, found: Live, record: Record | None
    ) -> types.ReadResourceResult:
        tool = await self._find(found.tool, client, record)
        result = await call(tool, dict(found.arguments), client, record=record)
        if result.is_error:
            raise MCPError(types.INVALID_PARAMS, text_of(result))
        content = types.TextResourceContents(uri=uri, mime_type="text/plain", text=text_of(result))
        return types.ReadResourceResult(contents=[content])

    @redacted
    async def _list_resources(
        self, context: ServerRequestContext[State], _: types.PaginatedRequestParams
    ) -> types.ListResourcesResult:
        return picks.list_resources(self._client_of(context))

    async def _list_templates(
        self, _context: ServerRequestContext[State], _: types.PaginatedRequestParams
    ) -> types.ListResourceTemplatesResult:
        return picks.list_templates()

    async def _subscribe(
        self, context: ServerRequestContext[State], params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        client, nursery = self._client_of(context), context.lifespan_context.nursery
        subscribe(client, params.uri, context.session, nursery)
        return types.EmptyResult()

    async def _unsubscribe(
        self, context: ServerRequestContext[State], params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        unsubscribe(params.uri, context.session)
        return types.EmptyResult()

    async def _listen(
        self, context: ServerRequestContext[State], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        id_ = context.request_id
        if id_ is None:
            raise MCPError(types.INVALID_REQUEST, "subscriptions/listen is a request: send it with an id.")
        notify = partial(context.session.send_notification, related_request_id=id_)
        await listen(self._client_of(context), params.notifications, id_, notify)
        return types.SubscriptionsListenResult()

    async def _list_prompts(
        self, _context: ServerRequestContext[State], _: types.PaginatedRequestParams
    ) -> types.ListPromptsResult:
        return picks.list_prompts()

    async def _get_prompt(
        self, _context: ServerRequestContext[State], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        return picks.get_prompt(params.name, params.arguments or {})

    @redacted
    async def _complete(
        self, context: ServerRequestContext[State], params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        return picks.complete(self._client_of(context), params)


def size_of(result: types.CallToolResult | types.ReadResourceResult) -> int:
    """Return the approximate size of an answer in bytes."""
    if isinstance(result, types.ReadResourceResult):
        return sum(
            len(each.blob if isinstance(each, types.BlobResourceContents) else each.text.encode(errors="replace"))
            for each in result.contents
        )
    size = len(json.dumps(result.structured_content)) if result.structured_content is not None else 0
    for part in result.content:
        match part:
            case types.TextContent():
                size += len(part.text.encode(errors="replace"))
            case types.ImageContent():
                size += len(part.data)
            case _:
                pass
    return size


def _only_client(context: ServerRequestContext[State]) -> Client:
    return context.lifespan_context.client


def _count_nothing(_tool: str, _outcome: str, _seconds: float) -> None:
    pass


async def with_progress(
    run: Callable[[Progress], Awaitable[types.CallToolResult]], tell: Progress
) -> types.CallToolResult:
    """Run a call. Tell the client each second that it goes on, unless the call itself reports its progress.

    A client that has asked for progress may wait longer than it would in silence.
    """
    reports = False
    failure: MCPError | None = None
    result = types.CallToolResult(content=[])

    async def own(done: float, total: float | None, what: str) -> None:
        nonlocal reports
        reports = True
        await tell(done, total, what)

    async def tick() -> None:
        for second in count(1):
            await trio.sleep(1)
            if reports:
                return
            # Progress must grow, and what the call itself reports later begins at 0 or 1.
            await tell(second / 1000, None, f"running for {second} s")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(tick)
        try:
            result = await run(own)
        except MCPError as error:  # raised outside of the nursery, which would put it into a group
            failure = error
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return result


def make_server(
    config: Config,
    sessions: Sessions | None = None,
    *,
    client_of: Callable[[ServerRequestContext[State]], Client] | None = None,
    on_call: Callable[[str, str, float], None] | None = None,
    fence: str = "",
    audit: AuditLog | None = None,
) -> Server[State]:
    """Return a server of the SDK, for HTTP and for clients in this process. Parameters as for `Service`.

    ``sessions`` may be shared with other servers; by default the server has its own, with this ``fence``.
    """
    from mcp.server.lowlevel import Server

    class ChangingServer(Server[State]):
        """A server that declares what it notifies clients of. The SDK derives that from the handlers alone."""

        def get_capabilities(
            self, *_: object, protocol_version: str | None = None, **__: object
        ) -> types.ServerCapabilities:
            # A client of many that has no connection can't enable tools.
            tools_change = client_of is None or protocol_version not in MODERN_PROTOCOL_VERSIONS
            return declared(config, tools_change=tools_change)

    server = ChangingServer(
        NAME,
        version=__version__,
        instructions=instructions(config, sessions.fence if sessions is not None else fence),
        icons=[icon()] if config.structured else None,
        lifespan=lambda _: lifespan(config, sessions, fence),
        get_tool_input_schema=lambda _: None,  # none of our parameters is sent in a header
    )
    for method, each in Service(config, client_of=client_of, on_call=on_call, audit=audit).handlers.items():
        server.add_request_handler(method, each.params_type, each.handler)
    server.middleware.append(refuse_strangers)
    return server


def declared(config: Config, *, tools_change: bool = True) -> types.ServerCapabilities:
    """Return what the server declares to clients, see `capabilities`."""
    return types.ServerCapabilities.model_validate(capabilities(config, tools_change=tools_change))


async def refuse_strangers(ctx: ServerRequestContext[State], call_next: CallNext) -> HandlerResult:
    """Answer a request before the handshake with an error that says so; the SDK would report invalid parameters."""
    try:
        return await call_next(ctx)
    except MCPError as error:
        if error.code == types.INVALID_PARAMS and error.error.data == "" and ctx.session.client_params is None:
            raise MCPError(NOT_INITIALIZED, "Server not initialized. Send initialize first.") from error
        raise


@asynccontextmanager
async def lifespan(config: Config, shared: Sessions | None, fence: str = "") -> AsyncGenerator[State]:
    """Provide the state of a connection, with sessions of its own, which have the ``fence``, or shared ones."""
    async with nullcontext(shared) if shared is not None else open_sessions(config, fence) as sessions:
        client = Client(sessions, object(), config)
        try:
            async with trio.open_nursery() as nursery:
                yield State(client, nursery)
                nursery.cancel_scope.cancel()
        finally:
            if shared is not None:
                await client.aclose()


def describe(tool: type[Tool], *, sessions: bool = False, structured: bool = False) -> types.Tool:
    """Return a tool as clients see it.

    With ``sessions``, it takes the name of a session; with ``structured``, it has a title and always an output schema.
    """
    output = tool.output_schema()
    if structured and output is None:
        from bidi_server.tools.structured import answer_schema

        output = answer_schema()
    return types.Tool(
        name=tool.tool_name(),
        title=tool.title() if structured else None,
        description=tool.description(),
        input_schema=tool.input_schema(sessions=sessions),
        output_schema=output,
        annotations=types.ToolAnnotations(read_only_hint=True) if tool.read_only else None,
    )
