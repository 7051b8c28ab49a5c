"""The console messages of a tab, recorded from events."""

import math
import re
from collections import deque
from dataclasses import dataclass, field, replace
from typing import cast

from bidi_server.bidi.cdp import ConsoleApiCalled
from bidi_server.bidi.log import EntryAdded
from bidi_server.bidi.script import RemoteValue, StackFrame
from bidi_server.bidi.values import from_remote
from bidi_server.browser.bounded import keep
from bidi_server.browser.console.cdp_values import from_preview
from bidi_server.browser.console.format import message_text
from bidi_server.browser.journal import Journal, Log

LIMIT = 1000
"""Maximum number of messages kept for each tab (seed 000)."""

MOST_CHARACTERS = 10_000_000
"""Maximum size of the messages of each tab, in characters: the maximum size of a script's result.

1,000 messages of the usual 100 characters are far below; 1,000 messages of 200 kB took 380 MB of memory.
"""

MOST_OF_ONE = 1_000_000
"""Maximum size of a message that is kept in full, in characters."""

START = 10_000
"""Number of characters kept of a larger message."""

MOST_SESSIONS = 1000
"""Maximum number of DevTools sessions to remember, those that printed last: pages can create workers without limit."""

LEVELS = ("error", "warning", "info", "debug")
"""Levels from most to least severe; a requested level includes the more severe ones."""

PAGE = "page"
"""Origin of messages that pages print; the others come from workers."""

_LEVEL_OF = {
    "error": "error", "warn": "warning", "info": "info", "debug": "debug",
    # Chromium's own events have no level; these are their names of console methods.
    "assert": "error", "warning": "warning", "trace": "debug",
}  # fmt: skip

_METHOD_OF = {
    "warning": "warn", "startGroup": "group", "startGroupCollapsed": "groupCollapsed", "endGroup": "groupEnd",
}  # fmt: skip
"""Console methods that have another name in Chromium's own events."""

# The browser composes the text of these methods; their arguments are only the label.
_OWN_WORDS = frozenset({"count", "countReset", "time", "timeEnd", "timeLog"})

_STACK_LINES = re.compile(r"\n[ \t]+at [^\n]*")


@dataclass(slots=True)
class Message:
    """One line of the console, or an uncaught error. ``time`` is in seconds since the epoch."""

    level: str
    method: str
    time: float
    url: str = ""
    line: int = 0
    stack: list[str] = field(default_factory=list[str])
    """The calls that led to the console method, innermost first."""
    origin: str = PAGE
    """The kind of realm that printed it: "page", "service-worker" and so on."""
    args: list[RemoteValue] = field(default_factory=list[RemoteValue])
    errors: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    """Texts of errors, by the index of the argument."""
    said: str = ""
    """Text that the browser composed."""
    is_unclear: bool = False
    """Whether the texts of errors are only in `said`, where they cannot be assigned to arguments."""

    @property
    def text(self) -> str:
        """The text, with long arrays and objects in a short form."""
        return self._text(short=True)

    @property
    def full_text(self) -> str:
        """The full text."""
        return self._text(short=False)

    @property
    def frames(self) -> list[str]:
        """The call stack, innermost first: that of the printed error, or else of the console method.

        Browsers report the stack of the console method for errors, failed assertions, traces and warnings
        (https://www.w3.org/TR/webdriver-bidi/#event-log-entryAdded).
        """
        errors = "\n".join(text for said in self.errors.values() for text in said)
        return [frame.strip() for frame in _STACK_LINES.findall(errors)] or self.stack

    def headline(self, *, full: bool = False) -> str:
        """Return the text without the stacks of errors."""
        errors = {index: [_STACK_LINES.sub("", text) for text in said] for index, said in self.errors.items()}
        bare = replace(self, errors=errors)
        text = bare.full_text if full else bare.text
        return text if self.args else _STACK_LINES.sub("", text)

    def _text(self, *, short: bool) -> str:
        if not self.args or self.method in _OWN_WORDS:
            return self.said
        text = self.said if self.is_unclear else message_text(self.args, self.errors, short=short)
        return f"Assertion failed: {text}" if self.method == "assert" else text


class Console:
    """The newest messages of a tab."""

    def __init__(self, printed: "PrintedErrors", journal: Journal) -> None:
        self.messages: Log[Message] = journal.log(Message, LIMIT, _weight, MOST_CHARACTERS)
        self._printed = printed

    def record(self, event: EntryAdded | ConsoleApiCalled, origin: str = PAGE) -> None:
        """Record a message from the browser."""
        message = _message(event) if isinstance(event, EntryAdded) else _own_message(event)
        message.origin = origin
        if isinstance(event, EntryAdded) and event.type == "console":
            key = _key(event.timestamp, len(event.args), _frames(event))
            self._printed.complete(message, key, self.messages)
        _shorten(message)
        if message.method != "groupEnd":
            self.messages.append(message)

    def at_level(self, level: str, since: int = 0) -> list[Message]:
        """Return the messages of at least this severity after a cursor of the journal, oldest first."""
        wanted = LEVELS[: LEVELS.index(level) + 1]
        return [message for message in self.messages.since(since) if message.level in wanted]


