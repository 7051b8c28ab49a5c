"""Dialogs: an open one never hangs a call, and can be answered before or after it opens."""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from tests.support.world import Agent, Answer

PAGE = """
<button id=a onclick="alert('Hi'); out.textContent = 'alerted'">Alert</button>
<button id=c onclick="out.textContent = confirm('Sure?')">Confirm</button>
<button id=p onclick="out.textContent = prompt('Name?', 'Bob')">Prompt</button>
<p id=out>-</p>
"""


def test_alert_is_part_of_the_answer(agent: Agent) -> None:
    agent.show(PAGE)
    answer = agent("browser_click", selector="#a")
    assert "Clicked button" in answer
    assert 'An alert dialog "Hi" is open. Call browser_handle_dialog.' in answer
    answer = agent("browser_handle_dialog", accept=True)
    assert 'An alert dialog "Hi" was accepted.' in answer
    assert "alerted" in answer


def test_other_calls_say_which_dialog_is_open(agent: Agent) -> None:
    agent.show(PAGE)
    agent("browser_click", selector="#c")
    for tool in ("browser_snapshot", "browser_take_screenshot", "browser_navigate_back"):
        answer = agent(tool)
        assert answer.is_error, tool
        assert 'confirm dialog "Sure?" is open' in answer, tool
    assert not agent("browser_tabs", action="list").is_error
    assert "false" in agent("browser_handle_dialog", accept=False)


def test_dialog_during_load(agent: Agent) -> None:
    answer = agent.open("/dialog-on-load")
    assert "is open" in answer
    answer = agent("browser_handle_dialog", accept=True)
    assert "After the dialog" in answer


def test_dialog_from_a_script(agent: Agent) -> None:
    agent.show(PAGE)
    assert "is open" in agent("browser_evaluate", function="() => alert('from script')")
    agent("browser_handle_dialog", accept=True)
    assert agent.evaluate("1 + 1") == "2"


def test_dialog_while_waiting(agent: Agent) -> None:
    agent.show("<script>setTimeout(() => alert('late'), 100)</script>")
    assert "late" in agent("browser_wait_for", time=20)
    agent("browser_handle_dialog", accept=True)


@pytest.mark.parametrize(
    ("body", "tool", "arguments", "expected"),
    [
        (
            "<div id=x role=button onmousedown=\"alert('Stop')\">Card</div><div id=y role=button>Place</div>",
            "browser_drag",
            {"start_selector": "#x", "end_selector": "#y"},
            "Dragged button",
        ),
        (
            "<div style='height: 5000px'></div><script>onscroll = () => { onscroll = null; alert('Stop') }</script>",
            "browser_scroll",
            {"down": 300},
            "Turned the wheel.",
        ),
        (
            "<p style='margin-top: 5000px' id=x>X<script>onscroll = () => { onscroll = null; alert('Stop') }</script>",
            "browser_scroll_into_view",
            {"selector": "#x"},
            "Scrolled to paragraph",
        ),
        ("<input id=x aria-label=Name oninput=\"alert('Stop')\">", "browser_type", {"selector": "#x", "text": "a"}, ""),
        (
            "<select id=x aria-label=Size onchange=\"alert('Stop')\"><option>S<option>M</select>",
            "browser_select_option",
            {"selector": "#x", "values": ["M"]},
            "",
        ),
        (
            "<input id=x aria-label=Name oninput=\"alert('Stop')\">",
            "browser_fill_form",
            {"fields": [{"selector": "#x", "value": "a"}]},
            "",
        ),
        (
            "<button id=x onmouseenter=\"alert('Stop')\">Go</button>",
            "browser_hover",
            {"selector": "#x"},
            "Hovered over button",
        ),
    ],
    ids=["drag", "scroll", "scroll into view", "type", "select", "fill", "hover"],
)
def test_a_dialog_interrupts_each_action(
    agent: Agent, body: str, tool: str, arguments: dict[str, object], expected: str
) -> None:
    agent.show(body)
    answer = agent(tool, **arguments)
    assert not answer.is_error, answer
    assert expected in answer
    assert 'An alert dialog "Stop" is open.' in answer
    assert 'An alert dialog "Stop" was accepted.' in agent("browser_handle_dialog", accept=True)


