"""The server with signs of life every 0.2 instead of 15 seconds: ``python -m tests.support.impatient``.

The SDK sends them in streams where nothing else passes. Nobody wants to wait for what takes three times as long.
"""

import runpy

import mcp.server._streamable_http_modern as modern
from sse_starlette import EventSourceResponse

INTERVAL = 0.2

if __name__ == "__main__":
    for place, name in ((EventSourceResponse, "DEFAULT_PING_INTERVAL"), (modern, "_SSE_PING_INTERVAL")):
        assert getattr(place, name) == 15
        setattr(place, name, INTERVAL)
    runpy.run_module("bidi_server", run_name="__main__")
