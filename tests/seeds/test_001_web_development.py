"""Seed 001, every requirement under its own name: debugging a web app, as a client sees it."""

import io
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import trio
from mcp.client import Client as McpClient
from mcp_types import ResourceLink, TextContent, TextResourceContents
from PIL import Image

from bidi_server.browser.engine.pool import Browsers
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.registry import Sessions
from bidi_server.config import Config
from bidi_server.errors import SessionNotFoundError
from bidi_server.server import make_server
from bidi_server.tools.base import Tool, offered
from bidi_server.tools.outcome import Outcome
from drivers import find, install
from tests.support.har import Archive
from tests.support.mirror import open_mirror
from tests.support.world import Agent, Answer, World

MakeAgent = Callable[..., Agent]


@pytest.fixture
def agent(make_agent: MakeAgent) -> Agent:
    """A client of a server with the developer's tools."""
    return make_agent(caps=("dev",))


@pytest.fixture
def app(agent: Agent) -> Agent:
    """The app that works offline, with its service worker in control."""
    agent.open("/pwa/")
    assert "is gone" not in agent("browser_wait_for", text="Notes of the server")
    agent.open("/pwa/")
    agent("browser_wait_for", text="Notes of the server")
    return agent


def written(answer: Answer) -> str:
    """Return what is in the file that an answer names."""
    found = re.search(r"written to (\S+)", answer.text)
    assert found, answer.text
    return Path(found[1]).read_text("utf-8")


def size_of(path: Path) -> tuple[int, int]:
    """Return the size of a picture on the disk."""
    with Image.open(path) as picture:
        return picture.size


def test_req_bt_001_navigate_until_the_page_is_ready(agent: Agent) -> None:
    agent.show("<h1>Here</h1><script>fetch('/slow?ms=100')</script>")
    assert agent("browser_eval", expression="document.readyState").text == "complete"


def test_req_bt_001_failure_type(agent: Agent) -> None:
    site = agent.site.url
    for url, kinds in {
        "http://nohost.invalid/": ["can't be resolved (DNS)"],
        "http://127.0.0.1:49/": ["connection refused", "block this port"],
        f"{site}/status/500": ["HTTP 500"],
        f"{site}/status/404": ["HTTP 404"],
        f"{site}/redirect-loop": ["redirects in a loop"],
        f"{site}/reset": ["closed the connection"],
        site.replace("http:", "https:"): ["TLS"],
    }.items():
        text = agent("browser_navigate", url=url).text
        assert any(kind in text for kind in kinds), f"{url}: {text}"


def test_req_bt_001_failure_type__timeout(make_agent: MakeAgent) -> None:
    agent = make_agent(navigation_timeout=1)
    answer = agent("browser_navigate", url=agent.site.url_for("/hold/seed-001"))
    assert answer.is_error
    assert "did not answer within 1 s" in answer


def test_req_bt_001_download(agent: Agent) -> None:
    answer = agent("browser_navigate", url=agent.site.url_for("/download/report.csv"))
    found = re.search(r"saved as (\S+report\S*\.csv)", answer.text)
    assert found, answer.text
    assert Path(found[1]).is_file()


def test_req_bt_002_expression(agent: Agent) -> None:
    agent.show("<p id=p>text</p>")
    assert agent("browser_eval", expression="document.querySelector('p').textContent").text == "text"
    assert json.loads(agent("browser_eval", expression="({a: [1, 'b'], c: null})").text) == {"a": [1, "b"], "c": None}


def test_req_bt_002_promise(agent: Agent) -> None:
    agent.show("")
    assert agent("browser_eval", expression="Promise.resolve(7)").text == "7"
    assert agent("browser_eval", **{"expression": "Promise.resolve(7)", "await": False}).text == "Promise"


def test_req_bt_002_exception(agent: Agent) -> None:
    agent.show("")
    for script in ("nothing.at.all", "(() => { throw new TypeError('is nothing') })()", "throw new Error('nothing')"):
        answer = agent("browser_eval", expression=script)
        assert answer.is_error
        assert "nothing" in answer, answer.text
        assert "Error: " in answer, answer.text


def test_req_bt_002_long_result(agent: Agent) -> None:
    agent.show("")
    assert agent("browser_eval", expression="'é'.repeat(2048)").text == "é" * 2048
    answer = agent("browser_eval", expression="'é'.repeat(2049)")
    assert "4098 bytes" in answer
    assert written(answer) == "é" * 2049


