"""Console messages in Chromium, which says more in events of the DevTools protocol than over WebDriver BiDi."""

import math
from collections import deque

from bidi_server.bidi.cdp import ConsoleApiCalled
from bidi_server.bidi.log import EntryAdded
from bidi_server.bidi.script import StackFrame
from bidi_server.browser.bounded import keep
from bidi_server.browser.console.messages import LEVEL_OF, Console, Message, frames_of, stack_of
from bidi_server.browser.engine.chromium.cdp_values import from_preview
from bidi_server.browser.engine.chromium.console_sources import MOST_SESSIONS
from drivers.json_values import fields, objects

_LEVEL_OF = {**LEVEL_OF, "assert": "error", "warning": "warning", "trace": "debug"}
"""Levels of the types of Chromium's own events, which are their names of console methods."""

_METHOD_OF = {
    "warning": "warn", "startGroup": "group", "startGroupCollapsed": "groupCollapsed", "endGroup": "groupEnd",
}  # fmt: skip
"""Console methods that have another name in Chromium's own events."""


class PrintedErrors:
    """The texts of printed errors, which Chromium reports in an event of its own, right after the message.

    It also sends this event for messages that its BiDi fails to report, such as those with more arguments than format
    specifiers:
    https://github.com/GoogleChromeLabs/chromium-bidi/blob/main/src/bidiMapper/modules/log/logHelper.ts
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[object, Message, Console]] = deque(maxlen=100)
        self._newest: dict[str | None, float] = {}

    def await_texts(self, event: EntryAdded, message: Message, console: Console) -> None:
        """Remember a message that was just recorded, for Chromium's own event about it."""
        key = _key(event.timestamp, len(event.args), frames_of(event))
        self._waiting.append((key, message, console))

    def tell(self, event: ConsoleApiCalled) -> bool:
        """Take the texts of errors from Chromium's own event. Return whether its message was reported before."""
        # Chromium sends all of these events again when a stalled popup is made to respond.
        newest = self._newest.get(event.session, 0)
        is_new = event.timestamp > newest
        keep(self._newest, event.session, max(event.timestamp, newest), MOST_SESSIONS)
        key = _key(event.timestamp, len(event.args), event.call_frames)
        for index, (waiting_key, message, console) in enumerate(self._waiting):
            if waiting_key == key:
                message.errors, message.is_unclear = _errors(event) or message.errors, False
                message.shorten()
                del self._waiting[index]
                if not is_new:
                    console.messages.take_back(message)
                return True
        return not is_new


def message_of(event: ConsoleApiCalled, origin: str) -> Message:
    """Return the message of an event, printed by a kind of realm."""
    frames = event.call_frames
    return Message(
        level=_LEVEL_OF.get(event.type, "info"),
        method=_METHOD_OF.get(event.type, event.type),
        time=event.timestamp / 1000,
        url=frames[0].url if frames else "",
        line=frames[0].line_number + 1 if frames else 0,
        stack=stack_of(frames),
        origin=origin,
        args=[from_preview(arg) for arg in event.args],
        errors=_errors(event),
        said=str(event.args[0].get("value", "")) if event.args else "",
    )


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
    properties = objects(fields(arg.get("preview")).get("properties"))
    return [str(each.get("value") or "Error") for each in properties if each.get("subtype") == "error"]
