"""The code of exported tests, without a browser."""

import ast
import json
import re
from dataclasses import replace

import pytest

from bidi_server.plan.model import Caused, Element, Locator, Plan, Step
from bidi_server.plan.plan_file import dump, parse, schema
from bidi_server.plan.pytest_code import export_pytest
from bidi_server.plan.pytest_helpers import HELPERS, MODULES, names_in
from bidi_server.plan.steps import LIMIT, MOST_CHARACTERS, Steps

HOSTILE = [
    '"""',
    "'''\\",
    'x"); import os; os.system("true',
    "{base_url}{driver!r}",
    "line\nbreak",
    "\u2028\u202e\x1b[31m\x00",
    "{{NOT}} a secret",
    "\\N{BULLET} %s",
    "\ud800",
    "def class import",
    "",
]


def button(name: str, *locators: Locator) -> Element:
    role = Locator("role", f"getByRole('button', {{ name: {name!r} }})", 1)
    return Element("button", name, "button", locators=locators or (role,))


def click(element: Element) -> Step:
    return Step("browser_click", elements={"selector": element}, url="http://site.test/a/7")


def code_of(*steps: Step, name: str = "session") -> str:
    export = export_pytest(Plan(name, steps, "http://site.test"))
    (test,) = [text for file, text in export.files.items() if file.startswith("test_")]
    ast.parse(test)
    ast.parse(export.files["conftest.py"])
    return test


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_pages_stay_texts(text: str) -> None:
    css = Locator("css", f'[title="{text}"]', 1)
    code = code_of(
        Step("browser_navigate", {"url": f"http://site.test/{text}"}, url=f"http://site.test/{text}", title=text),
        click(button(text)),
        click(Element("generic", text, "div", locators=(css,))),
        Step("browser_type", {"text": text, "submit": True}, {"selector": button(text)}),
        Step(
            "browser_wait_for",
            {"text": text, "url": text},
            caused=Caused(navigated=True),
            url=f"http://site.test/{text}",
        ),
        Step("browser_evaluate", {"function": text}),
        Step("browser_unknown", {"text": text}),
        name=text,
    )
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert calls <= HELPERS.keys() | MODULES.keys() | _functions(code) | {
        "find",
        "act",
        "condition",
        "test",
        "len",
        "map",
        "reversed",
        "range",
    }


def _functions(code: str) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef)}


def test_functions_are_named_by_what_they_do() -> None:
    code = code_of(
        Step("browser_navigate", {"url": "http://site.test/"}, url="http://site.test/", title="The shop"),
        click(button("Place order, €9.50")),
        Step("browser_verify_text_visible", {"text": "Thanks"}),
        click(button("Place order, €9.50")),
        click(button("class")),
        click(button("Driver")),
        click(replace(button("13"), role="link")),
        click(replace(button("Deploy"), role="link")),
        replace(click(replace(button("Orders"), role="link")), caused=Caused(navigated=True)),
    )
    assert code.partition("def test_session(driver, base_url):\n")[2].partition("\n\n")[0].split() == [
        *("open_the_shop(driver,", "base_url)", "place_order(driver)"),
        *("place_order_2(driver)", "class_2(driver)", "driver_2(driver)"),
        *("click_link(driver)", "deploy(driver)", "open_orders(driver,", "base_url)"),
    ]
    assert '    click(driver, by_role("button", "Place order, €9.50"))\n    see(driver, "Thanks")\n' in code


def test_functions_are_named_by_actions_rather_than_checks() -> None:
    code = code_of(
        Step("browser_press_key", {"key": "Shift+Enter"}), Step("browser_verify_state", {"selector": "#a", "text": "b"})
    )
    assert 'def press_shift_enter(driver):\n    """Press Shift+Enter."""' in code


def test_presses_of_one_key_are_one_call() -> None:
    left, a = Step("browser_press_key", {"key": "ArrowLeft"}), Step("browser_press_key", {"key": "A"})
    three = Step("browser_press_key", {"key": "ArrowLeft", "repeat": 3})
    assert presses_in(code_of(left, three, left, a, left)) == [
        "press(driver, Keys.ARROW_LEFT, times=5)",
        'press(driver, "A")',
        "press(driver, Keys.ARROW_LEFT)",
    ]
    opened = replace(left, caused=Caused(dialog="alert: Low"))
    assert presses_in(code_of(opened, left)) == ["press(driver, Keys.ARROW_LEFT)"] * 2


def presses_in(code: str) -> list[str]:
    return re.findall(r"^    (press\(driver.*)", code, re.MULTILINE)


def test_elements_without_a_unique_name_are_found_by_css() -> None:
    css, xpath = Locator("css", "#a > b >>> i", 1), Locator("xpath", "xpath=//b[2]", 1)
    assert 'click(driver, in_shadow("#a > b", "i"))' in code_of(click(button("Go", Locator("role", "x", 2), css)))
    assert 'click(driver, by_xpath("//b[2]"))' in code_of(click(button("Go", xpath)))
    second = Locator("role", "getByRole('button', { name: 'Go', exact: true }).nth(1)", 1)
    assert 'click(driver, in_shadow("#a > b", "i"))' in code_of(click(button("Go", css, second)))
    framed = Element(
        "button", "Go", "button", locators=(Locator("role", "x", 1),), frame=("http://site.test/inner?x=1",)
    )
    assert 'in_frame("/inner", find=by_role("button", "Go"))' in code_of(click(framed))


