"""Seed 002, every scenario under its own name: snapshots, refs, and what becomes of refs when the page changes."""

import re

import pytest

from tests.support.world import Agent

REF = r"\[ref=e[0-9a-z]{4,6}\]"


def ref_of(agent: Agent, role: str, name: str | None = None) -> str:
    return agent("browser_snapshot").ref(role, name)


def line_of(agent: Agent, part: str) -> str:
    return next(line for line in agent("browser_snapshot").text.splitlines() if part in line)


# Accessibility Tree Capture


def test_capture_full_page_accessibility_tree(agent: Agent) -> None:
    agent.show("<main><h1>Tea</h1><p>Hot <b>or</b> cold</p><button>Brew</button></main>", title="Shop")
    lines = agent("browser_snapshot").text.splitlines()
    assert lines[0].startswith('Page: "Shop" http://')
    assert lines[1:4] == ['- document "Shop":', "  - main:", '    - heading "Tea" [level=1]']
    assert re.fullmatch(rf'    - button "Brew" {REF}', lines[-1])


def test_handle_empty_page(agent: Agent) -> None:
    agent("browser_tabs", action="new")
    assert agent("browser_snapshot").text.splitlines()[1:] == ["- document"]


def test_handle_frames(agent: Agent) -> None:
    inner = agent.run(lambda: agent.site.html("<button>Inside</button>", title="Inner"))
    other = inner.replace(agent.site.url, agent.site.other_url)
    agent.show(f"<iframe title=Same src='{inner}'></iframe><iframe title=Other src='{other}'></iframe><p>After")
    text = agent("browser_snapshot").text
    for title, url in (("Same", inner.removeprefix(agent.site.url)), ("Other", other)):
        assert re.search(
            rf'^  - iframe "{title}".* → {re.escape(url)}:\n(?:    .*\n)*?\s+- button "Inside"', text, re.MULTILINE
        )
    assert re.search(r"^  - paragraph: After", text, re.MULTILINE)
    refs = re.findall(r'button "Inside" \[ref=(\w+)\]', text)
    assert len(set(refs)) == 2
    for ref in refs:
        assert not agent("browser_click", ref=ref).is_error


# Interactive Element Classification

CONTROLS = {
    "button": "<button>X</button>",
    "link": "<a href='#x'>X</a>",
    "textbox": "<input aria-label=X>",
    "checkbox": "<input type=checkbox aria-label=X>",
    "radio": "<input type=radio aria-label=X>",
    "combobox": "<select aria-label=X><option>1</select>",
    "slider": "<input type=range aria-label=X>",
    "menuitem": "<div role=menuitem>X</div>",
    "menuitemcheckbox": "<div role=menuitemcheckbox>X</div>",
    "menuitemradio": "<div role=menuitemradio>X</div>",
    "tab": "<div role=tab>X</div>",
    "switch": "<div role=switch>X</div>",
    "searchbox": "<input type=search aria-label=X>",
    "spinbutton": "<input type=number aria-label=X>",
}


def test_tier_1_elements_always_receive_refs(agent: Agent) -> None:
    agent.show("".join(CONTROLS.values()) + "<div tabindex=0 aria-label=X role=group></div>")
    text = agent("browser_snapshot").text
    for role in [*CONTROLS, "group"]:
        assert re.search(rf'- {role} "X".*{REF}', text), role


def test_tier_1_elements_always_receive_refs__whatever_takes_clicks(agent: Agent) -> None:
    agent.show(
        "<div onclick='1'>Handler</div><div style='cursor: pointer'>Pointer</div><div contenteditable>Editable</div>"
        "<div id=l>Listener</div><script>l.addEventListener('click', () => { l.textContent = 'heard' })</script>"
    )
    text = agent("browser_snapshot").text
    for name in ("Handler", "Pointer", "Editable", "Listener"):
        assert re.search(rf"^.*{name}.*{REF}|^.*{REF}.*{name}", text, re.MULTILINE), (name, text)


def test_tier_2_elements_receive_refs_when_actionable(agent: Agent) -> None:
    agent.show(
        "<select size=3 aria-label=S><option>One</select>"
        "<ul role=tree aria-label=T><li role=treeitem>Two</li></ul>"
        "<table role=grid aria-label=G><tr><td>Three</td></tr></table>"
        "<ul role=listbox aria-label=L><li role=option>Four</li></ul>"
        "<ul><li>Five</li></ul><table><tr><td>Six</td></tr></table>"
    )
    text = agent("browser_snapshot").text
    for role, name in (("option", "One"), ("treeitem", "Two"), ("gridcell", "Three"), ("option", "Four")):
        assert re.search(rf'- {role} "{name}".*{REF}', text), (role, text)
    assert re.search(rf"- row.*{REF}", text)
    assert "Five" in text
    assert not re.search(rf"(Five|Six).*{REF}", text)


