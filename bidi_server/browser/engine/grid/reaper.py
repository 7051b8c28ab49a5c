"""Ending the sessions that crashed servers have left behind on a Grid."""

import logging
import time
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi.connection import Connection
from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.browser.contexts.lease import records_of
from drivers import DriverError, LaunchOptions, Remote, resume
from drivers.grid import sessions_of
from drivers.remote import NAME_PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Set

    from drivers.options import WebDriverSession

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 10.0
"""Timeout for a browser to return its records, in seconds."""


async def reap_grid(url: str, idle_timeout: float, ours: "Callable[[], Set[WebDriverSession | None]]") -> None:
    """End the bidi-server sessions on a Grid that were idle for twice ``idle_timeout`` seconds.

    A live server would have ended them; the factor leaves room for long calls. ``ours`` returns the sessions of this
    server. Sessions whose browser or Grid does not answer are left to the Grid's own timeout.
    """
    options = LaunchOptions(remote=Remote(url, is_grid=True))
    try:
        running = await sessions_of(url)
    except DriverError as error:
        logger.info("no reaping: %s", error)
        return
    for each in running:
        if each.name.startswith(NAME_PREFIX) and each.age > 2 * idle_timeout and each.session not in ours():
            launched = resume(options, each.session)
            if await _is_abandoned(launched.web_socket_url, idle_timeout) and each.session not in ours():
                logger.warning("ending %s, which was left on the Grid", each.name)
                await launched.aclose()


async def _is_abandoned(web_socket_url: str, grace: float) -> bool:
    abandoned = False
    connection = Connection()
    try:
        with trio.move_on_after(ANSWER_SECONDS):
            async with trio.open_nursery() as nursery:
                await nursery.start(connection.run, web_socket_url)
                records = await records_of(connection)
                abandoned = all(record.until + grace < time.time() for record in records.values())
                connection.close()
    except* (BidiError, ConnectionLostError) as errors:
        logger.info("no reaping: %s", errors.exceptions[0])
    return abandoned
