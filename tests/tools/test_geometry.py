"""Where the pointer goes on shapes that fill no box: lines, rings and curves of SVG."""

import pytest

from tests.world import Agent

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
