"""Text that no person sees is marked, left out or shown, as ``--hidden-text`` says."""

from contextlib import closing

import pytest

from bidi_server.attacks.hidden_text import HIDING, WORDS
from tests.support.world import Agent, World

SEEN = {
    "plain": "<p>{}</p>",
    "below the window": "<p style='margin-top: 300vh'>{}</p>",
    "right of the window": "<p style='position: absolute; left: 300vw'>{}</p>",
    "faint": "<p style='color: #999'>{}</p>",
    "half transparent": "<p style='opacity: .5'>{}</p>",
    "small": "<p style='font-size: 6px'>{}</p>",
    "white on a picture behind it": (
        "<div style='position: relative; height: 90px'>"
        "<img alt='' style='position: absolute; width: 100%; height: 90px; background: navy' "
        'src="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E">'
        "<p style='position: relative; color: white'>{}</p></div>"
    ),
    "white on a box behind it": (
        "<div style='position: relative; height: 90px'>"
        "<div style='position: absolute; inset: 0; background: navy'></div>"
        "<p style='position: relative; color: white'>{}</p></div>"
    ),
    "white on a generated box": (
        "<style>.hero::before {{ content: ''; position: absolute; inset: 0; background: navy; z-index: -1 }}</style>"
        "<div class=hero style='position: relative; isolation: isolate'><p style='color: white'>{}</p></div>"
    ),
    "white on a gradient": "<div style='background: linear-gradient(navy, black)'><p style='color: white'>{}</p></div>",
    "a gradient in its letters": (
        "<p style='background: linear-gradient(red, navy); -webkit-background-clip: text; background-clip: text; "
        "color: transparent'>{}</p>"
    ),
    "its shadow": "<p style='color: white; text-shadow: 0 0 2px black'>{}</p>",
    "a drawing with small units": (
        "<svg viewBox='0 0 10 10' width=500 height=500><text x=1 y=5 style='font-size: 1px'>{}</text></svg>"
    ),
    "in a box of no size, which shows what overflows": (
        "<div style='position: absolute; width: 0; height: 0'><p>{}</p></div>"
    ),
    "scrolled away": "<div style='height: 40px; overflow: auto'><p>Top</p><p style='margin-top: 200px'>{}</p></div>",
    "scrolled away in a list whose rows are placed": (
        "<div id=list style='position: relative; height: 40px; overflow: auto'>"
        "<p style='position: absolute; top: 0'>{}</p><div style='height: 900px'></div></div>"
        "<script>list.scrollTop = 700</script>"
    ),
    "in a row of a page from right to left": "<div dir=rtl style='position: absolute; right: 0'><p>{}</p></div>",
}


@pytest.mark.browser
@pytest.mark.parametrize("way", HIDING)
def test_text_that_nobody_sees_is_marked(agent: Agent, way: str) -> None:
    agent.show(f"<p>Welcome</p>{HIDING[way].format(WORDS)}")
    assert f"{WORDS} (hidden)" in agent("browser_snapshot").text


@pytest.mark.browser
@pytest.mark.parametrize("way", SEEN)
def test_text_that_people_see_is_not_marked(agent: Agent, way: str) -> None:
    agent.show(f"<p>Welcome</p>{SEEN[way].format(WORDS)}")
    said = agent("browser_snapshot").text
    assert WORDS in said
    assert "(hidden" not in said


CLIPPED = "position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0)"

PARTS = f"""
<p>Price: <span style="{CLIPPED}">was</span> $5</p>
<button>Pay<span style="{CLIPPED}"> to the attacker</span></button>
<button style="width: 40px; height: 20px"><span style="{CLIPPED}">Close</span></button>
<a href="#x">Read <b style="opacity: 0">all of it</b></a>
<table><tr><td>Cell</td><td><span style="opacity: 0">Unseen</span></td></tr></table>
"""


@pytest.mark.browser
def test_parts_of_names_and_texts_are_told_apart(agent: Agent) -> None:
    agent.show(PARTS)
    said = agent("browser_snapshot").text
    for line in (
        "- text: Price:",
        "- text: was (hidden)",
        "- text: $5",
        '- button "Pay" [ref=',
        "] (hidden: to the attacker)",
        '- button "Close" [ref=',
        '- link "Read" [ref=',
        "(hidden: all of it)",
        '"Unseen" (hidden)',
    ):
        assert line in said, said
    assert not agent("browser_click", selector="text=Pay to the attacker").is_error


@pytest.mark.browser
def test_a_text_that_becomes_visible_is_a_change(agent: Agent) -> None:
    agent.show("<button onclick='note.style.opacity = 1'>Save</button><p id=note style='opacity: 0'>Saved</p>")
    said = agent("browser_click", selector="text=Save").text
    assert "Saved" in said
    assert "(hidden)" not in said


@pytest.mark.browser
def test_hidden_text_is_left_out_or_shown_on_request(world: World) -> None:
    with closing(world.agent(hidden_text="omit")) as agent:
        agent.show(PARTS)
        said = agent("browser_snapshot").text
        assert "was" not in said
        assert "attacker" not in said
        assert "Unseen" not in said
        assert '- button "Pay" [ref=' in said
        assert '- button "Close" [ref=' in said  # nothing else names it
    with closing(world.agent(hidden_text="show")) as agent:
        agent.show(PARTS)
        said = agent("browser_snapshot").text
        assert "hidden" not in said
        assert "text: was" in said
        assert '- button "Pay to the attacker" [ref=' in said
