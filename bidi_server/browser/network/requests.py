"""The network requests of a tab, recorded as they go."""

import re
from dataclasses import dataclass
from http.client import responses
from time import monotonic
from typing import TYPE_CHECKING

from bidi_server.bidi.browsing_context import NavigationCommitted
from bidi_server.bidi.cdp import LoadingFailed, LoadingFinished, RequestWillBeSent, ResponseReceived
from bidi_server.bidi.network import (
    BaseParameters,
    BeforeRequestSent,
    FetchError,
    Header,
    Initiator,
    RequestData,
    ResponseCompleted,
    ResponseData,
    ResponseStarted,
)
from bidi_server.browser.bounded import Ring
from bidi_server.browser.network.net_errors import reason_of
from bidi_server.browser.origin import may_refer
from bidi_server.escapes import quote

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LIMIT = 1000
"""Requests kept for each tab."""

GONE = "the page went away"
"""What is said of a request whose page did not stay for the answer."""

PARTING = 1.0
"""Seconds for which the last requests of a page may be told after it has gone."""

_NEVER_ENDING = frozenset({"websocket", "eventsource", "ping", "beacon"})

_EVENTS = "text/event-stream"
"""Type of an answer that goes on (https://html.spec.whatwg.org/#server-sent-events)."""

_NOT_AWAITED = _NEVER_ENDING | {"document", "preflight", "cspviolationreport", "prefetch"}
"""Kinds that Chromium announces and nobody waits for, or not as for a request."""

_BY_SCRIPT = _NEVER_ENDING | {"xhr", "fetch"}

_CORS = re.compile(r"Cross-Origin Request Blocked: .{,200} at (?P<url>\S+?)\.? \(Reason: (?P<reason>[^)]{,300})\)")
"""How Firefox's console says it; its network events don't. Where a page says it, that may be without end."""


@dataclass(slots=True)
class Request:
    """One request. Times are in seconds since the epoch; ``status`` 0 means that no answer has come."""

    id: str
    method: str
    url: str
    started: float
    frame: str
    navigation: str | None
    kind: str = ""
    status: int = 0
    status_text: str = ""
    mime_type: str = ""
    size: int = 0
    """Bytes that came over the network."""
    from_cache: bool = False
    finished: float | None = None
    """When it ended; in Chromium no other than `started`."""
    heard: float = 0
    """Our own clock when it began."""
    duration: float | None = None
    """Seconds from its start to its end."""
    error: str = ""
    number: int = 0
    """What the agent calls it: 1 for the tab's first."""
    by_worker: bool = False
    """Whether a worker asked for it. It is waited for only where a message to a worker waits for its answer."""
    reason: str = ""
    """Why the page got nothing, where the browser says more than `error`."""
    made_by: str = ""
    """What Chromium says of an answer that the network did not give."""
    sent: RequestData | None = None
    received: ResponseData | None = None
    initiator: Initiator | None = None
    answered: int | None = None
    """Mark of the tab's requests when the answer began."""
    redirects: int = 0
    """How often it was sent on before."""
    untold: bool = False
    """Whether the browser answered without saying before that it asks."""

    @property
    def source(self) -> str:
        """Where the answer came from: network, service worker or browser cache; "" while there is none."""
        if self.made_by or self.received is None:
            return self.made_by
        if not self.from_cache:
            return "network"
        # Both browsers tell when the worker was asked (fetchStart); a cache is not asked.
        return "service worker" if self.sent is not None and self.sent.timings.fetch_start else "browser cache"

    @property
    def status_words(self) -> str:
        """The server's words for the status, in quotes where they are its own and not the standard's."""
        is_standard = self.status_text.lower() == responses.get(self.status, "").lower()
        return self.status_text if is_standard or not self.status_text else quote(self.status_text)

    @property
    def failure(self) -> str:
        """Why the page got no answer; "" if it got one or still may."""
        if not self.error and not self.reason:
            return ""
        said = reason_of(self.error)
        return ": ".join(part for part in (self.reason or (said[0] if said else ""), self.error) if part)

    @property
    def referrer(self) -> str:
        """The document that asked, or its origin; "" where its policy keeps that back."""
        return header(self.sent.headers, "referer") if self.sent is not None else ""

    @property
    def request_headers(self) -> list[Header]:
        """What was sent. Chromium tells many of them twice."""
        return _unique(self.sent.headers) if self.sent is not None else []

    @property
    def response_headers(self) -> list[Header]:
        """What came back."""
        return self.received.headers if self.received is not None else []

    @property
    def pending(self) -> bool:
        """Whether neither an answer has come in full nor an error."""
        return self.finished is None

    @property
    def is_awaited(self) -> bool:
        """Whether it can be expected to end, and to matter to the page."""
        return not self.by_worker and self.may_end

    @property
    def may_end(self) -> bool:
        """Whether it can be expected to end."""
        return self.kind not in _NEVER_ENDING and not self.mime_type.startswith(_EVENTS)


