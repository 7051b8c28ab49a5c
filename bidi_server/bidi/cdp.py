"""Chromium's own module: the DevTools protocol through BiDi. Other browsers answer "unknown command".

https://github.com/GoogleChromeLabs/chromium-bidi#vendor-extensions
"""

from pydantic import Field

from .wire import Command, Result


class GetSessionResult(Result):
    session: str | None = None


class GetSession(Command[GetSessionResult], method="goog:cdp.getSession"):
    """Ask for the DevTools session of a tab or frame."""

    context: str


class ResolveRealmResult(Result):
    execution_context_id: int | str


class ResolveRealm(Command[ResolveRealmResult], method="goog:cdp.resolveRealm"):
    """Ask for the DevTools id of a realm, as ``Runtime.evaluate`` takes it."""

    realm: str


class SendCommandResult(Result):
    result: dict[str, object] = Field(default_factory=dict)
    session: str | None = None


class SendCommand(Command[SendCommandResult], method="goog:cdp.sendCommand"):
    """Send a DevTools command; without a session it goes to the browser.

    https://chromedevtools.github.io/devtools-protocol/
    """

    # On the wire it is "method", which is our name for the command's own.
    cdp_method: str = Field(validation_alias="method", serialization_alias="method")
    params: dict[str, object] = Field(default_factory=dict)
    session: str | None = None
