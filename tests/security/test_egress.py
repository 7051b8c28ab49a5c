"""Attacks on --egress: a page tries every way out, and URLs spell hosts in every way."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import pytest
import trio

from bidi_server.attacks.refusals import recorded_refusals
from bidi_server.attacks.resolver import Resolver
from bidi_server.attacks.site import open_hostile_site
from bidi_server.attacks.spelled_hosts import NAMES, SPELLINGS
from bidi_server.attacks.trap import Trap, open_trap
from bidi_server.attacks.ways_out import NO_REQUEST, UNSEEN, WAYS_OUT
from tests.drivers.conftest import until
from tests.support.world import Agent, World

MakeAgent = Callable[..., Agent]


@dataclass(frozen=True)
class Raid:
    """The result of all attacks of one page."""

    trap: Trap
    refused: set[str]
    """The attacks whose requests were refused."""

    missed: set[str]
    """The attacks that the engine sends, and whose requests did not come."""


@pytest.fixture(scope="module")
def trap(world: World) -> Iterator[Trap]:
    with world.opened(open_trap()) as trap:
        yield trap


@pytest.fixture(scope="module")
def raid(world: World, trap: Trap) -> Iterator[Raid]:
    """A page that has tried everything, in a context that may reach the page's own site only."""
    with world.opened(open_hostile_site()) as site, recorded_refusals() as refused:
        agent = world.agent(egress=f"127.0.0.1:{site.port}")
        try:
            assert not agent("browser_navigate", url=f"{site.origin}/attack.html?port={trap.port}").is_error
            agent("browser_wait_for", text="All sent")
            expected = set(WAYS_OUT) - UNSEEN[world.browser] - NO_REQUEST
            with suppress(trio.TooSlowError):
                world.run(lambda: until(lambda: expected <= refused, 30))
            yield Raid(trap, refused, expected - refused)
        finally:
            agent.close()


def test_every_attack_was_tried(raid: Raid) -> None:
    assert raid.missed == set()


@pytest.mark.parametrize("attack", WAYS_OUT)
def test_nothing_passes(attack: str, raid: Raid) -> None:
    assert attack not in raid.trap.hosts


def test_nothing_else_passes(raid: Raid) -> None:
    """Neither encrypted connections nor WebRTC and QUIC, whose datagrams no proxy sees."""
    assert (raid.trap.hosts, raid.trap.datagrams) == (set(), 0)


@pytest.fixture(scope="module")
def confined(world: World) -> Iterator[Agent]:
    """An agent whose browser may reach public addresses only."""
    agent = world.agent(egress="public")
    try:
        yield agent
    finally:
        agent.close()


@pytest.fixture
def names(world: World) -> Iterator[None]:
    """Names that the server looks up as `NAMES` says."""
    world.run(partial(_resolve_by, Resolver(NAMES)))
    yield
    world.run(partial(_resolve_by, None))


async def _resolve_by(resolver: Resolver | None) -> None:
    trio.socket.set_custom_hostname_resolver(resolver)


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize("host", SPELLINGS)
def test_no_spelling_of_a_host_passes(host: str, confined: Agent, trap: Trap) -> None:
    answer = confined("browser_navigate", url=trap.url(host))
    assert answer.is_error
    assert "was not opened: --egress public does not allow it: " in answer
    assert trap.hosts == set()


@pytest.mark.usefixtures("names")
def test_names_that_are_not_found(confined: Agent) -> None:
    assert confined("browser_navigate", url="http://nobody.test/").text == (
        "Can't open http://nobody.test/: the host name can't be resolved (DNS). Check the spelling."
    )


@pytest.fixture
def neighbour(make_agent: MakeAgent, world: World) -> Agent:
    """An agent whose browser may reach the site, and nothing else."""
    return make_agent(egress=f"127.0.0.1:{world.site.port}", caps=("network",))


def test_pages_of_an_allowed_site_work(neighbour: Agent) -> None:
    """Uploads, streams and WebSockets pass; the login of the proxy is not seen."""
    neighbour.show("<p>Hello</p>")
    script = """async () => {
        const body = 'x'.repeat(3e6);
        const upload = await (await fetch('/echo', {method: 'POST', body})).text();
        const events = new EventSource('/events');
        const event = await new Promise((resolve) => { events.onmessage = (event) => resolve(event.data); });
        events.close();
        const socket = new WebSocket(`ws://${location.host}/socket`);
        await new Promise((resolve) => { socket.onopen = resolve; });
        socket.send('ping');
        const echo = await new Promise((resolve) => { socket.onmessage = (event) => resolve(event.data); });
        return [upload.length > 3e6, event.length > 0, echo];
    }"""
    assert "true" in neighbour.evaluate(script)
    assert "407" not in re.findall(r"→ (\d+)", neighbour("browser_network_requests").text)
    assert "basic" not in neighbour.evaluate("async () => (await fetch('/echo')).text()").lower()


def test_a_redirect_to_a_host_that_is_not_allowed(neighbour: Agent, trap: Trap) -> None:
    url = neighbour.site.url_for(f"/redirect?to={trap.url('chain.localhost')}")
    answer = neighbour("browser_navigate", url=url)
    assert answer.text.startswith(f"{trap.url('chain.localhost')} was not opened: --egress ")
    assert neighbour("browser_navigate", url=neighbour.site.url_for("/text")).is_error is False


def test_a_link_to_a_host_that_is_not_allowed(neighbour: Agent, trap: Trap) -> None:
    neighbour.show(f"<a href='{trap.url('link.localhost')}'>Go</a>")
    answer = neighbour("browser_click", selector="a")
    assert "--egress" in answer
    assert "link.localhost is not one of its hosts" in neighbour("browser_network_requests")


def test_a_login_of_a_server_is_not_taken_for_that_of_the_proxy(make_agent: MakeAgent, world: World) -> None:
    place = f"127.0.0.1:{world.site.port}"
    agent = make_agent(egress=place, http_credentials=[f"http://user:secret@{place}"])
    assert "Welcome, user" in agent("browser_navigate", url=f"http://{place}/auth/basic")
    refused = make_agent(egress=place)("browser_navigate", url=f"http://{place}/auth/basic")
    assert "--http-credentials" in refused