def test_req_bt_002_long_result__as_a_resource(agent: Agent, make_agent: MakeAgent) -> None:
    agent.show("")
    client = agent.client
    arguments = {"expression": "'x'.repeat(5000)"}
    result = agent.world.run(lambda: client.call_tool("browser_eval", arguments))
    (link,) = [part for part in result.content if isinstance(part, ResourceLink)]
    listed = agent.world.run(client.list_resources)
    assert link.uri in [resource.uri for resource in listed.resources]
    (content,) = agent.world.run(lambda: client.read_resource(link.uri)).contents
    assert isinstance(content, TextResourceContents)
    assert content.text == "x" * 5000
    stranger = make_agent(caps=("dev",)).client
    with pytest.raises(Exception, match="There is no resource"):
        agent.world.run(lambda: stranger.read_resource(link.uri))


def test_req_bt_003_viewport(agent: Agent) -> None:
    agent.show("<h1>Here</h1>")
    path = Path(agent("browser_take_screenshot").text.rpartition(": ")[2])
    assert size_of(path) == (1280, 720)


def test_req_bt_003_selector(agent: Agent) -> None:
    agent.show("<div id=d style='width:120px;height:40px;background:red'>x</div>")
    path = Path(agent("browser_take_screenshot", selector="#d").text.rpartition(": ")[2])
    assert size_of(path) == (120, 40)


def test_req_bt_003_visible_through_read_image(agent: Agent) -> None:
    agent.show("<h1>Here</h1>")
    path = agent("browser_take_screenshot").text.rpartition(": ")[2]
    answer = agent("read_image", path=path)
    assert len(answer.images) == 1
    assert "1280x720" in answer


def test_req_bt_003_resized(agent: Agent) -> None:
    agent.show("<div style='height:4000px'>tall</div>")
    path = agent("browser_take_screenshot", fullPage=True).text.rpartition(": ")[2]
    width, height = shown(agent("read_image", path=path))
    assert max(width, height) <= 1568


def shown(answer: Answer) -> tuple[int, int]:
    """Return the size of the picture in an answer."""
    from base64 import b64decode

    return Image.open(io.BytesIO(b64decode(answer.images[0].data))).size


def test_req_bt_004_recent(agent: Agent) -> None:
    agent.show("<script>console.log('one'); console.warn('two'); console.error('three'); console.info('four')</script>")
    lines = agent("browser_recent_console_logs").text.splitlines()
    assert [re.match(r"\[(\w+)\] (\w+)", line)[0] for line in lines] == [  # type: ignore[index] - it matches
        "[info] four",
        "[error] three",
        "[warning] two",
        "[info] one",
    ]


def test_req_bt_004_recent__of_earlier_pages(agent: Agent) -> None:
    agent.show("<script>console.log('first page')</script>")
    agent.show("<script>console.log('second page')</script>")
    text = agent("browser_recent_console_logs").text
    assert text.index("second page") < text.index("first page")


def test_req_bt_004_limit(agent: Agent) -> None:
    agent.show("<script>for (let i = 0; i < 150; i++) console.log('n' + i)</script>")
    assert len(agent("browser_recent_console_logs").text.splitlines()) <= 100
    lines = agent("browser_recent_console_logs", limit=2).text.splitlines()
    assert ["n149" in lines[0], "n148" in lines[1], len(lines)] == [True, True, 2]


def test_req_bt_004_clear(agent: Agent) -> None:
    agent.show("<script>console.log('one')</script>")
    assert "Forgot 1 message" in agent("browser_clear_console_logs")
    assert agent("browser_recent_console_logs").text == "No messages."
    agent("browser_eval", expression="console.log('two')")
    assert "two" in agent("browser_recent_console_logs")


def test_req_bt_004_long_output(agent: Agent) -> None:
    agent.show("<script>for (let i = 0; i < 90; i++) console.log('message number ' + i + '.'.repeat(50))</script>")
    lines = written(agent("browser_recent_console_logs")).splitlines()
    assert len(lines) == 90
    assert "number 89" in lines[0]


def test_req_bt_005_resize(agent: Agent) -> None:
    agent.show("")
    agent("browser_resize", width=375, height=667)
    assert agent("browser_eval", expression="innerWidth + 'x' + innerHeight").text == "375x667"


def test_req_bt_005_default_viewport(agent: Agent) -> None:
    agent.show("")
    assert agent("browser_eval", expression="innerWidth + 'x' + innerHeight").text == "1280x720"


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_req_bt_006_formats(agent: Agent, tmp_path: Path, kind: str) -> None:
    Image.new("RGB", (30, 20), "red").save(tmp_path / "picture", kind)
    answer = agent("read_image", path=str(tmp_path / "picture"))
    assert answer.images[0].mime_type == f"image/{kind.lower()}"
    assert shown(answer) == (30, 20)


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "L", "1", "LA", "I;16"])
def test_req_bt_006_resized(agent: Agent, tmp_path: Path, mode: str) -> None:
    Image.new(mode, (4000, 1000)).save(tmp_path / "wide.png")
    answer = agent("read_image", path=str(tmp_path / "wide.png"))
    assert "4000x1000 pixels, shown as 1568x392" in answer
    assert shown(answer) == (1568, 392)


