"""The network module for a WebKit with an inspector server: events of requests, and answers to those that wait.

See Source/JavaScriptCore/inspector/protocol/Network.json in https://github.com/WebKit/WebKit. Seen with WebKitGTK 2.50.
"""

from __future__ import annotations

import math
import time
from base64 import b64encode
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi.errors import NoSuchNetworkDataError, NoSuchRequestError
from bidi_server.classic.contexts import UNTOLD, BrowsingContext, new_id
from bidi_server.classic.inspector import Inspector, Page, Setting
from bidi_server.classic.requests import named
from drivers.json_values import Json, fields, items, objects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bidi_server.classic.tracker import Tracker

DATA_TIMEOUT = 5.0
"""Timeout for a page to tell a body, in seconds."""

MOST_REQUESTS = 2000
"""Maximum number of requests that have ended and whose bodies can be asked for."""

KEPT_KINDS = frozenset({"Document", "XHR", "Fetch"})
"""Kinds of requests whose bodies are kept when their page is left. WebKitGTK 2.50 forgets bodies with the document."""

MOST_KEPT = 100
"""Maximum number of bodies that are kept when a page is left."""

_WITHOUT_NETWORK = ("about:", "data:")
"""Requests that the standard has no events for. https://fetch.spec.whatwg.org/#concept-scheme-fetch"""

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

_CACHES = {"memory-cache", "disk-cache", "service-worker"}
"""Sources of responses that do not come from the network."""

_REFUSED: Json = {"status": 403, "statusText": "Forbidden", "headers": dict[str, object](), "content": ""}
"""Response for a redirect that is failed: it has been followed already."""


@dataclass(slots=True)
class Request:
    """One request, from its start to its end."""

    id: str
    key: str
    """The browser's id."""
    page: Page
    context: BrowsingContext
    kind: str
    navigation: str | None
    sent: Json
    """What the browser says about the request."""
    offset: float
    """Seconds from the beginning of the browser's clock to that of the epoch."""
    redirects: int = 0
    response: Json = field(default_factory=dict[str, object])
    started: float = 0.0
    """When it began, in milliseconds since the epoch."""
    timing: Json = field(default_factory=dict[str, object])
    phase: str = ""
    """The phase in which the browser waits for an answer; "" if it does not wait."""
    answer: tuple[str, Json] | None = None
    """The command and its parameters for a phase that has not come yet."""
    is_blocked: bool = False
    """Whether an answer is wanted."""
    was_failed: bool = False
    body: Json | None = None
    """The body of the response, if it is kept."""
    has_ended: bool = False


