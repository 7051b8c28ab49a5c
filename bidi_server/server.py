"""The MCP server: lists the tools, runs them, and turns every failure into an answer.

Tools, protocol and browser code are imported when a client first needs them: ``initialize`` is answered before that.
"""

from __future__ import annotations

import base64
import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mcp_types as types
import trio
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from bidi_server import __version__
from bidi_server.bidi.errors import BidiError, ConnectionLostError, UnknownCommandError
from bidi_server.browser.disk import read
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.registry import open_sessions
from bidi_server.browser.words import clip
from bidi_server.errors import BrowserUnavailableError, InternalError, NotSupportedError, ToolError
from bidi_server.escapes import one_line, visible
from bidi_server.resources import MAX_FILE, contents, mime_type, name_of, uri_of
from bidi_server.tools import instructions

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
    from contextlib import AbstractAsyncContextManager

    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

    from bidi_server.browser.sessions.registry import Sessions
    from bidi_server.browser.tab.downloads import Download
    from bidi_server.config import Config
    from bidi_server.tools.base import Tool

    Progress = Callable[[float, float | None, str], Awaitable[None]]

logger = logging.getLogger(__name__)

NOT_INITIALIZED = -32000
"""Error code for a request before the handshake, from seed 003."""


TOOL_NOT_FOUND = -32001
"""Error code for a tool that does not exist, from seed 003."""


MAX_MESSAGE = 4 * 2**20
"""Maximum size of a message from a client, in bytes."""


DOWNLOADS = "downloads/"
"""Prefix of the names of downloads among the resources."""


@dataclass(frozen=True, slots=True)
class State:
    """State of one client's connection."""

    client: Client


