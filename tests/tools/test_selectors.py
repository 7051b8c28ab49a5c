"""How tools find elements by selectors, in the spelling of CSS and in Playwright's."""

from collections.abc import Callable

import pytest

from tests.support.world import Agent

PAGE = """
<h1>Top</h1><h2>Second</h2>
<nav aria-label=Main><a href=#home>Home</a><a href=#help title="Get help">Help</a></nav>
<form><label for=m>Email address</label><input id=m name=mail placeholder="you@example.com" value=ada>
<label>Country <select><option>USA<option>Canada</select></label>
<input aria-label=Amount type=number value=5><span id=lw>Width</span><input aria-labelledby=lw value=9>
<label><input type=checkbox checked> Terms</label><label><input type=checkbox> News</label>
<button type=button data-testid=save-1>Save</button><button type=button>Save all</button>
<button type=button disabled>Delete</button><button type=button aria-pressed=true>Bold</button>
<input type=submit value="Send it"></form>
<ul><li><b>Ada</b> <button>Edit</button></li><li><b>Bob</b> <button>Edit</button></li></ul>
<img alt="A red kite" src=data:,><p>Price: 12.50 EUR</p><details><summary>More</summary>Inner</details>
"""


def named(agent: Agent, selector: str) -> str:
    """Return what tells the element that a selector finds."""
    script = "(e) => e.tagName + ' ' + (e.value && e.tagName !== 'LI' ? e.value : e.alt || e.textContent.trim())"
    answer = agent("browser_evaluate", function=script, selector=selector)
    assert not answer.is_error, answer.text
    return answer.text


LOCATORS = [
    ("getByRole('button', { name: 'Save' })", "BUTTON Save"),
    ("page.getByRole('button', { name: 'save all' })", "BUTTON Save all"),
    ("getByRole('button', {name: 'Save', exact: true})", "BUTTON Save"),
    ("getByRole('button', { name: /^save\\s+ALL$/i })", "BUTTON Save all"),
    ('getByRole("heading", {level: 2})', "H2 Second"),
    ("getByRole('checkbox', { checked: false })", "INPUT on"),
    ("getByRole('button', { disabled: true })", "BUTTON Delete"),
    ("getByRole('button', { pressed: true })", "BUTTON Bold"),
    ("getByRole('image')", "IMG A red kite"),
    ("getByText('price')", "P Price: 12.50 EUR"),
    ("getByText('Price', { exact: true }).or(getByText('Bob', { exact: true }))", "B Bob"),
    ("getByText(/^Price: [\\d.]+ EUR$/)", "P Price: 12.50 EUR"),
    ("getByText('Send it')", "INPUT Send it"),
    ("getByLabel('Email')", "INPUT ada"),
    ("getByLabel('Amount')", "INPUT 5"),
    ("getByLabel('Width', { exact: true })", "INPUT 9"),
    ("getByLabel('Country')", "SELECT USA"),
    ("getByPlaceholder('you@')", "INPUT ada"),
    ("getByAltText('kite')", "IMG A red kite"),
    ("getByTitle('get help')", "A Help"),
    ("getByTestId('save-1')", "BUTTON Save"),
    ("getByTestId(/save/)", "BUTTON Save"),
    ("locator('ul button').nth(1)", "BUTTON Edit"),
    ("locator('li').last()", "LI Bob Edit"),
    ("locator('li').filter({ hasText: 'bob' }).getByText('Bob')", "B Bob"),
    ("locator('li', { hasText: /^Bob/ }).locator('b')", "B Bob"),
    ("locator('li', { hasNotText: 'Ada' }).locator('> b')", "B Bob"),
    ("getByRole('listitem').filter({ has: page.getByText('Bob') }).locator('xpath=./b')", "B Bob"),
    ("getByText('Bob').locator('xpath=..')", "LI Bob Edit"),
    ("getByRole('listitem').filter({ hasNot: getByText('Ada') })", "LI Bob Edit"),
    ("getByRole('button').and(getByText('Save all'))", "BUTTON Save all"),
    ("getByRole('button', { name: 'Save' }).nth(-1)", "BUTTON Save all"),
    ("  await page . getByRole ( `button` , { 'name' : `Save` , exact : true , } ) . first ( ) ; ", "BUTTON Save"),
    ('page.get_by_role("button", name="Save all", exact=True)', "BUTTON Save all"),
    ('get_by_role("listitem").filter(has_text="Bob").get_by_role("button").first', "BUTTON Edit"),
    ('get_by_text(re.compile(r"^price", re.IGNORECASE))', "P Price: 12.50 EUR"),
    ("role=button[name=/^save a/i]", "BUTTON Save all"),
    ("role=heading[level=2]", "H2 Second"),
    ("role=checkbox[checked]", "INPUT on"),
    ("text=/price: \\d+/i", "P Price: 12.50 EUR"),
    ("li >> text=Bob", "B Bob"),
    ("css=li >> nth=1 >> b", "B Bob"),
    ('text="a >> b" >> nth=0', "I a >> b"),
]