class Network:
    """The requests of a session."""

    def __init__(
        self,
        inspector: Inspector,
        tracker: Tracker,
        emit: Callable[[str, Json], None],
        on_cancelled: Callable[[BrowsingContext], None],
    ) -> None:
        self._inspector = inspector
        self._tracker = tracker
        self._emit = emit
        self._on_cancelled = on_cancelled
        self._prefix = new_id()[:8]
        self._requests: dict[str, Request] = {}
        """The newest requests, by id."""
        self.intercepts: dict[str, frozenset[str]] = {}
        """For each intercept, the tabs whose requests wait; all if it is empty."""
        self._keeps_bodies = False

    def id_of(self, page: Page, key: str) -> str:
        """Return our id of a request."""
        return f"{self._prefix}-{page.id}-{key}"

    def owns(self, request: str) -> bool:
        """Whether a request is one of this session."""
        return request in self._requests

    # Events

    def take(
        self, page: Page, context: BrowsingContext, method: str, parameters: Json, *, is_known: bool = True
    ) -> None:
        """Take an event about a request of a context. If it is not known, the tab stands for a frame in it."""
        key = str(parameters.get("requestId"))
        if method == "Network.requestWillBeSent":
            self._will_be_sent(page, context, key, parameters, is_known=is_known)
            return
        if method == "Network.webSocketCreated":
            self._socket_created(page, context, key, parameters)
            return
        if method == "Network.requestServedFromMemoryCache":
            self._from_memory(page, context, key, parameters)
            return
        request = self._requests.get(self.id_of(page, key)) or self._untold(page, context, key, method, parameters)
        if request is None:
            return
        if request.has_ended:
            return
        moment = (_number(parameters.get("timestamp")) + request.offset) * 1000
        match method:
            case "Network.requestIntercepted":
                self._waits(request, "request")
            case "Network.responseIntercepted":
                self._waits(request, "response")
            case "Network.responseReceived" | "Network.webSocketHandshakeResponseReceived":
                self._responded(request, fields(parameters.get("response")), moment)
            case "Network.loadingFinished":
                self._finished(request, fields(parameters.get("metrics")), moment)
            case "Network.webSocketClosed":
                self._finished(request, {}, moment)
            case "Network.loadingFailed":
                is_cancelled = parameters.get("canceled") is True
                self._failed(request, str(parameters.get("errorText")), moment, is_cancelled=is_cancelled)
            case _:
                pass

    def _will_be_sent(self, page: Page, context: BrowsingContext, key: str, told: Json, *, is_known: bool) -> None:
        sent, kind = fields(told.get("request")), str(told.get("type") or "Other")
        url = str(sent.get("url"))
        if kind == "Document" and is_known:
            self._keep_bodies_of(page, context)
        former = self._requests.get(self.id_of(page, key))
        if former is not None and not former.has_ended and "redirectResponse" in told:
            self._redirected(former, sent, fields(told["redirectResponse"]), told)
            return
        navigation = None
        if kind == "Document":
            navigation = self._tracker.requested(context, url, str(told.get("loaderId"))) if is_known else new_id()
        if url.startswith(_WITHOUT_NETWORK):
            return
        offset = _number(told.get("walltime")) - _number(told.get("timestamp"))
        request = Request(self.id_of(page, key), key, page, context, kind, navigation, sent, offset)
        self._begin(request, told)

    def _begin(self, request: Request, told: Json) -> None:
        self._requests.pop(request.id, None)
        self._requests[request.id] = request
        self._forget_old()
        request.started = _number(told.get("walltime")) * 1000
        request.is_blocked = self._is_intercepted(request.context)
        self._say("network.beforeRequestSent", request, request.started, initiator=_initiator(told))

    def _untold(self, page: Page, context: BrowsingContext, key: str, method: str, parameters: Json) -> Request | None:
        """Return a request that was sent before we knew of the window, if it is for the first document and waits."""
        is_first = context.url == "about:blank"
        if method == "Network.loadingFailed" and context.wanted and not context.loader:
            self._on_cancelled(context)
        if method != "Network.responseIntercepted":
            return None
        url = str(fields(parameters.get("response")).get("url"))
        now, sent = time.time(), {"url": url, "method": "GET"}
        navigation = self._tracker.requested(context, url, UNTOLD) if is_first else None
        request = Request(self.id_of(page, key), key, page, context, "Document", navigation, sent, now)
        if is_first:
            self._begin(request, {"walltime": now})
        return request

    def _redirected(self, request: Request, sent: Json, response: Json, told: Json) -> None:
        moment = _number(told.get("walltime")) * 1000
        request.is_blocked, request.answer = False, None
        self._responded(request, response, moment)
        self._say("network.responseCompleted", request, moment, response=_response(request, {}))
        request.sent, request.response, request.timing = sent, {}, {}
        request.redirects += 1
        self._begin(request, told)

    def _from_memory(self, page: Page, context: BrowsingContext, key: str, told: Json) -> None:
        resource = fields(told.get("resource"))
        url = str(resource.get("url"))
        if url.startswith(_WITHOUT_NETWORK):
            return
        now, kind = time.time(), str(resource.get("type") or "Other")
        offset = now - _number(told.get("timestamp"))
        sent: Json = {"url": url, "method": "GET"}
        request = Request(self.id_of(page, key), key, page, context, kind, None, sent, offset)
        self._requests[request.id] = request
        request.started = now * 1000
        self._say("network.beforeRequestSent", request, request.started, initiator=_initiator(told))
        response = {**fields(resource.get("response")), "source": "memory-cache"}
        self._responded(request, response, request.started)
        self._finished(request, {}, request.started)

    def _socket_created(self, page: Page, context: BrowsingContext, key: str, told: Json) -> None:
        now = time.time()
        offset = now - _number(told.get("timestamp"))
        sent: Json = {"url": str(told.get("url")), "method": "GET"}
        request = Request(self.id_of(page, key), key, page, context, "WebSocket", None, sent, offset)
        self._requests[request.id] = request
        request.started = now * 1000
        self._say("network.beforeRequestSent", request, request.started, initiator={"type": "script"})

    def _responded(self, request: Request, response: Json, moment: float) -> None:
        request.response, request.is_blocked = response, False
        if isinstance(headers := response.get("requestHeaders"), dict) and headers:
            request.sent = {**request.sent, "headers": headers}
        if isinstance(timing := response.get("timing"), dict):
            request.timing = _timing(fields(timing), request.offset)
        self._say("network.responseStarted", request, moment, response=_response(request, {}))

    def _finished(self, request: Request, metrics: Json, moment: float) -> None:
        request.has_ended = True
        if fields(metrics.get("requestHeaders")):
            # Now it has the headers that the network process has added, such as cookies.
            request.sent = {**request.sent, "headers": metrics["requestHeaders"]}
        if not request.response:
            return
        request.timing = {**request.timing, "responseEnd": moment}
        self._say("network.responseCompleted", request, moment, response=_response(request, metrics))

    def _failed(self, request: Request, text: str, moment: float, *, is_cancelled: bool) -> None:
        request.has_ended = True
        # The texts are in the language of the machine.
        reason = "net::ERR_FAILED" if request.was_failed else "net::ERR_ABORTED" if is_cancelled else named(text)
        self._say("network.fetchError", request, moment, errorText=reason)
        if is_cancelled and request.navigation is not None and request.navigation == request.context.navigation:
            self._on_cancelled(request.context)

    def _say(self, method: str, request: Request, moment: float, **more: object) -> None:
        context, sent = request.context, request.sent
        post = sent.get("postData")
        destination = str(fields(sent.get("headers")).get("Sec-Fetch-Dest") or "")
        kind = _DESTINATIONS.get(request.kind, "")
        if request.kind in {"Document", "Other"}:
            kind = destination if destination not in {"", "empty"} else kind
        timings: Json = {**_NO_TIMINGS, "timeOrigin": request.started, "requestTime": request.started, **request.timing}
        told: Json = {
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
                "headers": _headers(sent.get("headers")),
                "cookies": [],
                "headersSize": None,
                "bodySize": len(str(post).encode()) if post else 0,
                "destination": kind,
                "initiatorType": _INITIATORS.get(request.kind, kind or "other"),
                "timings": timings,
            },
        }
        if request.is_blocked:
            told["intercepts"] = list(self._intercepts_of(context))
        self._emit(method, {**told, **more})

    def _forget_old(self) -> None:
        if len(self._requests) > 2 * MOST_REQUESTS:
            ended = [id_ for id_, each in self._requests.items() if each.has_ended]
            for id_ in ended[:MOST_REQUESTS]:
                del self._requests[id_]

    # Interception

    def _intercepts_of(self, context: BrowsingContext) -> Iterator[str]:
        top = context.top.id
        return (id_ for id_, contexts in self.intercepts.items() if not contexts or top in contexts)

    def _is_intercepted(self, context: BrowsingContext) -> bool:
        return any(self._intercepts_of(context))

    async def intercept(self, id_: str, contexts: frozenset[str]) -> None:
        """Let requests wait for an answer from now on."""
        self.intercepts[id_] = contexts
        if len(self.intercepts) == 1:
            await self._switch(on=True)

    async def remove_intercept(self, id_: str) -> None:
        """Send requests without an answer, unless there is another intercept. Those that wait are sent."""
        if self.intercepts.pop(id_, None) is None or self.intercepts:
            return
        for request in self._requests.values():
            if request.phase:
                self._continue(request)
        await self._switch(on=False)

    async def _switch(self, *, on: bool) -> None:
        inspector = self._inspector
        await inspector.set(Setting("Network.setInterceptionEnabled", {"enabled": on}))
        for stage in ("request", "response"):
            every: Json = {"url": "", "stage": stage, "caseSensitive": False, "isRegex": False}
            if on:
                await inspector.set(Setting("Network.addInterception", every, stage))
            else:
                await inspector.unset(Setting("Network.addInterception", every, stage), "Network.removeInterception")

    def _waits(self, request: Request, phase: str) -> None:
        """Answer a request that waits, if the answer is known, or if nobody wants to answer."""
        request.phase = phase
        if request.answer is not None:
            method, parameters = request.answer
            self.answer(request.id, method, parameters)
        elif not request.is_blocked:
            self._continue(request)

    def _continue(self, request: Request) -> None:
        stage, request.phase = request.phase, ""
        self._inspector.ask(request.page, "Network.interceptContinue", requestId=request.key, stage=stage)

    def answer(self, id_: str, method: str, parameters: Json) -> None:
        """Continue, answer or fail a request that waits. Raises `NoSuchRequestError`.

        WebKitGTK 2.50 has followed a redirect before it can be stopped: its response is stopped then.
        """
        request = self._requests.get(id_)
        if request is None or not (request.is_blocked or request.answer):
            raise NoSuchRequestError(f"no request {id_} waits for an answer")
        request.is_blocked = False
        request.was_failed = method == "network.failRequest"
        request.answer = (method, parameters)
        if not request.phase:
            return  # the event that it waits is on its way
        phase, request.phase, request.answer = request.phase, "", None
        command, given = _command(method, parameters, request, phase)
        self._inspector.ask(request.page, command, requestId=request.key, **given)

    # Bodies

    def keep_bodies(self) -> None:
        """Keep some bodies when their pages are left."""
        self._keeps_bodies = True

    def _keep_bodies_of(self, page: Page, context: BrowsingContext) -> None:
        """Ask for bodies before a page is left."""
        if not self._keeps_bodies or context.parent is not None:
            return
        left = [
            each
            for each in self._requests.values()
            if each.page == page and each.has_ended and each.body is None and each.kind in KEPT_KINDS and each.response
        ]
        for request in left[-MOST_KEPT:]:
            request.body = {}
            reply = self._inspector.ask(page, "Network.getResponseBody", requestId=request.key)
            reply.then(lambda result, request=request: _keep(request, result))

    async def data(self, id_: str, kind: str) -> Json:
        """Return the body of a request or of its response. Raises `NoSuchNetworkDataError`."""
        request = self._requests.get(id_)
        if request is None:
            raise NoSuchNetworkDataError(f"the request {id_} is not known")
        if kind == "request":
            if (sent := request.sent.get("postData")) is None:
                raise NoSuchNetworkDataError("the request has no body")
            return {"type": "string", "value": str(sent)}
        while not request.has_ended:
            await trio.sleep(0.02)
        body = request.body
        if not body:
            reply = self._inspector.ask(request.page, "Network.getResponseBody", requestId=request.key)
            body = await reply.within(DATA_TIMEOUT)
        if "body" not in body:
            raise NoSuchNetworkDataError("the browser does not have the body any more")
        return {"type": "base64" if body.get("base64Encoded") else "string", "value": str(body["body"])}


