"""Where the pointer goes: on lines, rings and curves of SVG, which fill no box, and at points that an agent names."""

import pytest

from tests.support.world import Agent

SHAPES = {
    "a line": "<line x1=10 y1=60 x2=190 y2=60 stroke-width=4 />",
    "an upright line": "<line x1=60 y1=10 x2=60 y2=110 stroke-width=4 />",
    "a thin line": "<line x1=10 y1=60.5 x2=190 y2=60.5 stroke-width=1 />",
    "a straight path": "<path d='M10 60H190' stroke-width=3 />",
    "a ring": "<circle cx=60 cy=60 r=40 fill=none stroke-width=4 />",
    "a corner": "<polyline points='10,10 110,10 110,110' fill=none stroke-width=3 />",
    "a curve": "<path d='M10 110C10 10 190 10 190 110' fill=none stroke-width=3 />",
    "a slanting line": "<line x1=10 y1=10 x2=190 y2=110 stroke-width=2 />",
}


def drawing(shape: str, above: int = 0) -> str:
    """Return a page with one shape, which notes clicks and drops on it."""
    marked = shape.replace(" ", " id=shape stroke=black role=button aria-label=Shape ", 1)
    return (
        f"<div style='height:{above}px'></div><svg width=200 height=120>{marked}</svg><p id=out>nothing</p>"
        "<div id=card style='width:60px;height:30px;background:silver'>Card</div><script>"
        "shape.addEventListener('click', () => out.textContent = 'clicked');"
        "shape.addEventListener('pointerup', () => { if (card.held) out.textContent = 'dropped' });"
        "card.addEventListener('pointerdown', () => card.held = true);"
        "</script>"
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_a_click_on_a_shape(agent: Agent, shape: str) -> None:
    page = agent.show(drawing(SHAPES[shape]))
    assert "clicked" in agent("browser_click", ref=page.ref("button", "Shape"))


def test_a_click_on_a_line_out_of_view(agent: Agent) -> None:
    agent.show(drawing(SHAPES["a line"], above=5000))
    assert "clicked" in agent("browser_click", selector="#shape")


@pytest.mark.parametrize("shape", ["a line", "an upright line", "a ring"])
def test_a_drop_on_a_shape(agent: Agent, shape: str) -> None:
    agent.show(drawing(SHAPES[shape]))
    assert "dropped" in agent("browser_drag", startSelector="#card", endSelector="#shape")


def test_a_line_without_stroke_is_not_visible(agent: Agent) -> None:
    agent.show("<svg width=200 height=120><line id=shape x1=10 y1=60 x2=190 y2=60 stroke=none /></svg>")
    refused = agent("browser_click", selector="#shape")
    assert refused.is_error
    assert "is not visible" in refused


BOARD = (
    "<style>body{margin:0} #board{position:relative;width:300px;height:200px;background:silver}"
    "#card{position:absolute;left:10px;top:10px;width:60px;height:40px;background:teal}</style>"
    "<div id=board><div id=card>Card</div></div><p id=out></p><script>"
    "card.addEventListener('pointerdown', ({offsetX, offsetY}) => { card.at = [offsetX, offsetY] });"
    "addEventListener('pointermove', ({clientX, clientY}) => { if (!card.at) return;"
    "card.style.left = `${clientX - card.at[0]}px`; card.style.top = `${clientY - card.at[1]}px` });"
    "addEventListener('pointerup', ({clientX, clientY}) => { if (!card.at) return;"
    "out.textContent = `held at ${card.at}, let go at ${[clientX, clientY]}`; card.at = null });"
    "</script>"
)


def test_a_drag_from_and_to_places_in_elements(agent: Agent) -> None:
    agent.show(BOARD)
    places = {"startX": 5, "startY": 6, "endX": 200, "endY": 150}
    answer = agent("browser_drag", startSelector="#card", endSelector="#board", **places)
    assert "held at 5,6, let go at 200,150" in answer
    assert "185 px right and 134 px down" in answer


def test_a_drag_to_a_point(agent: Agent) -> None:
    agent.show(BOARD)
    answer = agent("browser_drag", startSelector="#card", toX=240, toY=130)
    assert "let go at 240,130" in answer
    assert "to 240, 130, over " in answer


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ({"toX": 5000, "toY": 5}, "The point 5000, 5 is outside of the viewport"),
        ({"toX": 5}, "toX and toY go together."),
        ({"toX": 5, "toY": 5, "endSelector": "#board"}, "toX and toY don't go with an end element."),
        ({"toX": 5, "toY": 5, "endX": 5, "endY": 5}, "endX and endY need an end element."),
        ({"startX": 100, "startY": 100, "endSelector": "#board"}, "What is there to hold is not generic"),
    ],
)
def test_a_drag_that_cannot_be(agent: Agent, places: dict[str, object], message: str) -> None:
    agent.show(BOARD)
    refused = agent("browser_drag", startSelector="#card", **places)
    assert refused.is_error
    assert message in refused
    assert "let go" not in agent("browser_snapshot")