def test_tier_3_elements_never_receive_refs(agent: Agent) -> None:
    agent.show(
        "<header><nav aria-label=N><span>text</span></nav></header><main><h1>Heading</h1><p>Paragraph</p><hr>"
        "<img alt=Picture src='data:,'><figure aria-label=F>Figure</figure></main><footer>Foot</footer>"
    )
    text = agent("browser_snapshot").text
    for role in ("banner", "navigation", "main", "heading", "paragraph", "separator", "img", "figure", "contentinfo"):
        assert re.search(rf"- {role}\b", text), (role, text)
    assert "ref=" not in text


def test_compact_output_for_complex_pages(agent: Agent) -> None:
    many = "".join(f"<button>Button {number}</button>" for number in range(95))
    options = "".join(f"<li role=option>Option {number}</li>" for number in range(10))
    agent.show(f"{many}<ul role=listbox aria-label=L>{options}</ul>")
    compact = agent("browser_snapshot").text
    assert len(re.findall(rf"- button .*{REF}", compact)) == 95
    assert not re.search(rf"- option .*{REF}", compact)
    assert "- note: 10 more elements have refs; a snapshot with allRefs: true shows them" in compact
    full = agent("browser_snapshot", allRefs=True).text
    assert len(re.findall(rf"- option .*{REF}", full)) == 10
    assert "- note:" not in full


# Element Reference System


def test_reference_format(agent: Agent) -> None:
    agent.show("<button>Sign In</button>")
    plain = ref_of(agent, "button")
    assert re.fullmatch(r"e[0-9a-z]{4,6}", plain)
    agent("browser_context_create", name="clean")
    url = agent.run(lambda: agent.site.html("<button>Sign In</button>"))
    page = agent("browser_navigate", url=url).text
    prefixed = re.search(r"\[ref=(clean:e[0-9a-z]{4,6})\]", page)
    assert prefixed
    assert agent("browser_click", ref=prefixed[1]).text.startswith(f'Clicked button "Sign In" [ref={prefixed[1]}].')
    agent("browser_context_switch", name="default")
    assert f"[ref=default:{plain}]" in agent("browser_snapshot")
    assert not agent("browser_click", ref=f"default:{plain}").is_error
    answer = agent("browser_click", ref=prefixed[1])
    assert answer.is_error
    assert "is in the context 'clean', and 'default' is the active one. Call browser_context_switch" in answer
    unknown = agent("browser_click", ref="zzz:eogwa")
    assert unknown.text.startswith(
        "ref eogwa is in the context 'zzz', which does not exist. There are: 'default', 'clean'."
    )
    agent("browser_context_close", name="clean")
    assert f"[ref={plain}]" in agent("browser_snapshot")


def test_stable_identifier_from_explicit_ids(agent: Agent) -> None:
    agent.show("<p>A</p><button id=save>Save</button>")
    before = ref_of(agent, "button")
    agent("browser_evaluate", function="() => location.reload()")
    assert ref_of(agent, "button") == before
    agent.show("<section><div><button id=save>Save it all</button></div></section>")
    assert ref_of(agent, "button") == before


@pytest.mark.parametrize("attribute", ["data-testid", "data-test", "name"])
def test_stable_identifier_from_test_attributes(agent: Agent, attribute: str) -> None:
    agent.show(f"<p>A</p><button {attribute}=save>Save</button>")
    before = ref_of(agent, "button")
    agent.show(f"<div>New</div><section><div><button {attribute}=save>Save</button></div></section>")
    assert ref_of(agent, "button") == before
    agent.show(f"<p>A</p><button {attribute}=other>Save</button>")
    assert ref_of(agent, "button") != before


def test_fallback_to_structural_identification(agent: Agent) -> None:
    agent.show("<main><button>Save</button></main>")
    before = ref_of(agent, "button")
    agent.show("<main><button>Save</button></main><p>More below")
    assert ref_of(agent, "button") == before
    for html in (
        "<main><button>Load</button></main>",
        "<main><a href='#'>Save</a></main>",
        "<p><button>Save</button></p>",
    ):
        agent.show(html)
        assert f"[ref={before}]" not in agent("browser_snapshot")


def test_reference_validation_on_use(agent: Agent) -> None:
    page = agent.show("<button id=b onclick='this.textContent = 1'>Save</button>")
    ref = page.ref("button", "Save")
    agent.evaluate("b.setAttribute('role', 'checkbox')")
    answer = agent("browser_click", ref=ref)
    assert answer.is_error
    assert "Was: button 'Save', Now: checkbox 'Save'." in answer
    assert agent.evaluate("b.textContent") == "Save"