def _keep(request: Request, result: Json) -> None:
    request.body = result


def _command(method: str, parameters: Json, request: Request, phase: str) -> tuple[str, Json]:
    """Return the command of the Web Inspector Protocol for a command of WebDriver BiDi, and its parameters."""
    respond = "Network.interceptWithResponse" if phase == "response" else "Network.interceptRequestWithResponse"
    match method:
        case "network.provideResponse":
            return respond, _provided(parameters)
        case "network.failRequest" if phase == "response":
            return respond, {**_REFUSED, "base64Encoded": False, "mimeType": "text/plain"}
        case "network.failRequest":
            return "Network.interceptRequestWithError", {"errorType": "General"}
        case "network.continueRequest" if phase == "request" and _changes(parameters):
            return "Network.interceptWithRequest", _changed(parameters, request)
        case _:
            return "Network.interceptContinue", {"stage": phase}


def _provided(parameters: Json) -> Json:
    headers = {name: value for name, value in map(_pair, objects(parameters.get("headers")))}
    kind = next((value for name, value in headers.items() if name.lower() == "content-type"), "text/plain")
    body = fields(parameters.get("body"))
    status = parameters.get("statusCode")
    return {
        "content": str(body.get("value", "")),
        "base64Encoded": body.get("type") == "base64",
        "mimeType": kind.partition(";")[0],
        "status": 200 if status is None else status,
        "statusText": str(parameters.get("reasonPhrase") or ""),
        "headers": headers,
    }