def test_another_attribute_for_tests(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(test_id_attribute="data-qa")
    agent.show(
        "<button data-testid=a>One</button><button data-qa=a>Two</button><iframe srcdoc='<p data-qa=b>In'></iframe>"
    )
    assert named(agent, "getByTestId('a')") == "BUTTON Two"
    assert named(agent, "get_by_test_id('b')") == "P In"
    assert named(agent, "locator('body').getByTestId(/A/i)") == "BUTTON Two"
    assert 'button "Two"' in agent("browser_click", selector="getByTestId('a')")


@pytest.mark.parametrize(("selector", "element"), LOCATORS)
def test_selectors_are_understood_as_playwright_writes_them(agent: Agent, selector: str, element: str) -> None:
    agent.show(f"{PAGE}<i>a &gt;&gt; b</i>")
    assert named(agent, selector) == element


TABLE = """<table><tr><th>Name<th>Do<tr><td>Ann Lee<td><button>Edit</button>
<tr><td>Bob Kim<td><button>Drop</button></table>
<div role=grid><div role=row><span role=gridcell>Cid</span> <span role=gridcell><a href=#>Open</a></span></div></div>"""
IN_TABLE = [
    ("getByRole('row', { name: 'Bob Kim' }).getByRole('button')", "BUTTON Drop"),
    ("getByRole('row', { name: /^ann lee edit$/i }).locator('button')", "BUTTON Edit"),
    ("getByRole('row', { name: 'Cid Open', exact: true }).getByRole('link')", "A Open"),
    ("getByRole('cell', { name: 'Drop' })", "TD Drop"),
    ('role=row[name="Bob Kim Drop"] >> button', "BUTTON Drop"),
]


@pytest.mark.parametrize(("selector", "element"), IN_TABLE)
def test_rows_and_cells_are_called_by_what_is_in_them(agent: Agent, selector: str, element: str) -> None:
    agent.show(TABLE)
    assert named(agent, selector) == element


@pytest.mark.parametrize("mode", ["open", "closed"])
@pytest.mark.parametrize(
    ("selector", "rest"),
    [("text=bare words", "<p>Inner</p>"), ('text="Bare words here"', ""), ("text=/^bare \\w+ here$/i", "")],
)
def test_text_that_lies_directly_in_a_shadow_tree(agent: Agent, mode: str, selector: str, rest: str) -> None:
    tree = f"<template shadowrootmode={mode}><style>p {{}}</style>Bare <b>words</b> here{rest}</template>"
    agent.show(f"<title>Before</title><my-card onclick='document.title = this.localName'>{tree}</my-card>")
    assert '~ - document "my-card":' in agent("browser_click", selector=selector)


def test_paths_beside_a_shadow_tree(agent: Agent) -> None:
    agent.show(f"<div><template shadowrootmode=open><button>In</button></template></div>{PAGE}")
    agent("browser_snapshot")
    assert named(agent, "//button[2]") == "BUTTON Save all"
    assert named(agent, "xpath=//li[b='Bob']/button") == "BUTTON Edit"


WRONG = [
    ("getByRole('button'", "There should be a comma or a ) at the end."),
    ("getByRole(button)", "getByRole takes texts in quotes, /patterns/, numbers, true and false"),
    ("getByRole('button', { nam: 'Save' })", "getByRole has no option nam: it takes name, exact,"),
    ("getByRole('button', 'Save', { name })", "Options are written { name: 'Save', exact: true }"),
    ("getByRol('button')", "There is no getByRol. There are getByRole, getByText,"),
    ("getByText('Save').click()", "click is not part of a locator: leave it out."),
    ("page.frameLocator('iframe').getByText('Save')", "Leave the frame out: frames are searched too."),
    ("getByText('Save)", 'The quoted text at "\'Save)" does not end.'),
    ("getByText(/(/)", "/(/ is not a regular expression: "),
    ("getByText('Save') button", "Nothing belongs behind the locator."),
    ("locator('li').nth('x')", "nth takes a number, 0 for the first."),
    ("locator('li').filter({ has: 'b' })", "has takes a locator."),
    ("locator('[')", "'[' is not a selector. Correct it, or use a ref"),
    ("button:has-text('Save')", ":has-text is not CSS. Write getByText('Save')"),
    ("role=button[nam=x]", 'After the role come [name="…"] or [checked]'),
    ("li >> nth=one", "nth= takes a number, 0 for the first."),
]


@pytest.mark.parametrize(("selector", "advice"), WRONG)
def test_what_is_wrong_with_a_selector_is_said(agent: Agent, selector: str, advice: str) -> None:
    agent.show(PAGE)
    answer = agent("browser_click", selector=selector)
    assert answer.is_error
    assert " is not a selector. " in answer
    assert advice in answer
    assert len(answer.text) < 500


@pytest.mark.parametrize("selector", ["Save draft", "Draft", "form Draft"])
def test_a_text_without_its_prefix_names_what_says_it(agent: Agent, selector: str) -> None:
    page = agent.show("<form><button type=button>Save draft</button></form>")
    answer = agent("browser_click", selector=selector)
    assert f"Similar elements on page: button 'Save draft' [ref={page.ref('button', 'Save draft')}]." in answer


def test_the_first_of_several_matches_is_said(agent: Agent) -> None:
    agent.show("<ul><li>A</li><li hidden>B</li><li>C</li></ul><b>One</b>")
    assert "It is the first of 2 matches." in agent("browser_click", selector="li")
    assert "It is the first of 2 matches." in agent("browser_snapshot", selector="li")
    assert "It is the first of 2 matches." in agent("browser_take_screenshot", selector="li")
    assert "match" not in agent("browser_click", selector="b")
    assert "match" not in agent("browser_click", selector="locator('li').last()")


def test_visible_matches_win(agent: Agent) -> None:
    agent.show(
        "<div style='visibility:hidden'><button>Go</button></div><div style='opacity:0'><button>Go</button></div>"
        "<button onclick=\"document.title='third'\">Go</button>"
    )
    answer = agent("browser_click", selector="text=Go")
    assert "match" not in answer
    assert agent.evaluate("document.title") == "third"


@pytest.mark.parametrize("selector", ["text=Save", "getByText('Save')", ":is(p, button, div, i)"])
def test_matches_that_can_be_clicked_win(agent: Agent, selector: str) -> None:
    agent.show(
        "<p>Save your work</p><button disabled>Save</button>"
        "<button style='position:fixed;top:200px' onclick=\"document.title='covered'\">Save</button>"
        "<div style='position:fixed;top:180px;width:400px;height:80px;background:red'></div>"
        "<button onclick=\"document.title='right'\">Save</button>"
    )
    answer = agent("browser_click", selector=selector)
    assert agent.evaluate("document.title") == "right"
    assert "the first that can be clicked." in answer


def test_a_text_in_a_control_can_be_clicked(agent: Agent) -> None:
    agent.show(
        "<h2>Remember me</h2><label><input type=checkbox id=c> <span>Remember me</span></label>"
        "<i>Open</i><b style='cursor:pointer' onclick=\"document.title='opened'\">Open</b>"
    )
    agent("browser_click", selector="text=Remember me")
    assert agent.evaluate("document.querySelector('#c').checked") == "true"
    agent("browser_click", selector="text=Open")
    assert agent.evaluate("document.title") == "opened"


@pytest.mark.parametrize(
    "selector",
    [
        "text=Save draft",
        "#save-draft",
        "button.saveDraft",
        "getByText('Save draft')",
        "getByRole('button', {name: 'save drafts'})",
        "[data-testid=save_draft]",
        "//button[text()='Save draft']",
        "locator('main').getByText('save  draft')",
    ],
)
def test_a_miss_names_the_near_match(agent: Agent, selector: str) -> None:
    page = agent.show("<main><button aria-label='Save draft'>💾</button><button>Other</button></main>")
    answer = agent("browser_click", selector=selector)
    assert answer.is_error
    assert f"Similar elements on page: button 'Save draft' [ref={page.ref('button', 'Save draft')}]." in answer


def test_a_miss_in_a_wait_names_the_near_match(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(caps=["dev"])
    agent.show("<button aria-label='Save draft'>💾</button>")
    answer = agent("browser_wait_for_selector", selector="text=Save draft", timeout=0.2)
    assert "Similar elements on page: button 'Save draft'" in answer


def test_a_miss_without_a_near_match_says_what_to_do(agent: Agent) -> None:
    agent.show("<button>Other</button>")
    answer = agent("browser_click", selector="#unheard-of")
    assert answer.text == (
        "No element matches the selector '#unheard-of'. "
        "Take a browser_snapshot and use a ref, or wait for it: browser_wait_for."
    )


def test_refs_that_are_passed_as_selectors(agent: Agent) -> None:
    ref = agent.show("<button>Go</button>").ref("button")
    assert f'It is a ref: pass {{"ref": "{ref}"}}.' in agent("browser_click", selector=ref)
    for selector in (f"[ref={ref}]", f"aria-ref={ref}"):
        assert 'Clicked button "Go"' in agent("browser_click", selector=selector), selector


def test_selectors_reach_shadow_trees_and_frames(agent: Agent) -> None:
    agent.show(
        "<my-box></my-box><script>document.querySelector('my-box').attachShadow({mode: 'open'}).innerHTML ="
        " '<section><button>Inner</button></section>'</script>"
        "<iframe srcdoc='<button>Framed</button>'></iframe>"
    )
    for selector in (
        "getByRole('button', {name: 'Inner'})",
        "locator('my-box').getByText('Inner')",
        "my-box >>> section > button",
        "locator('section').locator('button')",
    ):
        assert 'Clicked button "Inner"' in agent("browser_click", selector=selector), selector
    assert 'Clicked button "Framed"' in agent("browser_click", selector="getByText('Framed')")
