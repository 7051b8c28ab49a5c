"""The proxy of --egress, attacked on its own port: look-ups, logins and requests that browsers would not send."""

from base64 import b64encode
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import h11
import pytest
import trio
import trio.testing

from bidi_server.attacks.resolver import Resolver
from bidi_server.attacks.tcp import open_tcp
from bidi_server.browser.network.egress_proxy import EgressProxy
from bidi_server.browser.network.proxy import Proxy
from bidi_server.egress import EgressPolicy

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@asynccontextmanager
async def server(heard: list[bytes], answer: bytes = OK) -> AsyncGenerator[int]:
    """Serve HTTP on 127.0.0.1, and yield the port."""

    async def serve(stream: trio.SocketStream) -> None:
        while data := await stream.receive_some():
            heard.append(data)
            await stream.send_all(answer)

    async with open_tcp(serve) as port:
        yield port


@asynccontextmanager
async def opened(
    entries: Sequence[str], blocked: Sequence[str] = (), upstream: Proxy | None = None, reserved: Sequence[int] = ()
) -> AsyncGenerator[EgressProxy]:
    policy = EgressPolicy.parse(entries, blocked)
    assert policy is not None
    proxy = EgressProxy(policy, upstream, reserved)
    async with trio.open_nursery() as nursery:
        await nursery.start(proxy.run)
        yield proxy
        proxy.close()


def login(proxy: EgressProxy) -> bytes:
    """Return the header with the login that the browser has."""
    told = proxy.proxy
    return b"Proxy-Authorization: Basic " + b64encode(f"{told.username}:{told.password}".encode()) + b"\r\n"


async def ask(proxy: EgressProxy, head: bytes, *, authorized: bool = True) -> bytes:
    """Send a request and return all that comes back; the end of the headers is added."""
    async with await trio.open_tcp_stream("127.0.0.1", proxy.port) as stream:
        await stream.send_all(head + (login(proxy) if authorized else b"") + b"\r\n")
        with trio.move_on_after(5):
            return await stream.receive_some()
    return b"nothing"


async def get(proxy: EgressProxy, url: str, method: str = "GET") -> bytes:
    """Send a request for a URL and return the beginning of the answer."""
    return await ask(proxy, f"{method} {url} HTTP/1.1\r\nHost: x\r\n".encode())


async def connect(proxy: EgressProxy, place: str) -> bytes:
    """Ask for a tunnel and return the answer."""
    return await ask(proxy, f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n".encode())


NAMES: dict[str, list[list[str]]] = {"shop.test": [["8.8.8.8"]], "router.test": [["10.0.0.1"]], "unknown.test": [[]]}

REFUSED = b"HTTP/1.1 403 Refused by --egress\r\n"


async def test_a_name_is_looked_up_once_and_its_address_is_used() -> None:
    """DNS rebinding: the second answer is an address that must not be reached."""
    resolver = Resolver({"rebind.test": [["127.0.0.1"], ["127.0.0.9"]]})
    trio.socket.set_custom_hostname_resolver(resolver)
    async with server([]) as port, opened(["ip:127.0.0.1/32"]) as proxy:
        assert b"200 OK" in await get(proxy, f"http://rebind.test:{port}/")
        assert resolver.asked == ["rebind.test"]
        assert (await get(proxy, f"http://rebind.test:{port}/")).startswith(REFUSED)
        assert (await connect(proxy, f"rebind.test:{port}")).startswith(REFUSED)
        failure = proxy.failures.of(f"https://rebind.test:{port}/")
        assert failure is not None
        assert failure.is_refusal
        assert "rebind.test (127.0.0.9)" in failure.reason


async def test_only_the_allowed_addresses_of_a_name_are_used() -> None:
    trio.socket.set_custom_hostname_resolver(Resolver({"two.test": [["127.0.0.9", "127.0.0.1"]]}))
    heard: list[bytes] = []
    async with server(heard) as port, opened(["ip:127.0.0.1"]) as proxy:
        assert b"200 OK" in await get(proxy, f"http://two.test:{port}/")
        assert (await connect(proxy, f"two.test:{port}")).startswith(b"HTTP/1.1 200 ")


async def test_names_that_no_pattern_allows_are_not_looked_up() -> None:
    """A look-up could carry data: ``SECRET.attacker.test``."""
    resolver = Resolver({"secret.attacker.test": [["127.0.0.1"]]})
    trio.socket.set_custom_hostname_resolver(resolver)
    async with opened(["example.com"]) as proxy:
        assert (await get(proxy, "http://secret.attacker.test/")).startswith(REFUSED)
        assert (await connect(proxy, "secret.attacker.test:443")).startswith(REFUSED)
    assert resolver.asked == []


async def test_a_dead_address_does_not_hide_the_next() -> None:
    trio.socket.set_custom_hostname_resolver(Resolver({"two.test": [["127.0.0.9", "127.0.0.1"]]}))
    async with server([]) as port, opened(["two.test"]) as proxy:
        assert b"200 OK" in await get(proxy, f"http://two.test:{port}/")


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"Proxy-Authorization: Basic\r\n",
        b"Proxy-Authorization: Basic YmlkaS1zZXJ2ZXI6\r\n",  # bidi-server, and no password
        b"Proxy-Authorization: Bearer x\r\n",
        b"Authorization: OTHER\r\n",
    ],
)
async def test_other_processes_have_no_login(header: bytes) -> None:
    async with server([]) as port, opened(["127.0.0.1"]) as proxy, opened(["127.0.0.1"]) as other:
        header = header.replace(b"OTHER", login(proxy).partition(b": ")[2].strip())
        for head in (f"GET http://127.0.0.1:{port}/ HTTP/1.1", f"CONNECT 127.0.0.1:{port} HTTP/1.1"):
            answer = await ask(proxy, head.encode() + b"\r\nHost: x\r\n" + header, authorized=False)
            assert answer.startswith(b"HTTP/1.1 407 ")
            assert b'Proxy-Authenticate: Basic realm="bidi-server"' in answer
        # The login of another context is refused too.
        answer = await ask(proxy, head.encode() + b"\r\nHost: x\r\n" + login(other), authorized=False)
        assert answer.startswith(b"HTTP/1.1 407 ")