def _changes(parameters: Json) -> bool:
    return any(parameters.get(key) is not None for key in ("headers", "method", "url", "body", "cookies"))


def _changed(parameters: Json, request: Request) -> Json:
    changed: Json = {key: parameters[key] for key in ("url", "method") if parameters.get(key) is not None}
    if parameters.get("headers") is not None:
        changed["headers"] = {name: value for name, value in map(_pair, objects(parameters["headers"]))}
    if parameters.get("cookies") is not None:
        cookies = "; ".join(f"{name}={value}" for name, value in map(_pair, objects(parameters["cookies"])))
        changed["headers"] = {**fields(changed.get("headers", request.sent.get("headers"))), "Cookie": cookies}
    body = fields(parameters.get("body"))
    if body:
        value = str(body.get("value"))
        changed["postData"] = value if body.get("type") == "base64" else b64encode(value.encode()).decode()
    return changed


def _pair(header: Json) -> tuple[str, str]:
    return str(header.get("name")), str(fields(header.get("value")).get("value", ""))


_STEPS = {
    "domainLookupStart": "dnsStart",
    "domainLookupEnd": "dnsEnd",
    "connectStart": "connectStart",
    "connectEnd": "connectEnd",
    "secureConnectionStart": "tlsStart",
    "requestStart": "requestStart",
    "responseStart": "responseStart",
    "responseEnd": "responseEnd",
}
"""Steps of a request, in milliseconds after `fetchStart`, and their names in WebDriver BiDi."""