def test_a_key_pressed_several_times(agent: Agent) -> None:
    agent.show("<input type=number value=3 autofocus><script>document.querySelector('input').focus()</script>")
    answer = agent("browser_press_key", key="ArrowUp", repeat=12)
    assert "Pressed ArrowUp 12 times." in answer
    assert "15" in answer.text.partition("spinbutton")[2]
    assert agent("browser_press_key", key="ArrowUp", repeat=0).is_error


def test_a_drop_on_what_is_nowhere(agent: Agent) -> None:
    agent.show(BOARD + "<div id=none style='width:0;height:0'></div>")
    refused = agent("browser_drag", startSelector="#card", endSelector="#none")
    assert refused.is_error
    assert "can't be scrolled into view" in refused
    assert "let go" in refused
    # The button is up again: a move drags nothing.
    agent("browser_hover", selector="#board")
    assert agent.evaluate("String(card.at)") in {"null", '"null"'}


def test_a_snapshot_with_boxes(agent: Agent) -> None:
    inner = agent.site.html(
        "<style>body{margin:0}</style><button style='position:absolute;left:5px;top:6px'>In</button>"
    )
    agent.show(
        "<style>body{margin:0} button{position:absolute;width:80px;height:30px}</style><h1>Places</h1>"
        "<button style='left:12px;top:140px'>Save</button>"
        f"<iframe src='{inner}' style='position:absolute;left:100px;top:200px;border:4px solid;padding:2px'></iframe>"
    )
    page = agent("browser_snapshot", boxes=True)
    assert f'button "Save" [ref={page.ref("button", "Save")}] [box=12,140,80,30]' in page
    assert f'button "In" [ref={page.ref("button", "In")}] [box=111,212,' in page
    assert "heading" in page
    assert page.text.count("[box=") == page.text.count("[ref=")
    part = agent("browser_snapshot", boxes=True, selector="button")
    assert "[box=12,140,80,30]" in part
    assert "[box=" not in agent("browser_snapshot")
    assert "no change" in agent("browser_hover", selector="h1")


CARD = (
    "<div id=a style='width:60px;height:30px'>Card</div><div id=b style='width:200px;height:90px'>Place</div><script>"
)
REFUSED = {
    "nobody listens": "",
    "nobody takes the drop": "a.draggable = true; a.ondragstart = (event) => event.dataTransfer.setData('text', 'x')",
    "it goes back": "let at; a.style.position = 'relative'; a.onpointerdown = (event) => { at = event.clientY; "
    "a.setPointerCapture(event.pointerId) }; a.onpointermove = (event) => { if (at) a.style.top = "
    "`${event.clientY - at}px` }; a.onpointerup = () => { at = 0; a.style.top = '' }",
}


@pytest.mark.parametrize("script", REFUSED.values(), ids=REFUSED)
def test_a_drag_that_moves_nothing(agent: Agent, script: str) -> None:
    agent.show(f"{CARD}{script}</script>")
    answer = agent("browser_drag", startSelector="#a", endSelector="#b").text
    assert answer.startswith('Dragged generic "Card"')
    assert " is where it was.\nThe snapshot shows no change." in answer
