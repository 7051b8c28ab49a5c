"""Tool calls without a client, for people who try a tool and for scripts."""

import json
import sys
import time
from collections.abc import Iterator, Sequence

from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ImageContent, TextContent

from bidi_server.commands import UsageError
from bidi_server.commands.terminal import ERR, seconds
from bidi_server.config import Config
from bidi_server.server import make_server
from drivers.json_values import is_object

Call = tuple[str, dict[str, object]]
"""A tool's name and its arguments."""


def parse_calls(words: Sequence[str]) -> list[Call]:
    """Parse any number of ``TOOL [JSON]``; ``-`` reads the JSON from stdin. Raises `UsageError`."""
    calls: list[Call] = []
    for word in words:
        if word == "-" or word.lstrip().startswith(("{", "[", '"')):
            if not calls or calls[-1][1]:
                raise UsageError(f"{word}: these arguments follow no tool. Write: TOOL JSON [TOOL JSON …]")
            name = calls.pop()[0]
            calls.append((name, _arguments(name, sys.stdin.read() if word == "-" else word)))
        else:
            calls.append((word, {}))
    return calls


def _arguments(name: str, text: str) -> dict[str, object]:
    try:
        arguments: object = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{name}: its arguments are not JSON: {error}") from None
    if not is_object(arguments):
        raise UsageError(f'{name}: its arguments must be an object, such as {{"url": "example.com"}}')
    return arguments


async def call(config: Config, calls: Sequence[Call]) -> int:
    """Run the calls one after the other in one session. Return the exit code: 1 if a call failed, else 0.

    Answers go to stdout, all other output to stderr.
    """
    failed = 0
    async with Client(make_server(config)) as client:
        for name, arguments in calls:
            given = json.dumps(arguments, ensure_ascii=False) if arguments else ""
            ERR.print(f"{name} {given}".rstrip(), style="bold")
            began = time.perf_counter()
            try:
                result = await client.call_tool(name, arguments)
            except MCPError as error:
                failed += 1
                ERR.print(error.error.message, style="red")
                continue
            took = seconds(time.perf_counter() - began)
            failed += bool(result.is_error)
            print("\n".join(answer_lines(result)), flush=True)
            ERR.print(f"failed, {took}" if result.is_error else took, style="red" if result.is_error else "dim")
    return 1 if failed else 0


def answer_lines(result: CallToolResult) -> Iterator[str]:
    """Yield the lines of an answer; a picture becomes one line with its type and size."""
    for part in result.content:
        match part:
            case TextContent():
                yield from part.text.splitlines()
            case ImageContent():
                yield f"({part.mime_type}, {len(part.data) * 3 // 4 / 1000:.0f} kB)"
            case _:
                yield f"({part.type})"
