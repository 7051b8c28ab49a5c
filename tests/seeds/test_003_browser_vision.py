"""Seed 003, every section under its own name: eight tools for models that look at pictures."""

import base64
import io
import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from PIL import Image

from bidi_server.browser.files.picture import Bounds, scaled
from bidi_server.browser.network.allow_list import AllowList
from bidi_server.config import Config
from bidi_server.server import describe
from bidi_server.tools.base import offered
from bidi_server.tools.vision.look import MAX_BYTES, QUALITIES
from tests.support.world import Agent, Answer, World

MakeAgent = Callable[..., Agent]

EXAMPLE = """<h1>Example Domain</h1><p>This domain is for use in illustrative examples...</p>
<p><a href="https://www.iana.org/domains/example">More information...</a></p>"""


@pytest.fixture
def agent(make_agent: MakeAgent) -> Agent:
    """A client of a server with this toolset only."""
    return make_agent(toolset=("vision",))


def page(agent: Agent, body: str, *, title: str = "Test", head: str = "") -> str:
    """Make a page and return its address."""
    return agent.run(lambda: agent.site.html(body, title=title, head=head))


def show(agent: Agent, body: str) -> None:
    """Go to a page with this body."""
    answer = agent("browser.navigate", url=page(agent, body))
    assert not answer.is_error, answer.text


def example(agent: Agent, request: dict[str, Any]) -> Answer:
    """Make a call of the seed."""
    return agent(request["name"], **request["arguments"])


def code(agent: Agent, tool: str, **arguments: object) -> int:
    """Return the code of the JSON-RPC error that a call is answered with."""
    with pytest.raises(MCPError) as caught:
        agent(tool, **arguments)
    return caught.value.error.code


def picture(answer: Answer) -> Image.Image:
    """Return the picture of an answer."""
    assert [image.mime_type for image in answer.images] == ["image/jpeg"]
    return Image.open(io.BytesIO(base64.b64decode(answer.images[0].data)))


def test_navigate_example(agent: Agent) -> None:
    url = page(agent, EXAMPLE)
    answer = agent("browser.navigate", url=url, waitUntil="networkidle", timeout=30000)
    assert answer.text == f"Successfully navigated to {url} (200 OK)"
    assert "(404 Not Found)" in agent("browser.navigate", url=agent.site.url_for("/missing"))


def test_navigate_wait_until(agent: Agent) -> None:
    url = agent.site.url_for("/hold/navigate-until")
    body = f"<p>Text</p><img src={url!r} alt=slow>"
    agent("browser.navigate", url=page(agent, body), waitUntil="domcontentloaded")
    assert agent("browser.evaluate", script="return document.readyState").text == "interactive"
    agent.run(lambda: agent.site.release("navigate-until"))
    late = page(
        agent,
        "<script>onload = () => setTimeout(() => fetch('/page/1').then(() => { document.title = 'all' }), 50)</script>",
    )
    agent("browser.navigate", url=late, waitUntil="networkidle")
    assert agent("browser.evaluate", script="document.title").text == "all"


def test_navigate_invalid_url(agent: Agent) -> None:
    for url in ("", "not a url", "http://"):
        assert code(agent, "browser.navigate", url=url) == -32602


def test_navigate_url_not_in_allowlist(make_agent: MakeAgent) -> None:
    agent = make_agent(toolset=("vision",), allowed_urls=("127.0.0.1",))
    other, image = agent.site.other_url_for("/plain"), agent.site.other_url_for("/image.png")
    show(agent, f"<a href={other!r}>Out</a><iframe src={other!r}></iframe><img src={image!r} alt=ok>")
    assert agent("browser.evaluate", script="return document.images[0].naturalWidth > 0").text == "true"
    assert code(agent, "browser.navigate", url=other) == -32002
    assert code(agent, "browser.navigate", url="file:///etc/passwd") == -32002
    assert code(agent, "browser.navigate", url="data:text/html,x") == -32002
    assert "does not allow" in agent("browser.click", selector="text=Out")
    assert "Out" in agent("browser.snapshot")
    assert agent("browser.evaluate", script="frames[0].document.body.childNodes.length").text == "0"
    away = agent.run(lambda: agent.site.serve("", status=302, headers={"location": other}))
    assert code(agent, "browser.navigate", url=away) == -32002
    assert "Out" in agent("browser.snapshot")


