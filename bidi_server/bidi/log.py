"""The log module. https://w3c.github.io/webdriver-bidi/#module-log"""

from pydantic import Field

from .script import RemoteValue, Source, StackTrace
from .wire import Event


class EntryAdded(Event, method="log.entryAdded"):
    """A console message (``type`` "console", with ``console_method`` and ``args``) or an uncaught error ("javascript").

    ``level`` is "debug", "info", "warn" or "error"; ``timestamp`` is in milliseconds since the epoch.

    https://w3c.github.io/webdriver-bidi/#type-log-LogEntry
    """

    type: str
    level: str
    source: Source
    text: str | None
    timestamp: float
    stack_trace: StackTrace | None = None
    # "method" on the wire, which is also the class argument of events.
    console_method: str | None = Field(default=None, validation_alias="method")
    args: list[RemoteValue] = Field(default_factory=list[RemoteValue])