class PrintedErrors:
    """The texts of printed errors, which the protocol does not report.

    Firefox puts them into the text of the message. Chromium reports them in an event of its own, right after the
    message. It also sends this event for messages that its BiDi fails to report, such as those with more arguments than
    format specifiers:
    https://github.com/GoogleChromeLabs/chromium-bidi/blob/main/src/bidiMapper/modules/log/logHelper.ts
    """

    def __init__(self) -> None:
        self.are_followed = True
        """Whether the browser sends an event of its own after each message, as Chromium does."""
        self._waiting: deque[tuple[object, Message, Log[Message]]] = deque(maxlen=100)
        self._newest: dict[str | None, float] = {}

    def complete(self, message: Message, key: object, messages: Log[Message]) -> None:
        """Add the texts of errors to the newest message, now or when Chromium's own event arrives."""
        errors = _of_text(message) if any(arg.type == "error" for arg in message.args) else {}
        message.errors, message.is_unclear = errors or {}, errors is None
        if self.are_followed:
            self._waiting.append((key, message, messages))

    def tell(self, event: ConsoleApiCalled) -> bool:
        """Take the texts of errors from Chromium's own event. Return whether its message was reported before."""
        # Chromium sends all of these events again when a stalled popup is made to respond.
        newest = self._newest.get(event.session, 0)
        is_new = event.timestamp > newest
        keep(self._newest, event.session, max(event.timestamp, newest), MOST_SESSIONS)
        key = _key(event.timestamp, len(event.args), event.call_frames)
        for index, (waiting_key, message, messages) in enumerate(self._waiting):
            if waiting_key == key:
                message.errors, message.is_unclear = _errors(event) or message.errors, False
                _shorten(message)
                del self._waiting[index]
                if not is_new:
                    messages.take_back(message)
                return True
        return not is_new


def _weight(value: object) -> int:
    """Return the approximate number of characters of a message or a part of it. Each object counts as 50."""
    match value:
        case str():
            return len(value)
        case Message():
            return sum(map(_weight, ([arg.value for arg in value.args], value.errors, value.said, value.stack)))
        case list():
            return 50 + sum(map(_weight, cast("list[object]", value)))
        case dict():
            entries = cast("dict[object, object]", value)
            return 50 + sum(map(_weight, entries)) + sum(map(_weight, entries.values()))
        case _:
            return 50


def _shorten(message: Message) -> None:
    """Replace a message of more than `MOST_OF_ONE` characters with its start."""
    if (weight := _weight(message)) > MOST_OF_ONE:
        message.said = f"{message.text[:START]}… (only the start is kept of about {weight:,} characters)"
        message.args, message.errors = [], {}


def _message(event: EntryAdded) -> Message:
    frames = _frames(event)
    return Message(
        level=_LEVEL_OF.get(event.level, "info"),
        method=event.console_method or ("uncaught" if event.type == "javascript" else "log"),
        time=event.timestamp / 1000,
        url=frames[0].url if frames else "",
        line=frames[0].line_number + 1 if frames else 0,
        stack=_stack(frames),
        args=event.args,
        said=event.text or "",
    )


def _own_message(event: ConsoleApiCalled) -> Message:
    frames = event.call_frames
    return Message(
        level=_LEVEL_OF.get(event.type, "info"),
        method=_METHOD_OF.get(event.type, event.type),
        time=event.timestamp / 1000,
        url=frames[0].url if frames else "",
        line=frames[0].line_number + 1 if frames else 0,
        stack=_stack(frames),
        args=[from_preview(arg) for arg in event.args],
        errors=_errors(event),
        said=str(event.args[0].get("value", "")) if event.args else "",
    )


def _frames(event: EntryAdded) -> list[StackFrame]:
    return event.stack_trace.call_frames if event.stack_trace else []


def _errors(event: ConsoleApiCalled) -> dict[int, list[str]]:
    return {index: found for index, arg in enumerate(event.args) if (found := _descriptions(arg))}


def _key(timestamp: float, arguments: int, frames: list[StackFrame]) -> object:
    """Return a key for the two events of one message: its time, its number of arguments and its place in the source."""
    place = (frames[0].url, frames[0].line_number, frames[0].column_number) if frames else None
    return math.floor(timestamp + 0.5), arguments, place


def _descriptions(arg: dict[str, object]) -> list[str]:
    """Return the text of an argument that is an error, or the texts of the errors among its properties.

    https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#type-RemoteObject
    """
    if arg.get("subtype") == "error":
        return [str(arg.get("description") or "Error")]
    preview = cast("dict[str, object]", arg.get("preview") or {})
    properties = cast("list[dict[str, object]]", preview.get("properties") or [])
    return [str(each.get("value") or "Error") for each in properties if each.get("subtype") == "error"]


def _of_text(message: Message) -> dict[int, list[str]] | None:
    """Return the text of the only error argument, extracted from Firefox's text; None if that is ambiguous."""
    words = [_word(arg) for arg in message.args]
    if words.count(None) != 1:
        return None
    index = words.index(None)
    before = "".join(f"{word} " for word in words[:index])
    after = "".join(f" {word}" for word in words[index + 1 :])
    said = message.said
    if len(said) < len(before) + len(after) or not said.startswith(before) or not said.endswith(after):
        return None
    text = said[len(before) : len(said) - len(after)]
    return {index: [text]} if text != "error" else {}


def _word(arg: RemoteValue) -> str | None:
    """Return an argument as it appears in Firefox's text; None if only the page knows.

    https://searchfox.org/mozilla-central/source/remote/webdriver-bidi/modules/windowglobal/log.sys.mjs
    """
    match arg.type:
        case "error" | "date":
            return None
        case "object" | "array" | "map" | "set" if arg.value is not None:
            return f"{arg.type.capitalize()}({len(cast('list[object]', arg.value))})"
        case "string" | "number" | "bigint":
            return str(arg.value)
        case "boolean":
            return str(arg.value).lower()
        case "regexp":
            return str(from_remote(arg))
        case _:
            return arg.type


def _stack(frames: list[StackFrame]) -> list[str]:
    return [
        f"at {frame.function_name or '(anonymous)'} ({frame.url}:{frame.line_number + 1}:{frame.column_number + 1})"
        for frame in frames
    ]
