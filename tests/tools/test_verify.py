"""Verification of pages: ``--caps testing``."""

import json
import re
from collections.abc import Callable

import pytest

from tests.support.world import Agent, Answer

MakeAgent = Callable[..., Agent]

PAGE = """<h1>Shop</h1><p>Total: <b>12</b> EUR</p><p hidden>Sold out</p>
<form><label>Name <input id=name value="Ada"></label><label>Notes <textarea id=notes>a
b</textarea></label><label>Size <select id=size><option value=s>Small<option value=l selected>Large</select></label>
<label><input id=terms type=checkbox checked> Terms</label><label><input id=slow type=radio> Slow</label>
<label>Amount <input id=amount type=range value=30></label><input id=secret type=password value=hunter2 aria-label=Key>
<button id=save type=button data-state="open">Save</button><button id=off type=button disabled>Delete</button>
<button id=more type=button aria-expanded=false>More</button><button hidden>Hidden</button></form>
<div role=textbox contenteditable aria-label=Editor id=editor>Words</div><div role=tab aria-selected=true>First</div>
<ul aria-label=Fruit id=fruit><li>Apples<li>Plums and pears<li hidden>Figs</ul><ul id=none></ul>"""


@pytest.fixture
def tester(make_agent: MakeAgent) -> Agent:
    """Return an agent with the tools."""
    return make_agent(caps=("testing",))


def holds(answer: Answer, *lines: str) -> None:
    """Assert that an answer is only these lines, each with "Verified: " before it; refs are left out."""
    assert not answer.is_error, answer.text
    assert re.sub(r" \[ref=\w+\]", "", answer.text).split("\n") == [f"Verified: {line}" for line in lines]


def fails(answer: Answer, part: str) -> None:
    """Assert that an answer is an error with this part, without regard to refs, in at most two lines."""
    assert answer.is_error, answer.text
    assert part in re.sub(r" \[ref=\w+\]", "", answer.text)
    assert answer.text.count("\n") <= 1


def test_elements_are_visible(tester: Agent) -> None:
    tester.show(PAGE)
    holds(tester("browser_verify_element_visible", role="button", accessibleName="save"), 'button "Save" is visible.')
    holds(tester("browser_verify_element_visible", role="heading", accessibleName=""), 'heading "Shop" is visible.')
    answer = tester("browser_verify_element_visible", role="button", accessibleName="Saved", timeout=0.2)
    fails(answer, 'Not true after 0.2 s: button "Saved" is visible. It is not there.')
    assert "Similar elements on page: button 'Save' [ref=" in answer
    fails(tester("browser_verify_element_visible", role="button", accessibleName="Hidden", timeout=0), "is not there")
    fails(tester("browser_verify_element_visible", role="no role", accessibleName="x", timeout=0), "is not there")


def test_a_transparent_control_is_seen_by_its_label(tester: Agent) -> None:
    tester.show("<label><input type=checkbox style='opacity: 0; width: 9px'> Agree</label>")
    holds(
        tester("browser_verify_element_visible", role="checkbox", accessibleName="Agree"),
        'checkbox "Agree" is visible.',
    )


def test_texts_are_visible(tester: Agent) -> None:
    tester.show(
        f"{PAGE}<p style='text-transform: uppercase'>loud words</p><a href=#><div>Two</div><div>Lines</div></a>"
    )
    for text in ("total: 12 eur", "Save", "Loud words", "two lines", "  Plums\nand pears "):
        holds(
            tester("browser_verify_text_visible", text=text),
            f"The text {json.dumps(text)} is visible.",
        )
    fails(tester("browser_verify_text_visible", text="Sold out", timeout=0), "It is in 1 hidden element only.")
    fails(tester("browser_verify_text_visible", text="Bananas", timeout=0.1), "It is not there.")
    fails(tester("browser_verify_text_visible", text="Ada", timeout=0), "It is not there.")
    fails(tester("browser_verify_text_visible", text=" "), "The text is empty.")


