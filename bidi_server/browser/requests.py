"""The network requests of a tab, recorded as they go."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bidi_server.bidi.network import BaseParameters, BeforeRequestSent, FetchError, ResponseCompleted, ResponseStarted

from .ring import Ring

if TYPE_CHECKING:
    from collections.abc import Mapping

LIMIT = 1000
"""Requests kept for each tab."""

_NEVER_ENDING = frozenset({"websocket", "eventsource", "ping", "beacon"})


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
    from_cache: bool = False
    finished: float | None = None
    error: str = ""

    @property
    def pending(self) -> bool:
        """Whether neither an answer has come in full nor an error."""
        return self.finished is None


class Requests:
    """The newest requests of a tab and those in flight."""

    def __init__(self) -> None:
        self.all: Ring[Request] = Ring(LIMIT)
        self.in_flight: dict[str, Request] = {}

    def record(self, event: BaseParameters) -> None:
        """Take an event from the browser."""
        match event:
            case BeforeRequestSent():
                self._started(event)
            case ResponseStarted():
                self._answered(event)
            case ResponseCompleted():
                self._answered(event)
                self._ended(event.request.request, event.timestamp / 1000)
            case FetchError():
                request = self.in_flight.get(event.request.request)
                if request is not None:
                    request.error = event.error_text
                self._ended(event.request.request, event.timestamp / 1000)
            case _:
                return

    def pending_since(self, mark: int) -> list[Request]:
        """Return those that began after a mark of `all`, are in flight, and can be expected to end."""
        if not self.in_flight:
            return []
        return [request for request in self.all.since(mark) if request.pending and request.kind not in _NEVER_ENDING]

    def forget_frame(self, frame: str) -> None:
        """A frame has gone or has another document: nobody will hear the end of its requests."""
        for id_, request in list(self.in_flight.items()):
            if request.frame == frame and request.navigation is None:
                request.error = request.error or "the page went away"
                self._ended(id_, request.started)

    def _started(self, event: BeforeRequestSent) -> None:
        data = event.request
        if event.redirect_count and data.request in self.in_flight:
            self._ended(data.request, event.timestamp / 1000)
        request = Request(
            id=data.request,
            method=data.method,
            url=data.url,
            started=event.timestamp / 1000,
            frame=event.context or "",
            navigation=event.navigation,
            kind=_kind(data.destination, data.initiator_type),
        )
        self.all.append(request)
        self.in_flight[data.request] = request

    def _answered(self, event: ResponseStarted | ResponseCompleted) -> None:
        request = self.in_flight.get(event.request.request)
        if request is None:
            return
        response = event.response
        request.status = response.status
        request.status_text = response.status_text
        request.mime_type = response.mime_type
        request.size = response.bytes_received
        request.from_cache = response.from_cache

    def _ended(self, id_: str, time: float) -> None:
        request = self.in_flight.pop(id_, None)
        if request is not None:
            request.finished = time


def _kind(destination: str | None, initiator: str | None) -> str:
    """Return what the request is for: document, script, image, fetch … (https://fetch.spec.whatwg.org/#concept-request-destination)."""
    names: Mapping[str, str] = {"xmlhttprequest": "xhr", "iframe": "frame", "other": "", "navigation": "document"}
    kind = destination or initiator or ""
    return names.get(kind, kind)
