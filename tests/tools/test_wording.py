"""What is quoted in answers: not all of it, and on one line."""

from collections.abc import Callable
from typing import get_args

import pytest

from bidi_server.browser.loading.unfinished import Cause, Unfinished
from bidi_server.config import Capability
from bidi_server.tools.caused import running
from tests.support.world import Agent

MUCH = "x" * 1_000_000
LONG = "x" * 9_000


def test_a_page_that_cannot_be_read_is_told_without_a_reason_too() -> None:
    assert running([Unfinished(Cause.UNREADABLE, "")]) == ["The page can't be read."]


@pytest.mark.parametrize(
    ("tool", "arguments", "end"),
    [
        ("browser_navigate", {"url": f"{MUCH} {MUCH}"}, " is not a URL. Pass one such as https://example.com."),
        ("browser_press_key", {"key": MUCH}, "or Control+a."),
        (
            "browser_click",
            {"selector": f"[{MUCH}!"},
            " is not a selector. Correct it, or use a ref from browser_snapshot.",
        ),
        ("browser_click", {"selector": f"#{MUCH}"}, "or wait for it: browser_wait_for."),
        ("browser_wait_for", {"text": MUCH, "time": 0.1}, "The snapshot shows no change."),
        ("browser_context_switch", {"name": MUCH}, "There are: 'default'."),
        ("browser_click", {MUCH: 1}, "It takes: "),
    ],
)
def test_errors_quote_little(agent: Agent, tool: str, arguments: dict[str, object], end: str) -> None:
    agent.show("")
    answer = agent(tool, **arguments)
    assert answer.is_error
    assert end in answer
    assert len(answer.text) < 2000


def test_capabilities_quote_little(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(caps=get_args(Capability))
    agent.show("<p>Here")
    calls: list[tuple[str, dict[str, object]]] = [
        ("browser_emulate", {"device": LONG}),
        ("browser_emulate", {"locale": f"de_{LONG}"}),
        ("browser_emulate", {"timezone": LONG}),
        ("browser_emulate", {"permissions": [LONG]}),
        ("browser_emulate", {"userAgent": f"a {LONG}"}),
        ("browser_clock", {"action": "install", "time": LONG}),
        ("browser_cookie_set", {"name": LONG, "value": "x"}),
        ("browser_cookie_set", {"name": "x", "value": "x", "domain": f"{LONG}/"}),
        ("browser_cookie_get", {"name": LONG}),
        ("browser_cookie_delete", {"name": LONG}),
        ("browser_localstorage_set", {"key": LONG, "value": LONG}),
        ("browser_localstorage_get", {"key": LONG}),
        ("browser_sessionstorage_delete", {"key": LONG}),
        ("browser_set_storage_state", {"filename": LONG}),
        ("browser_route", {"pattern": LONG, "body": LONG, "headers": [f"X: {LONG}"], "method": LONG}),
        ("browser_route", {"pattern": "x", "headers": [f"{LONG} x: y"]}),
        ("browser_route", {"pattern": "x", "headers": [LONG]}),
        ("browser_route", {"pattern": "x", "file": LONG}),
        ("browser_route", {"pattern": MUCH, "body": "x"}),
        ("browser_unroute", {"pattern": LONG}),
        ("browser_keydown", {"key": LONG}),
        ("browser_drop", {"selector": "p", "data": {LONG: LONG}}),
        ("browser_take_screenshot", {"filename": LONG}),
        ("browser_snapshot", {"filename": LONG}),
    ]
    for tool, arguments in calls:
        assert len(agent(tool, **arguments).text) < 2000, tool


def test_titles_are_clipped(agent: Agent) -> None:
    page = agent.show("<button onclick='document.title += 1'>Go</button>", title=MUCH)
    for answer in (page, agent("browser_snapshot"), agent("browser_tabs", action="list")):
        assert f"{'x' * 199}…" in answer
        assert len(answer.text) < 1000


def test_names_are_on_one_line(agent: Agent) -> None:
    agent.show("<button>Go</button>")
    agent.evaluate(r"document.querySelector('button').ariaLabel = '\x1b[2J\x07\"'")
    ref = agent("browser_snapshot").ref("button")
    answer = agent("browser_click", ref=ref)
    assert r'Clicked button "\u001b[2J\u0007\""' in answer
    assert answer.text.replace("\n", "").isprintable()
    agent.evaluate("document.querySelector('button').remove()")
    gone = agent("browser_click", ref=ref)
    assert r"Element '\u001b[2J\u0007" in gone


COVERED = (
    "<style>#cover { position: fixed; inset: 0 }</style>"
    "<button id=save>Save</button><button id=same disabled>Save all</button>"
    "<div id=cover role=button aria-label=Cover tabindex=0 onclick=1></div>"
)


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        ("#save", 'button "Save" is covered by button "Cover"'),
        ("#same", 'button "Save all" is disabled.'),
        ("text=Sav", 'button "Save"'),
        ("role=button[name='Savings']", "Similar elements on page: button 'Save'"),
    ],
)
@pytest.mark.parametrize("toolset", ["vision", "extract"])
def test_toolsets_without_refs_show_none(
    make_agent: Callable[..., Agent], toolset: str, selector: str, said: str
) -> None:
    agent = make_agent(toolset=("browser", toolset), action_timeout=1)
    agent.show(COVERED)
    assert "[ref=" in agent("browser_click", selector=selector)
    if toolset == "vision":
        answer = agent("browser.click", selector=selector, timeout=500)
    else:
        session = agent("create_browser_session").data["session_id"]
        url = agent.run(lambda: agent.site.html(COVERED))
        agent("navigate", session_id=session, url=url)
        answer = agent("click", session_id=session, selector=selector, timeout=500)
    assert answer.is_error
    assert said.replace('"', '\\"' if toolset == "extract" else '"') in answer
    assert "[ref=" not in answer
