"""A TCP server that ends at once, whatever its clients do."""

from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable


@asynccontextmanager
async def open_tcp(handle: "Callable[[trio.SocketStream], Awaitable[None]]") -> "AsyncGenerator[int, None]":
    """Serve every connection to 127.0.0.1 with `handle` and yield the port.

    At the end all connections are closed under their handlers, so no client can hold it up.
    """
    streams: set[trio.SocketStream] = set()

    async def connection(stream: trio.SocketStream) -> None:
        streams.add(stream)
        try:
            await handle(stream)
        except* (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the client left, or we did
        finally:
            streams.discard(stream)
            stream.socket.close()

    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port: int = listener.socket.getsockname()[1]
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(trio.serve_listeners, connection, [listener]))
            try:
                yield port
            finally:
                nursery.cancel_scope.cancel()
                for stream in streams:
                    stream.socket.close()
    except BaseExceptionGroup as group:
        # What a test raises in its `async with` block has to come out as it went in.
        if len(group.exceptions) == 1:
            raise group.exceptions[0] from None
        raise