def test_lists_show_items(tester: Agent) -> None:
    tester.show(PAGE)
    holds(
        tester("browser_verify_list_visible", element="fruit", selector="#fruit", items=["pears", "apples"]),
        'list "Fruit" shows "pears", "apples".',
    )
    holds(
        tester("browser_verify_list_visible", selector="#size", items=["Small", "Large"]),
        'combobox "Size" shows "Small", "Large".',
    )
    answer = tester("browser_verify_list_visible", selector="#fruit", items=["Apples", "Figs", "Nuts"], timeout=0.1)
    fails(answer, 'list "Fruit" shows "Apples", "Figs", "Nuts".')
    fails(answer, 'It lacks "Figs", "Nuts". It shows "Apples", "Plums and pears".')
    fails(tester("browser_verify_list_visible", selector="#none", items=["A"], timeout=0), "It shows no items.")
    answer = tester("browser_verify_list_visible", selector="#fruits", items=["A"], timeout=0)
    fails(answer, "No element matches the selector '#fruits'.")
    tester.show("<div role=listbox tabindex=0 aria-label=Long><div role=option>One</div></div>")
    ref = tester("browser_snapshot").ref("listbox", "Long")
    holds(tester("browser_verify_list_visible", ref=ref, items=["one"]), 'listbox "Long" shows "one".')


@pytest.mark.parametrize(
    ("kind", "selector", "value", "line"),
    [
        ("textbox", "#name", "Ada", 'textbox "Name" has the value "Ada".'),
        ("textbox", "#notes", "a\nb", 'textbox "Notes" has the value "a\\nb".'),
        ("textbox", "#editor", "Words", 'textbox "Editor" has the value "Words".'),
        ("textbox", "#secret", "hunter2", 'textbox "Key" has the value "hunter2".'),
        ("combobox", "#size", "Large", 'combobox "Size" has the value "Large".'),
        ("combobox", "#size", "l", 'combobox "Size" has the value "l".'),
        ("checkbox", "#terms", "true", 'checkbox "Terms" is checked.'),
        ("radio", "#slow", "false", 'radio "Slow" is not checked.'),
        ("slider", "#amount", "30", 'slider "Amount" has the value "30".'),
    ],
)
def test_values(tester: Agent, kind: str, selector: str, value: str, line: str) -> None:
    tester.show(PAGE)
    holds(tester("browser_verify_value", type=kind, element="it", selector=selector, value=value), line)


def test_other_values(tester: Agent) -> None:
    tester.show(PAGE)
    answer = tester("browser_verify_value", type="textbox", selector="#name", value="Bob", timeout=0.1)
    fails(answer, 'Not true after 0.1 s: textbox "Name" has the value "Bob" (it is "Ada").')
    answer = tester("browser_verify_value", type="checkbox", selector="#terms", value="false", timeout=0)
    fails(answer, 'checkbox "Terms" is not checked (it is checked).')
    for wrong in ("hunter3", "••••"):
        answer = tester("browser_verify_value", type="textbox", selector="#secret", value=wrong, timeout=0)
        fails(answer, '(it is "••••")')
    fails(tester("browser_verify_value", type="textbox", selector="h1", value="x", timeout=0), "(it has no value)")
    fails(tester("browser_verify_value", type="radio", selector="#slow", value="on"), "is true or false, not 'on'")


def test_states_of_elements(tester: Agent) -> None:
    tester.show(PAGE)
    holds(
        tester("browser_verify_state", selector="#save", visible=True, enabled=True, focused=False, editable=False),
        'button "Save" is visible.',
        'button "Save" is enabled.',
        'button "Save" is not editable.',
        'button "Save" does not have the focus.',
    )
    holds(
        tester("browser_verify_state", selector="#save", attribute={"name": "data-state", "value": "open"}, text="Sa"),
        'button "Save" has the attribute data-state="open".',
        'button "Save" contains the text "Sa".',
    )
    holds(tester("browser_verify_state", selector="#more", expanded=False), 'button "More" is collapsed.')
    holds(tester("browser_verify_state", selector="#off", enabled=False), 'button "Delete" is disabled.')
    holds(tester("browser_verify_state", selector="#editor", editable=True), 'textbox "Editor" is editable.')
    holds(tester("browser_verify_state", selector="[role=tab]", selected=True), 'tab "First" is selected.')
    holds(tester("browser_verify_state", selector="#nowhere", count=0), "0 elements match the selector '#nowhere'.")
    holds(
        tester("browser_verify_state", selector="#nowhere", visible=False),
        "The element with selector '#nowhere' is not visible.",
    )
    holds(tester("browser_verify_state", selector="#fruit li", count=3), "3 elements match the selector '#fruit li'.")
    tester("browser_click", selector="#name")
    holds(tester("browser_verify_state", selector="#name", focused=True), 'textbox "Name" has the focus.')


