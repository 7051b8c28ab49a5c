"""What the tokens of one server allow, in a real browser, and what the audit log says of it."""

import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager

import pytest
from mcp.client import Client

from bidi_server.attacks.trap import Trap, open_trap
from fixtures.site import Site
from tests.support.fronts import HANDSHAKE, MODERN, ONE, TWO, Front, connected, open_front, text_of
from tests.support.issuer import Issuer, open_issuer
from tests.support.world import World
from tests.test_http_browsing import session_of

THREE, FOUR = "third-token-of-a-guest", "fourth-token-of-a-reader"


@pytest.fixture(scope="module")
def trap(world: World) -> Iterator[Trap]:
    with world.opened(open_trap()) as trap:
        yield trap


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with open_issuer() as issuer:
        yield issuer


@pytest.fixture(scope="module")
def site(world: World) -> Site:
    return world.site


@pytest.fixture(scope="module")
def front(
    browser_name: str, site: Site, trap: Trap, issuer: Issuer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Front]:
    """A server with tokens for the site, for the trap, for one page of the site, and for little."""
    folder = tmp_path_factory.mktemp("front")
    for name, token in (("one", ONE), ("two", TWO), ("three", THREE), ("four", FOUR)):
        (folder / name).write_text(token)
    (folder / "tokens.toml").write_text(
        f"""
        [tokens.one]
        file = "one"
        egress = ["127.0.0.1:{site.port}"]

        [tokens.two]
        file = "two"
        egress = ["two.localhost:{trap.port}"]

        [tokens.four]
        file = "four"
        bytes_per_minute = 3000

        [tokens.three]
        file = "three"
        egress = ["open"]
        allowed_urls = ["http://127.0.0.1:{site.port}/text"]
        tools = ["browser_navigate", "browser_run"]

        [oauth]
        egress = ["127.0.0.1:{site.port}"]
        """
    )
    options = ("--browser", browser_name, "--token-file", "tokens.toml", "--audit-log", "audit.jsonl")
    with open_front(
        folder, *options, "--oauth-issuer", issuer.url, "--caps", "network,sessions", "--egress", "public"
    ) as front:
        issuer.audience = front.url
        yield front


def last_line(front: Front) -> dict[str, object]:
    return json.loads((front.log.parent / "audit.jsonl").read_text().splitlines()[-1])


@asynccontextmanager
async def agent(front: Front, token: str) -> AsyncGenerator[Client]:
    async with connected(front.url, token=token) as client:
        yield client


@pytest.mark.parametrize("era", [HANDSHAKE, MODERN])
async def test_two_tokens_have_policies_of_their_own(era: str, front: Front, site: Site, trap: Trap) -> None:
    theirs, ours = trap.url("two.localhost"), site.url_for("/text")
    trap.forget()
    async with connected(front.url, token=ONE, era=era) as one, connected(front.url, token=TWO, era=era) as two:
        answer = await one.call_tool("browser_navigate", {"url": ours})
        assert not answer.is_error, text_of(answer)
        own = session_of(answer)
        answer = await two.call_tool("browser_navigate", {"url": ours})
        assert f"--egress two.localhost:{trap.port} does not allow it" in text_of(answer)
        also = session_of(answer)
        # Each while the other one may.
        answer = await one.call_tool("browser_navigate", {"url": theirs, **own})
        assert f"--egress 127.0.0.1:{site.port} does not allow it" in text_of(answer)
        assert trap.hosts == set()
        await two.call_tool("browser_navigate", {"url": theirs, **also})
        assert trap.hosts == {"two"}
        # By a request of the page too.
        script = f"() => fetch('{theirs}', {{mode: 'no-cors'}}).catch(() => '')"
        answer = await one.call_tool("browser_navigate", {"url": ours, **own})
        trap.forget()
        assert not (await one.call_tool("browser_evaluate", {"function": script, **own})).is_error
        assert trap.hosts == set()
        line = last_line(front)
        for client, session in ((one, own), (two, also)):
            for name in session.values():
                await client.call_tool("browser_session_close", {"name": name})
    assert line["who"] == {"token": "one"}
    assert line["page"] == f"http://127.0.0.1:{site.port}"
    assert line["blocked_requests"] == 1
    assert line["blocked"] == [
        {
            "to": f"two.localhost:{trap.port}",
            "reason": f"--egress 127.0.0.1:{site.port} does not allow it: two.localhost is not one of its hosts",
        }
    ]


async def test_the_log_says_which_page_was_refused(front: Front, site: Site) -> None:
    async with agent(front, THREE) as client:
        assert not (await client.call_tool("browser_navigate", {"url": site.url_for("/text")})).is_error
        line = last_line(front)
        assert (line["decision"], line["outcome"], line["url"]) == ("allowed", "answered", site.url_for("/")[:-1])
        assert "blocked" not in line
        answer = await client.call_tool("browser_navigate", {"url": site.url_for("/echo?secret=1")})
        assert "--allowed-urls does not allow it" in text_of(answer)
    line = last_line(front)
    assert (line["decision"], line["reason"], line["error"]) == ("refused", "NOT_ALLOWED", "NOT_ALLOWED")
    assert line["blocked"] == [{"to": site.url_for("/")[:-1], "reason": "--allowed-urls does not allow it"}]
    assert "secret" not in json.dumps(line)


async def test_what_is_typed_is_not_in_the_log(front: Front) -> None:
    async with agent(front, ONE) as client:
        await client.call_tool("browser_navigate", {"url": "data:text/html,<title>hunter1</title><input>"})
        answer = await client.call_tool("browser_type", {"selector": "input", "text": "hunter2"})
        assert not answer.is_error, text_of(answer)
        assert last_line(front)["arguments"] == ["selector", "text"]
        await client.call_tool("browser_evaluate", {"function": "() => 'hunter3'"})
    assert "hunter" not in (front.log.parent / "audit.jsonl").read_text()


async def test_steps_need_what_calls_need(front: Front, issuer: Issuer, site: Site) -> None:
    """A tool that runs others is no way around a list of tools, nor around scopes."""
    async with agent(front, THREE) as client:
        steps = [{"tool": "browser_navigate", "arguments": {"url": site.url_for("/text")}}, EVALUATE]
        answer = text_of(await client.call_tool("browser_run", {"steps": steps}))
        assert "The token 'three' may not call browser_evaluate." in answer
        assert last_line(front)["steps"] == ["browser_run", "browser_navigate"]
    async with agent(front, issuer.token()) as client:
        steps = [{"tool": "browser_resize", "arguments": {"width": 500, "height": 500}}, OFFLINE]
        answer = text_of(await client.call_tool("browser_run", {"steps": steps}))
        assert "browser_network_state_set needs the scope network" in answer
    async with agent(front, issuer.token(scope="browser network")) as client:
        answer = text_of(await client.call_tool("browser_run", {"steps": steps}))
        assert "scope" not in answer


EVALUATE = {"tool": "browser_evaluate", "arguments": {"function": "1"}}
OFFLINE = {"tool": "browser_network_state_set", "arguments": {"state": "offline"}}


async def test_a_limit_of_bytes(front: Front) -> None:
    async with agent(front, FOUR) as client:
        for _ in range(20):
            await client.call_tool("browser_evaluate", {"function": "'x'.repeat(1000)"})
        answer = text_of(await client.call_tool("browser_tabs", {"action": "list"}))
        assert "The token 'four' has received " in answer
        assert "the limit is 3,000. Wait " in answer
