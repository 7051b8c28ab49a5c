"""Tabs, viewport, popups."""

from collections.abc import Callable

import pytest

from tests.support.world import Agent


def test_list_new_select_close(agent: Agent) -> None:
    agent.show("a", title="First")
    answer = agent("browser_tabs", action="new", url=agent.site.url_for("/links"))
    assert 'heading "Links"' in answer
    assert '- 1: (active) "Links" http' in answer
    assert '- 0: (active) "First"' in agent("browser_tabs", action="select", index=0)
    assert agent.evaluate("document.title") == "First"
    assert "No tab" not in agent("browser_tabs", action="close", index=1)
    assert agent("browser_tabs", action="list").text.count("http") == 1


def test_a_tab_in_the_background(agent: Agent) -> None:
    agent.show("<script>onblur = onvisibilitychange = () => { document.title = 'left' }</script>", title="First")
    url = agent.site.url_for("/links")
    answer = agent("browser_tabs", action="new", url=url, background=True)
    assert answer.text.splitlines() == [
        f'- 0: (active) "First" {agent.evaluate("location.href")}',
        f'- 1: "Links" {url}',
    ]
    assert agent.evaluate("document.title") == "First"
    assert '- 1: (active) "Links"' in agent("browser_tabs", action="select", index=1)
    assert agent.evaluate("document.visibilityState") == "visible"
    agent("browser_tabs", action="new", background=True)
    assert "- 1: (active)" in agent("browser_tabs", action="list")


def test_wrong_index(agent: Agent) -> None:
    agent.show("a")
    answer = agent("browser_tabs", action="close", index=7)
    assert answer.is_error
    assert "There is no tab 7. There are tabs 0 to 0. browser_tabs lists them." in answer
    assert "needs the index" in agent("browser_tabs", action="select")


def test_closing_the_last_tab_and_going_on(agent: Agent) -> None:
    agent.show("a")
    assert "No tab is open" in agent("browser_tabs", action="close")
    assert "new page" in agent.show("new page")


def test_popup_is_reported_and_can_be_selected(agent: Agent) -> None:
    agent.show("<button onclick=\"window.open('/result?from=popup')\">Open</button>")
    answer = agent("browser_click", selector="button")
    assert "A new tab was opened: http" in answer
    assert "/result?from=popup" in answer
    agent("browser_tabs", action="select", index=1)
    assert "/result?from=popup" in agent("browser_snapshot")


def test_link_to_a_new_tab(agent: Agent) -> None:
    agent.show("<a href=/text target=_blank>New</a>")
    assert "A new tab was opened: http" in agent("browser_click", selector="a")
    assert "/text" in agent("browser_tabs", action="list")


@pytest.mark.parametrize(
    ("role", "page"),
    [
        ("link", "<a href=/text target=_blank rel=opener>Go</a>"),
        ("link", "<a href=/text target=_blank><b>Go</b></a>"),
        ("link", "<base target=_blank><a href=/text>Go</a>"),
        ("link", "<svg width=90 height=30><a href=/text target=_blank><text y=20>Go</text></a></svg>"),
        ("button", "<form action=/text target=_blank><button>Go</button></form>"),
        ("button", "<form action=/text><button formtarget=_blank>Go</button></form>"),
        (
            "button",
            "<form id=form action=/text target=_blank></form><button onclick=document.forms[0].submit()>Go</button>",
        ),
        ("button", "<button onclick=\"window.open('/text')\">Go</button>"),
        ("button", "<button onclick=\"window.open('/text', '', 'noopener,width=300')\">Go</button>"),
        ("button", "<button onclick=\"setTimeout(() => window.open('/text'), 200)\">Go</button>"),
        ("button", "<button onclick=\"window.open('/text', 'other').opener = null\">Go</button>"),
        ("link", "<iframe srcdoc='<a href=/text target=_blank>Go</a>'></iframe>"),
        ("button", "<iframe srcdoc='<button onclick=parent.open(`/text`)>Go</button>'></iframe>"),
    ],
)
def test_each_way_to_a_new_tab(agent: Agent, role: str, page: str) -> None:
    ref = agent.show(page).ref(role, "Go")
    assert f"A new tab was opened: {agent.site.url_for('/text')}" in agent("browser_click", ref=ref)
    assert f"{agent.site.url_for('/text')}" in agent("browser_tabs", action="select", index=1)


