"""Finding lines of the page's snapshot."""

import pytest

from tests.support.world import Agent

SHOP = """
    <main><h1>Shop</h1><ul aria-label=Offers>
    <li><h2>Tea</h2><button>Add to cart</button> 3.50
    <li><h2>Paper</h2><button>Add to cart</button> 12.90
    </ul><button aria-label="Sign out">x</button></main>
    <div id=host></div><script>
    host.attachShadow({mode: 'closed'}).innerHTML = '<p>Only 2 left, says the shadow</p>';
    </script>"""


@pytest.mark.parametrize(
    ("asked", "shown", "hidden"),
    [
        ({"text": "PAPER"}, ['list "Offers"', "listitem", 'heading "Paper"'], ["Tea", "Sign out"]),
        ({"regex": r"\d+\.\d\d"}, ["3.50", "12.90", 'list "Offers"'], ["Sign out", "Shop"]),
        ({"role": "button"}, ['button "Add to cart" [ref=', 'button "Sign out" [ref='], ["Shop", "left"]),
        ({"role": "button", "name": "sign"}, ['button "Sign out" [ref='], ["Offers", "cart"]),
        (
            {"role": "listitem"},
            ['heading "Tea"', 'heading "Paper"', "3.50", 'button "Add to cart" [ref='],
            ["Sign", "left"],
        ),
        ({"text": "left"}, ["Only 2 left, says the shadow"], ["Offers"]),
    ],
    ids=["text", "regex", "role", "role and name", "role without a name", "text in a closed shadow tree"],
)
def test_what_is_found_and_what_it_is_in(
    agent: Agent, asked: dict[str, str], shown: list[str], hidden: list[str]
) -> None:
    agent.show(SHOP)
    answer = agent("browser_find", **asked)
    assert all(part in answer for part in shown)
    assert not any(part in answer for part in hidden)


def test_a_cell_comes_with_its_row(agent: Agent) -> None:
    rows = "".join(
        f"<tr><td><a href=/text>{n}</a><td>{name}<td>{n * 2}" for n, name in enumerate(["Ann", "Bob", "Cem"])
    )
    agent.show(f"<table>{rows}</table>")
    answer = agent("browser_find", text="bob")
    assert 'link "1" [ref=' in answer
    assert "Bob | 2" in answer
    assert "Ann" not in answer
    assert "Cem" not in answer


def test_what_is_found_can_be_used(agent: Agent) -> None:
    agent.open("/frames")
    found = agent("browser_find", role="button")
    ref = found.ref("button")
    assert not agent("browser_click", ref=ref).is_error


def test_what_is_not_there_is_named(agent: Agent) -> None:
    agent.show(SHOP)
    assert 'No line of the snapshot has role link, name "Sign".' in agent("browser_find", role="link", name="Sign")
    assert 'has text "coffee"' in agent("browser_find", text="coffee")
    assert "There is nothing to find. Pass text, regex, role or name." in agent("browser_find")
    answer = agent("browser_find", regex="(")
    assert answer.is_error
    assert "is not a regular expression" in answer


def test_more_matches_than_there_is_room_for(agent: Agent) -> None:
    agent.show("<ul>" + "".join(f"<li><a href=/text>Offer {n} of the great sale</a>" for n in range(1000)) + "</ul>")
    answer = agent("browser_find", text="great sale")
    assert len(answer.text) < 10_000
    assert "Offer 0 of" in answer
    assert " more lines match. Look for less" in answer
    assert "Offer 999 of" in agent("browser_find", text="offer 999")
    assert "Offer 999 of" not in agent("browser_find", role="link")


def test_a_search_is_no_view_of_the_page(agent: Agent) -> None:
    """The next answer still tells what has changed since the agent saw the page."""
    agent.show("<p id=p>Before</p><i id=i>Then</i><button onclick=\"p.textContent = 'After'\">Go</button>")
    agent("browser_evaluate", function="() => { i.textContent = 'Now' }")
    assert "Now" in agent("browser_find", text="now")
    answer = agent("browser_click", selector="button")
    assert "Now" in answer
    assert "After" in answer
