"""What an action answers of the page: --snapshot-mode and --snapshot-budget."""

from collections.abc import Callable

import pytest

from tests.world import Agent

COUNTER = "<button onclick='out.textContent = ++out.title'>Count</button><p id=out title=0>-</p><p>Still here</p>"

SECTIONS = (
    "<button onclick='out.hidden = false'>Show</button><section id=out aria-label=More hidden>{}</section>".format(
        "".join(
            f"<ul aria-label=List{a}>{''.join(f'<li>Item {a}.{b} of the list</li>' for b in range(9))}</ul>"
            for a in range(9)
        )
    )
)
"""A page of a few lines that becomes one of a hundred."""


def test_mode_diff_says_what_changed(agent: Agent) -> None:
    agent.show(COUNTER)
    answer = agent("browser_click", selector="button")
    assert "Changes:" in answer
    assert "~ " in answer
    assert "Still here" not in answer


def test_mode_full_says_every_line(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(snapshot_mode="full")
    agent.show(COUNTER)
    answer = agent("browser_click", selector="button")
    assert "Page: Test http://" in answer
    assert "Still here" in answer
    assert "Changes:" not in answer
    agent("browser_click", ref=answer.ref("button", "Count"))


def test_mode_none_says_what_was_done_and_caused(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(snapshot_mode="none")
    shown = agent.show(f"{COUNTER}<button onclick='console.error(\"Broken\")'>Break</button><a href=/form>Go</a>")
    assert shown.text.startswith("Page: http://")
    assert "Still here" not in shown
    assert agent("browser_click", selector="button").text.splitlines() == ['Clicked button "Count".']
    assert "Broken" in agent("browser_click", selector="text=Break")
    snapshot = agent("browser_snapshot")
    assert "Still here" in snapshot
    assert "/form" in agent("browser_click", ref=snapshot.ref("link", "Go"))


@pytest.mark.parametrize("mode", ["diff", "full"])
def test_what_is_over_the_budget_becomes_an_outline(make_agent: Callable[..., Agent], mode: str) -> None:
    agent = make_agent(snapshot_mode=mode, snapshot_budget=150)
    agent.show(SECTIONS)
    answer = agent("browser_click", selector="button")
    assert "lines in all; the rest: browser_snapshot" in answer
    assert "List8" in answer
    assert "Item 8.8" not in answer
    assert len(answer.text) < 150 * 4 + 300
    assert "Item 8.8" in agent("browser_snapshot")


def test_budget_is_an_option(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(snapshot_budget=20_000)
    agent.show(SECTIONS)
    assert "Item 8.8" in agent("browser_click", selector="button")
