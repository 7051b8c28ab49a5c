"""Controls inside of controls: each that a person can click on its own has a ref of its own that works."""

import re

import pytest

from tests.support.world import Agent

HEAR = """<p id=heard>nothing</p><script>
for (const each of document.querySelectorAll('[data-is]')) {
  each.addEventListener('click', (event) => {
    event.preventDefault(); event.stopPropagation(); heard.textContent = `heard by ${each.dataset.is}`;
  });
}</script>"""

NESTED = {
    "a word in a link": (
        "<a data-is=outer href=#z>Read all about it <b data-is=inner onclick=''>more</b></a>",
        ("link", "Read all about it more"),
        ("generic", "more"),
    ),
    "a cross in a tab": (
        "<div role=tab tabindex=0 data-is=outer>Inbox <span class=close data-is=inner onclick=''>✕</span></div>",
        ("tab", "Inbox ✕"),
        ("generic", "✕"),
    ),
    "a word in an option": (
        "<ul role=listbox><li role=option data-is=outer>Green <span data-is=inner onclick=''>only</span></li></ul>",
        ("option", "Green only"),
        ("generic", "only"),
    ),
    "all words in an option": (
        "<ul role=listbox><li role=option data-is=outer><span data-is=inner onclick=''>Green</span></li></ul>",
        ("option", "Green"),
        ("generic", "Green"),
    ),
    "a button in a tab": (
        "<div role=tab data-is=outer><button data-is=inner>Submit</button></div>",
        ("tab", "Submit"),
        ("button", "Submit"),
    ),
    "a button on a new line": (
        "<p role=tab data-is=outer><br><button data-is=inner>Submit</button></p>",
        ("tab", "Submit"),
        ("button", "Submit"),
    ),
    "a link in a button": (
        "<div role=button tabindex=0 data-is=outer><a href=#z data-is=inner>Open</a></div>",
        ("button", "Open"),
        ("link", "Open"),
    ),
    "a switch in a menu item": (
        "<div role=menu><div role=menuitem data-is=outer>Dark <b role=switch data-is=inner>Dark</b></div></div>",
        ("menuitem", "Dark Dark"),
        ("switch", "Dark"),
    ),
    "a word in a heading": (
        "<h2 onclick='' data-is=outer>Chapter one <i onclick='' data-is=inner>edit</i></h2>",
        ("heading", "Chapter one edit"),
        ("generic", "edit"),
    ),
    "a button in what a shadow root makes a button": (
        (
            "<div role=button tabindex=0 data-is=outer><template shadowrootmode=open>Send <slot></slot></template>"
            "<b data-is=inner onclick=''>later</b></div>"
        ),
        ("button", "Send later"),
        ("generic", "later"),
    ),
}


@pytest.mark.parametrize("which", ["outer", "inner"])
@pytest.mark.parametrize(("html", "outer", "inner"), NESTED.values(), ids=list(NESTED))
def test_each_control_of_two_has_a_ref_that_works(
    agent: Agent, html: str, outer: tuple[str, str], inner: tuple[str, str], which: str
) -> None:
    page = agent.show(html + HEAR)
    answer = agent("browser_click", ref=page.ref(*(outer if which == "outer" else inner)))
    assert not answer.is_error, answer
    assert f"heard by {which}" in answer, answer


def test_a_control_that_fills_another_needs_no_ref_of_its_own(agent: Agent) -> None:
    page = agent.show(
        "<div role=tab style='display:inline-block;border:1px solid'>"
        "<a data-is=inner href=#z style='display:block;padding:9px'>Inbox</a></div>" + HEAR
    )
    assert "link" not in page
    assert "heard by inner" in agent("browser_click", ref=page.ref("tab", "Inbox"))


@pytest.mark.parametrize("named_by", ["ref", "selector"])
def test_a_click_on_a_control_that_another_fills_does_not_aim_at_its_border(agent: Agent, named_by: str) -> None:
    """The border is the only part of such a control that is not the other, and what listens may be the other."""
    page = agent.show(
        "<div id=tab role=tab style='position:absolute;left:20.5px;top:60.5px;width:32px;height:32px;border:4px solid'>"
        "<a data-is=inner href=#z style='display:block;height:32px'>3</a></div>" + HEAR
    )
    target = {"ref": page.ref("tab", "3")} if named_by == "ref" else {"selector": "#tab"}
    assert "heard by inner" in agent("browser_click", **target)


def test_parts_of_a_grid_are_unchanged_though_alone_they_would_have_no_name(agent: Agent) -> None:
    """The text of a cell is its name because it is in a grid; the description of the element alone lacks the grid."""
    page = agent.show(
        "<div role=grid><div role=row tabindex=-1><p role=caption data-is=caption onclick=''>All</p>"
        "<div role=gridcell data-is=cell>A</div></div></div>"
        "<ul role=listbox><ul><li class=a data-is=item>One</li></ul></ul>" + HEAR
    )
    refs = re.findall(r"\[ref=(\w+)\]", str(page))
    assert len(refs) > 2, page
    for ref in refs:
        assert not agent("browser_click", ref=ref).is_error


@pytest.mark.parametrize("how", ["src=", "by script"])
def test_what_only_a_listener_makes_a_control_in_a_frame(how: str, agent: Agent) -> None:
    """In Firefox 153 the first page of a frame takes the place of about:blank in the same window."""
    site = agent.site
    inner = agent.run(
        lambda: site.html(
            "<div id=here>Press here</div><p id=later></p><script>here.addEventListener('click', () => "
            "setTimeout(() => later.textContent = 'After a pause', 300))</script>"
        )
    )
    agent.show(
        f"<iframe src={inner}></iframe>"
        if how == "src="
        else f"<iframe id=frame></iframe><script>frame.contentWindow.location = '{inner}'</script>"
    )
    ref = re.findall(r'generic "Press here" \[ref=(\w+)\]', agent("browser_snapshot").text)[0]
    assert "After a pause" in agent("browser_click", ref=ref).text
