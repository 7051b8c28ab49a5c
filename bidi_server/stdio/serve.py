"""Serving a client on standard input and output: it gets its first answer while the MCP SDK is imported."""

import logging
import sys
from collections.abc import Awaitable, Callable

import trio

from bidi_server.browser.sessions.registry import Sessions
from bidi_server.config import Config
from bidi_server.sdk import imported, unbuilt
from bidi_server.stdio.handshake import Beginning
from bidi_server.stdio.lines import Inbox, Writer, read_lines, taken

Serve = Callable[[Config, Sessions, Inbox, Writer, Beginning], Awaitable[None]]
"""The function that serves a client until there are no more lines: see `bidi_server.stdio.messages.serve`."""

logger = logging.getLogger(__name__)


def _load() -> Serve:
    with unbuilt():
        from bidi_server.stdio.messages import serve

    return serve


async def serve_stdio(config: Config, sessions: Sessions) -> int:
    """Serve the client on stdin and stdout until it closes stdin or the task is cancelled. Returns the exit code."""
    if not sys.stdin or not sys.stdout:
        print("bidi-server speaks MCP on stdin and stdout, and one of them is closed.", file=sys.stderr)
        return 1
    if sys.stdin.isatty():
        print("bidi-server speaks MCP on stdin and stdout. To try it by hand: bidi-server --help", file=sys.stderr)
    inbox = Inbox()
    try:
        with taken(sys.stdout.fileno()) as wire:
            writer = Writer(wire)
            beginning = Beginning(config, sessions, writer)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(writer.serve)
                nursery.start_soon(read_lines, sys.stdin.fileno(), inbox, beginning.see)
                try:
                    serve = await imported(_load)
                    beginning.is_over = True
                    await serve(config, sessions, inbox, writer, beginning)
                finally:
                    beginning.leave_browser()
    except* (BrokenPipeError, ConnectionResetError):
        logger.warning("the client does not read our answers any more")
    return 0