def test_an_id_is_a_shorter_locator_than_a_path() -> None:
    locators = (Locator("id", "#date", 1), Locator("xpath", "xpath=//*[@id='date']", 1))
    assert 'click(driver, by_css("#date"))' in code_of(click(Element("textbox", "", "input", locators=locators)))


def test_a_text_is_a_better_locator_than_a_place() -> None:
    css, xpath = Locator("css", "p > b:nth-of-type(2)", 1), Locator("xpath", "xpath=//b[normalize-space()='Go']", 1)
    assert "by_xpath(\"//b[normalize-space()='Go']\")" in code_of(
        click(Element("generic", "Go", "b", "", (css, xpath)))
    )
    assert "by_css(" in code_of(
        click(Element("generic", "", "b", "", (css, replace(xpath, selector="xpath=//p/b[2]"))))
    )


def test_the_selector_of_the_agent_comes_before_ids_and_paths() -> None:
    written, numbered = Locator("selector", ".node", 1), Locator("id", "#b-5", 1)
    assert 'by_css(".node")' in code_of(click(Element("generic", "", "g", "", (numbered, written))))


@pytest.mark.parametrize(
    ("selector", "code"),
    [
        ("#total", 'by_css("#total")'),
        ("css=.total > b", 'by_css(".total > b")'),
        ("x-a >>> b", 'in_shadow("x-a", "b")'),
        ("//b[2]", 'by_xpath("//b[2]")'),
        ("xpath=//b", 'by_xpath("//b")'),
        ("getByRole('button', { name: 'Go' })", 'by_role("button", "Go")'),
        ("text=Go", 'by_role("button", "Go")'),
        ("p:has-text('x')", 'by_role("button", "Go")'),
    ],
)
def test_checks_use_the_selector_that_the_agent_wrote(selector: str, code: str) -> None:
    """A test of the second row would prove nothing if it looked for the row by its text."""
    check = Step("browser_verify_state", {"selector": selector, "text": "Go"}, {"selector": button("Go")})
    assert f'has_text(driver, {code}, "Go")' in code_of(check)


def test_a_check_without_an_element_is_not_left_out() -> None:
    gone = Step("browser_verify_state", {"selector": "#error", "visible": False})
    assert 'not_see_element(driver, by_css("#error"))' in code_of(gone)
    waits = (
        Step("browser_wait_for", {"selector": "#done"}),
        Step("browser_wait_for", {"selector": "#x", "state": "hidden"}),
    )
    assert 'see_element(driver, by_css("#done"))\n    not_see_element(driver, by_css("#x"))' in code_of(*waits)


def test_a_date_that_was_typed_is_set() -> None:
    date = Element("textbox", "Day", "input", "date", (Locator("role", "x", 1),))
    assert 'set_value(driver, by_role("textbox", "Day"), "2026-01-31")' in code_of(
        Step("browser_type", {"text": "2026-01-31"}, {"selector": date})
    )


def test_what_selenium_cannot_do_is_left_out_and_said() -> None:
    export = export_pytest(
        Plan("x", (Step("browser_route", {"url": "**"}), click(button("Go", Locator("role", "x", 2)))))
    )
    assert list(export.left_out) == [
        "browser_route: Selenium has no counterpart.",
        "browser_click: the element has no locator that Selenium knows.",
    ]


def test_numbers_in_urls_may_differ() -> None:
    step = Step(
        "browser_click",
        elements={"selector": button("Go")},
        url="http://site.test/orders/17?x=a.b",
        caused=Caused(navigated=True),
    )
    assert r'on_page(driver, re.escape(base_url) + r"/orders/\d+\?x=a\.b")' in code_of(step)


def test_a_test_has_the_helpers_that_it_calls_and_no_others() -> None:
    code = code_of(click(button("Go")))
    assert _functions(code) & HELPERS.keys() == {"by_role", "name_of", "wait", "on_element", "click"}
    assert code.replace("\n", "").isprintable()
    assert names_in("""a "b 'c" 'd "f' e""") == {"a", "e"}


def test_plans_are_the_same_after_a_file() -> None:
    plan = Plan(
        "x", (click(button("Go")), Step("browser_type", {"text": "{{PIN}}"}, secrets=("PIN",))), "http://site.test"
    )
    assert parse(dump(plan)) == plan
    assert plan.secrets == ("PIN",)
    moved = plan.at("https://other.test/")
    assert moved.steps[0].url == "https://other.test/a/7"
    assert moved.at("http://site.test") == plan
    assert "Step" in json.dumps(schema())


def test_steps_are_kept_up_to_a_limit() -> None:
    steps = Steps()
    for number in range(LIMIT + 5):
        steps.add(Step("browser_click", {"number": number}))
    assert (steps.first, steps.last) == (6, LIMIT + 5)
    assert [step.arguments["number"] for step in steps.between(1, 7)] == [5, 6]
    for _ in range(3):
        steps.add(Step("browser_evaluate", {"function": "x" * (MOST_CHARACTERS // 2)}))
    assert steps.first == steps.last - 1
    steps.add(Step("browser_evaluate", {"function": "x" * 2 * MOST_CHARACTERS}))
    assert steps.first == steps.last


def test_only_secrets_are_read_from_the_environment() -> None:
    field = Element("textbox", "Text", "input", locators=(Locator("role", "x", 1),))
    typed = Step("browser_type", {"text": "{{PATH}}"}, {"selector": field})
    assert 'type_into(driver, by_role("textbox", "Text"), "{{PATH}}")' in code_of(typed)
    assert 'by_role("textbox", "Text"), os.environ["PATH"])' in code_of(replace(typed, secrets=("PATH",)))