@pytest.mark.parametrize(
    ("pattern", "url", "allowed"),
    [
        ("example.com", "https://example.com/a?b#c", True),
        ("example.com", "http://example.com:8080/", True),
        ("example.com", "https://www.example.com/", False),
        ("example.com", "https://example.com.evil.org/", False),
        ("example.com", "https://evil.org/example.com", False),
        ("example.com", "https://example.com@evil.org/", False),
        ("example.com", "https://evil.org\\@example.com/", False),
        ("example.com", "https://example.com\\@evil.org/", True),
        ("example.com", "https:example.com", True),
        ("example.com", "https://ex%61mple.com/", True),
        ("example.com", "https://evil.org%2fexample.com/", False),
        ("example.com", "https://evil.org\t/example.com/", False),
        ("127.0.0.1", "http://0x7f.1/", True),
        ("https://example.com/docs/*", "https://example.com/docs/../other", False),
        ("https://example.com/docs/*", "https://example.com/docs/%2e%2e/other", False),
        ("https://example.com/größe", "https://example.com/gr%C3%B6%C3%9Fe", True),
        ("*.bücher.example", "https://www.xn--bcher-kva.example/", True),
        ("[0::1]", "http://[::1]/", True),
        ("[fe80:*]:80", "http://[fe80::1]/", True),
        ("*.example.com.", "https://www.example.com/", True),
        ("*", "http://./", False),
        ("*.example.com", "https://www.EXAMPLE.com/", True),
        ("*.example.com", "https://evil.org/.example.com", False),
        ("localhost:8000", "http://localhost:8000/x", True),
        ("localhost:8000", "http://localhost:8001/x", False),
        ("https://example.com", "https://example.com/any", True),
        ("https://example.com", "http://example.com/any", False),
        ("https://example.com", "https://example.com:444/any", False),
        ("https://example.com/docs/*", "https://example.com/docs/a/b?c", True),
        ("https://example.com/docs/*", "https://example.com/other", False),
        ("https://example.com/find?q=*", "https://example.com/find?q=a", True),
        ("https://example.com/find?q=*", "https://example.com/findXq=a", False),
        ("http://localhost:*", "http://localhost:8001/x", True),
        ("http://localhost:*", "http://localhost/", True),
        ("http://localhost:*", "https://localhost:8001/x", False),
        ("http://localhost:*/docs/*", "http://localhost:8001/docs/a", True),
        ("http://localhost:*/docs/*", "http://localhost:8001/other", False),
        ("[::1]:*", "http://[::1]:8001/", True),
        ("*://example.com", "http://example.com/", True),
        ("*://example.com", "https://example.com/", True),
        ("bücher.example", "https://xn--bcher-kva.example/", True),
        ("[::1]:80", "http://[::1]/", True),
        ("*", "https://any.org/", True),
        ("*", "file:///etc/passwd", False),
        ("*", "javascript:alert(1)", False),
        ("example.com", "about:blank", True),
    ],
)
def test_navigate_url_not_in_allowlist__patterns(pattern: str, url: str, allowed: bool) -> None:
    assert (AllowList([pattern]).why_not(url) == "") is allowed


def test_navigate_timeout(agent: Agent) -> None:
    answer = agent("browser.navigate", url=agent.site.url_for("/hold/never-vision"), timeout=300)
    assert answer.is_error
    assert answer.text.startswith("Timeout: ")
    agent.run(lambda: agent.site.release("never-vision"))


def test_screenshot_example(agent: Agent) -> None:
    show(agent, EXAMPLE)
    answer = example(
        agent, {"name": "browser.screenshot", "arguments": {"fullPage": False, "includeAccessibilityTree": True}}
    )
    assert picture(answer).size == (1280, 720)
    assert '- @e1: heading "Example Domain" (level: 1)' in answer
    result = agent.world.run(lambda: agent.client.call_tool("browser.screenshot", {}))
    assert [part.type for part in result.content] == ["image", "text"]
    assert "@e1" not in agent("browser.screenshot", includeAccessibilityTree=False)


