"""Requests and responses as the Web Inspector Protocol describes them, in the words of WebDriver BiDi, and back.

See Source/JavaScriptCore/inspector/protocol/Network.json in https://github.com/WebKit/WebKit. Seen with WebKitGTK 2.50.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from codecs import BOM_UTF8
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from bidi_server.classic.requests import TIMINGS, headers_of, number
from drivers.json_values import Json, fields, is_array, items, objects

if TYPE_CHECKING:
    from bidi_server.classic.contexts import BrowsingContext
    from bidi_server.classic.inspector import Page

_DESTINATIONS = {"Document": "document", "StyleSheet": "style", "Image": "image", "Font": "font", "Script": "script"}
_INITIATORS = {
    "XHR": "xmlhttprequest",
    "Fetch": "fetch",
    "Ping": "ping",
    "Beacon": "beacon",
    "EventSource": "eventsource",
    "WebSocket": "websocket",
}
"""Kinds of requests, as WebDriver BiDi names them."""

_READ_BY_SCRIPTS = frozenset({"XHR", "Fetch", "EventSource"})
"""Kinds of requests whose responses are read by scripts."""

_CACHES = frozenset({"memory-cache", "disk-cache", "service-worker"})
"""Sources of responses that do not come from the network."""

_STEPS = {
    "domainLookupStart": "dnsStart",
    "domainLookupEnd": "dnsEnd",
    "connectStart": "connectStart",
    "connectEnd": "connectEnd",
    "secureConnectionStart": "tlsStart",
    "requestStart": "requestStart",
    "responseStart": "responseStart",
}
"""Steps of a request, in milliseconds after `fetchStart`, and their names in WebDriver BiDi."""

_FORBIDDEN: Json = {"status": 403, "statusText": "Forbidden", "headers": {}, "content": "", "base64Encoded": False}
"""Response to a request that is failed when it has been redirected: the browser has followed the redirect by then."""

Phase = Literal["request", "response"]
"""When a request waits for an answer."""


@dataclass(eq=False, slots=True)
class Request:
    """One request, from its start to its end. Times are in milliseconds since the epoch."""

    id: str
    key: str
    """The browser's id."""
    page: Page
    context: BrowsingContext
    kind: str
    navigation: str | None
    sent: Json
    """The request, as the browser describes it."""
    started: float
    clock: float = 0.0
    """Seconds from the beginning of the browser's clock to that of the epoch."""
    redirects: int = 0
    response: Json = field(default_factory=dict[str, object])
    """The response, as the browser describes it; {} before it comes."""
    metrics: Json = field(default_factory=dict[str, object])
    """The browser's measurements of the request; {} before the end."""
    ended: float = 0.0
    """When it ended; 0 before."""
    phase: Phase | None = None
    """Since when it waits for an answer; None if it does not wait."""
    is_blocked: bool = False
    """Whether an answer is wanted."""
    answer: tuple[str, Json] | None = None
    """The method and the parameters of an answer that came before the request waited."""
    is_refused: bool = False
    """Whether the answer was that it fails."""
    body: Json | None = None
    """The body of the response, if it is kept; {} if the browser does not have it."""

    def moment(self, told: Json) -> float:
        """Return the time of an event."""
        return (number(told.get("timestamp")) + self.clock) * 1000

    @property
    def size(self) -> int:
        """Size of the response's body, in bytes; 0 if it is not known."""
        return size(self.metrics, "responseBodyDecodedSize") or size(self.metrics, "responseBodyBytesReceived")


def size(metrics: Json, key: str) -> int:
    """Return a number of bytes; 0 if it is not known. The browser says -1 then."""
    return max(0, int(number(metrics.get(key))))


def described(request: Request, moment: float) -> Json:
    """Return https://w3c.github.io/webdriver-bidi/#type-network-BaseParameters."""
    context, sent = request.context, request.sent
    headers = fields(request.metrics.get("requestHeaders")) or fields(sent.get("headers"))
    destination = _DESTINATIONS.get(request.kind, "")
    if request.kind in {"Document", "Other"}:
        told = str(fields(sent.get("headers")).get("Sec-Fetch-Dest") or "empty")
        destination = destination if told == "empty" else told
    return {
        "context": context.id,
        "userContext": context.user_context,
        "navigation": request.navigation,
        "isBlocked": request.is_blocked,
        "redirectCount": request.redirects,
        "timestamp": moment,
        "request": {
            "request": request.id,
            "url": str(sent.get("url")),
            "method": str(sent.get("method", "GET")),
            "headers": headers_of(headers.items()),
            "cookies": [],
            "headersSize": size(request.metrics, "requestHeaderBytesSent"),
            "bodySize": size(request.metrics, "requestBodyBytesSent"),
            "destination": destination,
            "initiatorType": _INITIATORS.get(request.kind, destination or "other"),
            "timings": _timings(request),
        },
    }