class Requests:
    """The newest requests of a tab and those in flight."""

    def __init__(self) -> None:
        self.all: Ring[Request] = Ring(LIMIT)
        self.in_flight: dict[str, Request] = {}
        self.parts_ended = 0
        """Number of requests that have ended and that the browser made for the page, not a script of the page."""
        self._by_id: dict[str, Request] = {}
        self._announced: dict[str, tuple[int, Request]] = {}
        """Requests that Chromium has begun and BiDi has not told of, each with the mark of `all` at that time."""
        self._left: dict[str, tuple[str, str, float]] = {}
        """By frame with a new document, the URLs of the one before and of this one, and when it came."""

    def announce(self, event: RequestWillBeSent) -> None:
        """Take Chromium's own word that a request begins.

        BiDi's waits for what the network process has to say: under load for longer than a page takes to look as if it
        were at rest, and until the answer where there is a service worker.
        """
        kind = event.type.lower()
        if kind in _NOT_AWAITED or event.url.startswith("data:") or event.request in self.in_flight:
            return
        request = Request(event.request, event.http_method, event.url, 0, event.frame, None, kind)
        self._announced[event.request] = (self.all.mark(), request)

    def concluded(self, event: LoadingFinished | LoadingFailed) -> bool:
        """Take Chromium's own word that a request has ended; whether it was one whose end BiDi may never tell."""
        request = self.in_flight.get(event.request)
        if request is not None and request.untold:
            self._ended(request.id, request.started)
            return True
        return self._announced.pop(event.request, None) is not None

    def record(self, event: BaseParameters, *, by_worker: bool = False) -> None:
        """Take an event from the browser."""
        match event:
            case BeforeRequestSent():
                if not self._is_told_late(event):
                    self._started(event, by_worker=by_worker)
            case ResponseStarted():
                if self._is_untold(event):
                    self._started(event, by_worker=by_worker)
                self._answered(event)
            case ResponseCompleted():
                self._recover(event.request.request)
                self._answered(event)
                self._ended(event.request.request, event.timestamp / 1000)
            case FetchError():
                request = self.in_flight.get(event.request.request)
                if request is not None:
                    request.error = event.error_text
                self._ended(event.request.request, event.timestamp / 1000)
            case _:
                return

    def pending_since(self, mark: int, *, of_workers: bool = False) -> list[Request]:
        """Return those that began after a mark of `all`, are in flight, and can be expected to end.

        Those of workers are among them if wanted.
        """
        found = [request for began, request in self._announced.values() if began >= mark]
        if self.in_flight:
            found += [
                request
                for request in self.all.since(mark)
                if request.pending and (request.is_awaited or (of_workers and request.by_worker and request.may_end))
            ]
        return found

    def ended_since(self, mark: int, time: float) -> bool:
        """Whether one that began after a mark of `all`, and that was awaited, ended after a time of `monotonic`."""
        return any(
            request.duration is not None and request.heard + request.duration > time and request.is_awaited
            for request in self.all.since(mark)
        )

    def explain(self, event: ResponseReceived | LoadingFailed) -> None:
        """Take what Chromium's own events say beyond the protocol: who made an answer, and why there is none.

        https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-Response
        """
        request = self._by_id.get(event.request)
        if request is None:
            return
        if isinstance(event, LoadingFailed):
            if event.cors_error or event.blocked_reason:
                request.reason = f"CORS: {event.cors_error}" if event.cors_error else f"blocked: {event.blocked_reason}"
        elif event.response.get("fromServiceWorker"):
            request.made_by = "service worker"
        elif event.response.get("fromDiskCache") or event.response.get("fromPrefetchCache"):
            request.made_by = "browser cache"

    def refused(self, message: str) -> None:
        """Take what Firefox's console says, which may be of a request that CORS forbids."""
        if (found := _CORS.match(message)) is None:
            return
        request = next((each for each in reversed(list(self.all)) if each.url == found["url"]), None)
        if request is not None and not request.reason:
            request.reason = f"CORS: {found['reason']}"

    def find(self, number: int) -> Request | None:
        """Return the request that the agent calls by this number, if it is still held."""
        return next((request for request in self.all if request.number == number), None)

    def forget_frame(self, frame: str) -> None:
        """A frame has gone: nobody will hear the end of its requests."""
        self._left.pop(frame, None)
        self._give_up(frame)

    def leave(self, frame: str, former: str, event: NavigationCommitted) -> None:
        """A frame has another document than the one at a URL: what that asked for is waited for no more.

        A busy Firefox tells of it after the first requests of the new document, and both browsers tell of the former's
        last requests after it. Referers tell them apart, and what began before there was an answer is the former's.
        """
        self._left[frame] = former, event.url, monotonic()
        documents = (each for each in reversed(list(self.all)) if each.navigation == event.navigation is not None)
        document = next(documents, None)
        if document is not None:
            self._give_up_documents(frame, document)
        self._give_up(frame, former, document.answered if document is not None else None)

    def stay(self, frame: str) -> None:
        """The document of a frame has given itself another URL, maybe the former's: what comes now is its own."""
        self._left.pop(frame, None)

    def _give_up(self, frame: str, former: str = "", answered: int | None = None) -> None:
        self._announced = {id_: each for id_, each in self._announced.items() if each[1].frame != frame}
        for request in list(self.in_flight.values()):
            early = answered is None or request.number <= answered
            if request.frame == frame and request.navigation is None and (early or may_refer(former, request.referrer)):
                self._go(request)

    def _give_up_documents(self, frame: str, document: Request) -> None:
        """Give up the documents that a frame has left for this one.

        Chromium 150 and 156 tell no end of a document that a script stopped or left while its parser was at work.
        """
        for request in list(self.in_flight.values()):
            if request.frame == frame and request.navigation and request.number < document.number:
                self._go(request)

    def _go(self, request: Request) -> None:
        request.error = GONE
        self._ended(request.id, request.started)

    def _recover(self, id_: str) -> None:
        """Take up what ended for us: Firefox lets the last requests of a page that goes away come to their end."""
        request = self._by_id.get(id_)
        if request is not None and (request.error == GONE or request.untold):
            request.error = ""
            self.in_flight[id_] = request

    def _is_untold(self, event: ResponseStarted) -> bool:
        """Return whether Chromium answers a request that it has not told of.

        Its mapper waits for what the network process has to say of a request. For one that was redirected under load
        that comes early and is lost: neither its begin nor its end is told then.
        """
        id_ = event.request.request
        known = self._by_id.get(id_)
        return id_ in self._announced or (known is not None and event.redirect_count > known.redirects)

    def _is_told_late(self, event: BeforeRequestSent) -> bool:
        known = self._by_id.get(event.request.request)
        if known is None or not known.untold or known.redirects != event.redirect_count:
            return False
        known.initiator, known.kind = event.initiator, _kind(event.request, event.initiator)
        return True

    def _started(self, event: BeforeRequestSent | ResponseStarted, *, by_worker: bool) -> None:
        data = event.request
        self._announced.pop(data.request, None)
        if data.url.startswith("data:"):
            return  # Firefox tells of those, which no network ever sees
        if event.redirect_count and data.request in self.in_flight:
            self._ended(data.request, event.timestamp / 1000)
        initiator = event.initiator if isinstance(event, BeforeRequestSent) else None
        request = Request(
            id=data.request,
            method=data.method,
            url=data.url,
            started=event.timestamp / 1000,
            frame=event.context or "",
            navigation=event.navigation,
            kind=_kind(data, initiator),
            number=self.all.mark() + 1,
            heard=monotonic(),
            by_worker=by_worker,
            sent=data,
            initiator=initiator,
            redirects=event.redirect_count,
            untold=isinstance(event, ResponseStarted),
        )
        self.all.append(request)
        self.in_flight[data.request] = self._by_id[data.request] = request
        if len(self._by_id) > 2 * LIMIT:
            self._by_id = {each.id: each for each in self.all}
        if request.navigation is None and request.frame in self._left:
            former, current, since = self._left[request.frame]
            if request.heard - since > PARTING:
                del self._left[request.frame]
            elif may_refer(former, request.referrer) and not may_refer(current, request.referrer):
                self._go(request)

    def _answered(self, event: ResponseStarted | ResponseCompleted) -> None:
        request = self.in_flight.get(event.request.request)
        if request is None:
            return
        response = request.received = event.response
        # Only now it has all of its headers and times.
        request.sent = event.request
        if request.answered is None:
            request.answered = self.all.mark()
        request.status = response.status
        request.status_text = response.status_text
        request.mime_type = _mime_type(response)
        request.from_cache = response.from_cache
        # Firefox counts what its caches and service workers gave as well.
        request.size = 0 if response.from_cache else response.bytes_received

    def _ended(self, id_: str, time: float) -> None:
        request = self.in_flight.pop(id_, None)
        if request is not None:
            request.finished = time
            self.parts_ended += request.kind not in _BY_SCRIPT
            request.duration = max(monotonic() - request.heard, _answered_after(request.sent))