def test_screenshot_selector(agent: Agent) -> None:
    show(agent, "<div id=box style='width: 120px; height: 80px; background: red'></div>")
    shot = picture(agent("browser.screenshot", selector="#box"))
    assert shot.size == (120, 80)
    red, green, blue = shot.convert("RGB").crop((60, 40, 61, 41)).tobytes()
    assert red > 200 > 60 > max(green, blue)
    assert agent("browser.screenshot", selector="#none").is_error


def test_screenshot_full_page(agent: Agent) -> None:
    show(agent, "<div style='height: 3000px'>tall</div>")
    width, height = picture(agent("browser.screenshot", fullPage=True)).size
    assert height == 2000
    assert width < 1280


async def test_screenshot_vision_optimization() -> None:
    noise = Image.effect_noise((4000, 1000), 200)
    buffer = io.BytesIO()
    noise.save(buffer, "PNG")
    plain = Bounds(side=2000, size=MAX_BYTES, qualities=QUALITIES)
    best = await scaled(buffer.getvalue(), plain)
    assert Image.open(io.BytesIO(best)).size == (2000, 500)
    assert QUALITIES[0] == 85
    assert QUALITIES[-1] == 35
    sizes = [len(await scaled(buffer.getvalue(), Bounds(side=2000, qualities=(quality,)))) for quality in QUALITIES]
    assert len(best) == sizes[0]
    for quality, size in zip(QUALITIES, sizes, strict=True):
        small = await scaled(buffer.getvalue(), Bounds(side=2000, size=size, qualities=QUALITIES))
        assert len(small) <= size, quality
    tiny = await scaled(buffer.getvalue(), Bounds(side=2000, size=20_000, qualities=QUALITIES))
    assert len(tiny) <= 20_000


def test_click_example(agent: Agent) -> None:
    show(agent, "<form action='/plain'><button id=submit>Submit</button></form>")
    answer = example(
        agent,
        {
            "name": "browser.click",
            "arguments": {"selector": "button#submit", "waitForNavigation": True, "timeout": 5000},
        },
    )
    assert answer.text.splitlines()[0] == "Clicked element: button#submit"
    assert "/plain" in agent("browser.evaluate", script="return location.href")


def test_click_by_ref_from_snapshot(agent: Agent) -> None:
    show(agent, "<h1>One</h1><p>Two</p><button onclick=\"document.title = 'clicked'\">Three</button>")
    assert '- @e3: button "Three"' in agent("browser.snapshot")
    answer = example(agent, {"name": "browser.click", "arguments": {"selector": "@e3"}})
    assert answer.text == "Clicked element: @e3"
    assert agent("browser.evaluate", script="return document.title").text == "clicked"
    assert not agent("browser.click", selector="@e1").is_error
    gone = agent("browser.click", selector="@e4")
    assert gone.is_error
    assert "It has @e1 to @e3" in gone


def test_click_by_ref_from_snapshot__of_an_element_that_is_gone(agent: Agent) -> None:
    show(agent, "<button onclick='this.remove()'>Away</button>")
    agent("browser.snapshot")
    agent("browser.click", selector="@e1")
    answer = agent("browser.click", selector="@e1")
    assert answer.is_error
    assert answer.text.startswith("NotFound: ")
    assert "browser_" not in answer.text


def test_click_empty_selector(agent: Agent) -> None:
    assert code(agent, "browser.click", selector=" ") == -32602
    assert code(agent, "browser.click") == -32602
    assert code(agent, "browser.click", selector="##") == -32602


def test_click_element_not_found(agent: Agent) -> None:
    show(agent, "<script>setTimeout(() => { document.body.innerHTML = '<button id=late>Late</button>' }, 200)</script>")
    assert not agent("browser.click", selector="#late").is_error
    answer = agent("browser.click", selector="#none", timeout=100)
    assert answer.is_error
    assert answer.text.startswith("NotFound: No element matches the selector '#none' after 0.1 s.")


