"""The network module of WebDriver BiDi for a WebKit with an inspector server."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi.errors import NoSuchNetworkDataError, NoSuchRequestError
from bidi_server.classic.contexts import UNTOLD, BrowsingContext, new_id
from bidi_server.classic.inspector import Inspector, Page, Reply, Setting
from bidi_server.classic.network_messages import (
    Phase,
    Request,
    answer_of,
    described,
    initiator_of,
    response_of,
)
from bidi_server.classic.requests import named, number
from drivers.json_values import Json, fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bidi_server.classic.tracker import Tracker

DATA_TIMEOUT = 5.0
"""Timeout for a page to tell a body, in seconds."""

MOST_REQUESTS = 2000
"""Maximum number of requests that have ended and are known."""

KEPT_KINDS = frozenset({"Document", "XHR", "Fetch"})
"""Kinds of requests whose bodies are kept when their page is left. WebKitGTK 2.50 forgets bodies with the document."""

MOST_KEPT = 100
"""Maximum number of bodies that are kept when a page is left."""

_WITHOUT_CONTENT = {0, 204, 205}
"""Statuses of responses that become no download; 0 without a response."""

_WITHOUT_NETWORK = ("about:", "data:")
"""URLs that need no network, and that Chromium reports no requests for."""


class Network:
    """The requests of a session.

    WebKitGTK 2.50 lets no request wait that follows a redirect. It is reported as waiting, and gets its answer in the
    place of the response. WebSockets do not wait at all, nor do the requests of shared and service workers.
    """

    def __init__(
        self,
        inspector: Inspector,
        tracker: Tracker,
        emit: Callable[[str, Json], None],
        on_cancelled: Callable[[BrowsingContext, bool], None],
    ) -> None:
        self._inspector = inspector
        self._tracker = tracker
        self._emit = emit
        self._on_cancelled = on_cancelled
        self._prefix = new_id()[:8]
        self._requests: dict[str, Request] = {}
        """The newest requests, by id."""
        self._some_ended = trio.Event()
        self.intercepts: dict[str, frozenset[str]] = {}
        """For each intercept, the tabs whose requests wait; all if it is empty."""
        self._most_bytes = 0
        """Maximum size of a body, in bytes; 0 if none is kept."""

    def owns(self, request: str) -> bool:
        """Whether a request is one of this session."""
        return request in self._requests

    # Events

    def take(
        self, page: Page, context: BrowsingContext, method: str, parameters: Json, *, is_known: bool = True
    ) -> None:
        """Take an event about a request of a context. If that is not known, the tab stands for a frame in it."""
        id_ = f"{self._prefix}-{page.id}-{parameters.get('requestId')}"
        match method:
            case "Network.requestWillBeSent":
                self._will_be_sent(id_, page, context, parameters, is_known=is_known)
            case "Network.webSocketCreated":
                self._connects(id_, page, context, parameters)
            case "Network.requestServedFromMemoryCache":
                self._is_in_memory(id_, page, context, parameters)
            case _:
                request = self._requests.get(id_) or self._untold(id_, page, context, method, parameters)
                if request is not None and not request.ended:
                    self._goes_on(request, method, parameters)

    def _goes_on(self, request: Request, method: str, told: Json) -> None:
        match method:
            case "Network.requestIntercepted":
                self._waits(request, "request")
            case "Network.responseIntercepted":
                self._waits(request, "response")
            case "Network.responseReceived" | "Network.webSocketHandshakeResponseReceived":
                self._responded(request, fields(told.get("response")), request.moment(told))
            case "Network.loadingFinished" | "Network.webSocketClosed":
                self._finished(request, fields(told.get("metrics")), request.moment(told))
            case "Network.loadingFailed":
                self._failed(request, told)
            case _:
                pass

    def _will_be_sent(self, id_: str, page: Page, context: BrowsingContext, told: Json, *, is_known: bool) -> None:
        sent, kind, started = fields(told.get("request")), _kind(told), number(told.get("walltime"))
        url, navigation = str(sent.get("url")), None
        former = self._requests.get(id_)
        if former is not None and not former.ended and "redirectResponse" in told:
            self._redirected(former, sent, told)
            return
        if kind == "Document":
            navigation = self._tracker.requested(context, url, str(told.get("loaderId"))) if is_known else new_id()
            if is_known and context.parent is None:
                self._keep_bodies_of(page)
        if not url.startswith(_WITHOUT_NETWORK):
            request = Request(id_, _key(told), page, context, kind, navigation, sent, started * 1000)
            request.clock = started - number(told.get("timestamp"))
            self._begin(request, told)

    def _begin(self, request: Request, told: Json) -> None:
        self._requests.pop(request.id, None)
        self._requests[request.id] = request
        self._forget_old()
        request.is_blocked = any(self._intercepts_of(request.context)) and request.kind != "WebSocket"
        self._say("network.beforeRequestSent", request, request.started, initiator=initiator_of(told))

    def _redirected(self, request: Request, sent: Json, told: Json) -> None:
        moment = number(told.get("walltime")) * 1000
        request.answer = None
        self._responded(request, fields(told.get("redirectResponse")), moment)
        self._say("network.responseCompleted", request, moment, response=response_of(request))
        request.sent, request.response, request.started = sent, {}, moment
        request.redirects += 1
        self._begin(request, told)

    def _untold(self, id_: str, page: Page, context: BrowsingContext, method: str, parameters: Json) -> Request | None:
        """Return a request that was sent before we knew of its window, if it waits."""
        if method == "Network.loadingFailed" and context.wanted and not context.loader:
            self._on_cancelled(context, False)
        if method != "Network.responseIntercepted":
            return None
        is_first, now = context.url == "about:blank", time.time()
        url = str(fields(parameters.get("response")).get("url"))
        navigation = self._tracker.requested(context, url, UNTOLD) if is_first else None
        sent: Json = {"url": url, "method": "GET"}
        request = Request(id_, _key(parameters), page, context, "Document", navigation, sent, now * 1000, now)
        if is_first:
            self._begin(request, {})
        return request

    def _is_in_memory(self, id_: str, page: Page, context: BrowsingContext, told: Json) -> None:
        resource, now = fields(told.get("resource")), time.time()
        sent: Json = {"url": str(resource.get("url")), "method": "GET"}
        if not str(sent["url"]).startswith(_WITHOUT_NETWORK):
            request = Request(id_, _key(told), page, context, _kind(resource), None, sent, now * 1000)
            self._requests[id_] = request
            self._say("network.beforeRequestSent", request, request.started, initiator=initiator_of(told))
            response = {**fields(resource.get("response")), "source": "memory-cache"}
            self._responded(request, response, request.started)
            self._finished(request, {}, request.started)

    def _connects(self, id_: str, page: Page, context: BrowsingContext, told: Json) -> None:
        now, sent = time.time(), dict[str, object](url=str(told.get("url")), method="GET")
        request = Request(id_, _key(told), page, context, "WebSocket", None, sent, now * 1000)
        request.clock = now - number(told.get("timestamp"))
        self._begin(request, told)

    def _responded(self, request: Request, response: Json, moment: float) -> None:
        request.response, request.is_blocked = response, False
        self._say("network.responseStarted", request, moment, response=response_of(request))

    def _finished(self, request: Request, metrics: Json, moment: float) -> None:
        self._end(request, moment)
        request.metrics = metrics
        if request.response:
            self._say("network.responseCompleted", request, moment, response=response_of(request))

    def _failed(self, request: Request, told: Json) -> None:
        moment, is_cancelled = request.moment(told), told.get("canceled") is True
        self._end(request, moment)
        # The texts are in the language of the machine.
        reason = "net::ERR_ABORTED" if is_cancelled else named(str(told.get("errorText")))
        text = "net::ERR_FAILED" if request.is_refused else reason
        self._say("network.fetchError", request, moment, errorText=text)
        if is_cancelled and request.navigation is not None and request.navigation == request.context.navigation:
            status = number(request.response.get("status"))
            self._on_cancelled(request.context, status not in _WITHOUT_CONTENT)

    def _end(self, request: Request, moment: float) -> None:
        request.ended, request.is_blocked = moment, False
        self._some_ended.set()
        self._some_ended = trio.Event()

    def _say(self, method: str, request: Request, moment: float, **more: object) -> None:
        told = described(request, moment)
        if request.is_blocked:
            told["intercepts"] = list(self._intercepts_of(request.context))
        self._emit(method, {**told, **more})

    def _forget_old(self) -> None:
        if len(self._requests) > 2 * MOST_REQUESTS:
            for request in [each for each in self._requests.values() if each.ended][:MOST_REQUESTS]:
                del self._requests[request.id]

    # Interception

    def _intercepts_of(self, context: BrowsingContext) -> Iterator[str]:
        top = context.top.id
        return (id_ for id_, contexts in self.intercepts.items() if not contexts or top in contexts)

    async def intercept(self, id_: str, contexts: frozenset[str]) -> None:
        """Let the requests of some tabs wait for an answer from now on, or those of all."""
        self.intercepts[id_] = contexts
        if len(self.intercepts) == 1:
            await self._switch(on=True)

    async def remove_intercept(self, id_: str) -> None:
        """Let requests not wait because of an intercept any more. Without another one, those that wait are sent."""
        if self.intercepts.pop(id_, None) is None or self.intercepts:
            return
        for request in self._requests.values():
            if request.phase is not None:
                self._reply(request, request.phase, "network.continueRequest", {})
        await self._switch(on=False)

    async def _switch(self, *, on: bool) -> None:
        await self._inspector.set(Setting("Network.setInterceptionEnabled", {"enabled": on}))
        for stage in ("request", "response"):
            every = Setting("Network.addInterception", {"url": "", "stage": stage}, stage)
            if on:
                await self._inspector.set(every)
            else:
                await self._inspector.unset(every, "Network.removeInterception")

    def _waits(self, request: Request, phase: Phase) -> None:
        """Reply to a request that waits, if the answer is known, or if nobody wants to answer."""
        if request.answer is not None:
            self._reply(request, phase, *request.answer)
        elif request.is_blocked:
            request.phase = phase
        else:
            self._reply(request, phase, "network.continueRequest", {})

    def answer(self, id_: str, method: str, parameters: Json) -> None:
        """Continue, answer or fail a request that waits. Raises `NoSuchRequestError`."""
        request = self._requests.get(id_)
        if request is None or not request.is_blocked:
            raise NoSuchRequestError(f"no request {id_} waits for an answer")
        request.is_blocked = False
        if request.phase is None:
            request.answer = (method, parameters)
        else:
            self._reply(request, request.phase, method, parameters)

    def _reply(self, request: Request, phase: Phase, method: str, parameters: Json) -> None:
        request.phase, request.answer = None, None
        request.is_refused = method == "network.failRequest"
        command, given = answer_of(method, parameters, request, phase)
        self._inspector.send(request.page, command, requestId=request.key, **given)

    # Bodies

    def keep_bodies(self, most_bytes: int) -> None:
        """Keep the bodies of some requests when their page is left, up to a size each."""
        self._most_bytes = most_bytes

    def _keep_bodies_of(self, page: Page) -> None:
        """Ask for the bodies of a page that is being left."""
        if not self._most_bytes:
            return
        left = [
            each
            for each in self._requests.values()
            if each.page == page and each.ended and each.body is None and each.response and each.kind in KEPT_KINDS
        ]
        for request in left[-MOST_KEPT:]:
            if request.size <= self._most_bytes:
                request.body = {}
                self._ask_for_body(request).then(lambda result, request=request: _keep(request, result))

    def _ask_for_body(self, request: Request) -> Reply:
        return self._inspector.send(request.page, "Network.getResponseBody", requestId=request.key)

    async def data(self, id_: str, kind: str) -> Json:
        """Return the body of a request or of its response. Raises `NoSuchNetworkDataError`."""
        request = self._requests.get(id_)
        if request is None:
            raise NoSuchNetworkDataError(f"the request {id_} is not known")
        if kind == "request":
            if (sent := request.sent.get("postData")) is None:
                raise NoSuchNetworkDataError("the request has no body")
            return {"type": "string", "value": str(sent)}
        while not request.ended:
            await self._some_ended.wait()
        if not request.body and request.size <= self._most_bytes:
            request.body = await self._ask_for_body(request).within(DATA_TIMEOUT)
        body = request.body or {}
        if "body" not in body:
            raise NoSuchNetworkDataError("the browser does not have the body any more")
        return {"type": "base64" if body.get("base64Encoded") else "string", "value": str(body["body"])}


def _keep(request: Request, result: Json) -> None:
    request.body = result


def _key(told: Json) -> str:
    return str(told.get("requestId"))


def _kind(told: Json) -> str:
    return str(told.get("type") or "Other")
