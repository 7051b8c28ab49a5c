"""Chromium's vendor module: the DevTools protocol through BiDi. Other browsers answer "unknown command".

https://github.com/GoogleChromeLabs/chromium-bidi#vendor-extensions
"""

from typing import Annotated

from pydantic import AliasPath, Field

from .script import StackFrame
from .wire import Command, Event, Result


class GetSessionResult(Result):
    session: str | None = None


class GetSession(Command[GetSessionResult], method="goog:cdp.getSession"):
    """Get the DevTools session of a browsing context."""

    context: str


class SendCommandResult(Result):
    result: dict[str, object] = Field(default_factory=dict)
    session: str | None = None


class SendCommand(Command[SendCommandResult], method="goog:cdp.sendCommand"):
    """Send a DevTools command to a session, by default that of the browser.

    https://chromedevtools.github.io/devtools-protocol/
    """

    # "method" on the wire, which is also the class argument of commands.
    cdp_method: str = Field(validation_alias="method", serialization_alias="method")
    params: dict[str, object] = Field(default_factory=dict)
    session: str | None = None


class CdpEvent(Event):
    """An event of the DevTools protocol. ``session`` is the DevTools session of its source."""

    session: str | None = None


class ConsoleApiCalled(CdpEvent, method="goog:cdp.Runtime.consoleAPICalled"):
    """https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#event-consoleAPICalled"""

    args: Annotated[list[dict[str, object]], Field(validation_alias=AliasPath("params", "args"))]
    type: Annotated[str, Field(validation_alias=AliasPath("params", "type"))]
    timestamp: Annotated[float, Field(validation_alias=AliasPath("params", "timestamp"))]
    call_frames: Annotated[
        list[StackFrame], Field(validation_alias=AliasPath("params", "stackTrace", "callFrames"), default_factory=list)
    ]


class AttachedToTarget(CdpEvent, method="goog:cdp.Target.attachedToTarget"):
    """https://chromedevtools.github.io/devtools-protocol/tot/Target/#event-attachedToTarget"""

    target_session: Annotated[str, Field(validation_alias=AliasPath("params", "sessionId"))]
    type: Annotated[str, Field(validation_alias=AliasPath("params", "targetInfo", "type"))]
    url: Annotated[str, Field(validation_alias=AliasPath("params", "targetInfo", "url"))]
    browser_context: Annotated[
        str | None, Field(validation_alias=AliasPath("params", "targetInfo", "browserContextId"))
    ] = None


class DetachedFromTarget(CdpEvent, method="goog:cdp.Target.detachedFromTarget"):
    """https://chromedevtools.github.io/devtools-protocol/tot/Target/#event-detachedFromTarget"""

    target_session: Annotated[str, Field(validation_alias=AliasPath("params", "sessionId"))]


class RequestWillBeSent(CdpEvent, method="goog:cdp.Network.requestWillBeSent"):
    """https://chromedevtools.github.io/devtools-protocol/tot/Network/#event-requestWillBeSent"""

    request: Annotated[str, Field(validation_alias=AliasPath("params", "requestId"))]
    url: Annotated[str, Field(validation_alias=AliasPath("params", "request", "url"))]
    http_method: Annotated[str, Field(validation_alias=AliasPath("params", "request", "method"))]
    type: Annotated[str, Field(validation_alias=AliasPath("params", "type"))] = "Other"
    frame: Annotated[str, Field(validation_alias=AliasPath("params", "frameId"))] = ""


class LoadingFinished(CdpEvent, method="goog:cdp.Network.loadingFinished"):
    """https://chromedevtools.github.io/devtools-protocol/tot/Network/#event-loadingFinished"""

    request: Annotated[str, Field(validation_alias=AliasPath("params", "requestId"))]


class ResponseReceived(CdpEvent, method="goog:cdp.Network.responseReceived"):
    """https://chromedevtools.github.io/devtools-protocol/tot/Network/#event-responseReceived"""

    request: Annotated[str, Field(validation_alias=AliasPath("params", "requestId"))]
    response: Annotated[dict[str, object], Field(validation_alias=AliasPath("params", "response"))]


class LoadingFailed(CdpEvent, method="goog:cdp.Network.loadingFailed"):
    """https://chromedevtools.github.io/devtools-protocol/tot/Network/#event-loadingFailed"""

    request: Annotated[str, Field(validation_alias=AliasPath("params", "requestId"))]
    blocked_reason: Annotated[str | None, Field(validation_alias=AliasPath("params", "blockedReason"))] = None
    cors_error: Annotated[str | None, Field(validation_alias=AliasPath("params", "corsErrorStatus", "corsError"))] = (
        None
    )


class IssueAdded(CdpEvent, method="goog:cdp.Audits.issueAdded"):
    """https://chromedevtools.github.io/devtools-protocol/tot/Audits/#event-issueAdded"""

    code: Annotated[str, Field(validation_alias=AliasPath("params", "issue", "code"))]
    details: Annotated[dict[str, object], Field(validation_alias=AliasPath("params", "issue", "details"))]


class TargetCrashed(CdpEvent, method="goog:cdp.Inspector.targetCrashed"):
    """https://chromedevtools.github.io/devtools-protocol/tot/Inspector/#event-targetCrashed"""


class TracingComplete(CdpEvent, method="goog:cdp.Tracing.tracingComplete"):
    """https://chromedevtools.github.io/devtools-protocol/tot/Tracing/#event-tracingComplete"""

    stream: Annotated[str, Field(validation_alias=AliasPath("params", "stream"))] = ""
    lost: Annotated[bool, Field(validation_alias=AliasPath("params", "dataLossOccurred"))] = False
