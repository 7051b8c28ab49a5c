"""Several calls in one."""

import re
from collections.abc import Callable

import pytest

from tests.support.world import Agent

FORM = """
    <input aria-label=Name id=name>
    <button id=add onclick="list.innerHTML += `<li>${document.all.name.value}</li>`">Add</button>
    <button id=ask onclick="confirm('Sure?')">Ask</button>
    <button id=fail onclick="console.error('broken')">Fail</button>
    <a id=go href=/result?from=run>Go</a><ul id=list></ul>"""


def click(selector: str, **more: object) -> dict[str, object]:
    return {"tool": "browser_click", "arguments": {"selector": selector}, **more}


def write(text: str) -> dict[str, object]:
    return {"tool": "browser_type", "arguments": {"selector": "#name", "text": text}}


def test_each_step_has_its_line_and_the_changes_come_once(agent: Agent) -> None:
    agent.show(FORM)
    steps = [write("Ada"), click("#add", expect={"text": "Ada"}), write("Bob"), click("#add", expect={"text": "Bob"})]
    answer = agent("browser_run", steps=steps)
    assert not answer.is_error
    lines = answer.text.splitlines()
    assert lines[0].startswith('1. Typed "Ada" into textbox "Name"')
    assert lines[1].startswith('2. Clicked button "Add"')
    assert lines[3].startswith('4. Clicked button "Add"')
    assert answer.text.count("Changes:") == 1
    assert re.search(r"\+ .*Ada", answer.text)
    assert re.search(r"\+ .*Bob", answer.text)


def test_refs_of_the_last_snapshot_work_in_every_step(agent: Agent) -> None:
    page = agent.show(FORM)
    name, add = page.ref("textbox", "Name"), page.ref("button", "Add")
    steps: list[dict[str, object]] = []
    for text in ("Ada", "Bob"):
        steps.append({"tool": "browser_type", "arguments": {"ref": name, "text": text}})
        steps.append({"tool": "browser_click", "arguments": {"ref": add}})
    assert re.search(r"\+ .*Bob", agent("browser_run", steps=steps).text)


def test_an_error_stops_and_tells_what_was_done(agent: Agent) -> None:
    agent.show(FORM)
    answer = agent("browser_run", steps=[write("Ada"), click("#nowhere"), click("#add")])
    assert answer.is_error
    assert '1. Typed "Ada"' in answer
    assert "2. No element matches" in answer
    assert "Stopped after the error; 1 step not done." in answer
    assert 'textbox "Name"' in answer.text.partition("Stopped")[2]


def test_what_was_expected_does_not_come(agent: Agent) -> None:
    agent.show(FORM)
    answer = agent("browser_run", steps=[click("#add", expect={"url": "/elsewhere"}), write("Ada")])
    assert answer.is_error
    assert "The URL did not match '/elsewhere'" in answer
    assert "1 step not done" in answer


@pytest.mark.parametrize(
    ("selector", "stop_on", "stops"),
    [
        ("#ask", "dialog", True),
        ("#go", "navigation", True),
        ("#go", "dialog", False),
        ("#fail", "unexpected", True),
        ("#fail", "navigation", False),
    ],
)
def test_what_a_run_stops_on(agent: Agent, selector: str, stop_on: str, *, stops: bool) -> None:
    agent.show(FORM)
    after = {"tool": "browser_evaluate", "arguments": {"function": "'went on'"}}
    answer = agent("browser_run", steps=[click(selector), after], stopOn=stop_on)
    assert ("went on" in answer) is not stops
    if stops:
        assert f"Stopped because of stopOn: {stop_on}; 1 step not done." in answer
    assert not answer.is_error


def test_a_dialog_of_a_step_is_an_error_of_the_next(agent: Agent) -> None:
    agent.show(FORM)
    answer = agent("browser_run", steps=[click("#ask"), write("Ada")])
    assert answer.is_error
    assert 'dialog "confirm"' in answer or "confirm" in answer
    steps = [{"tool": "browser_handle_dialog", "arguments": {"accept": True}}, write("Ada")]
    assert not agent("browser_run", steps=steps).is_error


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"tool": "browser_clik", "arguments": {}}, "Step 2: Unknown tool: browser_clik. Did you mean browser_click?"),
        ({"tool": "browser_run", "arguments": {"steps": []}}, "Step 2: browser_run can't be a step."),
        ({"tool": "browser_click", "arguments": {"reff": "e1abc"}}, "Step 2: browser_click has no parameter 'reff'."),
    ],
)
def test_a_wrong_step_is_named_before_the_first_is_done(agent: Agent, step: dict[str, object], said: str) -> None:
    agent.show(FORM)
    answer = agent("browser_run", steps=[click("#add"), step])
    assert answer.is_error
    assert said in answer
    assert agent.evaluate("document.querySelectorAll('li').length") == "0"


def test_steps_over_pages_and_pictures(agent: Agent) -> None:
    agent.show(FORM)
    steps = [
        click("#go", expect={"url": "from=run"}),
        {"tool": "browser_take_screenshot"},
        {"tool": "browser_find", "arguments": {"text": "run"}},
    ]
    answer = agent("browser_run", steps=steps)
    assert not answer.is_error
    assert "2. Screenshot of the viewport: " in answer
    assert "3. " in answer
    assert "/result?from=run" in answer


def test_a_run_goes_on_after_the_error_of_an_optional_step(agent: Agent) -> None:
    agent.show(FORM)
    absent = click("role=button[name=Cookies]", optional=True)
    answer = agent("browser_run", steps=[absent, write("Ada"), click("#add", expect={"text": "Ada"})])
    assert not answer.is_error
    lines = answer.text.splitlines()
    assert lines[0].startswith("1. No element matches the selector")
    assert "browser_snapshot" not in lines[0]
    assert lines[1].startswith('2. Typed "Ada"')
    assert re.search(r"\+ .*Ada", answer.text)


def test_an_optional_step_may_leave_its_expectation_and_a_part_of_its_work_undone(
    make_agent: Callable[..., Agent],
) -> None:
    agent = make_agent(action_timeout=2)
    agent.show(FORM)
    fields = [{"selector": "#name", "value": "Ada"}, {"selector": "#nowhere", "value": "Bob"}]
    steps = [
        {"tool": "browser_fill_form", "arguments": {"fields": fields}, "optional": True},
        click("#add", expect={"url": "/elsewhere"}, optional=True),
        click("#nowhere"),
        click("#add"),
    ]
    answer = agent("browser_run", steps=steps)
    assert answer.is_error
    assert "2. Clicked button" in answer
    assert "The URL did not match '/elsewhere'" in answer
    assert "3. No element matches" in answer
    assert "Stopped after the error; 1 step not done." in answer


TABS = """
    <button onclick="show(0)">First</button><button onclick="show(1)">Second</button>
    <p>Ada <span onclick="out.textContent = 'found'">ut</span></p><p hidden>Bob <span onclick="0">at</span></p>
    <output id=out></output>
    <script>const show = (at) => document.querySelectorAll('p').forEach((p, i) => { p.hidden = i !== at })</script>"""


def test_optional_steps_look_for_an_element_in_one_tab_after_the_other(agent: Agent) -> None:
    agent.show(TABS)
    wanted = "getByText('ut', { exact: true }).filter({ visible: true })"
    steps: list[dict[str, object]] = []
    for name in ("Second", "First"):
        steps += [click(f"text={name}"), click(wanted, optional=True)]
    answer = agent("browser_run", steps=steps)
    assert not answer.is_error
    assert re.search(r"\+ .*found", answer.text)