@pytest.mark.parametrize(
    "line",
    [
        *("GET / HTTP/1.1", "GET https://127.0.0.1:PORT/ HTTP/1.1", "GET ftp://127.0.0.1/ HTTP/1.1"),
        *("GET //127.0.0.1:PORT/ HTTP/1.1", "GET http:// HTTP/1.1", "GET file:///etc/passwd HTTP/1.1"),
        *("CONNECT 127.0.0.1 HTTP/1.1", "CONNECT http://127.0.0.1:PORT HTTP/1.1", "CONNECT 127.0.0.1:PORT/ HTTP/1.1"),
        *("CONNECT a@127.0.0.1:PORT HTTP/1.1", "CONNECT 127.0.0.1:99999 HTTP/1.1", "CONNECT :PORT HTTP/1.1"),
    ],
)
async def test_requests_that_are_not_for_a_proxy(line: str) -> None:
    async with server([]) as port, opened(["127.0.0.1"]) as proxy:
        answer = await ask(proxy, line.replace("PORT", str(port)).encode() + b"\r\nHost: x\r\n")
        assert answer.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "head",
    [
        b"GET http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n",
        b"POST http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: gzip, chunked\r\n",
        b"GET http://127.0.0.1/\x00 HTTP/1.1\r\nHost: x\r\n",
        b"GET http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\nName : value\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n",
    ],
)
async def test_what_is_not_http_ends_the_connection(head: bytes) -> None:
    async with opened(["127.0.0.1"]) as proxy:
        assert await ask(proxy, head) in (b"", b"nothing")
        assert (await get(proxy, "http://10.0.0.1/")).startswith(REFUSED)  # it still runs


async def test_host_follows_from_the_url_and_logins_stay_here() -> None:
    heard: list[bytes] = []
    async with server(heard) as port, opened(["127.0.0.1"]) as proxy:
        lines = (
            f"GET http://127.0.0.1:{port}/a?b HTTP/1.1",
            "Host: intranet",
            "X-Own: 1",
            "Proxy-Connection: keep-alive",
        )
        assert b"200 OK" in await ask(proxy, "".join(f"{line}\r\n" for line in lines).encode())
    [request] = heard
    assert request.startswith(b"GET /a?b HTTP/1.1\r\n")
    assert f"Host: 127.0.0.1:{port}\r\n".encode() in request
    assert b"X-Own: 1" in request
    for hidden in (b"intranet", b"Proxy-", b"Basic"):
        assert hidden not in request


async def test_each_request_of_a_connection_is_checked() -> None:
    heard: list[bytes] = []
    other: list[bytes] = []
    policy = ["127.0.0.1"]
    async with (
        server(heard) as port,
        server(other) as second,
        opened(policy, ["127.0.0.1/secret*"]) as proxy,
        await trio.open_tcp_stream("127.0.0.1", proxy.port) as stream,
    ):

        async def send(url: str) -> bytes:
            await stream.send_all(f"GET {url} HTTP/1.1\r\nHost: x\r\n".encode() + login(proxy) + b"\r\n")
            answer = await stream.receive_some()
            while not answer.endswith(b"ok") and not answer.startswith(REFUSED):
                answer += await stream.receive_some()
            return answer

        assert b"200 OK" in await send(f"http://127.0.0.1:{port}/one")
        assert b"200 OK" in await send(f"http://127.0.0.1:{port}/two")
        assert b"200 OK" in await send(f"http://127.0.0.1:{second}/three")
        assert (await send(f"http://127.0.0.1:{second}/secret")).startswith(REFUSED)
    assert [len(heard), len(other)] == [2, 1]