def make_server(
    config: Config,
    sessions: Sessions | None = None,
    *,
    client_of: Callable[[ServerRequestContext[State]], Client] | None = None,
    on_call: Callable[[str, str, float], None] | None = None,
) -> Server[State]:
    """Return a server. ``sessions`` may be shared with other servers; by default the server has its own.

    ``client_of`` returns the client of a request, for a server with many clients. ``on_call`` receives the name of each
    called tool, the outcome ("answered", "failed" or "cancelled") and the duration in seconds.
    """
    client_of = client_of or (lambda context: context.lifespan_context.client)

    @cache
    def tools() -> dict[str, type[Tool]]:
        from bidi_server.tools.base import offered

        return offered(config.toolset, config.caps, far=config.transport == "http")

    async def list_tools(
        context: ServerRequestContext[State], _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        named = "sessions" in config.caps or client_of(context).is_visitor
        return types.ListToolsResult(tools=[describe(tool, sessions=named) for tool in tools().values()])

    async def call_tool(
        context: ServerRequestContext[State], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = tools().get(params.name)
        if tool is None:
            code = TOOL_NOT_FOUND if params.name.startswith("browser.") else types.METHOD_NOT_FOUND
            raise MCPError(code, _unknown(params.name, list(tools())))
        began, outcome = trio.current_time(), "failed"
        try:
            result = await call(tool, params.arguments or {}, client_of(context), context.session.report_progress)
        except trio.Cancelled:
            outcome = "cancelled"
            raise
        else:
            outcome = "failed" if result.is_error else "answered"
            return result
        finally:
            if on_call is not None:
                on_call(params.name, outcome, trio.current_time() - began)

    async def list_resources(
        context: ServerRequestContext[State], _: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        files = _files(client_of(context))
        found = [types.Resource(name=one_line(name), uri=uri_of(name), mime_type=mime_type(name)) for name in files]
        return types.ListResourcesResult(resources=found[::-1])

    async def read_resource(
        context: ServerRequestContext[State], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        # Looked up by name among the client's own files, so no URI leads anywhere else.
        path = _files(client_of(context)).get(name_of(params.uri))
        if path is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no resource {clip(params.uri)}. See resources/list.")
        try:
            data = await trio.to_thread.run_sync(read, path, MAX_FILE, abandon_on_cancel=True)
        except OSError as error:
            raise MCPError(types.INVALID_PARAMS, f"{path} can't be read as a resource: {error.strerror}.") from error
        return types.ReadResourceResult(contents=[contents(params.uri, data)])

    server = Server(
        "bidi-server",
        version=__version__,
        instructions=instructions(config.toolset),
        lifespan=_lifespan(config, sessions),
        get_tool_input_schema=lambda _: None,  # none of our parameters is sent in a header
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )
    server.middleware.append(_refuse_strangers)
    return server


async def _refuse_strangers(ctx: ServerRequestContext[State], call_next: CallNext) -> HandlerResult:
    """Answer a request before the handshake with an error that says so; the SDK would report invalid parameters."""
    try:
        return await call_next(ctx)
    except MCPError as error:
        if error.code == types.INVALID_PARAMS and error.error.data == "" and ctx.session.client_params is None:
            raise MCPError(NOT_INITIALIZED, "Server not initialized. Send initialize first.") from error
        raise


def _lifespan(config: Config, shared: Sessions | None) -> Callable[[Server[State]], AbstractAsyncContextManager[State]]:
    @asynccontextmanager
    async def lifespan(_: Server[State]) -> AsyncGenerator[State]:
        if shared is None:
            async with open_sessions(config) as sessions:
                yield State(Client(sessions, object(), config))
            return
        client = Client(shared, object(), config)
        try:
            yield State(client)
        finally:
            await client.aclose()

    return lifespan


def _files(client: Client) -> dict[str, Path]:
    """Return the files that can be read as resources, by name."""
    found: dict[str, Path] = {}
    for session in client.sessions.values():
        found |= session.outputs.files
        tabs = [tab for context in session.contexts.values() for tab in context.tabs]
        found |= {f"{DOWNLOADS}{name}": path for tab in tabs for name, path in _downloaded(tab.downloads.all).items()}
    return found


def _downloaded(downloads: Iterable[Download]) -> dict[str, Path]:
    paths = [Path(download.path) for download in downloads if download.status == "complete" and download.path]
    return {path.name: path for path in paths}


def describe(tool: type[Tool], *, sessions: bool = False) -> types.Tool:
    """Return a tool as clients see it; with ``sessions``, it takes the name of a session."""
    return types.Tool(
        name=tool.tool_name(),
        description=tool.description(),
        input_schema=tool.input_schema(sessions=sessions),
        output_schema=tool.output_schema(),
        annotations=types.ToolAnnotations(read_only_hint=True) if tool.read_only else None,
    )


async def call(
    tool: type[Tool], arguments: dict[str, Any], client: Client, progress: Progress | None = None
) -> types.CallToolResult:
    """Run one call and return its answer, also after a failure. Raises MCPError if the toolset fails by error codes."""
    from bidi_server.tools.outcome import Outcome

    out = Outcome(progress=progress) if progress is not None else Outcome()
    try:
        try:
            await tool.parse(arguments).serve(client, out)
        except trio.Cancelled:
            await client.abandon()
            raise
        finally:
            if news := await client.news(tool.session_parameter()):
                out.notices.append(news)
        reply = tool.toolset.reply(out)
        if out.tab is not None and reply.view is not None:
            out.tab.view = reply.view
    except ToolError as error:
        reply = tool.toolset.refusal(error, out)
    except ConnectionLostError as error:
        again = "Call the tool again: a new browser will be started."
        reply = tool.toolset.refusal(BrowserUnavailableError(f"The browser ended ({error.reason}).", again), out)
    except UnknownCommandError as error:
        what = f"This browser does not know what {tool.tool_name()} needs: {error.first_line}."
        reply = tool.toolset.refusal(
            NotSupportedError(what, "Use a newer version (bidi-server install), or another browser."), out
        )
    except BidiError as error:
        reply = tool.toolset.refusal(ToolError(f"The browser refused: {error}"), out)
    except Exception:
        logger.exception("%s failed", tool.tool_name())
        mistake = f"{tool.tool_name()} failed by a mistake of bidi-server; its log says more."
        reply = tool.toolset.refusal(InternalError(mistake), out)
    if reply.code is not None:
        raise MCPError(reply.code, visible(reply.text))
    pictures = [
        types.ImageContent(type="image", data=base64.b64encode(picture.data).decode(), mime_type=picture.mime_type)
        for picture in out.pictures
    ]
    names = [path.name for path in out.links]
    if client.config.transport == "http":
        # The client cannot access our disk.
        names += [path.name for path in out.files]
        names += [f"{DOWNLOADS}{name}" for name in _downloaded(out.effects.downloads if out.effects else ())]
    links = [
        types.ResourceLink(type="resource_link", name=one_line(name), uri=uri_of(name), mime_type=mime_type(name))
        for name in names
    ]
    said = types.TextContent(type="text", text=visible(reply.text))
    return types.CallToolResult(
        content=[*pictures, said, *links] if reply.pictures_first else [said, *pictures, *links],
        structured_content=reply.data,
        is_error=reply.failed,
    )


def _unknown(name: str, names: list[str]) -> str:
    from difflib import get_close_matches

    name = clip(name)
    close = get_close_matches(name, names, 1) or [each for each in names if each.endswith((f"_{name}", f".{name}"))]
    return f"Unknown tool: {name}." + (f" Did you mean {close[0]}?" if close else "")
