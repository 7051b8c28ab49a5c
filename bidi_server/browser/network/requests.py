"""The network requests of a tab, recorded from events."""

from dataclasses import dataclass
from http.client import responses
from time import monotonic
from typing import TYPE_CHECKING

from bidi_server.bidi.browsing_context import NavigationCommitted
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
from bidi_server.bidi.wire import Event
from bidi_server.browser.journal import Journal, Log
from bidi_server.browser.network.net_errors import reason_of
from bidi_server.browser.network.proxy import LOGIN_NEEDED, NOT_REACHED, REFUSED, Failures
from bidi_server.browser.origin import may_refer
from bidi_server.escapes import quote

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LIMIT = 1000
"""Maximum number of requests kept for each tab."""

GONE = "the page went away"
"""Error of a request whose document was replaced before the response arrived."""

PARTING = 1.0
"""Maximum delay of events about the last requests of a replaced document, in seconds."""

NEVER_ENDING = frozenset({"websocket", "eventsource", "ping", "beacon"})

_EVENTS = "text/event-stream"
"""MIME type of a response that does not end (https://html.spec.whatwg.org/#server-sent-events)."""

_BY_SCRIPT = NEVER_ENDING | {"xhr", "fetch"}


@dataclass(slots=True)
class Request:
    """One request. Times are in seconds since the epoch; ``status`` is 0 until a response arrives."""

    id: str
    method: str
    url: str
    started: float
    frame: str
    navigation: str | None
    kind: str = ""
    status: int = 0
    """HTTP status; 0 before the response, and where the browser does not tell it (documents in WebKitGTK 2.50)."""
    status_text: str = ""
    mime_type: str = ""
    size: int = 0
    """Bytes received over the network."""
    from_cache: bool = False
    finished: float | None = None
    """When the request ended; in Chromium the same as `started`."""
    heard: float = 0
    """Time of the server's monotonic clock when the request was recorded."""
    duration: float | None = None
    """Seconds from the start to the end of the request."""
    error: str = ""
    number: int = 0
    """The agent's number for the request; the first request of the tab is 1."""
    by_worker: bool = False
    """Whether a worker sent the request. It is awaited only while a message to a worker awaits its answer."""
    reason: str = ""
    """Why the page got no response, if the browser says more than `error`."""
    made_by: str = ""
    """Source of the response, if Chromium reports one other than the network."""
    sent: RequestData | None = None
    received: ResponseData | None = None
    initiator: Initiator | None = None
    answered: int | None = None
    """`number` of the tab's newest request when the response began."""
    redirects: int = 0
    """Number of redirects before this request."""
    untold: bool = False
    """Whether the browser reported the response without having reported the request."""

    @property
    def source(self) -> str:
        """The source of the response: network, service worker or browser cache; "" before it arrives."""
        if self.made_by or self.received is None:
            return self.made_by
        if not self.from_cache:
            return "network"
        # Both browsers report when a service worker was asked (fetchStart), but set no such time for the cache.
        return "service worker" if self.sent is not None and self.sent.timings.fetch_start else "browser cache"

    @property
    def status_words(self) -> str:
        """The reason phrase of the status, in quotes if the server does not use the standard one."""
        is_standard = self.status_text.lower() == responses.get(self.status, "").lower()
        return self.status_text if is_standard or not self.status_text else quote(self.status_text)

    @property
    def is_answered(self) -> bool:
        """Whether a response has begun."""
        return self.received is not None

    @property
    def status_line(self) -> str:
        """The status with its reason phrase, such as 404 Not Found; "" if the status is not known."""
        return f"{self.status} {self.status_words}".rstrip() if self.status else ""

    @property
    def result(self) -> str:
        """The request's failure or status line; "pending" or "answered" if neither is known."""
        if self.failure:
            return f"failed: {self.failure}"
        if self.pending:
            return f"{self.status or 'answered'} …" if self.is_answered else "pending"
        return self.status_line or "answered"

    @property
    def failure(self) -> str:
        """Why the page got no response; "" if it got one or still may."""
        if not self.error and not self.reason:
            return ""
        said = reason_of(self.error)
        return ": ".join(part for part in (self.reason or (said[0] if said else ""), self.error) if part)

    @property
    def has_failed(self) -> bool:
        """Whether it was answered with an HTTP error or not at all, other than because its page went away."""
        return self.status >= 400 or (bool(self.failure) and self.error != GONE)

    @property
    def referrer(self) -> str:
        """URL or origin of the document that sent the request; "" if its referrer policy withholds it."""
        return header(self.sent.headers, "referer") if self.sent is not None else ""

    @property
    def request_headers(self) -> list[Header]:
        """The headers of the request, without duplicates: Chromium reports many headers twice."""
        return _unique(self.sent.headers) if self.sent is not None else []

    @property
    def response_headers(self) -> list[Header]:
        """The headers of the response."""
        return self.received.headers if self.received is not None else []

    @property
    def pending(self) -> bool:
        """Whether neither the complete response nor an error has arrived."""
        return self.finished is None

    @property
    def is_awaited(self) -> bool:
        """Whether the request can be expected to end, and was not sent by a worker."""
        return not self.by_worker and self.may_end

    @property
    def may_end(self) -> bool:
        """Whether the request can be expected to end."""
        return self.kind not in NEVER_ENDING and not self.mime_type.startswith(_EVENTS)


