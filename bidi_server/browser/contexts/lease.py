"""The record of a session that replicas of the server share, stored in the session's browser.

It is a cookie of a reserved host (https://www.rfc-editor.org/rfc/rfc6761#section-6.4) in the session's first user
context. No page receives it, it ends with the session, and every browser supports it.
"""

import base64
import time
from contextlib import suppress

from pydantic import BaseModel, ConfigDict, ValidationError

from bidi_server.bidi.browser import GetUserContexts
from bidi_server.bidi.connection import Connection
from bidi_server.bidi.errors import NoSuchUserContextError
from bidi_server.bidi.network import StringValue
from bidi_server.bidi.storage import (
    CookieFilter,
    GetCookies,
    PartialCookie,
    SetCookie,
    StorageKeyPartitionDescriptor,
)

HOST = "bidi-server.invalid"
"""Host of the cookie."""

NAME = "session"

LONGEST_MESSAGE = 300
"""Maximum length of an open dialog's message, in characters: a cookie holds at most 4096 bytes."""


class Record(BaseModel):
    """State of a session that a server cannot query from the browser."""

    model_config = ConfigDict(frozen=True)

    by: str
    """The server that answered last."""
    until: float
    """Time at which the idle session expires, in seconds since the epoch."""
    contexts: dict[str, str]
    """User contexts by the agent's names for them."""
    active: str
    """Name of the active context."""
    tab: str | None = None
    """Browsing context of the active tab."""
    dialog: tuple[str, str, str, str] | None = None
    """The open dialog of that tab: kind, message, frame, default."""

    @property
    def lapsed(self) -> bool:
        """Whether the session has expired."""
        return time.time() > self.until


async def read_record(connection: Connection, user_context: str) -> Record | None:
    """Return the record of the session that began with a user context.

    Raises `NoSuchUserContextError` if the user context is gone.
    """
    partition = StorageKeyPartitionDescriptor(user_context=user_context)
    found = await connection.send(GetCookies(filter=CookieFilter(name=NAME, domain=HOST), partition=partition))
    for cookie in found.cookies:
        try:
            return Record.model_validate_json(base64.urlsafe_b64decode(cookie.value.to_bytes()))
        except (ValueError, ValidationError):
            return None
    return None


async def write_record(connection: Connection, user_context: str, record: Record) -> None:
    """Store a record in a user context."""
    value = base64.urlsafe_b64encode(record.model_dump_json(exclude_none=True).encode()).decode()
    cookie = PartialCookie(name=NAME, value=StringValue(value=value), domain=HOST, path="/", http_only=True)
    partition = StorageKeyPartitionDescriptor(user_context=user_context)
    await connection.send(SetCookie(cookie=cookie, partition=partition))


async def records_of(connection: Connection) -> dict[str, Record]:
    """Return all records in a browser, by user context."""
    found: dict[str, Record] = {}
    for info in (await connection.send(GetUserContexts())).user_contexts:
        with suppress(NoSuchUserContextError):
            record = await read_record(connection, info.user_context)
            if record is not None:
                found[info.user_context] = record
    return found
