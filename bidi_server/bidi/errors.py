"""An exception for each error code of the protocol, and one for a lost connection.

https://w3c.github.io/webdriver-bidi/#errors
"""

from typing import ClassVar


class BidiError(Exception):
    """The browser answered a command with an error."""

    code: ClassVar[str] = "unknown error"

    def __init__(self, message: str, stacktrace: str = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.stacktrace = stacktrace
        self.wire_code = code or self.code

    @property
    def first_line(self) -> str:
        """The first line of the message, without the stack that some drivers append."""
        return next(iter(self.message.splitlines()), "")

    def __str__(self) -> str:
        return f"{self.wire_code}: {self.message}"


class ConnectionLostError(Exception):
    """The socket to the browser has ended, for a ``reason``. Raised in every waiting call."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class DetachedShadowRootError(BidiError):
    code = "detached shadow root"


class ElementNotInteractableError(BidiError):
    code = "element not interactable"


class InvalidArgumentError(BidiError):
    code = "invalid argument"


class InvalidSelectorError(BidiError):
    code = "invalid selector"


class InvalidSessionIdError(BidiError):
    code = "invalid session id"


class InvalidWebExtensionError(BidiError):
    code = "invalid web extension"


class JavascriptError(BidiError):
    code = "javascript error"


class MoveTargetOutOfBoundsError(BidiError):
    code = "move target out of bounds"


class NoSuchAlertError(BidiError):
    code = "no such alert"


class NoSuchClientWindowError(BidiError):
    code = "no such client window"


class NoSuchElementError(BidiError):
    code = "no such element"


class NoSuchFrameError(BidiError):
    code = "no such frame"


class NoSuchHandleError(BidiError):
    code = "no such handle"


class NoSuchHistoryEntryError(BidiError):
    code = "no such history entry"


class NoSuchInterceptError(BidiError):
    code = "no such intercept"


class NoSuchNetworkCollectorError(BidiError):
    code = "no such network collector"


class NoSuchNetworkDataError(BidiError):
    code = "no such network data"


class NoSuchNodeError(BidiError):
    code = "no such node"


class NoSuchRequestError(BidiError):
    code = "no such request"


class NoSuchScreencastError(BidiError):
    code = "no such screencast"


class NoSuchScriptError(BidiError):
    code = "no such script"


class NoSuchStoragePartitionError(BidiError):
    code = "no such storage partition"


class NoSuchUserContextError(BidiError):
    code = "no such user context"


class NoSuchWebExtensionError(BidiError):
    code = "no such web extension"


class NoSuchWindowError(BidiError):
    code = "no such window"


class SessionNotCreatedError(BidiError):
    code = "session not created"


class StaleElementReferenceError(BidiError):
    code = "stale element reference"


class TimeoutError(BidiError):  # noqa: A001 - the protocol's name; used as errors.TimeoutError
    code = "timeout"


class NoReplyError(TimeoutError):
    """The browser did not answer one command in time, although it may answer others. Not an error of the protocol."""


class UnableToCaptureScreenError(BidiError):
    code = "unable to capture screen"


class UnableToCloseBrowserError(BidiError):
    code = "unable to close browser"


class UnableToSetCookieError(BidiError):
    code = "unable to set cookie"


class UnableToSetFileInputError(BidiError):
    code = "unable to set file input"


class UnavailableNetworkDataError(BidiError):
    code = "unavailable network data"


class UnderspecifiedStoragePartitionError(BidiError):
    code = "underspecified storage partition"


class UnknownCommandError(BidiError):
    code = "unknown command"


class UnknownError(BidiError):
    code = "unknown error"


class UnsupportedOperationError(BidiError):
    code = "unsupported operation"


_BY_CODE: dict[str, type[BidiError]] = {kind.code: kind for kind in BidiError.__subclasses__()}


def from_code(code: str, message: str, stacktrace: str = "") -> BidiError:
    """Return the exception for an error code; an unknown code becomes a plain `BidiError` that keeps it."""
    return _BY_CODE.get(code, BidiError)(message, stacktrace, code)