class Requests:
    """The newest requests of a tab, and the requests in flight, as WebDriver BiDi reports them.

    The room of an engine adds what it reports in another way.
    """

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.all: Log[Request] = journal.log(Request, LIMIT)
        self.count = 0
        """Number of requests recorded so far."""
        self.in_flight: dict[str, Request] = {}
        self.failures: Failures | None = None
        """The connections that our own proxy did not make; None without one."""
        self.parts_ended = 0
        """Number of ended requests that the browser sent for the page, not a script of the page."""
        self.by_id: dict[str, Request] = {}
        self._left: dict[str, tuple[str, str, float]] = {}
        """By frame with a new document: the URLs of the former and of the new document, and the time of the change."""

    def record(self, event: BaseParameters, *, by_worker: bool = False) -> None:
        """Record an event from the browser."""
        match event:
            case BeforeRequestSent():
                self.started(event, by_worker=by_worker)
            case ResponseStarted():
                self._answered(event)
            case ResponseCompleted():
                self.recover(event.request.request)
                self._answered(event)
                self.ended(event.request.request, event.timestamp / 1000)
            case FetchError():
                request = self.in_flight.get(event.request.request)
                if request is not None:
                    request.error = event.error_text
                    self._explain_failure(request)
                self.ended(event.request.request, event.timestamp / 1000)
            case _:
                return

    def _explain_failure(self, request: Request) -> None:
        """Note why our own proxy did not let a request through, which browsers can't say."""
        if self.failures is not None and (failure := self.failures.of(request.url)):
            request.reason = failure.reason

    def pending_since(self, cursor: int, *, of_workers: bool = False) -> list[Request]:
        """Return the requests that began after a cursor of the journal, are in flight, and can be expected to end.

        ``of_workers`` includes the requests of workers.
        """
        if not self.in_flight:
            return []
        return [
            request
            for request in self.all.since(cursor)
            if request.pending and request.may_end and (of_workers or not request.by_worker)
        ]

    def ended_since(self, cursor: int, time: float) -> bool:
        """Whether an awaited request that began after a cursor of the journal ended after a time of `monotonic`."""
        return any(
            request.duration is not None and request.heard + request.duration > time and request.is_awaited
            for request in self.all.since(cursor)
        )

    def record_own(self, _event: Event) -> bool:
        """Record an event of the engine's own. Return whether it ends a request whose end BiDi may never report."""
        return False

    def printed(self, text: str) -> None:
        """Handle a message of the browser itself in the console."""

    def find(self, number: int) -> Request | None:
        """Return the request with the agent's number; None if it is no longer kept."""
        return next((request for request in self.all if request.number == number), None)

    def forget_frame(self, frame: str) -> None:
        """End the requests of a removed frame: no event will report their end."""
        self._left.pop(frame, None)
        self.give_up(frame)

    def leave(self, frame: str, former: str, event: NavigationCommitted) -> None:
        """Stop waiting for requests of the former document, at URL ``former``: the frame committed a new document.

        A busy Firefox reports this after the first requests of the new document, and both browsers report the last
        requests of the former document after it. Requests that began before the response for the new document are the
        former document's; the others are told apart by the Referer header.
        """
        self._left[frame] = former, event.url, monotonic()
        documents = (each for each in reversed(list(self.all)) if each.navigation == event.navigation is not None)
        document = next(documents, None)
        if document is not None:
            self._give_up_documents(frame, document)
        self.give_up(frame, former, document.answered if document is not None else None)

    def stay(self, frame: str) -> None:
        """Attribute further requests of a frame to its document, which changed its URL, maybe to the former one's."""
        self._left.pop(frame, None)

    def give_up(self, frame: str, former: str = "", answered: int | None = None) -> None:
        """Stop waiting for the requests of a frame, or for those of its ``former`` document, given by its URL.

        ``answered`` is the number of the newest request when the response for the new document began.
        """
        for request in list(self.in_flight.values()):
            early = answered is None or request.number <= answered
            if request.frame == frame and request.navigation is None and (early or may_refer(former, request.referrer)):
                self._go(request)

    def _give_up_documents(self, frame: str, document: Request) -> None:
        """Give up the requests for documents that this document of the frame replaced.

        Chromium 150 and 156 do not report the end of a document that a script stopped or left during parsing.
        """
        for request in list(self.in_flight.values()):
            if request.frame == frame and request.navigation and request.number < document.number:
                self._go(request)

    def _go(self, request: Request) -> None:
        request.error = GONE
        self.ended(request.id, request.started)

    def recover(self, id_: str) -> None:
        """Put a request that we gave up back in flight: Firefox completes the last requests of a replaced document."""
        request = self.by_id.get(id_)
        if request is not None and request.error == GONE:
            request.error = ""
            self.in_flight[id_] = request

    def started(self, event: BeforeRequestSent | ResponseStarted, *, by_worker: bool) -> None:
        """Record the start of a request. The browser may report it only with its response."""
        data = event.request
        if data.url.startswith("data:"):
            return  # Firefox reports these although they use no network
        if event.redirect_count and data.request in self.in_flight:
            self.ended(data.request, event.timestamp / 1000)
        former = self.by_id.get(data.request)
        if former is not None and former.status == LOGIN_NEEDED and self.failures is not None:
            self.all.take_back(former)  # Firefox reports it again after the login at our own proxy
        initiator = event.initiator if isinstance(event, BeforeRequestSent) else None
        self.count += 1
        request = Request(
            id=data.request,
            method=data.method,
            url=data.url,
            started=event.timestamp / 1000,
            frame=event.context or "",
            navigation=event.navigation,
            kind=kind_of(data, initiator),
            number=self.count,
            heard=monotonic(),
            by_worker=by_worker,
            sent=data,
            initiator=initiator,
            redirects=event.redirect_count,
            untold=isinstance(event, ResponseStarted),
        )
        self.all.append(request)
        self.in_flight[data.request] = self.by_id[data.request] = request
        if len(self.by_id) > 2 * LIMIT:
            self.by_id = {each.id: each for each in self.all}
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
        # Only now the request has all of its headers and times.
        request.sent = event.request
        if request.answered is None:
            request.answered = self.count
        request.status = response.status
        request.status_text = response.status_text
        if response.status in (REFUSED, NOT_REACHED):
            self._explain_failure(request)
        request.mime_type = _mime_type(response)
        request.from_cache = response.from_cache
        # Firefox also counts bytes from its caches and service workers.
        request.size = 0 if response.from_cache else response.bytes_received

    def ended(self, id_: str, time: float) -> None:
        """Record the end of a request in flight, if it is one, at a time in seconds since the epoch."""
        request = self.in_flight.pop(id_, None)
        if request is not None:
            request.finished = time
            self.parts_ended += request.kind not in _BY_SCRIPT
            request.duration = max(monotonic() - request.heard, _answered_after(request.sent))


