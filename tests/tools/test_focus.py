"""Windows have the focus: a page shows and does what it keeps for a person who looks at it, in each session and tab."""

import sys
from collections.abc import Callable

import pytest

from drivers.webkit import start_display
from tests.support.world import Agent, World

pytestmark = pytest.mark.browser

_MENU = (
    "<style>ul { display: none } div:focus-within ul { display: block } input:focus { color: rgb(255, 0, 0) }</style>"
    "<div><button>Menu</button><ul><li><a href=#x>Settings</a></ul></div><input aria-label=Name value=Bo>"
    "<a href=/ target=_blank>Other window</a>"
)
_COLOR = "() => getComputedStyle(document.querySelector('input')).color"


def _use(agent: Agent) -> None:
    """Open a menu that is there while the focus is in it, and leave it for a field that shows that it has the focus."""
    assert agent.evaluate("() => document.hasFocus()") == "true"
    opened = agent("browser_click", selector="button")
    assert 'link "Settings"' in opened
    agent("browser_click", ref=opened.ref("link", "Settings"))
    assert agent.evaluate("() => location.hash") == "#x"
    agent("browser_click", selector="input")
    assert agent.evaluate(_COLOR) == "rgb(255, 0, 0)"


def test_sessions_do_not_take_the_focus_from_each_other(make_agent: Callable[..., Agent]) -> None:
    agents = [make_agent(), make_agent()]
    for agent in agents:
        agent.show(_MENU)
        _use(agent)
    _use(agents[0])


_SUGGESTIONS = (
    "<input aria-label=City oninput='choices.hidden = false' onblur='choices.hidden = true'>"
    "<div id=choices hidden><button onmousedown='event.preventDefault()' onclick='city = `Bern`'>Bern</button></div>"
    "<iframe srcdoc='<button>Inner</button>'></iframe><script>"
    "said = []; for (const type of ['focus', 'blur']) addEventListener(type, () => said.push(type)); </script>"
)


def test_what_closes_when_it_loses_the_focus_stays_while_others_work(make_agent: Callable[..., Agent]) -> None:
    agent, other = make_agent(), make_agent()
    agent.show(_SUGGESTIONS)
    other.show(_SUGGESTIONS)
    typed = agent("browser_type", selector="input", text="Be")
    assert 'button "Bern"' in typed
    other("browser_click", selector="input")
    assert 'button "Bern"' in agent("browser_snapshot")
    other("browser_press_key", key="x")
    agent("browser_click", ref=typed.ref("button", "Bern"))
    assert agent.evaluate("() => city") == "Bern"
    assert agent.evaluate("() => choices.hidden") == "false"


def test_focus_that_goes_to_a_frame_is_lost(agent: Agent) -> None:
    agent.show(_SUGGESTIONS)
    agent("browser_type", selector="input", text="Be")
    agent.evaluate("() => { said.length = 0; }")
    agent("browser_click", ref=agent("browser_snapshot").ref("button", "Inner"))
    assert agent.evaluate("() => choices.hidden") == "true"
    agent("browser_click", selector="input")
    assert agent.evaluate("() => said.join()") == "blur,focus"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no private displays")
def test_windows_that_are_shown_do_not_take_it_either(
    make_agent: Callable[..., Agent], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    if world.browser != "chromium":
        pytest.skip("the windows of this browser have the focus in another way")
    display, name = world.run(lambda: start_display(10))
    try:
        monkeypatch.setenv("DISPLAY", name)
        agents = [make_agent(headed=True), make_agent(headed=True)]
        for agent in agents:
            agent.show(_MENU)
        for agent in agents:
            _use(agent)
    finally:
        world.run(display.aclose)


def test_tabs_have_the_focus_while_they_are_used(agent: Agent) -> None:
    agent.show(_MENU)
    agent("browser_click", selector="a[target]")
    _use(agent)
    for index in (1, 0):
        agent("browser_tabs", action="select", index=index)
        agent.show(_MENU)
        _use(agent)
    agent("browser_tabs", action="new")
    agent.show(_MENU)
    _use(agent)
