"""Failures that a tool can report. Each says what happened and what to do next."""

from collections.abc import Mapping
from typing import ClassVar

from bidi_server.advice import Advice, Operation
from bidi_server.escapes import one_line

MOST = 1000
"""Maximum length of each text of an error, in characters: the client has the data that an error quotes already."""


def _shortened(text: str) -> str:
    return text if len(text) <= MOST else f"{text[: MOST * 3 // 4]}…{text[1 - MOST // 4 :]}"


class ToolError(Exception):
    """An expected failure: reported to the agent as text, never logged as a crash.

    ``message`` says what happened and ``advice`` what to do next, each on one line; ``code`` (seed 004) and ``details``
    are for toolsets that answer in JSON.
    """

    code: ClassVar[str] = "ERROR"

    def __init__(self, message: str, advice: Advice | str = "", details: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = one_line(_shortened(message))
        parts = advice.parts if isinstance(advice, Advice) else (advice,)
        self.advice = Advice(tuple(one_line(_shortened(part)) if isinstance(part, str) else part for part in parts))
        self.details = {
            name: _shortened(value) if isinstance(value, str) else value for name, value in (details or {}).items()
        }

    def spelled(self, names: Mapping[Operation, str]) -> str:
        """Return the message and the advice, with these names of tools."""
        return f"{self.message} {self.advice.spelled(names)}".strip()

    def __str__(self) -> str:
        return f"{self.message} {self.advice}".strip()


class InvalidParametersError(ToolError):
    """The call itself is invalid: a type, a format or a combination of parameters."""

    code = "INVALID_PARAMETER"


class ElementNotFoundError(ToolError):
    """No element has this ref or matches this selector."""

    code = "SELECTOR_NOT_FOUND"


class ElementChangedError(ToolError):
    """The element of a ref is no longer what the agent saw."""

    code = "ELEMENT_CHANGED"


class ElementNotActionableError(ToolError):
    """The element exists but cannot be acted on: it is disabled, hidden, covered or of the wrong kind."""

    code = "ELEMENT_NOT_ACTIONABLE"


class NavigationError(ToolError):
    """The page could not be reached."""

    code = "NAVIGATION_FAILED"


class DeadlineError(ToolError):
    """The operation exceeded its time limit."""

    code = "TIMEOUT"


class VerificationError(ToolError):
    """A condition that was to be verified is not true."""

    code = "VERIFICATION_FAILED"


class DialogOpenError(ToolError):
    """An open dialog of the page blocks all other operations."""

    code = "DIALOG_OPEN"


class ScriptError(ToolError):
    """JavaScript from the agent threw an exception."""

    code = "JS_EXECUTION_ERROR"


class BrowserUnavailableError(ToolError):
    """There is no browser, it does not start, or it has ended."""

    code = "BROWSER_UNAVAILABLE"


class LimitError(ToolError):
    """A limit of the server was reached."""

    code = "LIMIT_REACHED"


class NotSupportedError(ToolError):
    """The browser in use does not support the operation."""

    code = "NOT_SUPPORTED"


class SessionNotFoundError(ToolError):
    """No session has this name."""

    code = "SESSION_NOT_FOUND"


class SessionEndedError(SessionNotFoundError):
    """The session that the call names has ended."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "Begin a new session: call without one.")


class NotAllowedError(ToolError):
    """The server's options forbid the operation."""

    code = "NOT_ALLOWED"


class RateLimitError(ToolError):
    """There were too many calls in a short time."""

    code = "RATE_LIMITED"


class InternalError(ToolError):
    """A bug in bidi-server."""

    code = "INTERNAL_ERROR"
