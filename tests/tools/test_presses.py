"""A press is for its element only: what the pointer changes by coming is waited for, and the press is repeated."""

import pytest

from tests.support.world import Agent

pytestmark = pytest.mark.browser

_SAY = "<p id=log>-</p><script>const say = (what) => { log.textContent += ` ${what}`; }</script>"
_FRESH = '<button id=t onclick="say(`target`)">Target</button>'
_DRAW = f"const draw = () => {{ box.innerHTML = '{_FRESH}'; }}; draw();"
_IMAGE = "url(\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>\")"

_CHANGED_BY_HOVER = {
    "pushed away by what the pointer opens": (
        "<button style='display: block; height: 40px' onclick='say(`other`)'>Other</button><div id=pad></div>"
        "<button id=t style='display: block; height: 40px' onclick='say(`target`)'"
        " onmouseover='pad.style.height = `40px`'>Target</button>"
    ),
    "in something that listens to each event of a press": (
        "<style>.moved { position: relative; left: 200px }</style>"
        "<div onpointerdown='say(event.target.id)' onmousedown='say(event.target.id)'"
        " onpointerup='say(event.target.id)' onmouseup='say(event.target.id)' onauxclick='say(1)'>"
        "<button id=t onmouseenter='this.className = `moved`' onclick='say(`target`)'>Target</button></div>"
    ),
    "moved by each event of the pointer": (
        "<style>#t { position: absolute; left: 0 }</style>"
        "<button id=t onpointermove='t.style.left = `600px`' onclick='say(`target`)'>Target</button>"
    ),
    "drawn anew when the pointer enters": f"<div id=box></div><script>{_DRAW} box.onmouseenter = draw;</script>",
    "drawn anew whenever the pointer moves": f"<div id=box></div><script>{_DRAW} box.onmousemove = draw;</script>",
    "an image that is another one under the pointer": (
        f"<style>#t {{ width: 30px; height: 30px; display: inline-block }} #t:hover {{ content: {_IMAGE} }}</style>"
        "<span id=t role=button tabindex=0 aria-label=Target onclick='say(`target`)'></span>"
    ),
    "covered for a second": (
        "<button id=t onclick='say(`target`)'>Target</button>"
        "<div id=cover style='position: fixed; inset: 0; display: none'>Wait</div><script>t.onmouseenter = () => {"
        " cover.style.display = 'block'; setTimeout(() => cover.remove(), 1000); }</script>"
    ),
}


@pytest.mark.parametrize("page", _CHANGED_BY_HOVER.values(), ids=_CHANGED_BY_HOVER)
def test_press_waits_for_what_the_pointer_changes(agent: Agent, page: str) -> None:
    agent.show(_SAY + page)
    answer = agent("browser_click", selector="#t")
    assert not answer.is_error, answer.text
    assert "met" not in answer
    said = agent.evaluate("log.textContent")
    assert said in {"- target", "- t t t t target"}, said


@pytest.mark.parametrize("options", [{"button": "right"}, {"button": "middle"}, {"doubleClick": True}])
def test_every_event_of_a_press_for_another_element_is_kept_from_the_page(
    agent: Agent, options: dict[str, object]
) -> None:
    types = "pointerdown mousedown pointerup mouseup click auxclick dblclick contextmenu focusin"
    agent.show(
        "<style>#t { position: absolute; left: 0 }</style><button id=other>Other</button>"
        "<button id=t onmouseenter='t.style.left = `600px`'>Target</button>"
        f"<script>seen = new Set(); for (const type of '{types}'.split(' ')) addEventListener(type, "
        "(event) => seen.add(event.target.id), true)</script>"
    )
    agent("browser_click", selector="#t", **options)
    assert agent.evaluate("[...seen].join()") == "t"


def test_element_that_flees_from_the_pointer_is_not_clicked(agent: Agent) -> None:
    agent.show(
        f"{_SAY}<style>#t {{ position: absolute; left: 0 }}</style>"
        "<p style='height: 80px' onclick='say(`floor`)'>Floor</p>"
        "<button id=t onclick='say(`target`)'>Target</button><script>let at = 0; onmousemove = ({target}) => {"
        " if (target === t) t.style.left = `${at = (at + 200) % 600}px`; }</script>"
    )
    answer = agent("browser_click", selector="#t")
    assert answer.is_error
    assert 'Where button "Target"' in answer
    assert "nothing was clicked" in answer
    assert agent.evaluate("log.textContent") == "-"


def test_element_that_leaves_while_it_is_pressed_is_reported(agent: Agent) -> None:
    agent.show(
        "<style>#b { position: absolute; left: 0 }</style>"
        "<button id=b onpointerdown=\"b.style.left = '600px'\">Shy</button>"
        "<p style='position:absolute;left:0;top:0;width:80px;height:40px;z-index:-1'>Floor</p>"
    )
    assert "But the pointer met" in agent("browser_click", selector="#b")


def test_press_reaches_an_element_of_a_closed_root(agent: Agent) -> None:
    agent.show(
        f"{_SAY}<div id=host></div><script>const root = host.attachShadow({{mode: 'closed'}});"
        "root.innerHTML = '<button>Target</button>'; root.firstChild.onclick = () => say('target');</script>"
    )
    answer = agent("browser_click", ref=agent("browser_snapshot").ref("button", "Target"))
    assert "met" not in answer
    assert agent.evaluate("log.textContent") == "- target"


def test_pointer_moves_on_what_has_opened_under_it_before_it_leaves(agent: Agent) -> None:
    agent.show(
        f"{_SAY}<style>body {{ margin: 0 }} button, li {{ display: block; height: 40px; width: 200px }}</style>"
        "<button id=open onclick='menu.hidden = false'>Open</button>"
        "<button id=t onclick='say(`target`)'>Target</button>"
        "<div id=menu hidden style='position: absolute; top: 0; left: 0' onmousemove='say(`menu`)'"
        " onmouseover='this.title = `over`'>"
        "<button>One</button><button>Two</button></div>"
    )
    agent("browser_click", selector="#open")
    # A busy Chromium tells a moment later that the pointer is on it.
    assert not agent("browser_wait_for", selector="#menu[title]").is_error
    agent("browser_click", selector="#t")
    agent("browser_click", selector="#t")
    assert agent.evaluate("log.textContent") == "- menu target target"


def test_press_of_which_the_browser_makes_no_click_is_reported(agent: Agent) -> None:
    # As windows that come to the front when they are pressed; Firefox makes a click of it.
    agent.show(
        f"{_SAY}<p><button id=t onclick='say(`target`)'>Target</button></p>"
        "<script>t.onmousedown = () => t.parentNode.append(t)</script>"
    )
    answer = agent("browser_click", selector="#t")
    clicked = agent.evaluate("log.textContent") == "- target"
    assert ("But the browser made no click of it" in answer) != clicked