async def test_a_second_response_does_not_answer_the_next_request() -> None:
    """A browser sends requests for several sites through one connection."""
    poison = OK + b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    async with (
        server([], poison) as evil,
        server([]) as site,
        opened(["127.0.0.1"]) as proxy,
        await trio.open_tcp_stream("127.0.0.1", proxy.port) as stream,
    ):
        for port in (evil, site, evil, evil):
            head = f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: x\r\n".encode()
            await stream.send_all(head + login(proxy) + b"\r\n")
            with trio.fail_after(5):
                while not (answer := await stream.receive_some()).endswith(b"ok"):
                    assert b"evil" not in answer
                    assert answer


async def test_an_upload_that_is_refused_gets_its_answer() -> None:
    async with opened(["127.0.0.1"]) as proxy, await trio.open_tcp_stream("127.0.0.1", proxy.port) as stream:
        head = b"POST http://10.0.0.1/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n" + login(proxy) + b"\r\n"
        async with trio.open_nursery() as nursery:
            nursery.start_soon(stream.send_all, head + b"x" * 5_000_000)
            assert (await stream.receive_some()).startswith(REFUSED)


async def test_a_browser_that_leaves_ends_the_connection_to_the_server() -> None:
    left = trio.Event()

    async def serve(stream: trio.SocketStream) -> None:
        while await stream.receive_some():
            pass
        left.set()

    async with open_tcp(serve) as port, opened(["127.0.0.1"]) as proxy:
        async with await trio.open_tcp_stream("127.0.0.1", proxy.port) as stream:
            await stream.send_all(
                f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: x\r\n".encode() + login(proxy) + b"\r\n"
            )
            await trio.testing.wait_all_tasks_blocked()
        with trio.fail_after(5):
            await left.wait()


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.0 200 OK\r\n\r\nuntil the end",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nuntil\r\n8\r\n the end\r\n0\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nuntil the end",
    ],
)
async def test_responses_of_all_kinds(answer: bytes) -> None:
    async def serve(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        await stream.send_all(answer)
        await stream.aclose()

    async with (
        open_tcp(serve) as port,
        opened(["127.0.0.1"]) as proxy,
        await trio.open_tcp_stream("127.0.0.1", proxy.port) as stream,
    ):
        head = f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        await stream.send_all(head.encode() + login(proxy) + b"\r\n")
        got = b""
        with trio.fail_after(5):
            while data := await stream.receive_some():
                got += data
    client = h11.Connection(h11.CLIENT)
    client.send(h11.Request(method="GET", target="/", headers=[("Host", "x")]))
    client.send(h11.EndOfMessage())
    client.receive_data(got)
    client.receive_data(b"")
    body = b""
    while not isinstance(event := client.next_event(), h11.EndOfMessage):
        body += bytes(event.data) if isinstance(event, h11.Data) else b""
    assert body == b"until the end"


async def test_methods_and_paths_are_refused_where_they_can_be_seen() -> None:
    async with (
        server([]) as port,
        opened(["127.0.0.1"], ["POST 127.0.0.1", "127.0.0.1/admin*", "ip:10.0.0.0/8"]) as proxy,
    ):
        site = f"http://127.0.0.1:{port}"
        assert b"200 OK" in await get(proxy, f"{site}/")
        assert (await get(proxy, f"{site}/", "POST")).startswith(REFUSED)
        assert (await get(proxy, f"{site}/admin/")).startswith(REFUSED)
        assert (await connect(proxy, f"127.0.0.1:{port}")).startswith(b"HTTP/1.1 200 ")


async def test_a_body_goes_on_in_pieces() -> None:
    heard: list[bytes] = []
    came = trio.Event()

    async def serve(stream: trio.SocketStream) -> None:
        nonlocal came
        while data := await stream.receive_some():
            heard.append(data)
            came.set()
            if data.endswith(b"0\r\n\r\n"):
                await stream.send_all(OK)

    async with (
        open_tcp(serve) as port,
        opened(["127.0.0.1"]) as proxy,
        await trio.open_tcp_stream("127.0.0.1", proxy.port) as stream,
    ):
        head = f"POST http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
        await stream.send_all(head.encode() + login(proxy) + b"\r\n")
        for piece in (b"1\r\na\r\n", b"2\r\nbc\r\n"):
            came = trio.Event()
            await stream.send_all(piece)
            await came.wait()
        await stream.send_all(b"0\r\n\r\n")
        assert b"200 OK" in await stream.receive_some()
    assert b"".join(heard).endswith(b"1\r\na\r\n2\r\nbc\r\n0\r\n\r\n")


async def test_the_port_of_the_driver_is_refused() -> None:
    """ChromeDriver starts programs for every process that reaches its port."""
    async with server([]) as port, opened(["127.0.0.1", "localhost"], reserved=[port]) as proxy:
        for host in ("127.0.0.1", "localhost"):
            assert (await get(proxy, f"http://{host}:{port}/")).startswith(REFUSED)
            assert (await connect(proxy, f"{host}:{port}")).startswith(REFUSED)


async def test_a_client_s_proxy_must_be_allowed_itself() -> None:
    """A context's proxy would reach a host of this machine otherwise."""
    heard: list[bytes] = []
    async with server(heard) as port:
        by_client = Proxy.parse(f"http://127.0.0.1:{port}")
        async with opened(["example.com"], upstream=by_client) as proxy:
            assert (await get(proxy, "http://example.com/")).startswith(REFUSED)
            assert (await connect(proxy, "example.com:443")).startswith(REFUSED)
    assert heard == []


@pytest.mark.parametrize("user", ["", "ada:secret@"])
async def test_the_policy_holds_behind_a_proxy(user: str) -> None:
    heard: list[bytes] = []
    trio.socket.set_custom_hostname_resolver(Resolver(NAMES))
    async with server(heard) as port:
        upstream = replace(Proxy.parse(f"http://{user}127.0.0.1:{port}", bypass="10.0.0.0/8"), trusted=True)
        async with opened(["public"], upstream=upstream) as proxy:
            assert b"200 OK" in await get(proxy, "http://shop.test/a")
            assert (await connect(proxy, "shop.test:443")).startswith(b"HTTP/1.1 200 ")
            for host in ("router.test", "10.0.0.1", "127.0.0.1", "unknown.test"):
                assert (await get(proxy, f"http://{host}/")).startswith(REFUSED)
                assert (await connect(proxy, f"{host}:443")).startswith(REFUSED)
    plain, tunnel = heard
    assert plain.startswith(b"GET http://shop.test/a HTTP/1.1\r\n")
    assert tunnel.startswith(b"CONNECT 8.8.8.8:443 HTTP/1.1\r\n")  # the address that was checked
    for request in heard:
        assert (b"Proxy-Authorization: Basic " + b64encode(b"ada:secret") in request) is bool(user)


async def test_hosts_that_a_proxy_is_not_for() -> None:
    heard: list[bytes] = []
    direct: list[bytes] = []
    async with server(heard) as port, server(direct) as site:
        upstream = Proxy.parse(f"http://127.0.0.1:{port}", bypass=f"localhost:{site}, .shop.test")
        async with opened(["127.0.0.1", "localhost"], upstream=upstream) as proxy:
            await get(proxy, f"http://localhost:{site}/")
            await get(proxy, f"http://127.0.0.1:{site}/")
    assert [len(heard), len(direct)] == [1, 1]


async def test_a_server_that_is_not_there() -> None:
    async with open_tcp(lambda stream: stream.aclose()) as port:
        pass
    async with opened(["127.0.0.1"]) as proxy:
        url = f"http://127.0.0.1:{port}/"
        assert (await get(proxy, url)).startswith(b"HTTP/1.1 502 ")
        failure = proxy.failures.of(url)
        assert failure is not None
        assert not failure.is_refusal
        assert failure.reason.startswith("nothing listens there")


@pytest.mark.parametrize("scheme", ["http", "https", "socks4", "socks5"])
@pytest.mark.parametrize(
    ("host", "why"), [("127.0.0.1", "nothing listens there"), ("proxy.test", "its host name can't be resolved (DNS)")]
)
async def test_a_proxy_that_is_not_there(scheme: str, host: str, why: str) -> None:
    trio.socket.set_custom_hostname_resolver(Resolver({"proxy.test": [[]], "shop.test": [["127.0.0.1"]]}))
    async with open_tcp(lambda stream: stream.aclose()) as port:
        pass
    upstream = replace(Proxy.parse(f"{scheme}://{host}:{port}"), trusted=True)
    async with opened(["shop.test", "ip:127.0.0.1"], upstream=upstream) as proxy:
        for url in ("http://shop.test/", "https://shop.test/"):
            answer = get(proxy, url) if url.startswith("http:") else connect(proxy, "shop.test:443")
            assert (await answer).startswith(b"HTTP/1.1 502 ")
            failure = proxy.failures.of(url)
            assert failure is not None
            assert failure.reason == f"the proxy {scheme}://{host}:{port} did not connect: {why}"
