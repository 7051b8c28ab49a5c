"""What goes wrong without an engine's quirk. A test that fails here says that the browser no longer needs it.

Quirks about what arrives late show only under load: the tests of settling cover them.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from bidi_server.browser.engine.chromium.quirks import Chromium
from bidi_server.browser.engine.firefox.quirks import Firefox
from bidi_server.browser.engine.quirks import EngineQuirks
from tests.support.world import Agent, World

ENGINES = {"chromium": Chromium, "firefox": Firefox}

Without = Callable[[str, str], None]


@pytest.fixture
def without(browser_name: str, monkeypatch: pytest.MonkeyPatch) -> Without:
    """Let an engine do what the specifications say, in one respect. Skips the test in other engines."""

    def let(engine: str, quirk: str) -> None:
        if engine != browser_name:
            pytest.skip(f"about {engine}")
        assert quirk in vars(ENGINES[engine])
        monkeypatch.setattr(ENGINES[engine], quirk, vars(EngineQuirks).get(quirk, getattr(EngineQuirks, quirk)))

    return let


def test_files_that_chromium_loses(without: Without, agent: Agent, tmp_path: Path) -> None:
    without("chromium", "rejects_files_for_folder")
    file = tmp_path / "one.txt"
    file.write_text("x")
    agent.show("<input type=file webkitdirectory multiple>")
    assert "Gave one.txt to button" in agent("browser_file_upload", selector="input", paths=[str(file)])
    assert agent.evaluate("document.querySelector('input').files.length") == "0"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_reason_that_is_no_part_of_the_standard(without: Without, agent: Agent, engine: str) -> None:
    """Chromium tells it in an event of its own, Firefox prints it."""
    without(engine, "requests")
    agent.show(f"<script>fetch('{agent.site.other_url_for('/cors/none')}')</script>")
    told = agent("browser_network_requests")
    assert "/cors/none" in told
    assert "CORS" not in told


def test_a_request_of_a_pages_first_script(agent: Agent) -> None:
    """Our scripts run before it, in WebKit by its inspector server: otherwise the method would be unknown there."""
    url = agent.site.url_for("/form")
    agent.show(f"<script>fetch('{url}', {{method: 'HEAD'}})</script>")
    assert f"HEAD {url}" in agent("browser_network_requests").text.splitlines()[1]


def test_an_error_that_chromium_tells_twice(without: Without, agent: Agent) -> None:
    without("chromium", "printed")
    agent.show("<script>console.error('said', new Error('why'))</script>")
    said = [line.partition(" @ ")[0] for line in agent("browser_console_messages").text.splitlines()]
    assert said == ["[error] said Error", "[error] said Error: why"]


def test_a_frame_that_firefox_takes_for_the_page(without: Without, agent: Agent) -> None:
    without("firefox", "fails_for_frames")
    url = agent.run(lambda: agent.site.html("<p>There</p><iframe src=/unframed></iframe>"))
    assert f"Can't open {url}" in agent("browser_navigate", url=url)


def test_a_login_that_firefox_asks_nobody_for(without: Without, browser_name: str, tmp_path: Path) -> None:
    without("firefox", "waits_for_login")
    world = World(browser_name)
    world.start()
    try:
        agent = world.agent(output_dir=tmp_path, navigation_timeout=2)
        answer = agent("browser_navigate", url=agent.site.url_for("/auth/basic?user=ada&password=x"))
        assert "The page is still loading" in answer
        assert "Page: about:blank" in answer
        agent.close()
    finally:
        world.stop()
