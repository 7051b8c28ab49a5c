"""Roles, names and descriptions of single elements, against the specifications."""

import json
from collections import Counter

import pytest

from tests.page.conftest import Page
from tests.page.named_elements import ELEMENTS

# A sandbox of its own would do for each, but a page that only changes its body is as good and much faster.
DESCRIBE = "() => __bidi.describe(document.getElementById('x'))"


@pytest.fixture(scope="module")
def blank(shared_page: Page) -> Page:
    shared_page.load("<body>")
    return shared_page


@pytest.mark.parametrize(("html", "role", "name", "description"), ELEMENTS, ids=[element[0] for element in ELEMENTS])
def test_element(blank: Page, html: str, role: str, name: str, description: str) -> None:
    blank.run("(html) => { document.body.innerHTML = html; }", html)
    answer = blank.ask(DESCRIBE)
    assert isinstance(answer, str)
    found = json.loads(answer)
    assert found["role"] == (role or "generic")
    # Something generic is called by its text: it has no name of its own to compare.
    if role:
        assert found["name"] == name
    assert found["props"].get("description", "") == description


def test_every_element_is_there_once() -> None:
    assert [html for html, count in Counter(element[0] for element in ELEMENTS).items() if count > 1] == []


def test_elements_set_by_script_name_too(page: Page) -> None:
    page.load(
        "<button id=x>x</button><p id=a>One</p><p id=b>Two</p><script>"
        "x.ariaLabelledByElements = [a, b]; x.ariaDescribedByElements = [b]</script>"
    )
    found = json.loads(str(page.ask(DESCRIBE)))
    assert (found["name"], found["props"]["description"]) == ("One Two", "Two")


def test_elements_set_by_script_are_current_and_owned(page: Page) -> None:
    page.load(
        "<div role=listbox id=l tabindex=0><div role=option>A</div><div role=option id=o>B</div></div>"
        "<div role=group aria-label=G id=g></div><p id=p>C</p><script>"
        "l.ariaActiveDescendantElement = o; g.ariaOwnsElements = [p, p]; l.focus()</script>"
    )
    assert [row.name for row in page.walk() if row.props.get("active")] == ["", "B"]
    owned = "ariaOwnsElements" in str(page.run("() => Object.keys(Element.prototype)"))
    assert ("  paragraph" in page.outline()) == owned


def test_a_shadow_root_may_say_which_element_stands_for_its_host(page: Page) -> None:
    page.load(
        "<label for=h>Out</label><p id=h></p><button id=x aria-labelledby=l>x</button><p id=l></p><script>"
        "for (const [host, inner] of [[h, '<label for=i>In</label><input id=i>'], [l, 'Not <b id=i>Yes</b>']]) {"
        "  const root = host.attachShadow({mode: 'open'});"
        "  root.innerHTML = inner;"
        "  root.referenceTarget = 'i';"
        "}</script>"
    )
    if not page.run("() => 'referenceTarget' in ShadowRoot.prototype"):
        pytest.skip("this browser knows no reference targets")
    assert [row for row in page.outline() if row.endswith("*")] == ["textbox 'Out In' *", "button 'Yes' *"]


@pytest.mark.parametrize(
    ("html", "rows"),
    [
        ("<a href=/>Call us</a>", ["link 'CALL US' *"]),
        ("<label>Call us <input></label>", ["textbox 'CALL US' *"]),
        ("<h1>Call <b>us</b></h1>", ["heading 'CALL US'"]),
    ],
)
def test_a_name_in_other_letters_is_not_said_twice(page: Page, html: str, rows: list[str]) -> None:
    assert page.outline(f"<style>body {{ text-transform: uppercase }}</style>{html}") == rows


def test_a_name_with_spaces_that_do_not_break_is_not_said_twice(page: Page) -> None:
    assert page.outline("<a href=/>Add&nbsp;to&nbsp;cart</a>") == ["link 'Add\\xa0to\\xa0cart' *"]
