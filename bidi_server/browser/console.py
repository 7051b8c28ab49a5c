"""The console of a tab, recorded as the messages come."""

from dataclasses import dataclass

from bidi_server.bidi.log import EntryAdded
from bidi_server.bidi.script import StackTrace

from .ring import Ring

LIMIT = 1000
"""Messages kept for each tab (seed 000)."""

LEVELS = ("error", "warning", "info", "debug")
"""From the gravest to the least; asking for a level includes the graver ones."""

_LEVEL_OF = {"error": "error", "warn": "warning", "info": "info", "debug": "debug"}


@dataclass(frozen=True, slots=True)
class Message:
    """One line of the console, or an uncaught error. ``time`` is in seconds since the epoch."""

    level: str
    method: str
    text: str
    time: float
    url: str = ""
    line: int = 0
    stack: str = ""


class Console:
    """The newest messages of a tab, in full."""

    def __init__(self) -> None:
        self.messages: Ring[Message] = Ring(LIMIT)

    def record(self, event: EntryAdded) -> None:
        """Take a message from the browser."""
        frames = event.stack_trace.call_frames if event.stack_trace else []
        first = frames[0] if frames else None
        self.messages.append(
            Message(
                level=_LEVEL_OF.get(event.level, "info"),
                method=event.console_method or ("uncaught" if event.type == "javascript" else "log"),
                text=event.text or "",
                time=event.timestamp / 1000,
                url=first.url if first else "",
                line=first.line_number + 1 if first else 0,
                stack=_stack(event.stack_trace),
            )
        )

    def at_level(self, level: str, since: int = 0) -> list[Message]:
        """Return the messages of a level and of the graver ones after a mark of `messages`, oldest first."""
        wanted = LEVELS[: LEVELS.index(level) + 1]
        return [message for message in self.messages.since(since) if message.level in wanted]


def _stack(trace: StackTrace | None) -> str:
    if trace is None:
        return ""
    return "\n".join(
        f"at {frame.function_name or '(anonymous)'} ({frame.url}:{frame.line_number + 1}:{frame.column_number + 1})"
        for frame in trace.call_frames
    )
