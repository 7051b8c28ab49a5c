"""Dialogs: an open one never hangs a call, and can be answered before or after it opens."""

from tests.world import Agent

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
    assert "An alert dialog 'Hi' is open. Call browser_handle_dialog." in answer
    answer = agent("browser_handle_dialog", accept=True)
    assert "An alert dialog 'Hi' was accepted." in answer
    assert "alerted" in answer


def test_other_calls_say_which_dialog_is_open(agent: Agent) -> None:
    agent.show(PAGE)
    agent("browser_click", selector="#c")
    for tool in ("browser_snapshot", "browser_take_screenshot", "browser_navigate_back"):
        answer = agent(tool)
        assert answer.is_error, tool
        assert "confirm dialog 'Sure?' is open" in answer, tool
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
