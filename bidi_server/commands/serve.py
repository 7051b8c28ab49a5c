"""The server as MCP clients start it."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from bidi_server.browser.sessions.registry import open_sessions
from bidi_server.fence import fence_of
from bidi_server.sdk import defer, imported

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bidi_server.browser.sessions.registry import Sessions
    from bidi_server.config import Config

    Front = Callable[[Config, Sessions], Awaitable[int]]


def server_of(config: Config) -> Callable[[], Awaitable[int]]:
    """Return a function that serves clients until it is cancelled or stdin is closed, and returns the exit code."""
    return partial(serve, config, None if config.prelaunch else _front(config))


async def serve(config: Config, front: Front | None) -> int:
    """Serve clients with ``front``, the function of a transport. If None, import it while the browser starts."""
    if config.audit_log is not None:
        from bidi_server.audit import AuditLog

        try:
            AuditLog(config.audit_log).check()
        except OSError as error:
            print(
                f"bidi-server: --audit-log {config.audit_log}: it can't be written: {error.strerror}.", file=sys.stderr
            )
            return 1
    async with open_sessions(config, fence_of()) as sessions:
        if front is None:
            front = await imported(partial(_front, config))
        return await front(config, sessions)


def _front(config: Config) -> Front:
    if config.transport == "http":
        from bidi_server.http import serve_http

        return serve_http
    defer()
    from bidi_server.stdio.serve import serve_stdio

    return serve_stdio