def test_click_wait_for_navigation(agent: Agent) -> None:
    show(
        agent, "<button onclick=\"setTimeout(() => location.href = '/plain', 300)\">Later</button><button>Not</button>"
    )
    assert "Now at" in agent("browser.click", selector="text=Later", waitForNavigation=True)
    show(agent, "<button>Not</button>")
    answer = agent("browser.click", selector="text=Not", waitForNavigation=True, timeout=200)
    assert answer.is_error
    assert answer.text.startswith("Timeout: ")


def test_click_example__of_a_link_that_nobody_answers(agent: Agent) -> None:
    show(agent, "<a href=/hold/click>Go</a>")
    answer = agent("browser.click", selector="text=Go", timeout=300)
    assert answer.is_error
    assert answer.text.startswith("Timeout: text=Go was clicked, and the next page did not load within 0.3 s.")
    agent.run(lambda: agent.site.release("click"))


def test_click_example__that_opens_a_tab_or_a_dialog(agent: Agent) -> None:
    show(agent, "<button onclick='alert(1)'>Alert</button><a href=/plain target=_blank>New</a>")
    assert 'An alert dialog "1" was accepted.' in agent("browser.click", selector="text=Alert")
    assert "is the current one" in agent("browser.click", selector="text=New")
    assert "/plain" in agent("browser.evaluate", script="location.href")


def test_fill_example(agent: Agent) -> None:
    show(
        agent,
        "<input id=username><input id=secret type=password><input id=box type=checkbox>"
        "<select id=s><option>A<option>B</select>",
    )
    answer = example(
        agent,
        {
            "name": "browser.fill",
            "arguments": {"selector": "input#username", "value": "john.doe@example.com", "clearFirst": True},
        },
    )
    assert answer.text == 'Filled input#username with "john.doe@example.com"'
    assert agent("browser.fill", selector="#secret", value="hunter2").text == "Filled #secret with a password"
    agent("browser.fill", selector="#box", value="true")
    agent("browser.fill", selector="#s", value="B")
    script = "return [username.value, secret.value, box.checked, s.value].join()"
    assert agent("browser.evaluate", script=script).text == "john.doe@example.com,hunter2,true,B"


def test_fill_clear_first(agent: Agent) -> None:
    show(agent, "<input id=username value=one>")
    agent("browser.fill", selector="#username", value="two", clearFirst=False)
    assert agent("browser.evaluate", script="return username.value").text == "onetwo"
    agent("browser.fill", selector="#username", value="three")
    assert agent("browser.evaluate", script="return username.value").text == "three"


def test_snapshot_example(agent: Agent) -> None:
    show(agent, EXAMPLE)
    answer = example(agent, {"name": "browser.snapshot", "arguments": {"interactiveOnly": False, "compact": True}})
    assert answer.text.splitlines() == [
        f"[Snapshot of {agent.site.url.partition('//')[2]}]",
        '- @e1: heading "Example Domain" (level: 1)',
        '- @e2: paragraph "This domain is for use in illustrative examples..."',
        '- @e3: link "More information..." → https://www.iana.org/domains/example',
    ]


def test_snapshot_interactive_only(agent: Agent) -> None:
    show(agent, EXAMPLE + "<input type=checkbox checked disabled>")
    answer = example(agent, {"name": "browser.snapshot", "arguments": {"interactiveOnly": True, "compact": True}})
    assert answer.text.splitlines()[1:] == [
        '- @e1: link "More information..." → https://www.iana.org/domains/example',
        "- @e2: checkbox (checked, disabled)",
    ]


def test_snapshot_compact(agent: Agent) -> None:
    show(agent, "<ul><li><a href=/x>Go</a></li></ul><fieldset><p></p></fieldset>")
    small, large = agent("browser.snapshot").text, agent("browser.snapshot", compact=False).text
    assert "listitem" not in small
    assert "listitem" in large
    assert len(large) > len(small)


def test_snapshot_scoped_by_selector(agent: Agent) -> None:
    show(agent, "<h1>Top</h1><nav><a href=/x>Go</a></nav>")
    answer = agent("browser.snapshot", selector="nav")
    assert '- @e2: link "Go"' in answer
    assert "Top" not in answer


