"""Console and network."""

from tests.world import Agent


def test_errors_of_an_action_are_in_its_answer(agent: Agent) -> None:
    agent.show("<button onclick='missing()'>Break</button>")
    answer = agent("browser_click", selector="button")
    assert "Console errors (1):" in answer
    assert "missing is not defined" in answer
    assert "[uncaught]" in agent("browser_console_messages", level="error")


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
