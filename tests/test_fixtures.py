"""The local test site and proxy do what they say, without a browser."""

import base64
import hashlib
import ssl
from collections.abc import AsyncGenerator
from html.parser import HTMLParser
from io import BytesIO

import httpx2
import psutil
import pytest
import trio
from PIL import Image

from fixtures.proxy import open_proxy
from fixtures.routes import PAGES, ROUTES
from fixtures.site import Site, open_site, open_tls_site

PAGE_NAMES = sorted(path.stem for path in PAGES.glob("*.html"))
VOID = {"br", "hr", "img", "input", "link", "meta"}


@pytest.fixture
async def site() -> AsyncGenerator[Site, None]:
    async with open_site() as site:
        yield site


@pytest.fixture
async def client(site: Site) -> AsyncGenerator[httpx2.AsyncClient, None]:
    async with httpx2.AsyncClient(base_url=site.url, verify=False) as client:
        yield client


def open_sockets() -> int:
    return len(psutil.Process().net_connections("tcp"))


class Outline(HTMLParser):
    """Checks that tags close and notes what a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.in_main = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.in_main += "main" in self.open
        self.links += [value or "" for name, value in attrs if name in {"src", "href"} and tag != "a"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"


@pytest.mark.parametrize("name", PAGE_NAMES)
async def test_page_is_whole_and_needs_no_other_site(client: httpx2.AsyncClient, name: str) -> None:
    answer = await client.get(f"/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    outline = Outline(answer.text)
    assert outline.open == []
    assert "title" in outline.tags
    local = ("/", "data:", f"http://localhost:{client.base_url.port}/")
    assert [link for link in outline.links if not link.startswith(local)] == []


def test_shop_is_one_file_that_needs_no_network() -> None:
    text = (PAGES.parents[1] / "bidi_server/demo/shop/index.html").read_text("utf-8")
    outline = Outline(text)
    assert outline.open == []
    assert [link for link in outline.links if not link.startswith(("data:", "#"))] == []
    assert "fetch(" not in text


async def test_index_names_every_page_and_route(client: httpx2.AsyncClient) -> None:
    text = (await client.get("/")).text
    assert [name for name in PAGE_NAMES if f'href="/{name}"' not in text] == []
    assert [route.path for route in ROUTES if f"<code>{route.path}</code>" not in text] == ["/socket"]


async def test_ad_hoc_page_is_served_and_its_request_recorded(site: Site, client: httpx2.AsyncClient) -> None:
    url = site.html("<button>Press</button>", title="A & B", head="<style>p{}</style>")
    answer = await client.get(url + "?q=1")
    assert "<title>A &amp; B</title>" in answer.text
    assert "<style>p{}</style></head>" in answer.text
    assert "<body><button>Press</button></body>" in answer.text
    assert site.html("another") != url
    recorded = await site.wait_request("/page/1")
    assert (recorded.method, recorded.query, recorded.body) == ("GET", "q=1", b"")
    assert recorded.headers["host"] == f"127.0.0.1:{site.port}"


async def test_ad_hoc_answer_of_any_kind(site: Site, client: httpx2.AsyncClient) -> None:
    site.serve(b"{}", path="/manifest", content_type="application/json", status=418, headers={"x-tea": "green"})
    answer = await client.get("/manifest")
    assert (answer.status_code, answer.content, answer.headers["x-tea"]) == (418, b"{}", "green")


async def test_wait_request_wakes_for_a_request_that_comes_later(site: Site, client: httpx2.AsyncClient) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.post, "/echo")
        first = await site.wait_request("/echo")
        nursery.start_soon(client.put, "/echo")
        second = await site.wait_request("/echo", count=2)
    assert (first.method, second.method) == ("POST", "PUT")


async def test_held_answer_waits_for_its_release(site: Site, client: httpx2.AsyncClient) -> None:
    answers: list[int] = []

    async def get() -> None:
        answers.append((await client.get("/hold/door")).status_code)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(get)
        await site.wait_request("/hold/door")
        assert answers == []
        site.release("door")
    assert answers == [200]
    assert (await client.get("/hold/door")).status_code == 200


async def test_same_server_is_another_origin(site: Site, client: httpx2.AsyncClient) -> None:
    assert (await client.get(site.other_url_for("/echo"))).json()["headers"]["host"] == f"localhost:{site.port}"


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_redirect(client: httpx2.AsyncClient, code: int) -> None:
    answer = await client.get(f"/redirect?to=/text&code={code}")
    assert (answer.status_code, answer.headers["location"]) == (code, "/text")


async def test_redirect_loop(client: httpx2.AsyncClient) -> None:
    with pytest.raises(httpx2.TooManyRedirects):
        await client.get("/redirect-loop", follow_redirects=True)


@pytest.mark.parametrize(("code", "text"), [(204, ""), (304, ""), (404, "404 Not Found"), (503, "503"), (599, "599")])
async def test_status(client: httpx2.AsyncClient, code: int, text: str) -> None:
    answer = await client.get(f"/status/{code}")
    assert answer.status_code == code
    assert text in answer.text
    assert bool(text) == bool(answer.text)


async def test_basic_login(client: httpx2.AsyncClient) -> None:
    refused = await client.get("/auth/basic")
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Basic realm=")
    assert (await client.get("/auth/basic", auth=("user", "wrong"))).status_code == 401
    assert "Welcome, user" in (await client.get("/auth/basic", auth=("user", "secret"))).text
    assert (await client.get("/auth/basic?user=ada&password=x", auth=("ada", "x"))).status_code == 200


async def test_download_has_its_name_and_size(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/download/report.csv?size=5000")
    assert answer.headers["content-disposition"] == 'attachment; filename="report.csv"'
    assert len(answer.content) == int(answer.headers["content-length"]) == 5000


async def test_held_download_stops_half_way(site: Site, client: httpx2.AsyncClient) -> None:
    async with client.stream("GET", "/download/a.bin?size=100&hold=rest") as answer:
        chunks = answer.aiter_raw()
        assert len(await anext(chunks)) == 50
        site.release("rest")
        assert len(await anext(chunks)) == 50
        assert [chunk async for chunk in chunks] == []


async def test_stream_comes_in_chunks(site: Site, client: httpx2.AsyncClient) -> None:
    async with client.stream("GET", "/stream?chunks=2&hold=last") as answer:
        chunks = answer.aiter_raw()
        assert await anext(chunks) == b"chunk 1\n"
        site.release("last")
        assert await anext(chunks) == b"chunk 2\n"
        assert [chunk async for chunk in chunks] == []


async def test_reset_drops_the_connection(client: httpx2.AsyncClient) -> None:
    with pytest.raises(httpx2.TransportError):
        await client.get("/reset")


async def test_echo(client: httpx2.AsyncClient) -> None:
    answer = (await client.patch("/echo?a=1&a=", content="grün", headers={"x-tea": "green"})).json()
    assert (answer["method"], answer["query"], answer["body"]) == ("PATCH", [["a", "1"], ["a", ""]], "grün")
    assert answer["headers"]["x-tea"] == "green"


async def test_cookies_come_back(client: httpx2.AsyncClient) -> None:
    await client.get("/set-cookie?tea=green")
    hidden = await client.get("/set-cookie/http-only?cup=2")
    assert "httponly" in hidden.headers["set-cookie"].lower()
    assert (await client.get("/cookies")).json() == {"tea": "green", "cup": "2"}


async def test_upload_tells_what_arrived(client: httpx2.AsyncClient) -> None:
    data = bytes(range(256)) * 8192  # larger than what the form parser keeps in memory
    files = [("pictures", ("ä.png", data, "image/png")), ("pictures", ("empty.txt", b"", "text/plain"))]
    first, second = (await client.post("/upload", files=files)).json()["files"]
    assert first == {
        "field": "pictures",
        "name": "ä.png",
        "type": "image/png",
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    assert (second["name"], second["size"]) == ("empty.txt", 0)


async def test_result_shows_what_was_submitted(client: httpx2.AsyncClient) -> None:
    assert '<dd data-name="q">&lt;b&gt;</dd>' in (await client.get("/result?q=<b>")).text
    assert '<dd data-name="q">two</dd>' in (await client.post("/result", data={"q": "two"})).text


@pytest.mark.parametrize(("kind", "format_"), [("png", "PNG"), ("jpg", "JPEG"), ("gif", "GIF"), ("webp", "WEBP")])
async def test_image(client: httpx2.AsyncClient, kind: str, format_: str) -> None:
    answer = await client.get(f"/image.{kind}?width=64&height=48")
    assert answer.headers["content-type"] == f"image/{format_.lower()}"
    with Image.open(BytesIO(answer.content)) as picture:
        assert (picture.format, picture.size) == (format_, (64, 48))


@pytest.mark.parametrize("count", [0, 1, 20, 1000, 10_000])
async def test_nodes_page_has_that_many_elements(client: httpx2.AsyncClient, count: int) -> None:
    outline = Outline((await client.get(f"/nodes/{count}")).text)
    assert (outline.in_main, outline.open) == (count, [])


async def test_table_has_that_many_rows(client: httpx2.AsyncClient) -> None:
    outline = Outline((await client.get("/table/50")).text)
    assert (outline.tags.count("tr"), outline.tags.count("button"), outline.open) == (51, 100, [])


async def test_cors_leave(client: httpx2.AsyncClient) -> None:
    assert "access-control-allow-origin" not in (await client.get("/cors/none")).headers
    assert (await client.options("/cors/ok")).headers["access-control-allow-origin"] == "*"


async def test_policy_forbids_inline_script_and_the_page_has_none(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/csp")
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "<script>" not in answer.text


@pytest.mark.parametrize(
    ("path", "kind", "start"),
    [
        ("/xml", "application/xml", "<?xml"),
        ("/pdf", "application/pdf", "%PDF-1.4"),
        ("/text", "text/plain", "Plain"),
        ("/json", "application/json", "{"),
        ("/worker.js", "text/javascript", "const"),
        ("/slow?ms=1", "application/json", "{"),
    ],
)
async def test_kinds_of_content(client: httpx2.AsyncClient, path: str, kind: str, start: str) -> None:
    answer = await client.get(path)
    assert answer.headers["content-type"].startswith(kind)
    assert answer.text.startswith(start)


async def test_only_the_folder_is_served(client: httpx2.AsyncClient) -> None:
    for path in ["/nowhere", "/..%2fsite.py", "/%2fetc%2fpasswd", "/site.py"]:
        assert (await client.get(path)).status_code == 404


async def test_site_ends_at_once_whatever_its_clients_do() -> None:
    before = open_sockets()
    requests = [
        b"",
        b"GET /te",
        b"GET /text HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /hold/never HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /slow?ms=60000 HTTP/1.1\r\nHost: a\r\n\r\n",
        b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n12",
        b"GET /download/big?size=50000000 HTTP/1.1\r\nHost: a\r\n\r\n",
    ]
    streams: list[trio.SocketStream] = []
    async with open_site() as site:
        for request in requests:
            stream = await trio.open_tcp_stream("127.0.0.1", site.port)
            streams.append(stream)
            await stream.send_all(request)
        await site.wait_request("/hold/never")
        await site.wait_request("/slow")
        await site.wait_request("/download/big")
        started = trio.current_time()
    assert trio.current_time() - started < 1  # 0.03 s on a quiet machine
    for stream in streams:
        await stream.aclose()
    assert open_sockets() == before


async def test_error_inside_the_block_comes_out_as_it_was() -> None:
    async def fail() -> None:
        async with open_site() as site, httpx2.AsyncClient() as client:
            await client.get(site.url)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()


async def test_cancelled_site_leaves_nothing_open() -> None:
    before = open_sockets()
    with trio.CancelScope() as scope:
        async with open_site() as site, httpx2.AsyncClient(base_url=site.url) as client, trio.open_nursery() as nursery:
            nursery.start_soon(client.get, "/hold/never")
            await site.wait_request("/hold/never")
            scope.cancel()
    assert scope.cancelled_caught
    assert open_sockets() == before


async def test_tls_site_is_trusted_with_its_authority_only() -> None:
    async with open_tls_site() as site:
        trusting = ssl.create_default_context(cadata=site.authority.decode())
        async with httpx2.AsyncClient(verify=trusting) as client:
            assert (await client.get(site.url_for("/text"))).text.startswith("Plain")
            assert (await client.get(site.other_url_for("/text"))).status_code == 200
        async with httpx2.AsyncClient(verify=ssl.create_default_context()) as client:
            with pytest.raises(httpx2.ConnectError):
                await client.get(site.url)


async def test_proxy_forwards_and_records(site: Site) -> None:
    async with open_proxy() as proxy, httpx2.AsyncClient(proxy=f"http://{proxy.address}") as client:
        answer = await client.post(site.url_for("/echo?a=1"), content="tea")
        missing = await client.get("http://127.0.0.1:1/")
    assert (answer.json()["body"], answer.json()["query"]) == ("tea", [["a", "1"]])
    assert missing.status_code == 502
    assert proxy.passed == [site.url_for("/echo?a=1")]


async def test_proxy_sends_invented_hosts_to_one_port(site: Site) -> None:
    async with open_proxy(to_port=site.port) as proxy, httpx2.AsyncClient(proxy=f"http://{proxy.address}") as client:
        answer = await client.get("http://tea.test/echo")
    assert answer.json()["headers"]["host"] == "tea.test"


async def test_proxy_tunnels() -> None:
    async with open_tls_site() as site, open_proxy() as proxy:
        trusting = ssl.create_default_context(cadata=site.authority.decode())
        async with httpx2.AsyncClient(proxy=f"http://{proxy.address}", verify=trusting) as client:
            assert (await client.get(site.url_for("/text"))).text.startswith("Plain")
        assert [(seen.method, seen.target) for seen in proxy.seen] == [("CONNECT", f"127.0.0.1:{site.port}")]


async def test_proxy_wants_its_login(site: Site) -> None:
    async with open_proxy(login=("ada", "secret")) as proxy:
        async with httpx2.AsyncClient(proxy=f"http://{proxy.address}") as client:
            refused = await client.get(site.url_for("/text"))
        assert (refused.status_code, refused.headers["proxy-authenticate"]) == (407, 'Basic realm="Test proxy"')
        headers = {"proxy-authorization": "Basic " + base64.b64encode(b"ada:secret").decode()}
        async with httpx2.AsyncClient(proxy=httpx2.Proxy(f"http://{proxy.address}", headers=headers)) as client:
            assert (await client.get(site.url_for("/text"))).status_code == 200
        assert [seen.refused for seen in proxy.seen] == [407, 0]
        assert "proxy-authorization" not in site.requests[-1].headers