def test_req_bt_006_no_picture(agent: Agent, tmp_path: Path) -> None:
    def refused(name: str, content: bytes) -> str:
        (tmp_path / name).write_bytes(content)
        answer = agent("read_image", path=str(tmp_path / name))
        assert answer.is_error
        assert not answer.images
        return answer.text

    whole = io.BytesIO()
    Image.effect_noise((200, 200), 50).save(whole, "PNG")
    bomb = io.BytesIO()
    Image.new("1", (20_000, 20_000)).save(bomb, "PNG")
    assert "is not a PNG, JPEG, GIF or WebP picture" in refused("text.png", b"no picture")
    assert "is not a PNG, JPEG, GIF or WebP picture" in refused("empty.png", b"")
    assert "is damaged" in refused("half.png", whole.getvalue()[:5000])
    assert "has too many pixels to be decoded" in refused("bomb.png", bomb.getvalue())
    missing = agent("read_image", path=str(tmp_path / "missing.png"))
    assert missing.is_error
    assert "can't be read: No such file" in missing
    assert "can't be read: Is a directory" in agent("read_image", path=str(tmp_path))


def test_req_bt_007_available_at_the_first_call(browser_name: str, tmp_path: Path) -> None:
    async def first_call() -> str:
        config = Config.model_validate({"browser": browser_name, "output_dir": tmp_path, "caps": ("dev",)})
        async with McpClient(make_server(config)) as client:
            result = await client.call_tool("browser_navigate", {"url": "data:text/html,<h1>Here</h1>"})
            return str(result.content[0])

    assert 'heading "Here"' in trio.run(first_call).replace('\\"', '"')


