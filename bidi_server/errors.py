"""The few kinds of failure a tool can report. Each says what happened and what to do next."""

from typing import ClassVar

from bidi_server.escapes import one_line

MOST = 1000
"""Characters of what an error says: whatever it quotes, the client has it already."""


def _shortened(text: str) -> str:
    return text if len(text) <= MOST else f"{text[: MOST * 3 // 4]}…{text[1 - MOST // 4 :]}"


class ToolError(Exception):
    """A failure that was foreseen: reported to the agent as text, never logged as a crash.

    ``message`` says what happened, ``advice`` what to do next, each on one line; ``code`` (seed 004) and ``details``
    are for toolsets that answer in JSON.
    """

    code: ClassVar[str] = "ERROR"

    def __init__(self, message: str, advice: str = "", details: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = one_line(_shortened(message))
        self.advice = one_line(_shortened(advice))
        self.details = {
            name: _shortened(value) if isinstance(value, str) else value for name, value in (details or {}).items()
        }

    def __str__(self) -> str:
        return f"{self.message} {self.advice}".strip()


class InvalidParametersError(ToolError):
    """The call itself is wrong: a type, a form, a combination."""

    code = "INVALID_PARAMETER"


class ElementNotFoundError(ToolError):
    """No element has this ref or matches this selector."""

    code = "SELECTOR_NOT_FOUND"


class ElementChangedError(ToolError):
    """The ref's element is not any more what the agent saw."""

    code = "ELEMENT_CHANGED"


class ElementNotActionableError(ToolError):
    """The element is there but can't be acted on: disabled, hidden, covered, of the wrong kind."""

    code = "ELEMENT_NOT_ACTIONABLE"


class NavigationError(ToolError):
    """The page could not be reached."""

    code = "NAVIGATION_FAILED"


class DeadlineError(ToolError):
    """It took longer than it may."""

    code = "TIMEOUT"


class DialogOpenError(ToolError):
    """A dialog of the page blocks everything else."""

    code = "DIALOG_OPEN"


class ScriptError(ToolError):
    """JavaScript that the agent gave us threw."""

    code = "JS_EXECUTION_ERROR"


class BrowserUnavailableError(ToolError):
    """There is no browser, it does not start, or it died."""

    code = "BROWSER_UNAVAILABLE"


class LimitError(ToolError):
    """A limit of the server was reached."""

    code = "LIMIT_REACHED"


class NotSupportedError(ToolError):
    """The browser in use can't do that."""

    code = "NOT_SUPPORTED"


class SessionNotFoundError(ToolError):
    """No session has this name."""

    code = "SESSION_NOT_FOUND"


class SessionEndedError(SessionNotFoundError):
    """The session that the call names was there once."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "Begin a new session: call without one.")


class NotAllowedError(ToolError):
    """The options of the server forbid it."""

    code = "NOT_ALLOWED"


class RateLimitError(ToolError):
    """Too many calls in too short a time."""

    code = "RATE_LIMITED"


class InternalError(ToolError):
    """A mistake of ours."""

    code = "INTERNAL_ERROR"
