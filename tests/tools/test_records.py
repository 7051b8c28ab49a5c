"""Console and network."""

from tests.world import Agent


def test_console_by_level(agent: Agent) -> None:
    agent.show("<script>for (const l of ['debug', 'log', 'info', 'warn', 'error']) console[l](l[0] + 1)</script>")
    lines = agent("browser_console_messages", level="debug").text.splitlines()
    assert [line.split(" @")[0] for line in lines] == [
        "[debug] d1",
        "[info] l1",
        "[info] i1",
        "[warning] w1",
        "[error] e1",
    ]
    assert [line.split(" @")[0] for line in agent("browser_console_messages", level="error").text.splitlines()] == [
        "[error] e1"
    ]


def test_console_counts_from_the_page_load(agent: Agent) -> None:
    agent.show("<script>console.log('old page')</script>")
    agent.show("<script>console.log('new page')</script>")
    answer = agent("browser_console_messages")
    assert "new page" in answer
    assert "old page" not in answer


def test_errors_of_an_action_are_in_its_answer(agent: Agent) -> None:
    agent.show("<button onclick='missing()'>Break</button>")
    answer = agent("browser_click", selector="button")
    assert "Console errors (1):" in answer
    assert "missing is not defined" in answer
    assert "[uncaught]" in agent("browser_console_messages", level="error")


def test_console_keeps_the_newest_thousand(agent: Agent) -> None:
    agent.show("<script>for (let i = 1; i <= 1050; i++) console.log('m' + i)</script>")
    lines = agent("browser_console_messages").text.splitlines()
    assert len(lines) == 1000
    assert lines[0].startswith("[info] m51")
    assert lines[-1].startswith("[info] m1050")


def test_requests(agent: Agent) -> None:
    agent.show("<img src=/image.png><button onclick=\"fetch('/json'); fetch('/status/500')\">Load</button>")
    agent("browser_click", selector="button")
    answer = agent("browser_network_requests")
    assert "/json → 200" in answer
    assert "/status/500 → 500" in answer
    assert "image.png" not in answer
    assert "static files left out" in answer
    assert "image.png → 200" in agent("browser_network_requests", includeStatic=True)


def test_failed_request_has_its_reason(agent: Agent) -> None:
    agent.show("<button onclick=\"fetch('http://127.0.0.1:65431/').catch(() => 0)\">Load</button>")
    agent("browser_click", selector="button")
    assert "→ failed: " in agent("browser_network_requests")
