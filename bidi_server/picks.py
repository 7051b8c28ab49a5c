"""Prompts, resources and completions: the parts of MCP from which a person picks in a client."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mcp_types as types
import trio
from mcp.shared.exceptions import MCPError

from bidi_server.browser.disk import read
from bidi_server.browser.sessions.session import DEFAULT
from bidi_server.browser.words import clip
from bidi_server.escapes import one_line
from bidi_server.resources import MAX_FILE, contents, files_of, mime_type, name_of, uri_of
from bidi_server.tools.prompts import PROMPTS, URL, filled
from bidi_server.tools.resources import LIVE, TEMPLATES, of_session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bidi_server.browser.sessions.client import Client
    from bidi_server.browser.tab.tab import Tab

MAX_COMPLETIONS = 100
"""Maximum number of completions, from the protocol."""


def list_prompts() -> types.ListPromptsResult:
    """Return the prompts."""
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=name,
                title=prompt.title,
                description=prompt.description,
                arguments=[
                    types.PromptArgument(name=each, description=text, required=True)
                    for each, text in prompt.arguments.items()
                ],
            )
            for name, prompt in PROMPTS.items()
        ]
    )


def get_prompt(name: str, arguments: Mapping[str, str]) -> types.GetPromptResult:
    """Return a prompt with its arguments filled in. Raises MCPError if there is none, or an argument is missing."""
    prompt = PROMPTS.get(name)
    if prompt is None:
        raise MCPError(types.INVALID_PARAMS, f"There is no prompt {clip(name)}. There are: {', '.join(PROMPTS)}.")
    try:
        text = filled(prompt, arguments)
    except KeyError as missing:
        raise MCPError(types.INVALID_PARAMS, f"{name} needs the argument {missing.args[0]}.") from None
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=prompt.description, messages=[message])


def list_resources(client: Client) -> types.ListResourcesResult:
    """Return what can be read: the files of the client, the last first, and what tools say about the active tab."""
    files = [
        types.Resource(name=one_line(name), uri=uri_of(name), mime_type=mime_type(name)) for name in files_of(client)
    ]
    return types.ListResourcesResult(resources=[*_live(client), *files[::-1]])


def _live(client: Client) -> Iterator[types.Resource]:
    """Yield the resources that tools of the toolset browser read, of each session with a tab."""
    if "browser" not in client.config.toolset:
        return
    for name, session in client.sessions.items():
        if not any(context.tabs for context in session.contexts.values()):
            continue
        is_default = name == DEFAULT and not client.is_visitor
        for uri, each in LIVE.items():
            yield types.Resource(
                name=each.title if is_default else f"{each.title} of {one_line(name)}",
                uri=uri if is_default else of_session(uri, client.label(name)),
                description=each.description,
                mime_type="text/plain",
            )


def list_templates() -> types.ListResourceTemplatesResult:
    """Return the templates of resources."""
    return types.ListResourceTemplatesResult(
        resource_templates=[
            types.ResourceTemplate(
                name=each.name, uri_template=each.uri, description=each.description, mime_type="text/plain"
            )
            for each in TEMPLATES
        ]
    )


async def read_file(client: Client, uri: str) -> types.ReadResourceResult:
    """Return the content of a file. Raises MCPError if it is not one of the client's."""
    # Looked up by name among the client's own files, so no URI leads anywhere else.
    path = files_of(client).get(name_of(uri))
    if path is None:
        raise MCPError(types.INVALID_PARAMS, f"There is no resource {clip(uri)}. See resources/list.")
    try:
        data = await trio.to_thread.run_sync(read, path, MAX_FILE, abandon_on_cancel=True)
    except OSError as error:
        raise MCPError(types.INVALID_PARAMS, f"{path} can't be read as a resource: {error.strerror}.") from error
    return types.ReadResourceResult(contents=[contents(uri, data)])


def complete(client: Client, params: types.CompleteRequestParams) -> types.CompleteResult:
    """Return the completions of an argument: the URLs of open pages, or the refs that the agent has seen."""
    typed = params.argument.value
    if params.argument.name == URL:
        found = [one_line(tab.url) for tab in tabs_of(client)]
    elif params.argument.name == "ref":
        found = [ref for tab in tabs_of(client) for ref in _refs(tab, typed)]
    else:
        found = []
    fitting = [value for value in dict.fromkeys(found) if params.argument.name == "ref" or typed in value]
    return types.CompleteResult(
        completion=types.Completion(
            values=fitting[:MAX_COMPLETIONS], total=len(fitting), has_more=len(fitting) > MAX_COMPLETIONS
        )
    )


def tabs_of(client: Client) -> list[Tab]:
    """Return the open tabs of a client."""
    contexts = [context for session in client.sessions.values() for context in session.contexts.values()]
    return [tab for context in contexts for tab in context.tabs]


def _refs(tab: Tab, typed: str) -> list[str]:
    """Return the refs that begin with what was typed, and those of elements whose name or role contains it."""
    seen = tab.view.seen
    rows = seen.by_ref.items() if seen is not None else ()
    return [
        ref for ref, row in rows if ref.startswith(typed) or typed.casefold() in f"{row.role} {row.name}".casefold()
    ]
