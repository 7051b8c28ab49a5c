"""The console of a tab, recorded as the messages come."""

import re
from collections import deque
from dataclasses import dataclass, field
from typing import cast

from bidi_server.bidi.cdp import ConsoleApiCalled
from bidi_server.bidi.log import EntryAdded
from bidi_server.bidi.script import RemoteValue, StackFrame, StackTrace

from .inspect import Raw, message_text
from .ring import Ring

LIMIT = 1000
"""Messages kept for each tab (seed 000)."""

LEVELS = ("error", "warning", "info", "debug")
"""From the gravest to the least; asking for a level includes the graver ones."""

PAGE = "page"
"""Where most messages come from; the others come from workers."""

_LEVEL_OF = {"error": "error", "warn": "warning", "info": "info", "debug": "debug"}

# What these say is made by the browser: their arguments are only the label.
_OWN_WORDS = frozenset({"count", "countReset", "time", "timeEnd", "timeLog"})

_STACK_LINES = re.compile(r"\n\s+at [^\n]*")


@dataclass(slots=True)
class Message:
    """One line of the console, or an uncaught error. ``time`` is in seconds since the epoch."""

    level: str
    method: str
    time: float
    url: str = ""
    line: int = 0
    stack: str = ""
    origin: str = PAGE
    """What printed it: "page", "service-worker" and so on."""
    args: list[RemoteValue] = field(default_factory=list[RemoteValue])
    errors: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    """By argument, what its errors say."""
    said: str = ""
    """The browser's own text."""

    @property
    def text(self) -> str:
        """What it says, long arrays and objects in a short form."""
        return self._text(short=True)

    @property
    def headline(self) -> str:
        """What it says, without the stacks of errors."""
        return _STACK_LINES.sub("", self.text)

    @property
    def full_text(self) -> str:
        """What it says, in full."""
        return self._text(short=False)

    def _text(self, *, short: bool) -> str:
        if not self.args or self.method in _OWN_WORDS:
            return self.said
        text = message_text(self.args, self.errors, short=short)
        return f"Assertion failed: {text}" if self.method == "assert" else text


class Console:
    """The newest messages of a tab, in full."""

    def __init__(self, printed: "PrintedErrors") -> None:
        self.messages: Ring[Message] = Ring(LIMIT)
        self._printed = printed

    def record(self, event: EntryAdded, origin: str = PAGE) -> None:
        """Take a message from the browser."""
        if event.console_method == "groupEnd":
            return
        frames = event.stack_trace.call_frames if event.stack_trace else []
        first = frames[0] if frames else None
        message = Message(
            level=_LEVEL_OF.get(event.level, "info"),
            method=event.console_method or ("uncaught" if event.type == "javascript" else "log"),
            time=event.timestamp / 1000,
            url=first.url if first else "",
            line=first.line_number + 1 if first else 0,
            stack=_stack(event.stack_trace),
            origin=origin,
            args=event.args,
            said=event.text or "",
        )
        self.messages.append(message)
        if any(_has_error(arg) for arg in event.args):
            self._printed.complete(message, _key(event.timestamp, len(event.args), frames))

    def at_level(self, level: str, since: int = 0) -> list[Message]:
        """Return the messages of a level and of the graver ones after a mark of `messages`, oldest first."""
        wanted = LEVELS[: LEVELS.index(level) + 1]
        return [message for message in self.messages.since(since) if message.level in wanted]


class PrintedErrors:
    """What errors that were printed say. The protocol tells only that they are errors.

    Chromium tells it in an event of its own, before or after the message; Firefox puts it into the message's text.
    """

    def __init__(self) -> None:
        self._told: deque[tuple[object, dict[int, list[str]]]] = deque(maxlen=100)
        self._waiting: deque[tuple[object, Message]] = deque(maxlen=100)

    def complete(self, message: Message, key: object) -> None:
        """Add to a message what its errors say, now or when that is told."""
        message.errors = _of_text(message)
        for index, (told_key, errors) in enumerate(self._told):
            if told_key == key:
                message.errors = errors
                del self._told[index]
                return
        self._waiting.append((key, message))

    def tell(self, event: ConsoleApiCalled) -> None:
        """Take Chromium's own event."""
        errors = {index: found for index, arg in enumerate(event.args) if (found := _descriptions(arg))}
        if not errors:
            return
        key = _key(event.timestamp, len(event.args), event.call_frames)
        for index, (waiting_key, message) in enumerate(self._waiting):
            if waiting_key == key:
                message.errors = errors
                del self._waiting[index]
                return
        self._told.append((key, errors))


def _key(timestamp: float, arguments: int, frames: list[StackFrame]) -> object:
    """Return what two events about one message have in common: its time, its form and the place that printed it."""
    place = (frames[0].url, frames[0].line_number, frames[0].column_number) if frames else None
    return round(timestamp), arguments, place


def _has_error(arg: RemoteValue) -> bool:
    if arg.type == "object" and arg.value:
        return any(value.get("type") == "error" for _, value in cast("list[tuple[object, Raw]]", arg.value))
    if arg.type == "array" and arg.value:
        return any(value.get("type") == "error" for value in cast("list[Raw]", arg.value))
    return arg.type == "error"


def _descriptions(arg: dict[str, object]) -> list[str]:
    """Return what an argument says that is an error, or the errors that are its properties.

    https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#type-RemoteObject
    """
    if arg.get("subtype") == "error":
        return [str(arg.get("description") or "Error")]
    preview = cast("dict[str, object]", arg.get("preview") or {})
    properties = cast("list[dict[str, object]]", preview.get("properties") or [])
    return [str(each.get("value") or "Error") for each in properties if each.get("subtype") == "error"]


def _of_text(message: Message) -> dict[int, list[str]]:
    """Return what Firefox's text says of the arguments that are errors."""
    found = re.fullmatch(" ".join(map(_pattern, message.args)), message.said, re.DOTALL)
    if found is None:
        return {}
    errors = [index for index, arg in enumerate(message.args) if arg.type == "error"]
    return {index: [text] for index, text in zip(errors, found.groups(), strict=True) if text != "error"}


def _pattern(arg: RemoteValue) -> str:
    match arg.type:
        case "string":
            return re.escape(cast("str", arg.value))
        case "error":
            return "(.*?)"
        case "object" | "array" | "map" | "set":
            return r"\w+\(\d+\)"
        case _:
            return ".*?"


def _stack(trace: StackTrace | None) -> str:
    if trace is None:
        return ""
    return "\n".join(
        f"at {frame.function_name or '(anonymous)'} ({frame.url}:{frame.line_number + 1}:{frame.column_number + 1})"
        for frame in trace.call_frames
    )
