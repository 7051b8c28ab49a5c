"""What libraries write into pages: an example for each line of page/src/tree/libraries.js."""

import re

import pytest

from tests.page.conftest import Page
from tests.test_layers import SCRIPTS

HANDLES = {
    "ui-draggable": "<div class='palette-node ui-draggable'>inject</div>",
    "ui-sortable-handle": "<li class=ui-sortable-handle>Item</li>",
    "ui-resizable-handle": "<div class='ui-resizable-handle ui-resizable-se'>corner</div>",
    "ui-selectee": "<li class='ui-widget-content ui-selectee'>Item</li>",
    "cdk-drag": "<div class='example-box cdk-drag'>Box</div>",
    "react-draggable": "<div class='box react-draggable'>Box</div>",
    "drag-handle": "<span class=drag-handle>move</span>",
}

NUMBERED = {
    "ember-source": "ember123",
    "extjs": "ext-gen1004",
    "yui": "yui_3_18_1_1_15",
    "jquery-ui": "ui-id-3",
    "node-red": "5a830d4d5eb46e65",
    "gwt": "gwt-uid-12",
    "@mui/material": "mui-3",
    "@radix-ui/react-dialog": "radix-:r2:",
    "@headlessui/react": "headlessui-menu-button-3",
    "react-aria": "react-aria8273-1",
    "downshift": "downshift-0-toggle-button",
    "@angular/core": "ng-invalid-4",
    "@angular/cdk": "cdk-overlay-0",
    "@angular/material": "mat-input-0",
    "react (useId)": ":r1:",
    "any counter": "row-20261",
    "any UUID": "550e8400-e29b-41d4-a716-446655440000",
    "any long random word": "f3a-b7c2d9e8f1a4b6c3d5",
}

DRAWN = {
    "@codemirror/view": "\u037c5v",
    "astro": "astro-j7pv25f6",
    "@emotion/css": "css-1dbjc4n",
    "jss": "jss-makeStyles",
    "styled-jsx": "jsx-head",
    "styled-components": "sc-bdVaJa",
    "svelte": "svelte-abc",
    "any word with digits between its letters": "a1b2c3",
}


def lines(record: str) -> set[str]:
    """Return the names of the lines of a record."""
    source = (SCRIPTS / "tree" / "libraries.js").read_text("utf-8")
    body = re.search(rf"const {record} = \{{(.*?)\n?\}};", source, re.DOTALL)
    assert body is not None
    return {quoted or bare for quoted, bare in re.findall(r"(?:^|\n) *(?:'([^']+)'|(\w+)):", body[1])}


@pytest.mark.parametrize(("record", "examples"), [("handles", HANDLES), ("numbered", NUMBERED), ("drawn", DRAWN)])
def test_each_line_has_its_example(record: str, examples: dict[str, str]) -> None:
    assert lines(record) == set(examples)


@pytest.mark.browser
@pytest.mark.parametrize("name", HANDLES)
def test_what_a_person_drags_has_a_ref(page: Page, name: str) -> None:
    page.load(HANDLES[name])
    assert [row.ref for row in page.walk() if row.ref]
    page.load(HANDLES[name].replace(name, "other"))
    assert not [row.ref for row in page.walk() if row.ref]


@pytest.mark.browser
@pytest.mark.parametrize("name", NUMBERED)
def test_an_id_that_a_library_numbers_names_nothing(page: Page, name: str) -> None:
    page.load(f"<button id='{NUMBERED[name]}'></button>")
    [row] = [row for row in page.walk() if row.ref]
    assert "hint" not in row.props


@pytest.mark.browser
@pytest.mark.parametrize("name", DRAWN)
def test_a_class_that_a_library_draws_names_nothing(page: Page, name: str) -> None:
    page.load(f"<button class='{DRAWN[name]} save'></button>")
    [row] = [row for row in page.walk() if row.ref]
    assert row.props["hint"] == "save"
