"""HTTP authentication: logins of --http-credentials, and what is said without one."""

import time
from collections.abc import Callable
from urllib.parse import urlsplit

from fixtures.proxy import open_proxy
from tests.support.world import Agent, World

PATH = "/auth/basic?user=ada&password=x"


def credentials(agent: Agent, password: str = "x") -> str:
    return f"http://ada:{password}@{urlsplit(agent.site.url_for('/')).netloc}"


def test_a_login_that_nobody_gave(agent: Agent) -> None:
    url = agent.site.url_for(PATH)
    began = time.monotonic()
    answer = agent("browser_navigate", url=url)
    assert "The server answered HTTP 401" in answer
    place = urlsplit(url).netloc
    assert f"start the server with --http-credentials http://USER:PASSWORD@{place}" in answer
    assert "Login needed" in answer
    # Firefox waited for 30 s for an answer to its own prompt.
    assert time.monotonic() - began < 10


def test_http_credentials(agent: Agent, make_agent: Callable[..., Agent]) -> None:
    known = make_agent(http_credentials=[credentials(agent)])
    assert "Welcome, ada" in known.open(PATH)
    assert known.evaluate("fetch('/auth/basic?user=ada&password=x').then((got) => got.status)") == "200"


def test_http_credentials_that_are_refused(agent: Agent, make_agent: Callable[..., Agent]) -> None:
    answer = make_agent(http_credentials=[credentials(agent, "wrong")])(
        "browser_navigate", url=agent.site.url_for(PATH)
    )
    origin = f"http://{urlsplit(agent.site.url_for('/')).netloc}"
    assert f"It refused the login that --http-credentials has for {origin}." in answer


def test_http_credentials_are_for_one_origin(agent: Agent, make_agent: Callable[..., Agent]) -> None:
    known = make_agent(http_credentials=[credentials(agent)])
    assert "HTTP 401" in known("browser_navigate", url=agent.site.other_url_for(PATH))


def test_a_page_with_a_login_behind_a_proxy_with_another(world: World, make_agent: Callable[..., Agent]) -> None:
    """Chromium 156 does not say who asks. What is for the proxy must not go to a server, nor the other way round."""
    with world.opened(open_proxy(to_port=world.site.port, login=("guard", "pass"))) as proxy:
        agent = make_agent(http_credentials=["http://ada:x@shop.test"])
        office = {"server": f"http://{proxy.address}", "username": "guard", "password": "pass"}
        agent("browser_context_create", name="office", proxy=office)
        assert "Plain text." in agent("browser_navigate", url="http://shop.test/text")
        assert "Welcome, ada" in agent("browser_navigate", url=f"http://shop.test{PATH}")
        stolen = agent("browser_navigate", url="http://thief.test/auth/basic?user=guard&password=pass")
        assert "HTTP 401" in stolen
        assert "Login needed" in stolen
        agent("browser_context_close", name="office")
