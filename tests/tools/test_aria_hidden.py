"""What is hidden from assistive technology only (`aria-hidden`) is there for the pointer: controls have refs."""

import pytest

from tests.support.world import Agent

HEAR = """<p id=heard>nothing</p><script>
for (const each of document.querySelectorAll('[data-is]')) {
  each.onclick = (event) => { event.preventDefault(); heard.textContent = `heard ${each.dataset.is}`; };
}</script>"""

SHOWN = {
    "a button in a hidden box": ("<div aria-hidden=true><button data-is=it>Go</button> text</div>", "button", "Go"),
    "a hidden button": ("<button aria-hidden=true data-is=it>Go</button>", "button", "Go"),
    "an arrow of a spinner": (
        "<span><input aria-label=N><a tabindex=-1 aria-hidden=true role=button data-is=it><span>▲</span></a></span>",
        "button",
        "▲",
    ),
    "an icon with a listener": (
        "<p>Row 1 <i aria-hidden=true class='fa fa-trash' data-is=it style='padding:9px'></i></p>",
        "generic",
        None,
    ),
    "an icon with a listener in a hidden box": (
        "<div aria-hidden=true><p><i class='fa fa-trash' data-is=it style='padding:9px'></i></p></div>",
        "generic",
        None,
    ),
    "an icon with a pointing hand": (
        "<p data-is=it>Row 1 <i aria-hidden=true style='padding:9px;cursor:pointer'></i></p>",
        "generic",
        None,
    ),
    "below the viewport": (
        "<div style='height:3000px'></div><div aria-hidden=true><button data-is=it>Go</button></div>",
        "button",
        "Go",
    ),
    "in a shadow root": (
        "<div data-is=it aria-hidden=true><template shadowrootmode=open><button>Go</button></template></div>",
        "button",
        "Go",
    ),
}


@pytest.mark.parametrize(("html", "role", "name"), SHOWN.values(), ids=list(SHOWN))
def test_what_a_person_can_click_is_shown_and_works(agent: Agent, html: str, role: str, name: str | None) -> None:
    page = agent.show(html + HEAR)
    assert "aria-hidden" in page
    ref = page.ref(f"{role}(?=[^\\n]*aria-hidden)", name)
    answer = agent("browser_click", ref=ref)
    assert "heard it" in answer, answer


NOT_SHOWN = {
    "words": "<p aria-hidden=true>Secret</p>",
    "a decoration": "<b aria-hidden=true class=Secret style='display:block;width:20px;height:20px;background:red'></b>",
    "what is below a dialog": (
        "<div aria-hidden=true><button>Secret</button></div>"
        "<div style='position:fixed;inset:0;background:#0008'><div role=dialog aria-label=Ask>Sure?</div></div>"
    ),
    "the control that a widget stands for": (
        "<select aria-hidden=true style='position:absolute;width:1px;height:1px;clip:rect(0 0 0 0)' aria-label=Secret>"
        "</select><span role=combobox tabindex=0 aria-label=Pick>A</span>"
    ),
    "what cannot be seen": "<div aria-hidden=true style='opacity:0'><button>Secret</button></div>",
    "what lets the pointer through": "<button aria-hidden=true style='pointer-events:none'>Secret</button>",
    "other slides of a carousel": (
        "<div style='overflow:hidden;width:200px'><div style='display:flex'><div style='min-width:200px'>One</div>"
        "<div aria-hidden=true style='min-width:200px'><a href=/>Secret</a></div></div></div>"
    ),
    "other slides of a carousel below the viewport": (
        "<div style='height:3000px'></div><div style='overflow:hidden;width:200px'><div style='display:flex'>"
        "<div style='min-width:200px'>One</div><div aria-hidden=true style='min-width:200px'><a href=/>Secret</a></div>"
        "</div></div>"
    ),
    "what is inert": "<div aria-hidden=true inert><button>Secret</button></div>",
}


@pytest.mark.parametrize("html", NOT_SHOWN.values(), ids=list(NOT_SHOWN))
def test_what_nobody_can_click_is_not_shown(agent: Agent, html: str) -> None:
    assert "Secret" not in agent.show("<p>Page</p>" + html + HEAR)


@pytest.mark.parametrize("style", ["", "padding:30px;border:9px solid", "font-size:40px"])
def test_details_without_a_summary_open_and_close(agent: Agent, style: str) -> None:
    page = agent.show(f"<details style='{style}'><p>Inside</p></details>")
    ref = page.ref("button", "Details")
    assert "Inside" not in page
    assert "Inside" in agent("browser_click", ref=ref)
    answer = agent("browser_click", ref=ref)
    assert "expanded=false" in answer
    assert "Inside" not in agent("browser_snapshot")
