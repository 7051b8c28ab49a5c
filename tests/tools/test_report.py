"""What an action answers of the page: --snapshot-mode and --snapshot-budget."""

import re
from collections.abc import Callable

import pytest

from tests.support.world import Agent

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
    assert 'Page: "Test" http://' in answer
    assert "Still here" in answer
    assert "Changes:" not in answer
    agent("browser_click", ref=answer.ref("button", "Count"))


def test_mode_none_says_what_was_done_and_caused(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(snapshot_mode="none")
    shown = agent.show(f"{COUNTER}<button onclick='console.error(\"Broken\")'>Break</button><a href=/form>Go</a>")
    assert shown.text.startswith("Page: http://")
    assert "Still here" not in shown
    assert agent("browser_click", selector="text=Count").text.splitlines() == ['Clicked button "Count".']
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


LONG = "word " * 30
"""More than a line of a snapshot shows."""


def test_change_in_a_long_text_is_shown(agent: Agent) -> None:
    page = agent.show(f"<p>{LONG}<b id=out>in delivery</b></p><button onclick='out.textContent = 1'>Go</button>")
    assert "in delivery" not in page
    agent.evaluate("out.parentElement.append(' of today')")
    assert "of today" in agent("browser_snapshot", selector="p")
    answer = agent("browser_click", selector="button")
    assert f"~   - paragraph: {LONG}1 of today" in answer


def test_of_a_very_long_text_the_part_that_has_changed_is_shown(agent: Agent) -> None:
    agent.show(f"<pre id=out>{'word ' * 900}</pre><button onclick='out.append(\"and ERROR 7\")'>Go</button>")
    answer = agent("browser_click", selector="button")
    assert re.search(r"^~   - \w+: …", answer.text, re.MULTILINE)
    assert "and ERROR 7" in answer
    assert len(answer.text) < 400


def test_new_texts_are_in_full_unless_there_are_many(agent: Agent) -> None:
    agent.show(
        f"<button onclick='out.hidden = false'>One</button><p role=alert id=out hidden>{LONG}was REFUSED</p>"
        f"<button onclick='many.hidden = false'>Many</button><div id=many hidden>{f'<p>{LONG}end</p>' * 40}</div>"
    )
    assert "was REFUSED" in agent("browser_click", selector="text=One")
    many = agent("browser_click", selector="text=Many")
    assert "word…" in many
    assert "end" not in many


def test_change_of_the_only_text_is_shown_though_it_is_the_whole_page(agent: Agent) -> None:
    agent.show(f"<body onclick='document.body.append(\"seen\")'>{LONG}")
    assert "seen" in agent("browser_click", selector="body")


def test_asked_for_an_element_all_of_its_text_is_shown(agent: Agent) -> None:
    agent.show(f"<p>{LONG}end</p><textarea>{LONG}\nlast</textarea><select>{'<option>Land' * 40}<option>Utopia</select>")
    assert "word…" in agent("browser_snapshot")
    assert f"- paragraph: {LONG}end" in agent("browser_snapshot", selector="p")
    assert "\\nlast" in agent("browser_snapshot", selector="textarea")
    assert "(41 options)" in agent("browser_snapshot")
    assert "| Utopia)" in agent("browser_snapshot", selector="select")


def test_flat_page_over_the_budget_shows_its_first_controls_and_the_range_of_the_others(
    make_agent: Callable[..., Agent],
) -> None:
    agent = make_agent(snapshot_budget=150)
    answer = agent.show("".join(f"<button>Button {number}</button>" for number in range(90)))
    assert "Outline (91 lines in all; the rest: browser_snapshot):" in answer
    assert '"Button 3" [ref=' in answer
    assert re.search(r'- \d+ more buttons: "Button \d+" … "Button 89"', answer.text)
    assert len(answer.text) < 150 * 4 + 300
    assert "Button 89" in agent("browser_snapshot")


def test_depth_says_how_much_it_leaves_out(agent: Agent) -> None:
    agent.show("<ul><li><a href=/a>One</a><a href=/b>Two</a></ul>")
    answer = agent("browser_snapshot", depth=1)
    assert "- list: (+3 lines)" in answer
    assert "One" not in answer


def test_which_of_several_alike_has_changed(agent: Agent) -> None:
    rows = "".join(f"<h3>Order {n}</h3><button>Ship</button><p>pending</p>" for n in (1, 2, 3))
    agent.show(
        f"{rows}<script>onclick = () => {{ document.querySelectorAll('p')[2].textContent = 'shipped' }}</script>"
    )
    ref = agent("browser_snapshot").text.partition('"Order 3"')[2].partition("[ref=")[2][:5]
    lines = agent("browser_click", selector="button").text.splitlines()
    assert lines[-1].endswith("- paragraph: shipped")
    assert f'button "Ship" [ref={ref}]' in lines[-2]


def test_keys_say_where_the_focus_goes(agent: Agent) -> None:
    agent.show("<button>One</button><input aria-label=Two oninput='out.textContent = 1'><p id=out>-</p>")
    assert 'Focus: button "One" [ref=' in agent("browser_press_key", key="Tab")
    assert 'Focus: textbox "Two" [ref=' in agent("browser_press_key", key="Tab")
    answer = agent("browser_press_key", key="x")
    assert "Focus" not in answer
    assert "paragraph: 1" in answer


def test_focus_is_told_that_goes_elsewhere_than_one_would_think(agent: Agent) -> None:
    agent.show("<button onclick='n.focus()'>Edit</button><input id=n aria-label=Name>")
    assert 'Focus: textbox "Name" [ref=' in agent("browser_click", selector="button")
    assert "The snapshot shows no change." in agent("browser_click", selector="input")


def test_links_within_the_page_are_short(agent: Agent) -> None:
    agent.show("<a href='#'>Top</a><a href='#part'>Part</a>")
    answer = agent("browser_snapshot")
    assert "→ #\n" in answer
    assert "→ #part" in answer


def test_form_that_fails_half_way_says_what_it_has_changed(agent: Agent) -> None:
    agent.show(
        "<input id=a aria-label=A><p id=out>-</p><script>a.oninput = () => { out.textContent = 'seen' }</script>"
    )
    fields = [{"selector": "#a", "value": "x"}, {"selector": "#none", "value": "y"}]
    answer = agent("browser_fill_form", fields=fields)
    assert answer.is_error
    assert 'Filled "x" into textbox "A"' in answer
    assert "No element matches" in answer
    assert "paragraph: seen" in answer


def test_page_that_is_empty_when_it_has_loaded(agent: Agent) -> None:
    hint = "The page shows nothing yet."
    assert hint in agent.show("<main><div id=app></div></main>")
    assert hint in agent.show(
        "<style>body { background: #eee } b::after { content: ''; background: red; position: absolute }</style>"
        "<b></b><div style='border:1px solid transparent'></div><i style='background:red'></i>"
    )
    assert hint not in agent.show("<main><p>Text</p></main>")
    assert hint not in agent.show("<main><input></main>")
    assert hint not in agent("browser_navigate", url="about:blank")


@pytest.mark.parametrize(
    "body",
    [
        "<div style='width:99px;height:99px;background:red'></div>",
        "<img alt='' width=40 height=40 src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>",
        "<svg width=40 height=40><circle r=20 fill=red /></svg>",
        "<style>body { background: linear-gradient(red, blue) }</style>",
        "<div style='height:50px;border-bottom:9px solid red'></div>",
        "<div style='height:50px;box-shadow:0 0 9px 9px red'></div>",
        "<div style='height:50px;outline:9px solid red'></div>",
        "<style>b::after { content: ''; position: absolute; padding: 20px; background: red }</style><b></b>",
        "<style>i::before { content: '\\f007' }</style><i></i>",
    ],
)
def test_page_of_pictures_is_not_empty(agent: Agent, body: str) -> None:
    assert "The page shows nothing yet." not in agent.show(f"<main aria-hidden=true>{body}</main>")


@pytest.mark.parametrize("of", ["main", "body"])
def test_page_that_is_hidden_from_assistive_technology_is_not_empty(agent: Agent, of: str) -> None:
    page = agent.show(
        "<main><h1>Orders</h1><p>None so far</p></main><script>"
        f"document.querySelector('{of}').ariaHidden = 'true'</script>"
    )
    assert 'heading "Orders"' in agent("browser_snapshot")
    assert "shows nothing yet" not in page


def test_documents_that_are_in_their_url(agent: Agent) -> None:
    document = "data:text/html,<title>Small</title><button>Go</button><script>//" + "x" * 20_000 + "</script>"
    said = [agent("browser_navigate", url=document), agent("browser_tabs", action="list"), agent("browser_close")]
    assert 'Page: "Small" data:text/html,' in said[0]
    assert sum(len(str(each)) for each in said) < 1000