def test_states_that_are_others(tester: Agent) -> None:
    tester.show(PAGE)
    answer = tester(
        "browser_verify_state",
        selector="#save",
        visible=True,
        enabled=False,
        checked=True,
        attribute={"name": "data-state", "value": "shut"},
        text="Stop",
        timeout=0.1,
    )
    fails(
        answer,
        'Not true after 0.1 s: button "Save" is checked (it has no such state); button "Save" is disabled (it is '
        'enabled); button "Save" has the attribute data-state="shut" (it is "open"); button "Save" contains the text '
        '"Stop" (it contains "Save").',
    )
    fails(
        tester("browser_verify_state", selector="#save", attribute={"name": "title"}, timeout=0),
        "has the attribute title (it has no such attribute)",
    )
    fails(tester("browser_verify_state", selector="#fruit li", count=2, timeout=0.1), "(there are 3)")
    fails(
        tester("browser_verify_state", selector="#savee", enabled=True, timeout=0), "Similar elements on page: button"
    )
    fails(tester("browser_verify_state", selector="[", enabled=True), "'[' is not a selector.")
    fails(tester("browser_verify_state", ref="e0000", enabled=True, timeout=0.1), "There is no element with ref e0000.")
    fails(tester("browser_verify_state", selector="#save"), "There is nothing to verify.")
    fails(tester("browser_verify_state"), "There is nothing to verify.")
    fails(tester("browser_verify_state", enabled=True), "Name the element by ref or by selector")
    fails(tester("browser_verify_state", count=1), "Pass selector.")


def test_the_page(tester: Agent) -> None:
    tester.show(PAGE, title="Tea shop")
    holds(
        tester("browser_verify_state", url="http", title="shop", noConsoleErrors=True, noFailedRequests=True),
        'The URL matches "http".',
        'The title contains "shop".',
        "The console has no errors.",
        "No request has failed.",
    )
    holds(tester("browser_verify_state", url="http://*:*/**"), 'The URL matches "http://*:*/**".')
    answer = tester("browser_verify_state", url="**/cart", title="Cart", timeout=0.1)
    fails(answer, 'Not true after 0.1 s: the URL matches "**/cart" (it is http://')
    fails(answer, 'the title contains "Cart" (it is "Tea shop")')
    answer = tester("browser_verify_state", selector="#save", enabled=False, title="Cart", timeout=0.1)
    fails(answer, 'button "Save" is disabled (it is enabled). Not true after 0.1 s: the title contains "Cart"')


def test_errors_of_the_page(tester: Agent) -> None:
    tester.show("<button onclick='console.error(`wrong price`); fetch(`/status/404`)'>Go</button>")
    tester("browser_click", selector="button")
    answer = tester("browser_verify_state", noConsoleErrors=True, noFailedRequests=True)
    fails(answer, "the console has no errors (it has ")
    fails(answer, '"wrong price"')
    fails(answer, "no request has failed (1 has: GET http")
    fails(answer, "/status/404: 404")
    tester("browser_reload")
    holds(
        tester("browser_verify_state", noConsoleErrors=True, noFailedRequests=True),
        "The console has no errors.",
        "No request has failed.",
    )


