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