def _answered_after(sent: RequestData | None) -> float:
    """Return the seconds until the response headers; our own clock measures too little where events come in bundles."""
    timings = sent.timings if sent is not None else None
    return max(0.0, timings.response_end - timings.request_time) / 1000 if timings and timings.response_end else 0.0


def _mime_type(response: ResponseData) -> str:
    """Return the MIME type of a response; Firefox reports it only as a header if a service worker responded."""
    if response.mime_type.partition(";")[0]:
        return response.mime_type
    return header(response.headers, "content-type")


def header(headers: "Sequence[Header]", name: str) -> str:
    """Return the value of the header with this lower-case name; "" if there is none."""
    return next((str(each.value) for each in headers if each.name.lower() == name), "")


def _unique(headers: list[Header]) -> list[Header]:
    return list({(header.name.lower(), str(header.value)): header for header in headers}.values())


def kind_of(data: RequestData, initiator: Initiator | None) -> str:
    """Return the kind of a request: document, script, image, fetch … (https://fetch.spec.whatwg.org/#concept-request-destination)."""
    names: Mapping[str, str] = {"xmlhttprequest": "xhr", "iframe": "frame", "other": "", "navigation": "document"}
    kind = data.destination or data.initiator_type or ""
    # No browser reports this kind; https://html.spec.whatwg.org/#dom-eventsource sets the header.
    if kind in {"", "fetch"} and _EVENTS in header(data.headers, "accept"):
        return "eventsource"
    if not kind and initiator is not None and initiator.type == "script":
        return "xhr"  # Chromium 156 does not report this kind
    return names.get(kind, kind)
