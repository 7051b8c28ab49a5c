"""States, properties and values that rows show."""

import pytest

from tests.page.conftest import Page

ELEMENTS: list[tuple[str, str, dict[str, object]]] = [
    # Values, https://www.w3.org/TR/html-aam-1.0/#html-attribute-state-and-property-mappings
    ("<input value=abc>", "textbox", {"value": "abc"}),
    ("<input>", "textbox", {}),
    ("<input type=password value=hunter2>", "textbox", {"type": "password", "value": "••••"}),
    ("<input type=password>", "textbox", {"type": "password"}),
    ("<input type=PASSWORD value=x>", "textbox", {"type": "password", "value": "••••"}),
    ("<input type=email value=a@b.c>", "textbox", {"type": "email", "value": "a@b.c"}),
    ("<input type=date value=2026-11-21>", "textbox", {"type": "date", "value": "2026-11-21"}),
    ("<input type=color value='#ff0000'>", "button", {"type": "color", "value": "#ff0000"}),
    ("<input type=file multiple>", "button", {"type": "file"}),
    ("<textarea>One\nTwo</textarea>", "textbox", {"multiline": True, "value": "One\nTwo"}),
    ("<input type=range min=1 max=9 value=3>", "slider", {"value": "3", "valuemin": "1", "valuemax": "9"}),
    ("<input type=number min=1 value=3>", "spinbutton", {"value": "3", "valuemin": "1"}),
    ("<progress value=3 max=9></progress>", "progressbar", {"value": "3", "valuemax": "9"}),
    ("<progress></progress>", "progressbar", {}),
    ("<meter value=3 max=9>3 of 9</meter>", "meter", {"value": "3", "valuemax": "9"}),
    ("<select><option>A<option selected>B</select>", "combobox", {"value": "B", "options": ["A", "B"]}),
    ("<select><option value=1 label=One>x</select>", "combobox", {"value": "One", "options": ["One"]}),
    ("<select multiple><option selected>A<option selected>B</select>", "listbox", {"multiselectable": True}),
    (f"<select>{'<option>A' * 26}</select>", "combobox", {"value": "A", "optionCount": 26}),
    ("<div role=textbox>typed</div>", "textbox", {"value": "typed"}),
    ("<div contenteditable aria-label=E>typed</div>", "textbox", {"value": "typed", "multiline": True}),
    (
        "<div role=slider tabindex=0 aria-valuenow=5 aria-valuemin=0 aria-valuemax=9 aria-valuetext=five></div>",
        "slider",
        {"value": "five", "valuemin": "0", "valuemax": "9"},
    ),
    ("<div role=combobox tabindex=0 aria-expanded=false>Red</div>", "combobox", {"value": "Red", "expanded": False}),
    # States
    ("<input type=checkbox checked>", "checkbox", {"checked": True}),
    ("<input type=checkbox>", "checkbox", {"checked": False}),
    ("<input type=checkbox id=c><script>c.indeterminate = true</script>", "checkbox", {"checked": "mixed"}),
    ("<input type=checkbox id=c><script>c.checked = true</script>", "checkbox", {"checked": True}),
    ("<input type=checkbox aria-checked=true>", "checkbox", {"checked": False}),
    ("<input type=radio checked>", "radio", {"checked": True}),
    ("<div role=checkbox aria-checked=mixed>A</div>", "checkbox", {"checked": "mixed"}),
    ("<div role=checkbox>A</div>", "checkbox", {"checked": False}),
    ("<div role=switch aria-checked=true>A</div>", "switch", {"checked": True}),
    ("<div role=menuitemradio aria-checked=true>A</div>", "menuitemradio", {"checked": True}),
    ("<button aria-pressed=true>A</button>", "button", {"pressed": True}),
    ("<button aria-pressed=mixed>A</button>", "button", {"pressed": "mixed"}),
    ("<button aria-expanded=false>A</button>", "button", {"expanded": False}),
    ("<details open><summary>A</summary></details>", "button", {"expanded": True}),
    ("<details><summary>A</summary></details>", "button", {"expanded": False}),
    ("<button disabled>A</button>", "button", {"disabled": True}),
    ("<fieldset disabled><button>A</button></fieldset>", "button", {"disabled": True}),
    ("<button aria-disabled=true>A</button>", "button", {"disabled": True}),
    (
        "<div aria-disabled=true><a href=https://a.test/>A</a></div>",
        "link",
        {"url": "https://a.test/", "disabled": True},
    ),
    ("<input required>", "textbox", {"required": True}),
    ("<input aria-required=true>", "textbox", {"required": True}),
    ("<input readonly>", "textbox", {"readonly": True}),
    ("<input aria-invalid=true>", "textbox", {"invalid": True}),
    ("<input aria-invalid=spelling>", "textbox", {"invalid": "spelling"}),
    ("<input aria-invalid=false>", "textbox", {}),
    ("<div role=tablist><div role=tab aria-selected=true>A</div></div>", "tab", {"selected": True}),
    ("<div role=tablist><div role=tab aria-selected=false>A</div></div>", "tab", {}),
    ("<select size=2><option selected>A</select>", "option", {"selected": True}),
    ("<a href=https://a.test/ aria-current=page>A</a>", "link", {"url": "https://a.test/", "current": "page"}),
    ("<button aria-current=true>A</button>", "button", {"current": True}),
    ("<button aria-current='my place'>A</button>", "button", {"current": True}),
    ("<button aria-current=false>A</button>", "button", {}),
    ("<button aria-current=' Step '>A</button>", "button", {"current": "step"}),
    ("<button aria-haspopup='my menu'>A</button>", "button", {}),
    ("<button aria-haspopup=true>A</button>", "button", {"haspopup": "menu"}),
    ("<button aria-haspopup=dialog>A</button>", "button", {"haspopup": "dialog"}),
    ("<button aria-busy=true>A</button>", "button", {"busy": True}),
    ("<dialog open aria-label=D></dialog>", "dialog", {}),
    ("<div role=dialog aria-modal=true aria-label=D></div>", "dialog", {"modal": True}),
    # Properties
    ("<div role=region aria-label=R style='height:9px;overflow:auto'><p>A<p>B<p>C</div>", "region", {"scroll": True}),
    ("<div role=region aria-label=R style='overflow:auto'><p>A</div>", "region", {}),
    ("<div role=region aria-label=R style='height:9px'><p>A<p>B<p>C</div>", "region", {}),
    ("<h3>A</h3>", "heading", {"level": 3}),
    ("<h3 aria-level=5>A</h3>", "heading", {"level": 5}),
    ("<div role=heading>A</div>", "heading", {"level": 2}),
    ("<div role=tree><div role=treeitem aria-level=2>A</div></div>", "treeitem", {"level": 2}),
    ("<a href='https://a.test/b c?d=é'>A</a>", "link", {"url": "https://a.test/b%20c?d=%C3%A9"}),
    ("<a href=https://a.test/ target=_blank>A</a>", "link", {"url": "https://a.test/", "target": "_blank"}),
    ("<svg><a href=https://a.test/x><text>A</text></a></svg>", "link", {"url": "https://a.test/x"}),
    ("<input aria-label=N placeholder=Hint>", "textbox", {"placeholder": "Hint"}),
    ("<input placeholder=Hint>", "textbox", {}),
    ("<button title=Why>A</button>", "button", {"description": "Why"}),
    ("<b role=gridcell tabindex=-1 aria-describedby=d><i id=d>A</i></b>", "gridcell", {}),
    ("<table><tr><th aria-sort=ascending>A</table>", "columnheader", {"sort": "ascending"}),
    ("<table aria-label=T aria-rowcount=61><tr><td>A</table>", "table", {"rows": 61}),
    ("<table aria-label=T aria-rowcount=1><tr><td>A</table>", "table", {}),
    ("<table aria-label=T aria-rowcount=-1><tr><td>A</table>", "table", {}),
    ("<table><tr><th aria-sort=mine>A</table>", "columnheader", {}),
    ("<div role=slider tabindex=0 aria-orientation=across></div>", "slider", {}),
    ("<div role=slider tabindex=0 aria-orientation=vertical></div>", "slider", {"orientation": "vertical"}),
    ("<div role=slider tabindex=0 aria-orientation=horizontal></div>", "slider", {}),
    ("<div role=tree aria-multiselectable=true><div role=treeitem>A</div></div>", "tree", {"multiselectable": True}),
]


