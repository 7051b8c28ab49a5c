"""The console messages of a tab, recorded from events."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from bidi_server.bidi.log import EntryAdded
from bidi_server.bidi.script import RemoteValue, StackFrame
from bidi_server.bidi.values import from_remote
from bidi_server.browser.console.format import message_text
from bidi_server.browser.journal import Journal, Log
from drivers.json_values import is_array, is_object, items

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

MOST_ISSUES = 50
"""Maximum number of issues kept for each tab."""

LEVELS = ("error", "warning", "info", "debug")
"""Levels from most to least severe; a requested level includes the more severe ones."""

PAGE = "page"
"""Origin of messages that pages print; the others come from workers."""

LEVEL_OF = {
    "error": "error",
    "warn": "warning",
    "info": "info",
    "debug": "debug",
}

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

    def is_at(self, level: str) -> bool:
        """Whether it is at least as severe as a level."""
        return LEVELS.index(self.level) <= LEVELS.index(level)

    @property
    def is_browsers_own(self) -> bool:
        """Whether the browser wrote it, not a script of the page."""
        return self.method == "browser"

    @property
    def always_shows_stack(self) -> bool:
        """Whether it is shown with its stack even if that is a single frame."""
        return self.method in {"uncaught", "trace"}

    @property
    def shows_stack(self) -> bool:
        """Whether it is shown with its stack: errors and traces are."""
        return self.always_shows_stack or self.level == "error"

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

    def shorten(self) -> None:
        """Replace a message of more than `MOST_OF_ONE` characters with its start."""
        if (weight := _weight(self)) > MOST_OF_ONE:
            self.said = f"{self.text[:START]}… (only the start is kept of about {weight:,} characters)"
            self.args, self.errors = [], {}

    def _text(self, *, short: bool) -> str:
        if not self.args or self.method in _OWN_WORDS:
            return self.said
        text = self.said if self.is_unclear else message_text(self.args, self.errors, short=short)
        return f"Assertion failed: {text}" if self.method == "assert" else text


@dataclass(frozen=True, slots=True)
class Issue:
    """A problem that the browser finds in a page, as a message. No action is said to have caused it."""

    message: Message


class Console:
    """The newest messages of a tab."""

    def __init__(self, journal: Journal) -> None:
        self.messages: Log[Message] = journal.log(Message, LIMIT, _weight, MOST_CHARACTERS)
        self.issues: Log[Issue] = journal.log(Issue, MOST_ISSUES)
        self.last_read = 0
        """Cursor of the journal at the agent's last reading of the messages."""

    def record(self, event: EntryAdded, origin: str = PAGE) -> Message:
        """Record a message from the browser, and return it."""
        message = _message(event)
        message.origin = origin
        if event.type == "console" and any(arg.type == "error" for arg in message.args):
            # The protocol does not report the texts of printed errors. Firefox puts them into that of the message.
            errors = _of_text(message)
            message.errors, message.is_unclear = errors or {}, errors is None
        self.add(message)
        return message

    def add(self, message: Message) -> None:
        """Add a message."""
        message.shorten()
        if message.method != "groupEnd":
            self.messages.append(message)

    def add_issue(self, message: Message, since: int) -> None:
        """Add an issue, unless it is known since a cursor of the journal."""
        if all(known.message.said != message.said for known in self.issues.since(since)):
            self.issues.append(Issue(message))

    def at_level(self, level: str, since: int = 0) -> list[Message]:
        """Return the messages and issues of at least this severity after a cursor of the journal, oldest first."""
        found = self.messages.placed_since(since)
        found += [(place, issue.message) for place, issue in self.issues.placed_since(since)]
        return [message for _, message in sorted(found, key=itemgetter(0)) if message.is_at(level)]

    def clear(self) -> None:
        """Remove all messages and issues."""
        self.messages.clear()
        self.issues.clear()


def _weight(value: object) -> int:
    """Return the approximate number of characters of a message or a part of it. Each object counts as 50."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Message):
        return sum(map(_weight, ([arg.value for arg in value.args], value.errors, value.said, value.stack)))
    if is_array(value):
        return 50 + sum(map(_weight, value))
    if is_object(value):
        return 50 + sum(map(_weight, value)) + sum(map(_weight, value.values()))
    return 50


_THROWN = re.compile(r"Uncaught\b|uncaught exception: |[\w$.]+(?::|$)")
"""The beginnings of texts of uncaught errors: a class's name, or words of the browser before what was thrown."""


def _method(event: EntryAdded, frames: Sequence[StackFrame]) -> str:
    """Return "uncaught" for an error of a script, and "browser" for a message of the browser's own.

    Firefox (140 to 153) reports its own messages, such as "Cross-Origin Request Blocked: …", as uncaught errors. They
    have no position; among the errors of scripts only rejected promises and syntax errors have none.
    """
    if event.type != "javascript":
        return "log"
    return "uncaught" if frames or _THROWN.match(event.text or "") else "browser"


def _message(event: EntryAdded) -> Message:
    frames = frames_of(event)
    return Message(
        level=LEVEL_OF.get(event.level, "info"),
        method=event.console_method or _method(event, frames),
        time=event.timestamp / 1000,
        url=frames[0].url if frames else "",
        line=frames[0].line_number + 1 if frames else 0,
        stack=stack_of(frames),
        args=event.args,
        said=event.text or "",
    )


def frames_of(event: EntryAdded) -> list[StackFrame]:
    """Return the calls that led to a message, innermost first."""
    return event.stack_trace.call_frames if event.stack_trace else []


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
            return f"{arg.type.capitalize()}({len(items(arg.value))})"
        case "string" | "number" | "bigint":
            return str(arg.value)
        case "boolean":
            return str(arg.value).lower()
        case "regexp":
            return str(from_remote(arg))
        case _:
            return arg.type


def stack_of(frames: list[StackFrame]) -> list[str]:
    """Return the lines of a call stack."""
    return [
        f"at {frame.function_name or '(anonymous)'} ({frame.url}:{frame.line_number + 1}:{frame.column_number + 1})"
        for frame in frames
    ]
