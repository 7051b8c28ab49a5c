"""The requests of a tab in Chromium, which reports a part of them only over the DevTools protocol."""

from bidi_server.bidi import cdp
from bidi_server.bidi.network import BaseParameters, BeforeRequestSent, ResponseStarted
from bidi_server.bidi.wire import Event
from bidi_server.browser.journal import Journal
from bidi_server.browser.network.requests import NEVER_ENDING, Request, Requests, kind_of

_NOT_AWAITED = NEVER_ENDING | {"document", "preflight", "cspviolationreport", "prefetch"}
"""Kinds of requests in Chromium's own events that are not awaited, or not as requests."""


class ChromiumRequests(Requests):
    """The requests of a tab, with Chromium's own events about them."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(journal)
        self._announced: dict[str, tuple[int, Request]] = {}
        """Requests that only Chromium's own events have reported so far, each with the journal's cursor then."""

    def record(self, event: BaseParameters, *, by_worker: bool = False) -> None:
        """Record an event from the browser."""
        match event:
            case BeforeRequestSent() if self._is_told_late(event):
                pass
            case ResponseStarted() if self._lacks_start(event):
                self.started(event, by_worker=by_worker)
                super().record(event, by_worker=by_worker)
            case _:
                super().record(event, by_worker=by_worker)

    def record_own(self, event: Event) -> bool:
        """Record one of Chromium's own events. Return whether it ends a request whose end BiDi may never report."""
        match event:
            case cdp.RequestWillBeSent():
                self._announce(event)
            case cdp.ResponseReceived():
                self._explain(event)
            case cdp.LoadingFailed():
                self._explain(event)
                return self._concluded(event)
            case cdp.LoadingFinished():
                return self._concluded(event)
            case _:
                pass
        return False

    def pending_since(self, cursor: int, *, of_workers: bool = False) -> list[Request]:
        """Return the requests that began after a cursor of the journal, are in flight, and can be expected to end.

        ``of_workers`` includes the requests of workers.
        """
        announced = [request for began, request in self._announced.values() if began >= cursor]
        return announced + super().pending_since(cursor, of_workers=of_workers)

    def started(self, event: BeforeRequestSent | ResponseStarted, *, by_worker: bool) -> None:
        """Record the start of a request."""
        self._announced.pop(event.request.request, None)
        super().started(event, by_worker=by_worker)

    def give_up(self, frame: str, former: str = "", answered: int | None = None) -> None:
        """Stop waiting for the requests of a frame's former document."""
        self._announced = {id_: each for id_, each in self._announced.items() if each[1].frame != frame}
        super().give_up(frame, former, answered)

    def recover(self, id_: str) -> None:
        """Put a request back in flight whose end is reported after all."""
        request = self.by_id.get(id_)
        if request is not None and request.untold:
            self.in_flight[id_] = request
        super().recover(id_)

    def _announce(self, event: cdp.RequestWillBeSent) -> None:
        """Record the start of a request.

        BiDi's event waits for data of the network process. Under load this takes longer than a page takes to look
        settled; with a service worker, it takes until the response.
        """
        kind = event.type.lower()
        if kind in _NOT_AWAITED or event.url.startswith("data:") or event.request in self.in_flight:
            return
        request = Request(event.request, event.http_method, event.url, 0, event.frame, None, kind)
        self._announced[event.request] = (self.journal.cursor(), request)

    def _concluded(self, event: cdp.LoadingFinished | cdp.LoadingFailed) -> bool:
        request = self.in_flight.get(event.request)
        if request is not None and request.untold:
            self.ended(request.id, request.started)
            return True
        return self._announced.pop(event.request, None) is not None

    def _explain(self, event: cdp.ResponseReceived | cdp.LoadingFailed) -> None:
        """Record the source of a response, or the reason why there is none. BiDi reports neither.

        https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-Response
        """
        request = self.by_id.get(event.request)
        if request is None:
            return
        if isinstance(event, cdp.LoadingFailed):
            if event.cors_error or event.blocked_reason:
                request.reason = f"CORS: {event.cors_error}" if event.cors_error else f"blocked: {event.blocked_reason}"
        elif event.response.get("fromServiceWorker"):
            request.made_by = "service worker"
        elif event.response.get("fromDiskCache") or event.response.get("fromPrefetchCache"):
            request.made_by = "browser cache"

    def _lacks_start(self, event: ResponseStarted) -> bool:
        """Whether the request of a response has not been reported.

        The mapper waits for the network process's data about a request. For a request that was redirected under load,
        that data arrives early and is lost: neither the start nor the end of the request is reported then.
        """
        id_ = event.request.request
        known = self.by_id.get(id_)
        return id_ in self._announced or (known is not None and event.redirect_count > known.redirects)

    def _is_told_late(self, event: BeforeRequestSent) -> bool:
        known = self.by_id.get(event.request.request)
        if known is None or not known.untold or known.redirects != event.redirect_count:
            return False
        known.initiator, known.kind = event.initiator, kind_of(event.request, event.initiator)
        return True