LATE = """<div id=place></div><input id=field><button disabled>Go</button><script>
setTimeout(() => {
  place.innerHTML = '<h2>Done at last</h2><ul><li>One<li>Two</ul>';
  field.value = 'late';
  document.querySelector('button').disabled = false;
  document.title = 'Ready';
  history.pushState(null, '', '#ready');
}, 700)</script>"""


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("element_visible", {"role": "heading", "accessibleName": "Done"}),
        ("text_visible", {"text": "done at last"}),
        ("list_visible", {"selector": "ul", "items": ["One", "Two"]}),
        ("value", {"selector": "#field", "type": "textbox", "value": "late"}),
        ("state", {"selector": "button", "enabled": True, "url": "#ready", "title": "Ready"}),
        ("state", {"selector": "li", "count": 2}),
    ],
)
def test_what_becomes_true_late(tester: Agent, tool: str, arguments: dict[str, object]) -> None:
    url = tester.run(lambda: tester.site.html(LATE))
    tester("browser_evaluate", function=f"() => {{ setTimeout(() => location.href = {url!r}) }}")
    answer = tester(f"browser_verify_{tool}", **arguments)
    assert not answer.is_error, answer.text


NESTED = """<my-card><template shadowrootmode=open><button>In shadow</button><p>Shaded words</p>
<ul id=inner><li>Deep</ul></template></my-card>
<iframe srcdoc="<button>In frame</button><p>Framed words</p><ul><li>Far</ul><input aria-label=Field value=v>"></iframe>
<button>Out</button>"""


def test_frames_and_shadow_roots(tester: Agent) -> None:
    tester.show(NESTED)
    for name in ("In shadow", "In frame"):
        holds(
            tester("browser_verify_element_visible", role="button", accessibleName=name), f'button "{name}" is visible.'
        )
    for text in ("shaded words", "framed words"):
        holds(tester("browser_verify_text_visible", text=text), f'The text "{text}" is visible.')
    holds(
        tester("browser_verify_list_visible", selector="my-card", items=["Deep"]),
        'generic "In shadow Shaded words Deep" shows "Deep".',
    )
    holds(tester("browser_verify_list_visible", selector="ul:not(#inner)", items=["Far"]), 'list <ul> shows "Far".')
    ref = tester("browser_snapshot").ref("textbox", "Field")
    holds(tester("browser_verify_value", type="textbox", ref=ref, value="v"), 'textbox "Field" has the value "v".')
    fails(tester("browser_verify_value", type="textbox", ref=ref, value="w", timeout=0.3), '(it is "v")')
    holds(tester("browser_verify_state", selector="button", count=3), "3 elements match the selector 'button'.")
    fails(tester("browser_verify_state", selector="button", count=1, timeout=0.6), "(there are 3)")
    holds(
        tester("browser_verify_state", selector="my-card", text="Shaded"),
        'generic "In shadow Shaded words Deep" contains the text "Shaded".',
    )


@pytest.mark.parametrize("mode", ["open", "closed"])
def test_text_that_lies_directly_in_a_shadow_tree(tester: Agent, mode: str) -> None:
    tester.show(f"<my-card><template shadowrootmode={mode}>Bare <b>words</b><p>Inner</p></template></my-card>")
    holds(tester("browser_verify_text_visible", text="Bare words"), 'The text "Bare words" is visible.')
    assert "Verified: " in tester("browser_verify_state", selector="my-card", text="Bare words")


def test_a_shadow_root_that_is_newer_than_the_snapshot(tester: Agent) -> None:
    tester.show("<div id=host></div>")
    tester(
        "browser_evaluate",
        function="""() => { setTimeout(() => {
      host.attachShadow({mode: 'open'}).innerHTML = '<b>New words</b>' }, 300) }""",
    )
    holds(tester("browser_verify_text_visible", text="New words"), 'The text "New words" is visible.')


def test_a_ref_holds_over_a_reload(tester: Agent) -> None:
    ref = tester.show(PAGE).ref("textbox", "Name")
    tester("browser_evaluate", function="() => { location.reload() }")
    holds(tester("browser_verify_value", type="textbox", ref=ref, value="Ada"), 'textbox "Name" has the value "Ada".')


def test_a_dialog_ends_the_wait(tester: Agent) -> None:
    tester.show("<script>setTimeout(() => alert('Stop'), 500)</script>")
    assert 'alert dialog "Stop" is open' in tester("browser_verify_text_visible", text="nowhere")