def _answered_after(sent: RequestData | None) -> float:
    """Return the seconds until the head of the answer; our own clock runs short where events come in bundles."""
    timings = sent.timings if sent is not None else None
    return max(0.0, timings.response_end - timings.request_time) / 1000 if timings and timings.response_end else 0.0


def _mime_type(response: ResponseData) -> str:
    """Return the type of an answer; Firefox leaves it out where a service worker made it."""
    if response.mime_type.partition(";")[0]:
        return response.mime_type
    return header(response.headers, "content-type")


def header(headers: "Sequence[Header]", name: str) -> str:
    """Return the value of a header, whose name is given in lower case; "" if there is none."""
    return next((str(each.value) for each in headers if each.name.lower() == name), "")


def _unique(headers: list[Header]) -> list[Header]:
    return list({(header.name.lower(), str(header.value)): header for header in headers}.values())


def _kind(data: RequestData, initiator: Initiator | None) -> str:
    """Return what the request is for: document, script, image, fetch … (https://fetch.spec.whatwg.org/#concept-request-destination)."""
    names: Mapping[str, str] = {"xmlhttprequest": "xhr", "iframe": "frame", "other": "", "navigation": "document"}
    kind = data.destination or data.initiator_type or ""
    # No browser says so. https://html.spec.whatwg.org/#dom-eventsource sets the header.
    if kind in {"", "fetch"} and _EVENTS in header(data.headers, "accept"):
        return "eventsource"
    if not kind and initiator is not None and initiator.type == "script":
        return "xhr"  # which Chromium 156 does not say
    return names.get(kind, kind)
