"""Attacks on --egress: a page tries every way out, and URLs spell hosts in every way."""

import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import trio

from tests.drivers.conftest import until
from tests.security.resolver import Resolver
from tests.security.trap import Trap, open_trap
from tests.support.world import Agent, World

MakeAgent = Callable[..., Agent]

LOG = "bidi_server.browser.network.egress_proxy"

ATTACKS = re.findall(
    r"^  '?([\w-]+)'?: ", (Path(__file__).parents[2] / "fixtures/pages/attack.js").read_text(), re.MULTILINE
)

UNSEEN = {
    "chromium": {"icon", "prerender", "web-transport"},  # headless, it shows no icon
    "firefox": {"frame-refresh", "ping", "prefetch", "prerender"},
}
"""Attacks that the engine does not send through a proxy."""

NO_REQUEST = {"dns-prefetch", "peers", "preconnect", "worker-redirect"}
"""Attacks without a request that names the host: a WebRTC server is at an address."""


@dataclass(frozen=True)
class Raid:
    """The result of all attacks of one page."""

    trap: Trap
    refused: set[str]
    """The attacks whose requests were refused."""


@pytest.fixture(scope="module")
def trap(world: World) -> Iterator[Trap]:
    with world.opened(open_trap()) as trap:
        yield trap


@pytest.fixture(scope="module")
def raid(world: World, trap: Trap) -> Iterator[Raid]:
    """A page that has tried everything, in a context that may reach the page's own site only."""
    refused: set[str] = set()

    class Refusals(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found = re.search(r"no connection to ([\w.-]+?)(?:\.localhost)?:", record.getMessage())
            refused.add(found[1] if found else record.getMessage())

    logger, handler = logging.getLogger(LOG), Refusals()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    agent = world.agent(egress=f"127.0.0.1:{world.site.port}")
    try:
        agent.open(f"/attack.html?port={trap.port}")
        agent("browser_wait_for", text="All sent")
        expected = set(ATTACKS) - UNSEEN[world.browser] - NO_REQUEST
        world.run(lambda: until(lambda: expected <= refused, 30))
        yield Raid(trap, refused)
    finally:
        agent.close()
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_passes(attack: str, raid: Raid) -> None:
    assert attack not in raid.trap.hosts


def test_nothing_else_passes(raid: Raid) -> None:
    """Neither encrypted connections nor WebRTC and QUIC, whose datagrams no proxy sees."""
    assert (raid.trap.hosts, raid.trap.datagrams) == (set(), 0)


SPELLINGS = [
    *("127.0.0.1", "localhost", "LOCALHOST", "localhost.", "a.localhost", "127.1", "127.0.1", "2130706433", "0x7f.1"),
    *("0177.0.0.1", "0x7f000001", "017700000001", "127.0.0.2", "127.255.255.254", "0.0.0.0", "0", "[::1]", "[::]"),
    *(
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
    ),
    *("①②⑦.⓪.⓪.①", "127。0。0。1", "%31%32%37.0.0.1", "someone@127.0.0.1", "example.com:80@127.0.0.1", "10.0.0.1"),
    *("172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "[fd00:ec2::254]", "100.64.0.1", "198.18.0.1"),
    *("192.0.2.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "[fc00::1]", "[fe80::1]", "[ff02::1]", "[2001:db8::1]"),
    *("[::ffff:10.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[2002:0a00:0001::]", "router.test", "mapped.test", "half.test"),
]
"""Hosts of this machine, of private networks, of metadata services, and of no one."""

NAMES: dict[str, list[list[str]]] = {
    "router.test": [["192.168.0.1"]],
    "mapped.test": [["::ffff:127.0.0.1"]],
    "half.test": [["127.0.0.1", "10.0.0.1"]],
    "nobody.test": [[]],
}


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
    assert "407" not in neighbour("browser_network_requests").text
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