def test_click_by_ref_from_snapshot__names_no_refs_of_other_tools(agent: Agent) -> None:
    show(agent, "<button>One</button><button>One more</button>")
    agent("browser.snapshot")
    agent("browser.evaluate", script="document.querySelector('button').remove()")
    gone = agent("browser.click", selector="@e1").text
    assert gone.startswith(
        "NotFound: Element 'One button' no longer exists. Similar elements on page: button 'One more'."
    )
    assert 'button "One more" takes no text' in agent("browser.fill", selector="button", value="x")


def test_scroll_example(agent: Agent) -> None:
    show(agent, "<div style='height: 5000px; width: 5000px'></div>")
    answer = example(agent, {"name": "browser.scroll", "arguments": {"direction": "down", "pixels": 500}})
    assert answer.text == "Scrolled down by 500 pixels"
    assert agent("browser.evaluate", script="return Math.round(scrollY)").text == "500"


def test_scroll_directions(agent: Agent) -> None:
    show(agent, "<div style='height: 5000px; width: 5000px'></div>")
    for direction in ("right", "down", "down", "up", "right", "left"):
        assert agent("browser.scroll", direction=direction).text == f"Scrolled {direction} by 300 pixels"
    assert agent("browser.evaluate", script="return [scrollX, scrollY].map(Math.round).join()").text == "300,300"


def test_scroll_directions__to_the_end(agent: Agent) -> None:
    show(
        agent,
        "<div style='height: 1500px'></div><div id=box style='height: 99px; overflow: auto'><p style='height: 300px'>",
    )
    assert "further" not in agent("browser.scroll", direction="down", pixels=100)
    end = agent("browser.scroll", direction="down", pixels=5000)
    assert re.match(r"Scrolled down by \d{3,4} of 5000 pixels\nIt can't be scrolled further down", end.text)
    assert "It can't be scrolled further left" in agent("browser.scroll", direction="left")
    assert "further" not in agent("browser.scroll", direction="down", pixels=50, selector="#box")
    assert "It can't be scrolled further up" in agent("browser.scroll", direction="up", pixels=90, selector="#box")


def test_scroll_specific_element(agent: Agent) -> None:
    show(agent, "<div id=box style='height: 100px; overflow: auto'><p style='height: 2000px'>long</p></div>")
    agent("browser.scroll", direction="down", pixels=200, selector="#box")
    assert agent("browser.evaluate", script="return [Math.round(box.scrollTop), scrollY].join()").text == "200,0"


def test_evaluate_example(agent: Agent) -> None:
    agent("browser.navigate", url=page(agent, "", title="Example Domain"))
    answer = example(agent, {"name": "browser.evaluate", "arguments": {"script": "return document.title"}})
    assert answer.text == "Example Domain"


def test_evaluate_args(agent: Agent) -> None:
    show(agent, "")
    assert agent("browser.evaluate", script="return args[0] + args[1].b", args=[1, {"b": 2}]).text == "3"
    assert agent("browser.evaluate", script="(a, b) => a + b", args=["x", "y"]).text == "xy"
    assert agent("browser.evaluate", script="const args = [7]; return args[0]").text == "7"


@pytest.mark.parametrize(
    "script",
    [
        "eval('1')",
        "return eval ('1')",
        "new Function('return 1')()",
        "return document.cookie",
        "return document['cookie']",
        "localStorage.getItem('x')",
        "window.sessionStorage.x",
    ],
)
def test_evaluate_security_restrictions(agent: Agent, script: str) -> None:
    assert code(agent, "browser.evaluate", script=script) == -32002


def test_evaluate_security_restrictions__sandbox(make_agent: MakeAgent) -> None:
    agent = make_agent(toolset=("vision",), evaluate_in="sandbox")
    show(agent, "<p>text</p><script>var secret = 1; document.querySelector = () => 'tricked'</script>")
    assert agent("browser.evaluate", script="return document.querySelector('p').textContent").text == "text"
    assert agent("browser.evaluate", script="return typeof secret").text == "undefined"
    agent("browser.evaluate", script="globalThis.mine = 1; return 1")
    assert agent("browser.evaluate", script="return typeof mine").text == "number"