_NO_TIMINGS: Json = dict.fromkeys([*_STEPS.values(), "redirectStart", "redirectEnd", "fetchStart"], 0.0)


def _timing(told: Json, offset: float) -> Json:
    """Return the times of a response's steps, in milliseconds since the epoch."""
    begun = (_number(told.get("fetchStart")) + offset) * 1000
    return {name: begun + value for step, name in _STEPS.items() if (value := _number(told.get(step))) > 0}


def _response(request: Request, metrics: Json) -> Json:
    response = request.response
    headers, source = fields(response.get("headers")), response.get("source")
    heads, body = _size(metrics, "responseHeaderBytesReceived"), _size(metrics, "responseBodyBytesReceived")
    if source == "service-worker":
        request.timing = {**request.timing, "fetchStart": request.started}
    return {
        "url": str(response.get("url") or request.sent.get("url")),
        "protocol": str(metrics.get("protocol") or ""),
        "status": int(_number(response.get("status"))),
        "statusText": str(response.get("statusText") or ""),
        "fromCache": source in _CACHES,
        "headers": _headers(headers),
        "mimeType": str(response.get("mimeType") or ""),
        "bytesReceived": heads + body,
        "headersSize": heads,
        "bodySize": body,
        "content": {"size": _size(metrics, "responseBodyDecodedSize") or body},
    }


def _size(metrics: Json, key: str) -> int:
    """Return a number of bytes; 0 if it is unknown."""
    value = _number(metrics.get(key))
    return int(value) if 0 < value < math.inf else 0


def _headers(given: object) -> list[Json]:
    """Return headers. WebKit joins those of one name by commas; cookies have a line each."""
    return [{"name": name, "value": {"type": "string", "value": str(value)}} for name, value in fields(given).items()]


def _initiator(told: Json) -> Json:
    """Return what has caused a request. Lines and columns count from 0, those of WebKit from 1."""
    given = fields(told.get("initiator"))
    kind = given.get("type")
    initiator: Json = {"type": kind if kind in {"parser", "script"} else "other"}
    frames = [
        {
            "functionName": str(each.get("functionName", "")),
            "url": str(each.get("url", "")),
            "lineNumber": max(0, int(_number(each.get("lineNumber"))) - 1),
            "columnNumber": max(0, int(_number(each.get("columnNumber"))) - 1),
        }
        for each in objects(_call_frames(given.get("stackTrace")))
    ]
    if frames:
        initiator["stackTrace"] = {"callFrames": frames}
    return initiator


def _call_frames(stack: object) -> object:
    return stack if isinstance(stack, list) else items(fields(stack).get("callFrames"))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