def answered(agent: Agent, answer: Answer) -> tuple[list[str], Answer]:
    """Accept dialogs until none is open; return their messages and the last answer."""
    messages: list[str] = []
    while len(messages) < 20 and (found := re.search(r'dialog "(\w+)".* is open\. Call', answer.text)):
        messages.append(found[1])
        answer = agent("browser_handle_dialog", accept=True)
    return messages, answer


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("alert(1); alert(2)", "1 2"),
        ("alert(1); alert(1)", "1 1"),
        ("confirm(1) && confirm(2) && prompt(3)", "1 2 3"),
        ("for (let count = 1; count < 9; count++) alert(count)", "1 2 3 4 5 6 7 8"),
    ],
)
def test_dialogs_in_a_row(agent: Agent, script: str, expected: str) -> None:
    agent.show(f"<button onclick=\"{script}; out.textContent = 'done'\">Go</button><p id=out>-</p>")
    messages, last = answered(agent, agent("browser_click", selector="button"))
    assert " ".join(messages) == expected
    assert "paragraph: done" in last


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("console.log({a: 1}, [2]); alert(1)", "[info] "),
        ("console.error(new Error(`Failed`)); alert(1)", "Error: Failed"),
        ("Promise.reject(new Error(`Failed`)); setTimeout(() => alert(1))", "Error: Failed"),
        ("document.addEventListener(`click`, () => alert(1)); throw new Error(`Failed`)", "Error: Failed"),
    ],
)
def test_a_dialog_right_after_a_message(make_agent: Callable[..., Agent], script: str, said: str) -> None:
    """Chromium 156 described what was printed only when the page went on, and answered nobody until then."""
    agent, other = make_agent(), make_agent()
    other.show("<button>Other</button>")
    agent.show(f'<button onclick="{script}">Go</button>')
    assert 'dialog "1" is open' in agent("browser_click", selector="button")
    assert not other("browser_click", selector="button").is_error
    assert "was accepted" in agent("browser_handle_dialog", accept=True)
    assert said in agent("browser_console_messages")


def test_dialogs_of_one_click_in_several_events(agent: Agent) -> None:
    agent.show(
        "<button onpointerdown='alert(1)' onpointerup='alert(2)' onclick='alert(3); out.textContent = 4'>Go</button>"
        "<p id=out>-</p>"
    )
    messages, last = answered(agent, agent("browser_click", selector="button"))
    assert messages == ["1", "2", "3"]
    assert not last.is_error


def test_dialogs_in_a_row_while_the_page_loads(agent: Agent) -> None:
    url = agent.site.html("<script>alert(1)</script><p>One<script>alert(2); confirm(3)</script><p>Done")
    messages, last = answered(agent, agent("browser_navigate", url=url))
    assert messages == ["1", "2", "3"]
    assert "Done" in last


def test_dialogs_of_two_frames_at_once(agent: Agent) -> None:
    inner = agent.site.html("<script>alert(1); alert(2)</script><p>Done")
    other = agent.site.other_url_for(urlsplit(inner).path)
    url = agent.site.html(f"<iframe src='{inner}'></iframe><iframe src='{other}'></iframe>")
    messages, last = answered(agent, agent("browser_navigate", url=url))
    assert sorted(messages) == ["1", "1", "2", "2"]
    assert last.text.count("paragraph: Done") == 2


@pytest.mark.parametrize(
    "first", ["frame.src = url; document.body.append(frame)", "document.body.append(frame); frame.src = url"]
)
def test_a_dialog_of_a_new_frame(agent: Agent, first: str) -> None:
    """WebKitGTK 2.50 hands the window of a frame's first document, with all that is recorded, to the next one."""
    url = agent.site.html("<script>console.log('said'); alert(1)</script><p>Done")
    answer = agent.show(f"<script>const url = '{url}', frame = document.createElement('iframe'); {first}</script>")
    messages, last = answered(agent, answer)
    assert messages == ["1"]
    assert "Done" in last
    assert agent("browser_console_messages").text.count("said") == 1


def test_dialogs_on_the_way_to_another_page(agent: Agent) -> None:
    url = agent.site.html("<script>alert(2); alert(3)</script><p>Done")
    agent.show(f"<button onclick=\"alert(1); location.href = '{url}'\">Go</button>")
    messages, last = answered(agent, agent("browser_click", selector="button"))
    assert messages == ["1", "2", "3"]
    assert "paragraph: Done" in last


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("() => { alert(1); return 42; }", "The script returned: 42"),
        ("() => confirm('1') ? 'yes' : 'no'", "The script returned: yes"),
        (
            "async () => { alert(1); await new Promise((done) => setTimeout(done, 100)); confirm(2); return 'both'; }",
            "The script returned: both",
        ),
        ("() => { alert(1); throw new Error('late'); }", 'The script threw "Error: late"'),
    ],
)
def test_a_script_that_opens_a_dialog_returns_its_value_after_the_answer(
    agent: Agent, script: str, expected: str
) -> None:
    agent.show("<p>Here")
    messages, last = answered(agent, agent("browser_evaluate", function=script))
    assert messages == ["1", "2"][: len(messages)]
    assert expected in last
    assert agent.evaluate("1 + 1") == "2"