def test_each_of_the_tabs_of_one_click(agent: Agent) -> None:
    agent.show(
        "<a href=/text target=_blank onclick=\"window.open('/links', 'one'); window.open('/empty', 'two')\">Go</a>"
    )
    answer = agent("browser_click", selector="a")
    assert answer.text.count("A new tab was opened: ") == 3, answer
    # The windows of these names are there already.
    agent.evaluate("['target', 'href'].forEach(name => document.querySelector('a').removeAttribute(name))")
    agent("browser_click", selector="a")
    assert agent("browser_tabs", action="list").text.count("\n") == 3


def test_page_that_closes_itself(agent: Agent) -> None:
    agent.show("<button onclick=\"window.open('/empty')\">Open</button>")
    agent("browser_click", selector="button")
    agent("browser_tabs", action="select", index=1)
    agent("browser_evaluate", function="() => { window.close() }")
    answer = agent("browser_tabs", action="list")
    assert answer.text.count("\n") == 0, answer.text


OPENER = """<p id=author>none</p><button>Add</button><script>document.querySelector('button').onclick = () => {
const w = open(''); w.document.write('<button>Save</button><button>Done</button>');
const [save, done] = w.document.querySelectorAll('button');
save.onclick = () => { author.textContent = 'Zola'; };
done.onclick = () => { author.textContent = 'Hugo'; w.close(); } };
</script>"""


def test_tabs_that_come_to_the_front_show_what_has_changed_there(agent: Agent) -> None:
    page = agent.show(OPENER)
    agent("browser_click", ref=page.ref("button", "Add"))
    popup = agent("browser_tabs", action="select", index=1)
    assert "1: (active)" in popup
    agent("browser_click", ref=popup.ref("button", "Save"))
    assert "paragraph: Zola" in agent("browser_tabs", action="select", index=0)
    agent("browser_tabs", action="select", index=1)
    answer = agent("browser_click", ref=popup.ref("button", "Done"))
    assert "The page was closed." in answer
    assert "paragraph: Hugo" in answer


def test_new_tab_whose_server_never_answers_stops_nobody(agent: Agent, make_agent: Callable[..., Agent]) -> None:
    other = make_agent()
    other.show("<p>Other")
    agent.show("<input><a href=/hold/new-tab target=_blank>Go</a>")
    agent("browser_type", selector="input", text="precious")
    answer = agent("browser_click", selector="a")
    assert not answer.is_error, answer
    if agent.world.browser != "chromium":
        assert f"A new tab was opened: {agent.site.url_for('/hold/new-tab')}. " in answer
        assert f"{agent.site.url_for('/hold/new-tab')}" in agent("browser_tabs", action="list")
    else:
        assert f"Closed the new tab for {agent.site.url_for('/hold/new-tab')}: its server did not respond" in answer
        assert "Closed the new tab" not in agent("browser_tabs", action="list")
    assert agent.evaluate("document.querySelector('input').value") == "precious"
    assert "Other" in other("browser_snapshot")
    agent.run(lambda: agent.site.release("new-tab"))


def test_a_call_for_another_tab_selects_it(agent: Agent) -> None:
    agent.show("<title>One</title><button onclick='this.textContent = `Pressed`'>First</button>")
    agent("browser_tabs", action="new", url=agent.site.html("<button>Second</button>"))
    answer = agent("browser_click", selector="button", tab=0)
    assert answer.text.startswith("Tab 0 is the active one now.\n")
    assert "Pressed" in answer
    assert "Tab 0" not in agent("browser_snapshot", tab=0)
    steps = [{"tool": "browser_click", "arguments": {"selector": "button", "tab": tab}} for tab in (1, 0)]
    answer = agent("browser_run", steps=steps)
    assert "1. Tab 1 is the active one now.\n" in answer
    assert "- 0: (active)" in agent("browser_tabs", action="list")
    answer = agent("browser_snapshot", tab=7)
    assert answer.is_error
    assert answer.text == "There is no tab 7. There are tabs 0 to 1. browser_tabs lists them."
