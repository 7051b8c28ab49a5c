"""The server as MCP clients start it."""

from __future__ import annotations

import gc
import sys
from functools import partial
from typing import TYPE_CHECKING

import trio

from bidi_server.browser.sessions.registry import open_sessions
from bidi_server.sdk import defer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bidi_server.browser.sessions.registry import Sessions
    from bidi_server.config import Config

    Front = Callable[[Config, Sessions], Awaitable[int]]


PROMPT = 0.0005
"""Interval of thread switches during imports, in seconds: the browser's start takes many small steps meanwhile.

Python's default is 5 ms.
"""


def server_of(config: Config) -> Callable[[], Awaitable[int]]:
    """Return a function that serves clients until it is cancelled or stdin is closed, and returns the exit code."""
    return partial(serve, config, None if config.prelaunch else _front(config))


async def serve(config: Config, front: Front | None) -> int:
    """Serve clients with ``front``, the function of a transport. If None, import it while the browser starts."""
    async with open_sessions(config) as sessions:
        if front is None:
            front = await _imported(config)
        return await front(config, sessions)


async def _imported(config: Config) -> Front:
    gc.disable()  # as for all imports, see __main__
    usual = sys.getswitchinterval()
    sys.setswitchinterval(PROMPT)
    front = await trio.to_thread.run_sync(_front, config)
    sys.setswitchinterval(usual)
    gc.freeze()
    gc.enable()
    return front


def _front(config: Config) -> Front:
    if config.transport == "http":
        from bidi_server.http import serve_http

        return serve_http
    defer()
    from bidi_server.stdio import serve_stdio

    return serve_stdio
