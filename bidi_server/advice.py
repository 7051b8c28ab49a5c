"""Advice for agents, as data: each toolset spells it with the names of its own tools."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Operation(Enum):
    """An operation that agents can call. Each toolset has its own name for it, or none."""

    NAVIGATE = "navigate"
    SNAPSHOT = "snapshot"
    CLICK = "click"
    TYPE = "type"
    SELECT_OPTION = "select_option"
    FILE_UPLOAD = "file_upload"
    HANDLE_DIALOG = "handle_dialog"
    WAIT_FOR = "wait_for"
    EVALUATE = "evaluate"
    SCREENSHOT = "take_screenshot"
    TABS = "tabs"
    CLOSE = "close"
    CONTEXT_SWITCH = "context_switch"
    SAVE_STORAGE = "context_save_storage"


@dataclass(frozen=True, slots=True)
class Advice:
    """One sentence of advice: text, with operations where a toolset puts the name of its tool."""

    parts: tuple[str | Operation, ...]

    @classmethod
    def of(cls, *parts: str | Operation) -> "Advice":
        """Return the advice that consists of these parts."""
        return cls(parts)

    def spelled(self, names: Mapping[Operation, str]) -> str:
        """Return the sentence with these names of tools; "" if a tool that it needs has none."""
        words = [names.get(part) if isinstance(part, Operation) else part for part in self.parts]
        return "" if None in words else "".join(map(str, words))

    def __str__(self) -> str:
        return self.spelled({operation: operation.value for operation in Operation})


TO_SEE = Advice.of("Take a ", Operation.SNAPSHOT, " to see what is there.")
