"""The log module. https://w3c.github.io/webdriver-bidi/#module-log"""

from pydantic import Field

from .script import RemoteValue, Source, StackTrace
from .wire import Event


class EntryAdded(Event, method="log.entryAdded"):
    """A line of the console (``type`` "console", with ``console_method`` and ``args``) or a lost error ("javascript").

    ``level`` is "debug", "info", "warn" or "error"; ``timestamp`` is in milliseconds since the epoch.

    https://w3c.github.io/webdriver-bidi/#type-log-LogEntry
    """

    type: str
    level: str
    source: Source
    text: str | None
    timestamp: float
    stack_trace: StackTrace | None = None
    # On the wire it is "method", which is our name for the event's own.
    console_method: str | None = Field(default=None, validation_alias="method")
    args: list[RemoteValue] = Field(default_factory=list[RemoteValue])
