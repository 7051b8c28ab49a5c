"""Pages that are in the way of whoever reads them, through the whole product."""

import pytest

from tests.world import Agent

CALLED = (
    "querySelector getElementsByTagName getClientRects getBoundingClientRect scrollIntoView matches children labels"
)


@pytest.mark.parametrize("listens", [False, True])
def test_form_whose_controls_are_named_like_functions(agent: Agent, listens: bool) -> None:
    inputs = "".join(f"<input name={name} aria-label={name}>" for name in CALLED.split())
    listener = "<script>f.addEventListener('click', () => { f.title = 'clicked' })</script>" if listens else ""
    page = agent.show(f"<form id=f>{inputs}<p>text</p></form>{listener}")
    assert page.ref("textbox", "querySelector")
    assert not (clicked := agent("browser_click", selector="form")).is_error, clicked
    assert agent.evaluate("() => document.getElementById('f').title") == ("clicked" if listens else "")
    assert not (pictured := agent("browser_take_screenshot", selector="form")).is_error, pictured
    assert not (scrolled := agent("browser_scroll", selector="form", down=10)).is_error, scrolled
    assert not (moved := agent("browser_drag", startSelector="form", endSelector="p")).is_error, moved