def _timings(request: Request) -> Json:
    timings: Json = {**dict.fromkeys(TIMINGS, 0.0), "timeOrigin": request.started, "requestTime": request.started}
    told = fields(request.response.get("timing"))
    begun = (number(told.get("fetchStart")) + request.clock) * 1000
    for step, name in _STEPS.items():
        if (after := number(told.get(step))) > 0:
            timings[name] = begun + after
    if request.response.get("source") == "service-worker":
        timings["fetchStart"] = request.started
    timings["responseEnd"] = request.ended
    return timings


def response_of(request: Request) -> Json:
    """Return https://w3c.github.io/webdriver-bidi/#type-network-ResponseData."""
    response, metrics = request.response, request.metrics
    head, body = size(metrics, "responseHeaderBytesReceived"), size(metrics, "responseBodyBytesReceived")
    return {
        "url": str(response.get("url") or request.sent.get("url")),
        "protocol": str(metrics.get("protocol") or ""),
        "status": int(number(response.get("status"))),
        "statusText": str(response.get("statusText") or ""),
        "fromCache": response.get("source") in _CACHES,
        "headers": headers_of(fields(response.get("headers")).items()),
        "mimeType": str(response.get("mimeType") or ""),
        "bytesReceived": head + body,
        "headersSize": head,
        "bodySize": body,
        "content": {"size": request.size},
    }


def initiator_of(told: Json) -> Json:
    """Return https://w3c.github.io/webdriver-bidi/#type-network-Initiator. WebKit counts lines and columns from 1."""
    given = fields(told.get("initiator"))
    kind, stack = given.get("type"), given.get("stackTrace")
    frames = [
        {
            "functionName": str(each.get("functionName", "")),
            "url": str(each.get("url", "")),
            "lineNumber": max(0, int(number(each.get("lineNumber"))) - 1),
            "columnNumber": max(0, int(number(each.get("columnNumber"))) - 1),
        }
        for each in objects(stack if is_array(stack) else items(fields(stack).get("callFrames")))
    ]
    initiator: Json = {"type": kind if kind in {"parser", "script"} else "other"}
    return {**initiator, "stackTrace": {"callFrames": frames}} if frames else initiator


def answer_of(method: str, parameters: Json, request: Request, phase: Phase) -> tuple[str, Json]:
    """Return the command of the Web Inspector Protocol for an answer, and its parameters."""
    respond = "Network.interceptWithResponse" if phase == "response" else "Network.interceptRequestWithResponse"
    match method:
        case "network.provideResponse":
            return respond, _provided(parameters, request.kind)
        case "network.failRequest" if phase == "response":
            return respond, {**_FORBIDDEN, "mimeType": "text/plain"}
        case "network.failRequest":
            return "Network.interceptRequestWithError", {"errorType": "General"}
        case _:
            changed = _changed(parameters, request)
            if changed and phase == "request":
                return "Network.interceptWithRequest", changed
            return "Network.interceptContinue", {"stage": phase}


def _provided(parameters: Json, kind: str) -> Json:
    headers = _by_name(parameters.get("headers"))
    content_type = next((value for name, value in headers.items() if name.lower() == "content-type"), "text/plain")
    body, status = fields(parameters.get("body")), parameters.get("statusCode")
    value = str(body.get("value", ""))
    data = b64decode(value) if body.get("type") == "base64" else value.encode()
    # WebKitGTK 2.50 takes this for the header and the type, so that a document with a charset is shown as plain text.
    if kind not in _READ_BY_SCRIPTS:
        content_type, _, parameter = content_type.partition(";")
        if "utf-8" in parameter.lower() and not data.startswith(BOM_UTF8):
            data = BOM_UTF8 + data
    return {
        "content": b64encode(data).decode(),
        "base64Encoded": True,
        "mimeType": content_type,
        "status": 200 if status is None else status,
        "statusText": str(parameters.get("reasonPhrase") or ""),
        "headers": headers,
    }


def _changed(parameters: Json, request: Request) -> Json:
    """Return what a request is sent with instead; {} if it is sent as it is."""
    changed: Json = {key: parameters[key] for key in ("url", "method") if parameters.get(key) is not None}
    if parameters.get("headers") is not None:
        changed["headers"] = _by_name(parameters["headers"])
    if parameters.get("cookies") is not None:
        cookies = "; ".join(f"{name}={value}" for name, value in _by_name(parameters["cookies"]).items())
        changed["headers"] = {**fields(changed.get("headers", request.sent.get("headers"))), "Cookie": cookies}
    if body := fields(parameters.get("body")):
        value = str(body.get("value"))
        changed["postData"] = value if body.get("type") == "base64" else b64encode(value.encode()).decode()
    return changed


def _by_name(headers: object) -> dict[str, str]:
    return {str(each.get("name")): str(fields(each.get("value")).get("value", "")) for each in objects(headers)}
