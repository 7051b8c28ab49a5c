"""The server, as MCP clients start it."""

from __future__ import annotations

import gc
from functools import partial
from typing import TYPE_CHECKING

import trio

from bidi_server.browser.sessions import open_sessions

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bidi_server.browser.sessions import Sessions
    from bidi_server.config import Config

    Front = Callable[[Config, Sessions], Awaitable[int]]


def server_of(config: Config) -> Callable[[], Awaitable[int]]:
    """Return what serves clients until it is cancelled, or stdin is closed, and returns the exit code."""
    return partial(serve, config, None if config.prelaunch else _front(config))


async def serve(config: Config, front: Front | None) -> int:
    """Serve through the front for a transport; without one it is imported while the browser starts."""
    async with open_sessions(config) as sessions:
        if front is None:
            sessions.browsers.prelaunch(config)
            gc.disable()  # as for all imports, see __main__
            front = await trio.to_thread.run_sync(_front, config)
            gc.freeze()
            gc.enable()
        return await front(config, sessions)


def _front(config: Config) -> Front:
    if config.transport == "http":
        from bidi_server.http import serve_http

        return serve_http
    from bidi_server.stdio import serve_stdio

    return serve_stdio
