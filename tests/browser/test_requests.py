"""Which document a request belongs to: what Firefox 140 and Chromium 156 tell, in the order in which they told it."""

import pytest
from pydantic.alias_generators import to_camel

from bidi_server.bidi.browsing_context import NavigationCommitted
from bidi_server.bidi.network import BeforeRequestSent, FetchTimingInfo, ResponseCompleted, ResponseStarted
from bidi_server.browser.requests import Requests

FORMER = "http://a.test/former"
PAGE = "http://a.test/page"


class Told:
    """A tab's requests as one frame's events make them."""

    def __init__(self) -> None:
        self.requests = Requests()

    def begins(self, url: str, *, referrer: str = "", navigation: str | None = None) -> None:
        self.requests.record(BeforeRequestSent.model_validate(self._event(url, referrer, navigation)))

    def answers(self, url: str, *, navigation: str | None = None) -> None:
        self.requests.record(ResponseStarted.model_validate(self._event(url, "", navigation, response=True)))

    def completes(self, url: str) -> None:
        self.requests.record(ResponseCompleted.model_validate(self._event(url, "", None, response=True)))

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
