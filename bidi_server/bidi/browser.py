"""The browser module. https://w3c.github.io/webdriver-bidi/#module-browser"""

from typing import Literal

from .session import ProxyConfiguration, UserPromptHandler
from .wire import Command, EmptyResult, Parameters, Result


class ClientWindowInfo(Result):
    """CSS pixels; ``state`` is "fullscreen", "maximized", "minimized" or "normal".

    https://w3c.github.io/webdriver-bidi/#type-browser-ClientWindowInfo
    """

    client_window: str
    active: bool
    state: str
    x: int
    y: int
    width: int
    height: int


class UserContextInfo(Result):
    """https://w3c.github.io/webdriver-bidi/#type-browser-UserContextInfo"""

    user_context: str


class Close(Command[EmptyResult], method="browser.close"):
    """https://w3c.github.io/webdriver-bidi/#command-browser-close"""


class CreateUserContext(Command[UserContextInfo], method="browser.createUserContext"):
    """https://w3c.github.io/webdriver-bidi/#command-browser-createUserContext"""

    accept_insecure_certs: bool | None = None
    proxy: ProxyConfiguration | None = None
    unhandled_prompt_behavior: UserPromptHandler | None = None


class GetClientWindowsResult(Result):
    client_windows: list[ClientWindowInfo]


class GetClientWindows(Command[GetClientWindowsResult], method="browser.getClientWindows"):
    """https://w3c.github.io/webdriver-bidi/#command-browser-getClientWindows"""


class GetUserContextsResult(Result):
    user_contexts: list[UserContextInfo]


class GetUserContexts(Command[GetUserContextsResult], method="browser.getUserContexts"):
    """https://w3c.github.io/webdriver-bidi/#command-browser-getUserContexts"""


class RemoveUserContext(Command[EmptyResult], method="browser.removeUserContext"):
    """https://w3c.github.io/webdriver-bidi/#command-browser-removeUserContext"""

    user_context: str


class SetClientWindowState(Command[ClientWindowInfo], method="browser.setClientWindowState"):
    """Position and size, in CSS pixels, are only valid with the state "normal".

    https://w3c.github.io/webdriver-bidi/#command-browser-setClientWindowState
    """

    client_window: str
    state: Literal["fullscreen", "maximized", "minimized", "normal"]
    width: int | None = None
    height: int | None = None
    x: int | None = None
    y: int | None = None


class DownloadBehaviorAllowed(Parameters):
    """https://w3c.github.io/webdriver-bidi/#command-browser-setDownloadBehavior"""

    type: Literal["allowed"] = "allowed"
    destination_folder: str


class DownloadBehaviorDenied(Parameters):
    """https://w3c.github.io/webdriver-bidi/#command-browser-setDownloadBehavior"""

    type: Literal["denied"] = "denied"


class SetDownloadBehavior(Command[EmptyResult], method="browser.setDownloadBehavior"):
    """Null resets. https://w3c.github.io/webdriver-bidi/#command-browser-setDownloadBehavior"""

    download_behavior: DownloadBehaviorAllowed | DownloadBehaviorDenied | None
    user_contexts: list[str] | None = None
