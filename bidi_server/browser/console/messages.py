"""The console of a tab, recorded as the messages come."""

import math
import re
from collections import deque
from dataclasses import dataclass, field, replace
from typing import cast

from bidi_server.bidi.cdp import ConsoleApiCalled
from bidi_server.bidi.log import EntryAdded
from bidi_server.bidi.script import RemoteValue, StackFrame
from bidi_server.bidi.values import from_remote
from bidi_server.browser.bounded import Ring, keep
from bidi_server.browser.console.cdp_values import from_preview
from bidi_server.browser.console.format import message_text

LIMIT = 1000
"""Messages kept for each tab (seed 000)."""

MOST_CHARACTERS = 10_000_000
"""Characters kept of the messages of each tab: as many as one answer of `browser_evaluate` may have.

A message of the usual 100 characters is far below; 1,000 messages of 200 kB took 380 MB of memory.
"""

MOST_OF_ONE = 1_000_000
"""Characters from which only the start of a message is kept."""

START = 10_000
"""Characters kept of such a message."""

MOST_SESSIONS = 1000
"""Of those DevTools sessions that print something is kept, the last that did: pages can make workers without end."""

LEVELS = ("error", "warning", "info", "debug")
"""From the gravest to the least; asking for a level includes the graver ones."""

PAGE = "page"
"""Where most messages come from; the others come from workers."""

_LEVEL_OF = {
    "error": "error", "warn": "warning", "info": "info", "debug": "debug",
    # Chromium's own events have none, but for the methods.
    "assert": "error", "warning": "warning", "trace": "debug",
}  # fmt: skip

_METHOD_OF = {
    "warning": "warn", "startGroup": "group", "startGroupCollapsed": "groupCollapsed", "endGroup": "groupEnd",
}  # fmt: skip
"""Where Chromium's own events call it otherwise."""

# What these say is made by the browser: their arguments are only the label.
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
    """What printed it: "page", "service-worker" and so on."""
    args: list[RemoteValue] = field(default_factory=list[RemoteValue])
    errors: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    """By argument, what its errors say."""
    said: str = ""
    """The browser's own text."""
    is_unclear: bool = False
    """Whether only that text says what its errors say, and not which is which."""

    @property
    def text(self) -> str:
        """What it says, long arrays and objects in a short form."""
        return self._text(short=True)

    @property
    def full_text(self) -> str:
        """What it says, in full."""
        return self._text(short=False)

    @property
    def frames(self) -> list[str]:
        """The calls that led here, innermost first: those of the error that was printed, or of the console method.

        Browsers report the latter for errors, failed assertions, traces and warnings
        (https://www.w3.org/TR/webdriver-bidi/#event-log-entryAdded).
        """
        errors = "\n".join(text for said in self.errors.values() for text in said)
        return [frame.strip() for frame in _STACK_LINES.findall(errors)] or self.stack

    def headline(self, *, full: bool = False) -> str:
        """Return what it says without the stacks of errors."""
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
    """The newest messages of a tab, in full."""

    def __init__(self, printed: "PrintedErrors") -> None:
        self.messages: Ring[Message] = Ring(LIMIT, _weight, MOST_CHARACTERS)
        self._printed = printed

    def record(self, event: EntryAdded | ConsoleApiCalled, origin: str = PAGE) -> None:
        """Take a message from the browser."""
        message = _message(event) if isinstance(event, EntryAdded) else _own_message(event)
        message.origin = origin
        if isinstance(event, EntryAdded) and event.type == "console":
            key = _key(event.timestamp, len(event.args), _frames(event))
            self._printed.complete(message, key, self.messages)
        _shorten(message)
        if message.method != "groupEnd":
            self.messages.append(message)

    def at_level(self, level: str, since: int = 0) -> list[Message]:
        """Return the messages of a level and of the graver ones after a mark of `messages`, oldest first."""
        wanted = LEVELS[: LEVELS.index(level) + 1]
        return [message for message in self.messages.since(since) if message.level in wanted]


class PrintedErrors:
    """What errors that were printed say. The protocol tells only that they are errors.

    Firefox puts it into the message's text. Chromium tells it in an event of its own, right behind the message, and
    there also of messages that its BiDi fails to tell of, as those with more arguments than their format takes:
    https://github.com/GoogleChromeLabs/chromium-bidi/blob/main/src/bidiMapper/modules/log/logHelper.ts
    """

    def __init__(self) -> None:
        self.are_followed = True
        """Whether the browser sends an event of its own behind each message, as Chromium does."""
        self._waiting: deque[tuple[object, Message, Ring[Message]]] = deque(maxlen=100)
        self._newest: dict[str | None, float] = {}

    def complete(self, message: Message, key: object, messages: Ring[Message]) -> None:
        """Add to the newest of the messages what its errors say, now or when that is told."""
        errors = _of_text(message) if any(arg.type == "error" for arg in message.args) else {}
        message.errors, message.is_unclear = errors or {}, errors is None
        if self.are_followed:
            self._waiting.append((key, message, messages))

    def tell(self, event: ConsoleApiCalled) -> bool:
        """Take Chromium's own event. Return whether its message has been told of before."""
        # All of them come once more when a popup is made to answer.
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
    """Return about how many characters a message has, or a part of it. Each object counts as 50."""
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
    """Return what two events about one message have in common: its time, its form and the place that printed it."""
    place = (frames[0].url, frames[0].line_number, frames[0].column_number) if frames else None
    return math.floor(timestamp + 0.5), arguments, place


def _descriptions(arg: dict[str, object]) -> list[str]:
    """Return what an argument says that is an error, or the errors that are its properties.

    https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#type-RemoteObject
    """
    if arg.get("subtype") == "error":
        return [str(arg.get("description") or "Error")]
    preview = cast("dict[str, object]", arg.get("preview") or {})
    properties = cast("list[dict[str, object]]", preview.get("properties") or [])
    return [str(each.get("value") or "Error") for each in properties if each.get("subtype") == "error"]


def _of_text(message: Message) -> dict[int, list[str]] | None:
    """Return what Firefox's text says of the argument that is an error; None where that is not clear."""
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
    """Return what an argument is in Firefox's text; None if only the page knows.

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