# Stale Reference Detection


def test_reference_from_current_snapshot(agent: Agent) -> None:
    agent.show("<button onclick='this.textContent = \"Saved\"'>Save</button>")
    answer = agent("browser_click", ref=ref_of(agent, "button"))
    assert answer.text.startswith('Clicked button "Save"')
    assert "Note:" not in answer


def test_reference_exists_but_element_changed(agent: Agent) -> None:
    page = agent.show("<button id=b>Submit</button>")
    agent.evaluate("b.textContent = 'Loading...'")
    answer = agent("browser_click", ref=page.ref("button", "Submit"))
    assert answer.is_error
    assert answer.text == (
        "Element changed since snapshot. Was: button 'Submit', Now: button 'Loading...'."
        " Take a new snapshot to get current element state."
    )


def test_reference_no_longer_exists(agent: Agent) -> None:
    page = agent.show(
        "<button id=b>Submit</button>"
        + "".join(f"<button>Submit {what}</button>" for what in ("order", "form", "it", "all"))
    )
    ref = page.ref("button", "Submit")
    agent.evaluate("b.remove()")
    answer = agent("browser_click", ref=ref)
    assert answer.is_error
    assert answer.text.startswith(f"Element 'Submit button' (ref: {ref}) no longer exists. Similar elements on page: ")
    assert len(re.findall(rf"button 'Submit \w+' {REF}", answer.text)) == 3
    assert answer.text.endswith("Take a new snapshot to see current page state.")


def test_graceful_handling_of_minor_changes(agent: Agent) -> None:
    page = agent.show("<button id=b>Messages (1)</button>")
    agent.evaluate("b.textContent = 'Messages (2)'")
    answer = agent("browser_click", ref=page.ref("button", "Messages (1)"))
    assert answer.text.startswith('Clicked button "Messages (2)"')
    assert "Note: Element may have changed. Using current state." in answer


def test_snapshot_history_for_comparison(agent: Agent) -> None:
    ref = agent.show("<button id=b>First</button>").ref("button", "First")
    agent.evaluate("b.remove()")
    agent("browser_snapshot")
    assert f"Element 'First button' (ref: {ref}) no longer exists." in agent("browser_click", ref=ref)
    agent.evaluate("document.body.append('more')")
    agent("browser_snapshot")
    agent("browser_snapshot")
    assert f"There is no element with ref {ref}." in agent("browser_click", ref=ref)


# Snapshot Text Format


def test_format_tree_structure(agent: Agent) -> None:
    agent.show("<nav aria-label=Main><ul><li><a href=/form>Form</a></li><li>Here</li></ul></nav>")
    lines = agent("browser_snapshot").text.splitlines()[2:]
    assert lines[:2] == ['  - navigation "Main":', "    - list:"]
    assert re.fullmatch(rf'      - link "Form" {REF} → /form', lines[2])
    assert lines[3] == "      - listitem: Here"


def test_example_output_format(agent: Agent) -> None:
    agent.show("<h1>Welcome</h1><button>Sign In</button><label>Email <input></label>", title="")
    shown = re.sub(REF, "[ref=…]", agent("browser_snapshot").text.partition("\n")[2])
    assert shown == (
        '- document:\n  - heading "Welcome" [level=1]\n  - button "Sign In" [ref=…]\n  - textbox "Email" [ref=…]'
    )


def test_truncate_long_text_content(agent: Agent) -> None:
    long = "word " * 60
    agent.show(f"<p id=p>{long}</p>")
    line = line_of(agent, "paragraph")
    assert line.endswith("…")
    assert len(line.partition(": ")[2]) <= 100
    full = agent("browser_evaluate", selector="#p", function="(el) => el.textContent").text
    assert full.strip() == long.strip()


# Element Lookup by Reference


def test_resolve_valid_reference(agent: Agent) -> None:
    agent.show("<button id=one>One</button><button id=two>Two</button>")
    assert agent("browser_evaluate", ref=ref_of(agent, "button", "Two"), function="(el) => el.id").text == "two"


def test_handle_invalid_reference_format(agent: Agent) -> None:
    agent.show("<button>Save</button>")
    for ref in ("42", "button", "e1", "s1e42", "e1a2b3c4d5", "#save"):
        answer = agent("browser_click", ref=ref)
        assert answer.is_error
        assert f"'{ref}' is not a ref: a ref is e and 4 to 6 letters or digits, such as e1a2b." in answer


def test_handle_non_existent_reference(agent: Agent) -> None:
    agent.show("<button>Save</button>")
    answer = agent("browser_click", ref="ezzzz")
    assert answer.is_error
    assert answer.text == "There is no element with ref ezzzz. Take a new snapshot to see current page state."