def test_close_example(agent: Agent) -> None:
    agent("browser.navigate", url=page(agent, ""), sessionId="my-session")
    answer = example(agent, {"name": "browser.close", "arguments": {"sessionId": "my-session", "graceful": True}})
    assert answer.text == "Closed session: my-session"
    again = agent("browser.close", sessionId="my-session")
    assert again.is_error
    assert again.text.startswith("NotFound: ")


def test_close_all(agent: Agent) -> None:
    for name in ("a", "b"):
        agent("browser.navigate", url=page(agent, ""), sessionId=name)
    assert agent("browser.close").text == "Closed sessions: a, b"
    assert agent("browser.close").text == "No session is open."


@pytest.mark.parametrize("graceful", [True, False])
def test_close_graceful(agent: Agent, graceful: bool) -> None:
    show(agent, "<script>var later = () => new Promise((done) => setTimeout(done, 600, 'done'))</script>")
    answers: list[Answer] = []
    begun = f"/asked-{graceful}"
    script = f"await fetch({begun!r}); return later()"
    call = threading.Thread(target=lambda: answers.append(agent("browser.evaluate", script=script)))
    call.start()
    agent.world.run(lambda: agent.site.wait_request(begun))
    assert agent("browser.close", graceful=graceful).text == "Closed session: default"
    call.join()
    assert answers[0].text == (
        "done" if graceful else "NotFound: The session was closed during the call. Call again: it begins anew."
    )


def test_automatic_session_creation(agent: Agent) -> None:
    agent("browser.navigate", url=page(agent, "<p>mine</p>"), sessionId="my-session")
    assert "mine" in agent("browser.screenshot", sessionId="my-session")
    assert "mine" in agent("browser.snapshot")
    assert "mine" not in agent("browser.snapshot", sessionId="another")


def test_session_timeout() -> None:
    assert Config().idle_timeout == 30 * 60


def test_session_isolation(make_agent: MakeAgent) -> None:
    first, second = make_agent(toolset=("vision",)), make_agent(toolset=("vision",))
    first("browser.navigate", url=page(first, "<p>mine</p>"), sessionId="same")
    assert "mine" not in second("browser.snapshot", sessionId="same")


def test_allow_shared_sessions(world: World, make_agent: MakeAgent) -> None:
    first = make_agent(toolset=("vision",), allow_shared_sessions=True)
    second = make_agent(toolset=("vision",), allow_shared_sessions=True, sessions=first.sessions)
    first("browser.navigate", url=page(first, "<p>mine</p>"), sessionId="same")
    assert "mine" in second("browser.snapshot", sessionId="same")
    assert "mine" not in second("browser.snapshot", sessionId="default")
    assert second("browser.close").text == "Closed sessions: default, same"
    assert "mine" not in first("browser.snapshot", sessionId="same")


def test_error_codes(agent: Agent) -> None:
    assert code(agent, "browser.unknown") == -32001
    assert code(agent, "unknown") == -32601
    assert code(agent, "browser.scroll", direction="sideways") == -32602
    assert code(agent, "browser.scroll", distance=1) == -32602


def test_error_codes__names_and_defaults() -> None:
    tools = {name: describe(tool).input_schema for name, tool in offered(["vision"], []).items()}
    defaults = {
        name: {key: value.get("default") for key, value in schema["properties"].items()}
        for name, schema in tools.items()
    }
    assert defaults == {
        "browser.navigate": {"url": None, "waitUntil": "load", "timeout": 30000, "sessionId": None},
        "browser.screenshot": {
            "selector": None, "fullPage": False, "includeAccessibilityTree": True, "sessionId": None,
        },
        "browser.click": {"selector": None, "waitForNavigation": False, "timeout": 5000, "sessionId": None},
        "browser.fill": {"selector": None, "value": None, "clearFirst": True, "sessionId": None},
        "browser.snapshot": {"selector": None, "interactiveOnly": False, "compact": True, "sessionId": None},
        "browser.scroll": {"direction": "down", "pixels": 300, "selector": None, "sessionId": None},
        "browser.evaluate": {"script": None, "args": None, "sessionId": None},
        "browser.close": {"sessionId": None, "graceful": True},
    }  # fmt: skip
