"""DevTools commands to a page of Chromium."""

from typing import Protocol

from bidi_server.bidi.cdp import GetSession, SendCommand
from bidi_server.bidi.connection import Connection


class Send(Protocol):
    """A function that sends a DevTools command to one page."""

    async def __call__(self, method: str, **params: object) -> dict[str, object]:
        """Send the command and return its result. Raises `BidiError`."""
        ...


async def commands_to(connection: Connection, context: str) -> Send:
    """Return the function that sends commands to the page of a browsing context. Raises `BidiError`."""
    session = (await connection.send(GetSession(context=context))).session

    async def send(method: str, **params: object) -> dict[str, object]:
        return (await connection.send(SendCommand(cdp_method=method, params=params, session=session))).result

    return send