def test_steps_of_a_run(tester: Agent) -> None:
    tester.show(PAGE)
    steps = [
        {"tool": "browser_verify_text_visible", "arguments": {"text": "Shop"}},
        {"tool": "browser_verify_text_visible", "arguments": {"text": "Bananas", "timeout": 0}},
        {"tool": "browser_verify_text_visible", "arguments": {"text": "Shop"}},
    ]
    answer = tester("browser_run", steps=steps)
    assert answer.is_error
    assert '1. Verified: The text "Shop" is visible.\n2. Not true after 0 s: the text "Bananas" is visible.' in answer
    assert "Stopped after the error; 1 step not done." in answer


def test_names_that_hide_properties_of_the_document(tester: Agent) -> None:
    tester.show("<form name=title><input name=children></form><img name=evaluate><img name=contentType>", title="Tea")
    holds(tester("browser_verify_state", title="Tea"), 'The title contains "Tea".')
    assert "By.XPATH" in tester("browser_generate_locator", selector="[name=children]")
    assert "It shows no items." in tester("browser_verify_list_visible", selector="form", items=["x"], timeout=0)


HOSTILE = ['it\'s "quoted"', "back\\slash \\u0041", "a >> b", "/re/i", "getByText('x')", "<b>&amp;</b>", "`${1}`", "\\"]


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_any_kind(tester: Agent, text: str) -> None:
    tester.show("<button></button><ul><li></li></ul><input>")
    fill = f"""() => {{ const text = {json.dumps(text)};
      for (const each of document.querySelectorAll('button, li')) each.textContent = text;
      document.querySelector('input').value = text }}"""
    tester("browser_evaluate", function=fill)
    said = json.dumps(text)
    holds(tester("browser_verify_element_visible", role="button", accessibleName=text), f"button {said} is visible.")
    holds(tester("browser_verify_text_visible", text=text), f"The text {said} is visible.")
    holds(tester("browser_verify_list_visible", selector="ul", items=[text]), f"list <ul> shows {said}.")
    answer = tester("browser_verify_value", type="textbox", selector="input", value=text)
    assert not answer.is_error, answer.text


def test_locators(tester: Agent) -> None:
    tester.show("<label>Name <input id=name data-testid=n placeholder='Ada'></label><div><button>Save</button></div>")
    answer = tester("browser_generate_locator", selector="#name")
    assert re.sub(r" \[ref=\w+\]", "", answer.text).split("\n") == [
        'Locators of textbox "Name", the best first:',
        "role: getByRole('textbox', { name: 'Name', exact: true }) (1 match)",
        "label: getByLabel('Name', { exact: true }) (1 match)",
        "testid: getByTestId('n') (1 match)",
        "id: #name (1 match)",
        '  Selenium: driver.find_element(By.CSS_SELECTOR, "#name")',
        "placeholder: getByPlaceholder('Ada', { exact: true }) (1 match)",
        "xpath: xpath=/html/body/label/input (1 match)",
        '  Selenium: driver.find_element(By.XPATH, "/html/body/label/input")',
    ]
    ref = tester("browser_snapshot").ref("button", "Save")
    answer = tester("browser_generate_locator", ref=ref, element="the button")
    assert "\ntext: getByText('Save', { exact: true }) (1 match)\ncss: button (1 match)\n" in answer


def test_locators_in_frames_and_shadow_trees(tester: Agent) -> None:
    tester.show(NESTED)
    answer = tester("browser_generate_locator", selector="my-card >>> button")
    line = 'driver.find_element(By.CSS_SELECTOR, "my-card").shadow_root.find_element(By.CSS_SELECTOR, "button")'
    assert f"\ncss: my-card >>> button (1 match)\n  Selenium: {line}" in answer
    answer = tester("browser_generate_locator", selector="getByText('In frame')")
    assert "role: getByRole('button', { name: 'In frame', exact: true }) (1 match)" in answer
    assert "The element is in the frame about:srcdoc, which a test has to enter first." in answer
