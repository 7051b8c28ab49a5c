"""Opening the transport to a browser whose driver only speaks classic WebDriver."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import trio

from bidi_server.classic.commands import HANDLERS
from bidi_server.classic.transport import ClassicTransport

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from bidi_server.bidi.connection import Connection
    from drivers.classic import ClassicDrivers, ClassicSession


@asynccontextmanager
async def open_classic(drivers: ClassicDrivers, first: ClassicSession) -> AsyncGenerator[ClassicTransport]:
    """Open the transport to a browser whose first session a driver has started."""
    async with trio.open_nursery() as nursery:
        transport = ClassicTransport(drivers, first, nursery, HANDLERS)
        nursery.start_soon(transport.watch)
        try:
            yield transport
        finally:
            transport.lose("the connection was closed")
            for session in transport.sessions.values():
                await session.aclose()
            nursery.cancel_scope.cancel()


async def serve_classic(
    connection: Connection,
    drivers: ClassicDrivers,
    first: ClassicSession,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve a connection to a driver that only speaks classic WebDriver, as `Connection.run` serves others."""
    async with open_classic(drivers, first) as transport:
        await connection.serve(transport, task_status=task_status)
