"""The protocol without I/O: number commands, match replies, parse events.

https://w3c.github.io/webdriver-bidi/#transport
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import to_json

from drivers.json_values import fields

from .errors import BidiError, UnknownError, from_code
from .wire import EVENTS, Command, Event, Result, read_json

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to a command: its result or its error."""

    id: int
    outcome: Result | BidiError


class Engine:
    """The protocol state of one connection: the type of result that each command id waits for."""

    def __init__(self) -> None:
        self._next_id = 1
        self._waiting: dict[int, type[Result]] = {}

    def encode(self, command: Command[Result]) -> tuple[int, str]:
        """Return a new id and the message that sends the command."""
        id_ = self._next_id
        self._next_id += 1
        text = to_json({"id": id_, "method": command.method, "params": command.to_wire()}).decode()
        self._waiting[id_] = command.result_type
        return id_, text

    def forget(self, id_: int) -> None:
        """Drop the reply to this id when it arrives."""
        self._waiting.pop(id_, None)

    def receive(self, text: str | bytes) -> Reply | Event | None:
        """Parse one message. Return None for unknown events and for replies that no caller waits for."""
        try:
            message = read_json(text)
        except ValueError as error:
            logger.warning("no JSON from the browser (%s): %.200s", error, text)
            return None
        told = fields(message)
        match told.get("type"):
            case "event":
                return _event(told)
            case "success" | "error":
                return self._reply(told)
            case _:
                # Some drivers omit the type of replies.
                return self._reply(told) if "id" in told else None

    def _reply(self, told: Mapping[str, object]) -> Reply | None:
        id_ = told.get("id")
        if not isinstance(id_, int):
            logger.warning("error without a command: %.500s", told)
            return None
        result_type = self._waiting.pop(id_, None)
        if result_type is None:
            return None
        if "error" in told:
            code, message = str(told["error"]), str(told.get("message", ""))
            return Reply(id_, from_code(code, message, str(told.get("stacktrace", ""))))
        try:
            return Reply(id_, result_type.model_validate(told.get("result")))
        except ValidationError as error:
            return Reply(id_, UnknownError(f"the browser's answer does not fit {result_type.__name__}: {error}"))


def _event(told: Mapping[str, object]) -> Event | None:
    event_type = EVENTS.get(str(told.get("method")))
    if event_type is None:
        return None
    try:
        return event_type.model_validate(told.get("params"))
    except ValidationError as error:
        logger.warning("event %s does not fit: %s", told.get("method"), error)
        return None
