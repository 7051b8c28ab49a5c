"""Calls of tools: run one, and turn every failure into an answer."""

from __future__ import annotations

import base64
import logging
from typing import TYPE_CHECKING, Any

import mcp_types as types
import trio
from mcp.shared.exceptions import MCPError

from bidi_server.bidi.errors import (
    BidiError,
    ConnectionLostError,
    NoReplyError,
    UnknownCommandError,
    UnsupportedOperationError,
)
from bidi_server.browser.engine.pool import address_of
from bidi_server.errors import BrowserUnavailableError, DeadlineError, InternalError, NotSupportedError, ToolError
from bidi_server.escapes import one_line, visible
from bidi_server.resources import DOWNLOADS, downloaded, mime_type, uri_of
from bidi_server.secret.boundary import redacted, redacted_progress

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bidi_server.audit import Record
    from bidi_server.browser.sessions.client import Client
    from bidi_server.tools.base import Tool
    from bidi_server.tools.outcome import Outcome, Reply
    from bidi_server.tools.toolset import Toolset

    Progress = Callable[[float, float | None, str], Awaitable[None]]

logger = logging.getLogger(__name__)


def text_of(result: types.CallToolResult) -> str:
    """Return the text of an answer."""
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


@redacted
async def call(
    tool: type[Tool],
    arguments: dict[str, Any],
    client: Client,
    progress: Progress | None = None,
    toolset: Toolset | None = None,
    record: Record | None = None,
) -> types.CallToolResult:
    """Run one call and return its answer, also after a failure. Raises MCPError if the toolset fails by error codes.

    ``toolset`` words the answer, if it is not the tool's own that does. ``record`` gets what the audit log says.
    """
    from bidi_server.tools.outcome import Outcome

    toolset = toolset or tool.toolset

    out = Outcome(progress=redacted_progress(progress)) if progress is not None else Outcome()
    out.fence = client.fence
    refused = tool.refused(client.allowance)
    answered = refused or await attempt(tool, arguments, client, toolset, out)
    failure = answered if isinstance(answered, ToolError) else None
    if record is not None:
        record.note(out, failure, is_refusal=refused is not None)
    reply = toolset.refusal(answered, out) if isinstance(answered, ToolError) else answered
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
        names += [f"{DOWNLOADS}{name}" for name in downloaded(out.effects.downloads if out.effects else ())]
    links = [
        types.ResourceLink(type="resource_link", name=one_line(name), uri=uri_of(name), mime_type=mime_type(name))
        for name in names
    ]
    data = reply.data
    if data is None and client.config.structured:
        from bidi_server.tools.structured import data_of

        data = data_of(out, reply, failure, toolset.names)
    said = types.TextContent(type="text", text=visible(reply.text))
    return types.CallToolResult(
        content=[*pictures, said, *links] if reply.pictures_first else [said, *pictures, *links],
        structured_content=data,
        is_error=reply.failed,
    )


async def attempt(
    tool: type[Tool], arguments: dict[str, Any], client: Client, toolset: Toolset, out: Outcome
) -> Reply | ToolError:
    """Run one call and return its answer, or its failure in words for the agent."""
    try:
        try:
            await tool.parse(arguments).serve(client, out)
        except trio.Cancelled:
            await client.abandon()
            raise
        finally:
            if news := await client.news(tool.session_parameter()):
                out.notices.append(news)
        reply = toolset.reply(out)
        if out.tab is not None and reply.view is not None:
            out.tab.view = reply.view
    except ToolError as error:
        return error
    except ConnectionLostError as error:
        again = (
            f"Check that it runs at {address_of(client.config)}, and call the tool again."
            if client.config.endpoint
            else "Call the tool again: a new browser will be started."
        )
        return BrowserUnavailableError(f"The browser ended ({error.reason}).", again)
    except (UnknownCommandError, UnsupportedOperationError) as error:
        what = f"This browser does not know what {tool.tool_name()} needs: {error.first_line}."
        return NotSupportedError(what, "Use a newer version (bidi-server install), or another browser.")
    except NoReplyError as error:
        return DeadlineError(error.message, "Call the tool again, or close the page first.")
    except BidiError as error:
        return ToolError(f"The browser refused: {error}")
    except Exception:
        logger.exception("%s failed", tool.tool_name())
        return InternalError(f"{tool.tool_name()} failed by a mistake of bidi-server; its log says more.")
    return reply
