"""Pages without a ``<script>`` that change by themselves, or when typed into or pointed at: they are waited for."""

import pytest

from tests.support.world import Agent

STEPS = (
    "{const step = (n) => setTimeout(() => { out.textContent = `step ${n} of 5`; if (n < 5) step(n + 1); }, 10);"
    " step(1)}"
)
"""A chain of changes, each sooner after the one before than a page takes to count as at rest."""

LOADING = {
    "onload": f'<p id=out></p><link rel=stylesheet href="data:text/css," onload="{STEPS}">',
    "onerror": f'<p id=out></p><img src="data:,no" onerror="{STEPS}">',
    "frame": f'<p id=out></p><iframe srcdoc="<script>const {{out}} = parent; {STEPS}</script>"></iframe>',
}


@pytest.mark.parametrize("body", LOADING.values(), ids=LOADING.keys())
def test_what_a_page_does_when_it_has_loaded(agent: Agent, body: str) -> None:
    assert "step 5 of 5" in agent.show(body)


TYPING = ("onfocus", "onkeydown", "onbeforeinput", "oninput", "onkeyup")


@pytest.mark.parametrize("event", TYPING)
def test_what_a_page_does_when_it_is_typed_into(agent: Agent, event: str) -> None:
    agent.show(f'<p id=out></p><input aria-label=Name {event}="{STEPS}">')
    assert "step 5 of 5" in agent("browser_type", selector="input", text="a")


@pytest.mark.parametrize("event", ["onmouseover", "onmouseenter", "onmousemove", "onpointerover", "onpointermove"])
def test_what_a_page_does_when_it_is_pointed_at(agent: Agent, event: str) -> None:
    agent.show(f'<p id=out></p><button {event}="{STEPS}">Here</button>')
    assert "step 5 of 5" in agent("browser_hover", selector="button")


@pytest.mark.parametrize("event", ["oninput", "onchange"])
def test_what_a_page_does_when_something_is_chosen(agent: Agent, event: str) -> None:
    agent.show(f'<p id=out></p><select {event}="{STEPS}"><option>A<option>B</select>')
    assert "step 5 of 5" in agent("browser_select_option", selector="select", values=["B"])


def test_what_the_one_who_opened_a_page_does_to_it(agent: Agent) -> None:
    other = agent.run(lambda: agent.site.html("<input aria-label=Name><p id=out></p>"))
    listen = f"page.document.querySelector('input').oninput = () => {{ const {{out, setTimeout}} = page; {STEPS} }}"
    agent.show(
        f'<button onclick="page = window.open(\'{other}\')">Open</button><button onclick="{listen}">Listen</button>'
    )
    agent("browser_click", selector="text=Open")
    agent("browser_click", selector="text=Listen")
    agent("browser_tabs", action="select", index=1)
    assert "step 5 of 5" in agent("browser_type", selector="input", text="a")


def test_a_page_without_scripts_shows_what_the_browser_itself_does(agent: Agent) -> None:
    """Styles are no scripts, and yet they move."""
    hidden, shown = "opacity: 0; transition: 0.2s; visibility: hidden", "opacity: 1; visibility: visible"
    style = f"#out {{ {hidden} }} input:focus ~ #out {{ {shown} }}"
    agent.show(f"<style>{style}</style><input aria-label=Name><p id=out>Write your name</p>")
    answer = agent("browser_type", selector="input", text="Ada")
    assert "Ada" in answer
    assert "Write your name" in answer


RIPPLE = """<style>@keyframes grow {{ to {{ opacity: 0.3 }} }} .grow {{ animation: grow {seconds}s }}</style>
<button onclick="on.className = 'grow'; ended = false; on.onanimationend = () => {{ ended = true }}">Go
<span style="pointer-events: {pointer}"><span id=on>{text}</span></span></button>"""


def test_the_ripple_of_a_button_is_not_waited_for(agent: Agent) -> None:
    agent.show(RIPPLE.format(seconds=4, pointer="none", text="<b></b>"))
    agent("browser_click", selector="button")
    assert agent.evaluate("ended") == "false"


@pytest.mark.parametrize(("pointer", "text"), [("none", "Sent"), ("none", "<svg></svg>"), ("auto", "")])
def test_what_moves_and_may_be_read_or_clicked_is_waited_for(agent: Agent, pointer: str, text: str) -> None:
    agent.show(RIPPLE.format(seconds=0.6, pointer=pointer, text=text))
    agent("browser_click", selector="button")
    assert agent.evaluate("ended") == "true"
