"""What is quoted in answers: not all of it, and on one line."""

from collections.abc import Callable

import pytest

from tests.support.world import Agent

MUCH = "x" * 1_000_000


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
