"""Selectors that page/src/act/locators.js gives for an element."""

import json
from typing import TypedDict, cast

import pytest

from tests.page.conftest import Page


class Locator(TypedDict):
    """A selector for an element."""

    kind: str
    selector: str
    matches: int


IS_FIRST = "(selector) => __bidi.act.element({selector}) === __bidi.act.element({selector: '.x'})"


def locators(page: Page, html: str) -> list[Locator]:
    """Return the locators of the element of class x, each of which leads to it."""
    page.load(html)
    page.walk()
    answer = json.loads(cast("str", page.ask("() => __bidi.extra.locators({selector: '.x'})")))
    found = cast("list[Locator]", answer["locators"])
    assert found
    for each in found:
        assert page.ask(IS_FIRST, each["selector"]) is True, each
    return found


def listed(page: Page, html: str) -> list[str]:
    """Return the locators of the element of class x; those with several matches have their number."""
    return [
        each["selector"] + (f" ({each['matches']})" if each["matches"] > 1 else "") for each in locators(page, html)
    ]


ELEMENTS = [
    (
        "<button class=x>Save</button><p>Save it</p>",
        [
            "getByRole('button', { name: 'Save', exact: true })",
            "getByText('Save', { exact: true })",
            "button.x",
            "xpath=//button[normalize-space()='Save']",
        ],
    ),
    (
        "<label>Name <input class=x id=n data-test=t placeholder=Ada></label>",
        [
            "getByRole('textbox', { name: 'Name', exact: true })",
            "getByLabel('Name', { exact: true })",
            "getByTestId('t')",
            "#n",
            "getByPlaceholder('Ada', { exact: true })",
            "xpath=/html/body/label/input",
        ],
    ),
    # Of several matches, only the first is found without more words.
    (
        "<div id=a><button class=x>Go</button></div><div id=b><button>Go</button></div>",
        [
            "button.x",
            "xpath=//*[@id='a']/button",
            "getByRole('button', { name: 'Go', exact: true }) (2)",
            "getByText('Go', { exact: true }) (2)",
        ],
    ),
    (
        "<div id=a><button>Go</button></div><div id=b><i></i><button class=x>Go</button></div>",
        ["button.x", "xpath=//*[@id='b']/button"],
    ),
    # An item of a list is found by its words in any place, and with any elements around them.
    (
        "<ul><li><div>Fig</div></li><li class=x><div>Dried <b>kiwi</b></div></li></ul>",
        ["li.x", "xpath=//li[normalize-space()='Dried kiwi']"],
    ),
    # Numbered IDs change; an element without a role has no locator by role.
    (
        "<div class=x id=ember123><i>Some</i> words</div>",
        ["div.x", "xpath=//div[normalize-space()='Some words']"],
    ),
    # Letters that CSS changes: Playwright knows the name as it is written, we know it as it is shown.
    (
        "<button class=x style='text-transform: uppercase'>Save</button>",
        [
            "getByRole('button', { name: 'Save' })",
            "getByText('Save', { exact: true })",
            "button.x",
            "xpath=//button[normalize-space()='Save']",
        ],
    ),
    (
        "<svg role=img aria-label=Map><circle r=9 /><circle class=x r=8 /></svg>",
        ["circle.x", "xpath=/html/body/*[local-name()='svg']/*[local-name()='circle'][2]"],
    ),
    (
        "<my-box><template shadowrootmode=open><i>A</i><a class=x href='#'>B</a></template></my-box>",
        [
            "getByRole('link', { name: 'B', exact: true })",
            "getByText('B', { exact: true })",
            'my-box >>> a[href="#"]',
        ],
    ),
]


@pytest.mark.parametrize(("html", "expected"), ELEMENTS)
def test_locators_of_elements(page: Page, html: str, expected: list[str]) -> None:
    assert listed(page, html) == expected


HOSTILE = [
    "it's",
    'say "hi"',
    'it\'s "both"',
    "back\\slash",
    "\\",
    "\\u0041",
    "a\nb\tc",
    "a >> b",
    "' >> \"",
    "/re/",
    "${x}`",
    ")]}",
    "100%\u00a0sure",
    "text=a",
    "\u202ertl",
    "ümläut 😀",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_quotes(page: Page, text: str) -> None:
    page.load(f"""<label id=l></label><input aria-labelledby=l><button></button><p></p><script>
      const text = {json.dumps(text)};
      const field = document.querySelector('input');
      l.textContent = field.placeholder = text;
      field.setAttribute('data-testid', text);
      document.querySelector('button').append(text);
      document.querySelector('p').id = text;
    </script>""")
    page.walk()
    wanted = {"input": {"role", "label", "testid", "placeholder"}, "button": {"role"}, "p": {"css"}}
    for tag, kinds in wanted.items():
        code = "(selector) => __bidi.extra.locators({selector})"
        answer = json.loads(cast("str", page.ask(code, tag)))
        found = cast("list[Locator]", answer["locators"])
        same = f"(selector) => __bidi.act.element({{selector}}) === document.querySelector('{tag}')"
        for each in found:
            assert page.ask(same, each["selector"]) is True, each
            assert "\n" not in each["selector"] or each["kind"] == "xpath", each
        if tag != "p":
            assert kinds <= {each["kind"] for each in found}, found


def test_another_attribute_for_tests(page: Page) -> None:
    page.load("<button data-qa=a data-testid=b class=x>Go</button>")
    page.walk()
    page.ask("() => __bidi.act.useTestId('data-qa')")
    answer = cast("str", page.ask("() => __bidi.extra.locators({selector: '.x'})"))
    assert "getByTestId('a')" in answer
