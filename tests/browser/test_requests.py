"""Which document a request belongs to: what Firefox 140 and Chromium 156 tell, in the order in which they told it."""

import pytest
from pydantic.alias_generators import to_camel

from bidi_server.bidi.browsing_context import NavigationCommitted
from bidi_server.bidi.cdp import LoadingFinished, RequestWillBeSent
from bidi_server.bidi.network import BeforeRequestSent, FetchTimingInfo, ResponseCompleted, ResponseStarted
from bidi_server.browser.engine.chromium.requests import ChromiumRequests
from bidi_server.browser.journal import Journal

FORMER = "http://a.test/former"
PAGE = "http://a.test/page"


class Told:
    """A tab's requests as one frame's events make them, in the room of an engine."""

    def __init__(self) -> None:
        self.requests = ChromiumRequests(Journal())

    def begins(self, url: str, *, referrer: str = "", navigation: str | None = None, **more: object) -> None:
        self.requests.record(BeforeRequestSent.model_validate(self._event(url, referrer, navigation) | more))

    def answers(self, url: str, *, navigation: str | None = None, **more: object) -> None:
        self.requests.record(ResponseStarted.model_validate(self._event(url, "", navigation, response=True) | more))

    def completes(self, url: str, **more: object) -> None:
        self.requests.record(ResponseCompleted.model_validate(self._event(url, "", None, response=True) | more))

    def announces(self, url: str) -> None:
        """Chromium says in its own way that a request begins."""
        request = {"url": url, "method": "GET"}
        params = {"requestId": url, "frameId": "frame", "type": "Fetch", "request": request}
        self.requests.record_own(RequestWillBeSent.model_validate({"params": params, "session": "s"}))

    def concludes(self, url: str) -> bool:
        """Chromium says in its own way that a request has ended."""
        return self.requests.record_own(LoadingFinished.model_validate({"params": {"requestId": url}, "session": "s"}))

    def commits(self, former: str, url: str) -> None:
        event = NavigationCommitted(context="frame", navigation="n", timestamp=0, url=url)
        self.requests.leave("frame", former, event)

    def goes_to_page(self) -> None:
        self.begins(PAGE, navigation="n")
        self.answers(PAGE, navigation="n")

    @property
    def pending(self) -> list[str]:
        return [request.url for request in self.requests.pending_since(0) if request.navigation is None]

    def failure(self, url: str) -> str:
        return next(request.failure for request in self.requests.all if request.url == url)

    @staticmethod
    def _event(url: str, referrer: str, navigation: str | None, *, response: bool = False) -> dict[str, object]:
        header = {"name": "Referer", "value": {"type": "string", "value": referrer}}
        timings = {to_camel(name): 0 for name in FetchTimingInfo.model_fields}
        request = {"request": url, "url": url, "method": "GET", "timings": timings}
        answer = {"url": url, "protocol": "", "status": 200, "statusText": "", "fromCache": False, "mimeType": ""}
        answer |= {"bytesReceived": 0, "content": {"size": 0}}
        return {
            "context": "frame",
            "navigation": navigation,
            "isBlocked": False,
            "redirectCount": 0,
            "timestamp": 0,
            "request": {**request, "headers": [header] if referrer else []},
            **({"response": answer} if response else {}),
        }


@pytest.mark.parametrize(
    ("former", "referrer"),
    [
        ("about:blank", PAGE),
        ("about:blank", ""),
        (FORMER, PAGE),
        ("http://b.test/", "http://a.test/"),
    ],
)
def test_the_new_pages_that_come_before_the_commit_are_kept(former: str, referrer: str) -> None:
    told = Told()
    told.goes_to_page()
    told.begins("image", referrer=referrer)
    told.commits(former, PAGE)
    assert told.pending == ["image"]
    assert not told.failure("image")


@pytest.mark.parametrize(
    ("former", "referrer"),
    [
        (FORMER, FORMER),
        (f"{FORMER}#part", FORMER),
        (FORMER, "http://a.test/"),
        (FORMER, ""),
        (PAGE, PAGE),
    ],
)
def test_what_may_be_the_former_pages_is_given_up(former: str, referrer: str) -> None:
    told = Told()
    told.goes_to_page()
    told.begins("last", referrer=referrer)
    told.commits(former, PAGE)
    assert not told.pending
    assert told.failure("last") == "the page went away"


def test_what_began_before_the_answer_is_the_former_pages() -> None:
    told = Told()
    told.begins("poll", referrer="http://a.test/before-it-pushed-its-state")
    told.goes_to_page()
    told.commits(FORMER, PAGE)
    assert not told.pending


def test_the_former_pages_that_come_after_the_commit_are_not_awaited() -> None:
    told = Told()
    told.goes_to_page()
    told.commits(FORMER, PAGE)
    told.begins("last", referrer=FORMER)
    told.begins("own", referrer=PAGE)
    told.begins("elsewhere", referrer="http://a.test/")
    told.begins("private")
    assert told.pending == ["own", "elsewhere", "private"]


def test_once_the_page_changes_its_url_all_is_its_own() -> None:
    told = Told()
    told.goes_to_page()
    told.commits(FORMER, PAGE)
    told.requests.stay("frame")
    told.begins("own", referrer=FORMER)
    assert told.pending == ["own"]


def test_an_answer_to_what_was_given_up_is_recorded() -> None:
    told = Told()
    told.goes_to_page()
    told.begins("last", referrer=FORMER)
    told.commits(FORMER, PAGE)
    told.completes("last")
    assert not told.failure("last")
    assert not told.pending


def test_a_redirected_request_that_chromium_tells_only_the_answer_of() -> None:
    told = Told()
    told.begins("moved")
    told.completes("moved")
    told.announces("moved")
    told.answers("moved", redirectCount=1)
    assert [request.redirects for request in told.requests.all] == [0, 1]
    assert told.pending == ["moved"]
    assert told.concludes("moved")
    assert not told.pending
    assert [request.status for request in told.requests.all] == [200, 200]


def test_a_request_that_is_told_of_after_its_answer_is_one() -> None:
    told = Told()
    told.announces("late")
    told.answers("late")
    told.begins("late", initiator={"type": "script"})
    assert told.concludes("late")
    told.completes("late")
    [request] = told.requests.all
    assert (request.kind, request.status, request.pending) == ("xhr", 200, False)


def test_an_answer_to_what_nobody_heard_of_is_not_recorded() -> None:
    told = Told()
    told.answers("before we listened")
    assert not list(told.requests.all)
