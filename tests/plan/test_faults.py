# ruff: noqa: RUF001 - the words of Firefox
"""Console errors and failed requests of plans: the same in each engine's words."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bidi_server.plan.faults import ConsoleError, FailedRequest, new_errors, new_failures
from bidi_server.plan.model import Caused, Plan, Step
from bidi_server.plan.plan_file import read
from bidi_server.tools.browser.testing import line
from tests.plan.serving import served
from tests.support.world import Agent

MakeAgent = Callable[..., Agent]

PAGE = """
<script type=module src=/status/404></script>
<script>
  fetch(location.origin.replace("127.0.0.1", "localhost") + "/cors/none").catch(() => 0);
  fetch("/status/500");
</script>
<script>null.price</script>
<script>throw new Error("no price")</script>
<button onclick="this.textContent = 'Paid'">Pay</button>
"""

KNOWN = {
    "chromium": {
        "TypeError: Cannot read properties of null (reading 'price')": "",
        "Error: no price": "",
        "/status/404": "404",
        "/cors/none": "CORS: MissingAllowOriginHeader: net::ERR_FAILED",
        "/status/500": "500",
    },
    "firefox": {
        'TypeError: can\'t access property "price" of null': "",
        "Error: no price": "",
        "/status/404": "NS_ERROR_CORRUPTED_CONTENT",
        "/cors/none": "CORS: CORS header ‘Access-Control-Allow-Origin’ missing",
        "/status/500": "500",
    },
}
"""The faults in plans of the page: texts of errors, and results of requests by their paths."""


@pytest.mark.parametrize("recorded_in", KNOWN)
def test_a_page_goes_wrong_alike_in_another_engine(recorded_in: str, make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    agent.show(PAGE)
    agent("browser_export_test", format="plan", path="plan.json")
    (step,) = read(tmp_path / "plan.json").steps
    now = step.caused
    places = {error.text.partition(":")[0]: (error.url, error.line) for error in now.console_errors}
    known = KNOWN[recorded_in]
    errors = [ConsoleError(text, *places[text.partition(":")[0]]) for text in known if ":" in text]
    assert len(errors) == len(now.console_errors)
    assert new_errors(errors, now.console_errors) == []
    failed = [
        FailedRequest("GET", next(each.url for each in now.failed_requests if each.url.endswith(path)), result)
        for path, result in known.items()
        if result
    ]
    assert new_failures(failed, now.failed_requests) == []


def test_a_replay_finds_new_faults(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    with served("<p>Hello</p>") as url:
        agent("browser_navigate", url=url)
        agent("browser_export_test", format="plan", path="plan.json")
    with served("<p>Hello</p><script>fetch('/price').then(() => null.price)</script>") as url:
        answer = agent("browser_replay", path=str(tmp_path / "plan.json"), baseUrl=url)
    assert answer.is_error
    assert f"New failed request: GET {url}/price → 404" in answer
    assert "New console error: TypeError: " in answer


def test_what_a_plan_knows_moves_with_its_origin() -> None:
    failed = FailedRequest("GET", "http://old.test/price", "404")
    step = Step(
        "browser_reload",
        caused=Caused(console_errors=(ConsoleError("E", "http://old.test/a.js"),), failed_requests=(failed,)),
    )
    (moved,) = Plan("shop", (step,), "http://old.test").at("http://new.test").steps
    assert moved.caused.failed_requests[0].url == "http://new.test/price"
    assert moved.caused.console_errors[0].url == "http://new.test/a.js"


PLACE = "http://shop.test/shop.js"


@pytest.mark.parametrize(
    ("before", "after", "is_new"),
    [
        (ConsoleError("TypeError: a", PLACE, 3), ConsoleError("TypeError: b", PLACE, 3), False),
        (ConsoleError("TypeError: a", PLACE, 3), ConsoleError("TypeError: b", PLACE, 4), True),
        (ConsoleError("TypeError: a", PLACE, 3), ConsoleError("TypeError: a", PLACE, 4), False),
        (ConsoleError("TypeError: a", PLACE, 3), ConsoleError("RangeError: a", PLACE, 3), True),
        (ConsoleError("no item 4", PLACE, 3), ConsoleError("no item 51", PLACE, 3), False),
        (ConsoleError("Uncaught (in promise) Error: a"), ConsoleError("Error: a", PLACE, 3), False),
        (
            ConsoleError("No news: TypeError: Failed to fetch"),
            ConsoleError("No news: TypeError: NetworkError when attempting to fetch resource."),
            False,
        ),
    ],
)
def test_which_errors_are_new(before: ConsoleError, after: ConsoleError, is_new: bool) -> None:
    assert (new_errors([before], [after]) == [after]) is is_new


@pytest.mark.parametrize(
    ("before", "after", "is_new"),
    [
        (("GET", "/price/4", "404"), ("GET", "/price/51", "404"), False),
        (("GET", "/flow/60a7d8f88ae98a6a", "404"), ("GET", "/flow/d64774d1c0ffee11", "404"), False),
        (("GET", "/defaced", "404"), ("GET", "/decade", "404"), True),
        (("GET", "/price", "404"), ("GET", "/price", "500"), True),
        (("GET", "/price", "404"), ("POST", "/price", "404"), True),
        (("GET", "/price", "404"), ("GET", "/prices", "404"), True),
        (("GET", "/price", "404"), ("GET", "/price", "NS_ERROR_CORRUPTED_CONTENT"), False),
        (("GET", "/price", "net::ERR_CONNECTION_REFUSED"), ("GET", "/price", "NS_ERROR_CONNECTION_REFUSED"), False),
    ],
)
def test_which_failed_requests_are_new(before: tuple[str, str, str], after: tuple[str, str, str], is_new: bool) -> None:
    first, second = FailedRequest(*before), FailedRequest(*after)
    assert (new_failures([first], [second]) == [second]) is is_new


def test_steps_show_arguments_as_the_tools_take_them() -> None:
    fields = [{"value": True}]
    step = Step("browser_fill_form", {"fields": fields, "slowly": False, "text": "Été"})
    assert line(step) == 'browser_fill_form fields: [{"value": true}], slowly: false, text: Été'