@pytest.mark.parametrize(("html", "role", "props"), ELEMENTS, ids=[element[0][:80] for element in ELEMENTS])
def test_element(page: Page, html: str, role: str, props: dict[str, object]) -> None:
    found = page.props(html, role)
    found.pop("hint", None)
    assert found == props


def test_a_modal_dialog_says_so(page: Page) -> None:
    assert page.props("<dialog id=d aria-label=D>A</dialog><script>d.showModal()</script>", "dialog")["modal"] is True


def test_an_empty_required_field_is_not_wrong_before_anybody_touched_it(page: Page) -> None:
    page.load("<form><input required aria-label=A><button>Send</button></form>")
    assert page.walk()[0].props == {"tier": 1, "required": True}
    page.run("() => document.querySelector('form').requestSubmit()")
    assert page.walk()[0].props["invalid"] is True


def test_a_password_is_nowhere_in_the_answer(page: Page) -> None:
    page.load(
        "<label>Code <input type=password value=hunter2 id=x></label>"
        "<p aria-labelledby=x>A</p><b aria-describedby=x>B</b>"
    )
    assert "hunter2" not in str(page.walk_all())
    assert "hunter2" not in str(page.ask("() => __bidi.describe(document.getElementById('x'))"))


def test_a_label_shows_what_its_hidden_control_is(page: Page) -> None:
    row = page.row("<label><input type=checkbox hidden checked>Wifi</label>", "generic")
    assert row.name == "Wifi"
    assert row.ref
    assert row.props == {"tier": 3, "checked": True}


def test_the_current_item_of_what_has_the_focus_is_active_too(page: Page) -> None:
    page.load(
        "<div id=l role=listbox tabindex=0 aria-label=L aria-activedescendant=b>"
        "<div role=option>A</div><div role=option id=b>B</div></div><script>l.focus()</script>"
    )
    walk = page.walk_all()
    assert [row.name for row in walk.rows if row.props.get("active")] == ["L", "B"]