def test_req_bt_007_obtained_when_none_is_found(
    browser_name: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The makers' servers are played by one of ours, whose Chrome is the Chromium of this machine."""
    if browser_name != "chromium" or sys.platform != "linux" or os.uname().machine != "x86_64":
        pytest.skip("about Chrome on Linux, which can be had from a mirror")
    browser, driver = find.first_pair()
    request.getfixturevalue("bare_machine")
    config = Config.model_validate({"browser": browser_name, "output_dir": tmp_path})

    async def navigate() -> str:
        async with McpClient(make_server(config)) as client:
            result = await client.call_tool("browser_navigate", {"url": "data:text/html,<h1>Here</h1>"})
            return "".join(part.text for part in result.content if isinstance(part, TextContent))

    with open_mirror(str(browser.path), str(driver.path)) as mirror:
        mirrors = install.Mirrors(mirror.url, mirror.url)
        monkeypatch.setattr(install, "Mirrors", lambda: mirrors)
        assert 'heading "Here"' in trio.run(navigate)
        assert sorted(mirror.archives_asked()) == ["chrome-linux64.zip", "chromedriver-linux64.zip"]
        mirror.asked.clear()
        assert 'heading "Here"' in trio.run(navigate)
        assert mirror.asked == []


def test_req_bt_007_cached(agent: Agent) -> None:
    assert "Already there" in agent("browser_install")


def test_req_bt_008_click_a_selector(agent: Agent) -> None:
    agent.show("<button onclick=\"this.textContent = event.isTrusted + ' ' + event.detail\">B</button>")
    agent("browser_click", selector="button")
    assert agent("browser_eval", expression="document.querySelector('button').textContent").text == "true 1"


def test_req_bt_008_no_such_element(agent: Agent) -> None:
    agent.show("")
    answer = agent("browser_click", selector="#nothing")
    assert answer.is_error
    assert "#nothing" in answer


def test_req_bt_008_wait(agent: Agent) -> None:
    agent.show("<script>setTimeout(() => document.body.innerHTML = '<button id=late>L</button>', 1500)</script>")
    assert "Clicked" in agent("browser_click", selector="#late", wait=True)


def test_req_bt_008_wait__in_vain(make_agent: MakeAgent) -> None:
    agent = make_agent(navigation_timeout=1)
    agent.show("")
    answer = agent("browser_click", selector="#late", wait=True)
    assert answer.is_error
    assert "'#late' was there within 1 s" in answer


def test_req_bt_008_frameworks(agent: Agent) -> None:
    # React listens at the root, Vue compares the time of the event with that of its listener.
    agent.show(
        "<div id=root><button>B</button></div><p id=out></p><script>"
        "root.addEventListener('click', e => { if (e.isTrusted && e.target.tagName == 'BUTTON' && e.timeStamp > 0)"
        " out.textContent = ['pointerdown', 'mousedown'].every(t => seen.includes(t)) ? 'delegated' : seen });"
        "const seen = []; for (const t of ['pointerdown', 'mousedown', 'pointerup', 'mouseup'])"
        " root.addEventListener(t, () => seen.push(t), true)</script>"
    )
    assert "delegated" in agent("browser_click", selector="button")


def test_req_bt_009_type_into_a_selector(agent: Agent) -> None:
    agent.show("<input id=i value=ab>")
    agent("browser_type", selector="#i", text="cd")
    assert agent("browser_eval", expression="i.value").text == "abcd"


def test_req_bt_009_no_such_element(agent: Agent) -> None:
    agent.show("")
    answer = agent("browser_type", selector="#nothing", text="x")
    assert answer.is_error
    assert "#nothing" in answer


def test_req_bt_009_clear(agent: Agent) -> None:
    agent.show("<input id=i value=ab>")
    agent("browser_type", selector="#i", text="cd", clear=True)
    assert agent("browser_eval", expression="i.value").text == "cd"


def test_req_bt_009_frameworks(agent: Agent) -> None:
    agent.open("/controlled")
    field = agent("browser_eval", expression="document.querySelector('input').id").text
    agent("browser_type", selector=f"#{field}", text="Ada", clear=True)
    assert agent("browser_eval", expression=f"document.getElementById('{field}').value").text == "Ada"


def test_req_bt_010_state_across_calls(agent: Agent) -> None:
    agent.show("")
    agent("browser_eval", expression="window.kept = 5")
    assert agent("browser_eval", expression="window.kept").text == "5"


def test_req_bt_010_starts_at_the_first_call(make_agent: MakeAgent) -> None:
    agent = make_agent()
    assert not len(agent.sessions)
    agent.show("")
    assert len(agent.sessions) == 1


async def test_req_bt_010_idle_timeout(nursery: trio.Nursery, autojump_clock: trio.testing.MockClock) -> None:
    sessions = Sessions(Config(), Browsers(nursery))
    assert Config().idle_timeout == 30 * 60
    nursery.start_soon(sessions.reap)
    sessions.get(("client", "conversation"))
    await trio.sleep(29 * 60)
    assert sessions.of("client")
    await trio.sleep(2 * 60)
    assert not sessions.of("client")


def test_req_bt_010_isolation(make_agent: MakeAgent) -> None:
    first, second = make_agent(), make_agent()
    first.open("/set-cookie?name=who&value=first")
    first.open("/text")
    second.open("/text")
    first.evaluate("localStorage.setItem('who', 'first')")
    assert second.evaluate("document.cookie + localStorage.getItem('who')") == "null"


async def test_req_bt_010_by_construction(nursery: trio.Nursery) -> None:
    """A tool gets its own client's tab, session or sessions, and a name leads to no other client's."""
    from inspect import signature

    for tool in offered(["browser"], ["vision", "pdf", "dev", "sessions"]).values():
        (_, subject, _) = signature(tool.run).parameters.values()  # type: ignore[attr-defined] - every offered one runs
        assert subject.annotation.__name__ in {"Tab", "Session", "Client"}, tool
    sessions = Sessions(Config(), Browsers(nursery))
    first, second = Client(sessions, object(), Config()), Client(sessions, object(), Config())
    await first.create("mine", {}, Outcome().progress)
    assert first.session() is not second.session()
    with pytest.raises(SessionNotFoundError):
        second.session("mine")
    await second.create("mine", {}, Outcome().progress)
    assert first.session("mine") is not second.session("mine")


def test_req_bt_011_cookies_and_page(agent: Agent) -> None:
    agent.open("/set-cookie?name=login&value=yes")
    agent.open("/cookies")
    assert "login" in agent("browser_snapshot")
    assert agent("browser_eval", expression="location.pathname").text == "/cookies"


def test_req_bt_011_last_activity(agent: Agent) -> None:
    agent.show("")
    (session,) = agent.run(lambda: list(agent.sessions._by_key.values()))
    before = session.last_used
    agent("browser_eval", expression="1")
    assert session.last_used > before


def test_req_bt_012_tools_hold_no_state() -> None:
    for tool in offered(["browser"], ["vision", "pdf", "dev"]).values():
        assert issubclass(tool, Tool)
        assert tool.model_config.get("frozen")
        held = {name for name, value in vars(tool).items() if isinstance(value, list | dict | set) and name[0] != "_"}
        assert held <= {"model_config", "model_fields", "model_computed_fields"}, tool


def test_req_bt_013_in_the_dom(agent: Agent) -> None:
    agent.show("<script>setTimeout(() => document.body.innerHTML = '<p id=late hidden>L</p>', 300)</script>")
    assert agent("browser_wait_for_selector", selector="#late").text.startswith("'#late' is there.")


def test_req_bt_013_visible(agent: Agent) -> None:
    agent.show("<p id=late style='display:none'>L</p><script>setTimeout(() => late.style.display = '', 400)</script>")
    answer = agent("browser_wait_for_selector", selector="#late", visible=True)
    assert answer.text.startswith("'#late' is visible.")
    assert agent("browser_eval", expression="late.checkVisibility()").text == "true"


def test_req_bt_013_visible__never(agent: Agent) -> None:
    styles = ["display:none", "visibility:hidden", "opacity:0", "width:0;height:0;overflow:hidden"]
    agent.show("".join(f"<div id=d{index} style='{style}'>L</div>" for index, style in enumerate(styles)))
    for index in range(len(styles)):
        assert not agent("browser_wait_for_selector", selector=f"#d{index}", timeout=0).is_error
        assert agent("browser_wait_for_selector", selector=f"#d{index}", visible=True, timeout=0.3).is_error


def test_req_bt_013_visible__in_a_frame_and_a_shadow_tree(agent: Agent) -> None:
    agent.show(
        "<div id=host></div><iframe srcdoc='<p id=framed>F</p>'></iframe>"
        "<script>host.attachShadow({mode: 'open'}).innerHTML = '<p id=shady>S</p>'</script>"
    )
    agent("browser_snapshot")
    assert not agent("browser_wait_for_selector", selector="#shady", visible=True, timeout=5).is_error
    assert not agent("browser_wait_for_selector", selector="#framed", visible=True, timeout=5).is_error


def test_req_bt_013_timeout(agent: Agent) -> None:
    agent.show("")
    answer = agent("browser_wait_for_selector", selector="#never", timeout=0.5)
    assert answer.is_error
    assert "No element '#never' was there within 0.5 s." in answer
    assert offered(["browser"], ["dev"])["browser_wait_for_selector"].model_fields["timeout"].default == 30
    wrong = agent("browser_wait_for_selector", selector="#[", timeout=5)
    assert "is not a selector" in wrong


def logged(agent: Agent, *scripts: str) -> list[str]:
    """Return what the tool says of messages, the oldest first."""
    agent.show(f"<script>{';'.join(scripts)}</script>")
    lines = agent("browser_recent_console_logs").text.split("\n[")
    return [("[" + line.removeprefix("[")).partition(" @ ")[0] for line in lines[::-1]]


def test_req_bt_014_object(agent: Agent) -> None:
    assert logged(agent, "console.log({userId: 123, status: 'active', 'a-b': {c: [true, null]}})") == [
        '[info] {userId: 123, status: "active", "a-b": {c: [true, null]}}'
    ]


def test_req_bt_014_array(agent: Agent) -> None:
    assert logged(agent, "console.log([1, 'two', {three: 3}], [])") == ['[info] [1, "two", {three: 3}] []']


def test_req_bt_014_overflow(agent: Agent) -> None:
    (line,) = logged(agent, "console.log(Array.from({length: 100}, (_, i) => i))")
    assert line.startswith("[info] [0, 1, 2,")
    assert line.endswith(", …]")


def test_req_bt_014_other_values(agent: Agent) -> None:
    assert logged(
        agent,
        "console.log(new Map([['k', {v: 1}]]), new Set([1, 2]), new Date(0), /x/g, 10n, undefined, NaN)",
        "const o = {n: 1}; o.self = o; console.log(o)",
        "console.log(document.createElement('p'), function f() {}, Promise.resolve())",
        "console.table([{a: 1}, {a: 2}])",
        "console.group('G'); console.log('in'); console.groupEnd()",
        "console.assert(1 === 2, 'not', {q: 1})",
        "console.log('%s has %d and 100%%', 'x', 5)",
        "console.count('c')",
    ) == [
        '[info] Map(1) {"k" => {v: 1}} Set(2) {1, 2} 1970-01-01T00:00:00.000Z /x/g 10n undefined NaN',
        "[info] {n: 1, self: [Circular]}",
        "[info] <p> function Promise",
        "[table] [{a: 1}, {a: 2}]",
        "[group] G",
        "[info] in",
        "[error] Assertion failed: not {q: 1}",
        "[info] x has 5 and 100%",
        "[info] c: 1",
    ]


def test_req_bt_014_errors(agent: Agent) -> None:
    agent.show(
        "<script>console.error('failed', new TypeError('bad'), {n: 1}); setTimeout(() => { throw new Error('lost') });"
        "Promise.reject(new RangeError('refused'))</script>"
    )
    agent("browser_wait_for", time=0.2)
    text = agent("browser_recent_console_logs").text
    assert re.search(r"\[error\] failed TypeError: bad[^{]*\{n: 1\}", text), text
    assert re.search(r"\[uncaught\] .*Error: lost", text), text
    assert re.search(r"\[uncaught\] .*RangeError: refused", text), text
    assert re.search(r"\n    at .*page/\d+", text), text


def test_req_bt_015_truncated_entry(agent: Agent) -> None:
    (line,) = logged(agent, "console.log('x'.repeat(2000))")
    assert len(line) < 600
    assert line.endswith("x…")


def test_req_bt_015_long_output(agent: Agent) -> None:
    agent.show("<script>console.log('x'.repeat(4100))</script>")
    answer = agent("browser_recent_console_logs")
    assert re.fullmatch(r"\d+ bytes, written to \S+", answer.text)


def test_req_bt_015_file_without_truncation(agent: Agent) -> None:
    agent.show("<script>console.log({list: Array.from({length: 2000}, (_, i) => i)}); console.log('second')</script>")
    lines = written(agent("browser_recent_console_logs")).splitlines()
    assert lines[0].startswith("[info] second")
    assert "1998, 1999]}" in lines[1]
    assert "…" not in lines[1]


def test_req_bt_020_registered_active_controlling(agent: Agent) -> None:
    agent.open("/pwa/")
    agent("browser_wait_for", text="Notes of the server")
    agent.open("/pwa/")
    url = agent.site.url
    assert agent("browser_service_workers").text == (
        f"{url}/pwa/: registered, active {url}/pwa/sw.js (activated), controls this page"
    )


def test_req_bt_020_unregister(app: Agent) -> None:
    assert "Unregistered: " in app("browser_service_workers", action="unregister")
    assert app("browser_service_workers").text == "No service worker is registered."
    assert app("browser_service_workers", action="unregister").is_error


def test_req_bt_020_update(app: Agent) -> None:
    app.run(lambda: app.site.serve("// new\n", path="/pwa/sw.js", content_type="text/javascript"))
    asked = len(app.site.requests)
    try:
        answer = app("browser_service_workers", action="update")
    finally:
        app.run(lambda: app.site.resources.pop("/pwa/sw.js"))
    assert f"Updated: {app.site.url_for('/pwa/')}\n{app.site.url_for('/pwa/')}: registered, " in answer
    assert "/pwa/sw.js" in [request.path for request in app.site.requests[asked:]]


def test_req_bt_020_none(agent: Agent) -> None:
    agent.show("")
    assert agent("browser_service_workers").text == "No service worker is registered."
    agent("browser_navigate", url="data:text/html,<h1>Here</h1>")
    assert "https, or localhost" in agent("browser_service_workers")


def lines_of(answer: Answer) -> dict[str, str]:
    """Return the newest line for each path that a list of requests names."""
    found: dict[str, str] = {}
    for line in answer.text.splitlines():
        if (match := re.match(r"\d+\. \w+ http://[^/]+(\S*) ", line)) and "by a worker" not in line:
            found.setdefault(match[1], line)
    return found


def test_req_bt_021_network_service_worker_browser_cache(app: Agent) -> None:
    app.run(lambda: app.site.serve("{}", path="/kept.json", headers={"cache-control": "max-age=1000"}))
    app.open("/text")
    app("browser_eval", expression="fetch('/kept.json').then(r => r.text())")
    app("browser_clear_network_requests")
    app("browser_eval", expression="fetch('/kept.json').then(r => r.text())")
    app.open("/pwa/")
    app("browser_wait_for", text="Notes of the server")
    app("browser_eval", expression="fetch('/pwa/api/notes', {method: 'POST', body: new URLSearchParams({text: 'x'})})")
    lines = lines_of(app("browser_recent_network_requests"))
    assert "from browser cache" in lines["/kept.json"]
    assert "from service worker" in lines["/pwa/app.js"]
    assert "from service worker" in lines["/pwa/"]
    assert "from network" in lines_of(app("browser_recent_network_requests", method="POST"))["/pwa/api/notes"]


def test_req_bt_022_blocked(agent: Agent) -> None:
    agent.open("/text")
    assert "offline" in agent("browser_set_offline")
    assert agent("browser_eval", expression="fetch('/json').then(() => 'there', () => 'failed')").text == "failed"
    assert "the browser is offline" in agent("browser_recent_network_requests", status="failed")
    assert "the browser is offline" in agent("browser_navigate", url=agent.site.url_for("/form"))
    assert "online" in agent("browser_set_offline", offline=False)
    agent.open("/form")


def test_req_bt_022_cached_resources(app: Agent) -> None:
    app("browser_set_offline")
    before = len(app.site.requests)
    app.open("/pwa/")
    assert 'heading "Notes"' in app("browser_snapshot")
    assert "Offline" in app("browser_snapshot")
    assert "/pwa/app.js" not in [request.path for request in app.site.requests[before:]]
    app("browser_set_offline", offline=False)
    app.open("/text")
    assert app("browser_eval", expression="navigator.onLine").text == "true"


def test_req_bt_022_service_worker(app: Agent) -> None:
    answer = app("browser_set_offline")
    assert "leaves service workers online" not in answer
    app("browser_click", selector="#refresh")
    assert "Saved notes" in app("browser_snapshot")
    app("browser_set_offline", offline=False)
    app("browser_click", selector="#refresh")
    assert "Notes of the server" in app("browser_snapshot")


def test_req_bt_022_throttled(agent: Agent) -> None:
    agent.open("/text")
    timed = "(async () => { const t = performance.now(); await fetch('/json'); return performance.now() - t })()"
    assert "400 ms latency" in agent("browser_throttle_network", latency=400)
    assert float(agent("browser_eval", expression=timed).text) >= 350
    agent("browser_throttle_network")
    assert float(agent("browser_eval", expression=timed).text) < 350


def test_req_bt_022_throttled__or_told_that_it_cannot_be(app: Agent) -> None:
    """What the browser can't do, its answers say."""
    limited = app.config.browser == "firefox"
    assert ("leaves service workers online" in app("browser_set_offline")) is limited
    assert ("can't slow its network down" in app("browser_throttle_network", latency=1)) is limited
    assert ("does not tell what service workers print" in app("browser_recent_console_logs")) is limited


def test_req_bt_023_service_worker(app: Agent) -> None:
    assert "worker is active" in app("browser_recent_console_logs")


def test_req_bt_023_which_context(app: Agent) -> None:
    text = app("browser_recent_console_logs").text
    assert "[info] notes {" in text
    assert "[info, service worker] worker is active" in text


def test_req_bt_024_recent(agent: Agent) -> None:
    agent.open("/text")
    agent("browser_eval", expression="fetch('/json').then(r => r.text())")
    first = agent("browser_recent_network_requests").text.splitlines()[0]
    assert re.match(r"\d+\. GET \S+/json → 200.*, application/json, fetch, \d+ B, \d+ ms, from network", first), first


def test_req_bt_024_filters(agent: Agent) -> None:
    agent.open("/text")
    agent(
        "browser_eval",
        expression="Promise.all([fetch('/json'), fetch('/status/404'), fetch('/echo', {method: 'PUT'})])",
    )

    def paths(**filters: object) -> set[str]:
        return set(lines_of(agent("browser_recent_network_requests", **filters)))

    assert paths(url="/json") == {"/json"}
    assert paths(url="*/e?ho") == {"/echo"}
    assert paths(method="put") == {"/echo"}
    assert paths(status="4xx") == {"/status/404"}
    assert paths(status="404") == {"/status/404"}
    assert paths(type="document") == {"/text"}
    assert paths(status="failed") == set()
    assert agent("browser_recent_network_requests", status="bad").is_error
    assert len(agent("browser_recent_network_requests", limit=1).text.splitlines()) == 1


def test_req_bt_024_one_in_full(agent: Agent) -> None:
    agent.open("/text")
    agent("browser_eval", expression="fetch('/echo', {method: 'POST', body: 'hello', headers: {'x-mine': 'yes'}})")
    number = int(agent("browser_recent_network_requests", url="/echo").text.partition(".")[0])
    text = agent("browser_network_request", number=number, bodies=True).text.lower()
    for part in ("started: 2", "wait ", "x-mine: yes", "content-type: application/json", "hello", '"method":"post"'):
        assert part in text, text
    assert text.count("referer: ") == 1
    unknown = agent("browser_network_request", number=999)
    assert unknown.is_error
    assert "There is no request 999" in unknown


def test_req_bt_024_one_in_full__of_bytes(agent: Agent) -> None:
    agent.open("/text")
    agent("browser_eval", expression="fetch('/image.png').then(r => r.blob())")
    number = int(agent("browser_recent_network_requests", url="/image.png").text.partition(".")[0])
    answer = agent("browser_network_request", number=number, bodies=True)
    found = re.search(r"Response body: (\d+) bytes, written to (\S+)", answer.text)
    assert found, answer.text
    assert Path(found[2]).read_bytes().startswith(b"\x89PNG")


def test_req_bt_024_one_in_full__that_has_not_ended(agent: Agent) -> None:
    agent.open("/text")
    agent("browser_eval", expression="void fetch('/hold/body')")
    number = int(eventually(agent, "/hold/body", url="/hold/body").partition(".")[0])
    assert "Response body: not there yet" in agent("browser_network_request", number=number, bodies=True)


def test_req_bt_024_clear(agent: Agent) -> None:
    agent.open("/text")
    assert "Forgot " in agent("browser_clear_network_requests")
    assert agent("browser_recent_network_requests").text == "No requests."


def eventually(agent: Agent, part: str, **filters: object) -> str:
    """Return the list of requests once it says something: the page may know of an end before we do."""
    text = ""
    for _ in range(50):
        text = agent("browser_recent_network_requests", **filters).text
        if part in text:
            break
        agent("browser_wait_for", time=0.1)
    return text


def test_req_bt_024_failure_reason(agent: Agent) -> None:
    agent.open("/text")
    other = agent.site.other_url_for("/cors/none")
    agent(
        "browser_eval",
        expression=f"Promise.allSettled([fetch('{other}'), fetch('http://nohost.invalid/'), new Promise(done => {{"
        "const c = new AbortController(); fetch('/slow?ms=5000', {signal: c.signal}).catch(done);"
        "setTimeout(() => c.abort(), 100) })])",
    )
    text = eventually(agent, "ABORT", status="failed")
    assert re.search(r"/cors/none → failed: CORS: ", text), text
    assert re.search(r"nohost.invalid/ → failed: the host name can't be resolved|nohost.*CORS request did not", text), (
        text
    )
    assert re.search(r"/slow\?ms=5000 → failed: .*ABORT", text), text


def test_req_bt_024_long_output(agent: Agent) -> None:
    agent.open("/text")
    agent("browser_eval", expression="Promise.all(Array.from({length: 60}, (_, i) => fetch('/json?number=' + i)))")
    assert len(re.findall(r"/json\?number=\d+ ", written(agent("browser_recent_network_requests")))) == 60


def test_req_bt_024_http_archive(agent: Agent) -> None:
    agent.open("/redirect?to=/form")
    agent.open("/text")
    agent("browser_eval", expression="fetch('/echo?a=1&b=', {method: 'POST', body: 'hello'}).then(r => r.text())")
    agent("browser_eval", expression="fetch('http://nohost.invalid/').catch(() => 0)")
    agent("browser_eval", expression="fetch('/image.png').then(r => r.blob())")
    archive = Archive.model_validate_json(written(agent("browser_export_har", filename="all.har", bodies=True)))
    entries = {urlsplit(entry.request.url).path: entry for entry in archive.log.entries}
    assert agent.site.url_for("/text") in [page.title for page in archive.log.pages]
    assert entries["/redirect"].response.redirect_url == "/form"
    echo = entries["/echo"]
    assert echo.request.post_data is not None
    assert echo.request.post_data.text == "hello"
    assert [(pair.name, pair.value) for pair in echo.request.query_string] == [("a", "1"), ("b", "")]
    assert '"method":"POST"' in (echo.response.content.text or "")
    assert entries["/image.png"].response.content.encoding == "base64"
    assert entries["/"].response.status == 0


def test_us_1_develop_and_debug(agent: Agent) -> None:
    agent.open("/pwa/")
    agent("browser_wait_for_selector", selector="#notes li", visible=True)
    for width in (375, 768, 1280):
        agent("browser_resize", width=width, height=700)
        path = Path(agent("browser_take_screenshot").text.rpartition(": ")[2])
        assert size_of(path) == (width, 700)
        assert agent("read_image", path=str(path)).images
    assert 'notes: ["' in agent("browser_recent_console_logs")
    performance = agent("browser_performance").text
    assert re.search(r"first contentful paint: \d+ ms", performance)
    assert re.search(r"requests: \d+, \d{3,} bytes over the network", performance)


def test_us_2_test_and_verify(agent: Agent) -> None:
    agent.open("/pwa/")
    agent("browser_wait_for", text="Notes of the server")
    agent("browser_type", selector="#add input", text="Buy milk", clear=True)
    answer = agent("browser_click", selector="#add button")
    assert "listitem: Buy milk" in answer
    assert "201" in agent("browser_recent_network_requests", method="POST")
    assert "[error" not in agent("browser_recent_console_logs").text


def test_us_3_progressive_web_app(app: Agent, world: World) -> None:
    assert "controls this page" in app("browser_service_workers")
    app("browser_set_offline")
    app.open("/pwa/")
    assert "from service worker" in lines_of(app("browser_recent_network_requests"))["/pwa/app.js"]
    app("browser_type", selector="#add input", text="Lost")
    assert "Not saved" in app("browser_click", selector="#add button")
    assert "add failed TypeError" in app("browser_recent_console_logs")
    assert "offline" in app("browser_recent_network_requests", method="POST", status="failed")
    app("browser_set_offline", offline=False)
    assert "listitem: Lost" in app("browser_click", selector="#add button")
    assert world.browser in {"chromium", "firefox"}
