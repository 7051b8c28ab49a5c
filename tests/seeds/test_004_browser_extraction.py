"""Seed 004, every tool under its own name: data out of pages, as objects."""

import base64
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from mcp_types import TextContent
from PIL import Image

from bidi_server.browser.pattern import Pattern
from bidi_server.browser.sessions.rate import Rate
from bidi_server.config import Config
from bidi_server.errors import InvalidParametersError, RateLimitError
from bidi_server.server import describe
from bidi_server.tools.base import offered
from tests.support.har import Archive
from tests.support.world import Agent, Answer

MakeAgent = Callable[..., Agent]

PROGRAMS = """
<div class="program-card program-item"><a href="/program/1"><h2 class="title program-title"> Förderung A </h2></a>
<p class="description">Money</p><span class=region>Bayern</span></div>
<div class="program-card program-item"><a href="/program/2"><h2 class="title program-title">Förderung B</h2></a>
<p class="description">More</p><span class=region>Berlin</span></div>
<section class="legal-requirements"><h2>Requirements</h2><ul><li> Be small </li><li>Be new</li></ul></section>
<button class="next-page-button next-page">Next</button>"""


class Browsing:
    """A client with one session of the toolset."""

    def __init__(self, agent: Agent, **options: object) -> None:
        self.agent = agent
        self.site = agent.site
        answer = agent("create_browser_session", **options)
        assert not answer.is_error, answer.text
        self.session = str(answer.data["session_id"])

    def __call__(self, tool: str, **arguments: object) -> Answer:
        """Call a tool in the session. Its text is always the JSON of its data."""
        answer = self.agent(tool, **{"session_id": self.session, **arguments})
        assert json.loads(answer.text) == answer.data
        return answer

    def get(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Return the result of a call that must go well."""
        answer = self(tool, **arguments)
        assert not answer.is_error, answer.text
        return answer.data

    def fail(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Return the error of a call that must go wrong."""
        answer = self(tool, **arguments)
        assert answer.is_error, answer.text
        assert list(answer.data) == ["error"]
        return answer.data["error"]

    def url(self, body: str, *, title: str = "Test") -> str:
        """Make a page and return its address."""
        return self.agent.run(lambda: self.site.html(body, title=title))

    def show(self, body: str) -> dict[str, Any]:
        """Go to a page with this body."""
        return self.get("navigate", url=self.url(body))

    def js(self, script: str) -> object:
        """Return what a script gives."""
        return self.get("execute_js", script=script)["result"]


@pytest.fixture
def agent(make_agent: MakeAgent) -> Agent:
    """A client of a server with this toolset only."""
    return make_agent(toolset=("extract",), rate_limit=0)


@pytest.fixture
def browsing(agent: Agent) -> Browsing:
    """A client with a session."""
    return Browsing(agent)


def test_create_browser_session(agent: Agent) -> None:
    answer = agent("create_browser_session", viewport={"width": 1920, "height": 1080})
    assert answer.data["status"] == "ready"
    assert len(answer.data["session_id"]) == 36
    browsing = Browsing(agent)
    assert [each["session_id"] for each in browsing.get("list_browser_sessions")["sessions"]] == [browsing.session]
    assert len(agent("list_browser_sessions").data["sessions"]) == 2


def test_create_browser_session_options(agent: Agent) -> None:
    browsing = Browsing(agent, headless=True, viewport={"width": 700, "height": 500}, userAgent="Mine/1.0")
    browsing.show("")
    assert browsing.js("[innerWidth, innerHeight, navigator.userAgent]") == [700, 500, "Mine/1.0"]
    assert (
        "Mine/1.0" in browsing.get("get_text")["text"] or browsing.site.requests[-1].headers["user-agent"] == "Mine/1.0"
    )
    assert Browsing(agent).js("innerWidth") == 1280
    assert agent("create_browser_session", headless="maybe").data["error"]["code"] == "INVALID_PARAMETER"


def test_create_browser_session_emulation(agent: Agent) -> None:
    browsing = Browsing(
        agent,
        locale="de-DE",
        timezone="Asia/Tokyo",
        geolocation={"latitude": 48.1, "longitude": 11.5},
        device_scale_factor=2,
    )
    browsing.show("")
    assert browsing.js("[navigator.language, (1.5).toLocaleString(), devicePixelRatio]") == ["de-DE", "1,5", 2]
    assert browsing.js("new Date().getTimezoneOffset()") == -540
    where = "new Promise((done) => navigator.geolocation.getCurrentPosition((at) => done(at.coords.latitude), done))"
    assert browsing.js(where) == 48.1
    wrong = agent("create_browser_session", timezone="No/Where").data["error"]
    assert wrong["code"] == "INVALID_PARAMETER"
    assert len(agent("list_browser_sessions").data["sessions"]) == 1


def test_create_browser_session_emulation__of_a_phone(agent: Agent) -> None:
    browsing = Browsing(agent, mobile=True, touch=True, viewport={"width": 400, "height": 800})
    browsing.show("<script>document.head.innerHTML += '<meta name=viewport content=width=device-width>'</script>")
    assert browsing.js("[navigator.maxTouchPoints > 0, document.documentElement.clientWidth]") == [True, 400]


def test_create_browser_session_profile(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(toolset=("extract",), profile_dir=tmp_path / "profiles", rate_limit=0)
    first = Browsing(agent, profile="work")
    url = first.url("")
    first.get("navigate", url=url)
    first.js("document.cookie = 'login=yes; max-age=1000'")
    first.js("localStorage.kept = 'yes'")
    in_use = agent("create_browser_session", profile="work").data["error"]
    assert in_use["code"] == "LIMIT_REACHED"
    first.get("close_browser_session")
    second = Browsing(agent, profile="work")
    second.get("navigate", url=url)
    assert second.js("[document.cookie, localStorage.kept]") == ["login=yes", "yes"]
    assert agent("create_browser_session", profile="../out").data["error"]["code"] == "INVALID_PARAMETER"
    assert [folder.name for folder in (tmp_path / "profiles").iterdir()] == [f"{agent.config.browser}-work"]


def test_create_browser_session_proxy(agent: Agent) -> None:
    refused = agent("create_browser_session", proxy={"server": "what://x"}).data["error"]
    assert refused["code"] == "INVALID_PARAMETER"
    browsing = Browsing(agent, proxy={"server": "http://127.0.0.1:9"})
    assert browsing.fail("navigate", url="http://example.test/")["code"] == "NAVIGATION_FAILED"


def test_close_browser_session(browsing: Browsing) -> None:
    assert browsing.get("close_browser_session") == {"status": "closed"}
    assert browsing.fail("close_browser_session")["code"] == "SESSION_NOT_FOUND"


def test_navigate(browsing: Browsing) -> None:
    url = browsing.url("", title="Page Title")
    assert browsing.get("navigate", url=url) == {"url": url, "title": "Page Title", "status": 200}
    missing = browsing.get("navigate", url=browsing.site.url_for("/status/404"))
    assert missing["status"] == 404
    assert browsing.get("navigate", url="about:blank")["status"] is None
    assert browsing.fail("navigate", url="http://127.0.0.1:9/")["code"] == "NAVIGATION_FAILED"
    assert browsing.fail("navigate", url="")["code"] == "INVALID_PARAMETER"


def test_navigate_wait_until(browsing: Browsing) -> None:
    slow = browsing.site.url_for("/hold/extract")
    url = browsing.url(f"<img src={slow!r} alt=slow>")
    assert browsing.get("navigate", url=url, wait_until="domcontentloaded")["status"] == 200
    assert browsing.js("document.readyState") == "interactive"
    late = browsing.fail("navigate", url=url, timeout=300)
    assert late["code"] == "TIMEOUT"
    browsing.agent.run(lambda: browsing.site.release("extract"))
    fetching = "fetch('/text').then(() => { document.title = 'all' })"
    page = browsing.url(f"<script>onload = () => setTimeout(() => {fetching}, 50)</script>")
    assert browsing.get("navigate", url=page, wait_until="networkidle")["title"] == "all"


@pytest.mark.parametrize(
    "example",
    [
        {"name": "click", "arguments": {"session_id": "abc-123", "selector": "button.submit"}},
        {
            "name": "scroll",
            "arguments": {"session_id": "abc-123", "direction": "to_element", "selector": ".program-list"},
        },
        {
            "name": "find_elements",
            "arguments": {
                "session_id": "abc-123",
                "query": {"text": "Förder", "attributes": {"class": "program-title"}},
            },
        },
        {"name": "wait_for", "arguments": {"condition": "selector", "target": ".program-list"}},
        {"name": "wait_for", "arguments": {"condition": "network_idle"}},
        {"name": "wait_for", "arguments": {"condition": "timeout", "timeout": 2000}},
    ],
)
def test_examples_of_the_tools(agent: Agent, example: dict[str, Any]) -> None:
    browsing = Browsing(agent, session_id="abc-123")
    browsing.show(f"<button class=submit>Send</button>{PROGRAMS}<ul class=program-list></ul>")
    browsing.get(example["name"], **example["arguments"])


def test_go_back(browsing: Browsing) -> None:
    first = browsing.url("", title="First")
    browsing.get("navigate", url=first)
    browsing.show("second")
    back = browsing.get("go_back")
    assert (back["url"], back["title"]) == (first, "First")
    while browsing.js("history.length > 1 && location.href !== 'about:blank'") and not browsing("go_back").is_error:
        pass
    assert browsing.fail("go_back")["code"] == "NAVIGATION_FAILED"


def test_reload(browsing: Browsing) -> None:
    path = "/counted.js"
    browsing.agent.run(
        lambda: browsing.site.serve(
            "1", path=path, content_type="text/javascript", headers={"cache-control": "max-age=999"}
        )
    )
    # Firefox counts a frame that may not be one as a failure of the page.
    browsing.show(f"<script src={path}></script><p>text</p><iframe src=/unframed></iframe>")
    browsing.js("document.querySelector('p').remove()")

    def count() -> int:
        return sum(request.path == path for request in browsing.site.requests)

    before = count()
    assert browsing.get("reload")["status"] == 200
    assert browsing.get("get_text")["text"] == "text"
    browsing.get("reload", ignore_cache=True)
    assert count() > before


def test_click(browsing: Browsing) -> None:
    browsing.show("<button class=submit onclick='document.title = 1'>Send</button>")
    done = browsing.get("click", selector="button.submit")
    assert (done["status"], done["element"]) == ("clicked", 'button "Send"')
    assert browsing.js("document.title") == "1"
    browsing.show("<button onclick=\"document.title = confirm('Sure?')\">Ask</button>")
    assert browsing.get("click", selector="button")["events"] == ['A confirm dialog "Sure?" was dismissed.']
    browsing.show("<button disabled>Not</button>")
    assert browsing.fail("click", selector="button")["code"] == "ELEMENT_NOT_ACTIONABLE"


def test_click_waits_for_the_selector(browsing: Browsing) -> None:
    later = "setTimeout(() => { document.body.innerHTML = '<button>Late</button>' }, 200)"
    browsing.show(f"<script>{later}</script>")
    assert browsing.get("click", selector="button")["status"] == "clicked"
    error = browsing.fail("click", selector=".none", timeout=100)
    assert error["details"] == {"selector": ".none", "timeout": 100}
    assert browsing.fail("click", selector=".none", wait_for_selector=False)["code"] == "SELECTOR_NOT_FOUND"


def test_type_text(browsing: Browsing) -> None:
    browsing.show("<input id=a value=old oninput='window.count = (window.count ?? 0) + 1'>")
    browsing.get("type_text", selector="#a", text="new")
    assert browsing.js("a.value") == "new"
    browsing.get("type_text", selector="#a", text="er", clear_first=False, delay=20)
    assert browsing.js("[a.value, window.count]") == ["newer", 5]
    browsing.get("type_text", selector="#a", text="")
    assert browsing.js("a.value") == ""


def test_scroll(browsing: Browsing) -> None:
    browsing.show("<div style='height: 4000px'></div><p class=program-list>End</p>")
    assert browsing.get("scroll", direction="down", pixels=500)["scrollY"] == 500
    assert browsing.get("scroll", direction="up", pixels=200)["scrollY"] == 300
    assert browsing.get("scroll")["scrollY"] == 300 + round(720 * 0.8)
    bottom = browsing.get("scroll", direction="to_bottom")
    assert bottom["scrollY"] == bottom["maxScrollY"]
    browsing.get("scroll", direction="up", pixels=5000)
    assert browsing.get("scroll", direction="to_element", selector=".program-list")["scrollY"] > 3000
    assert browsing.fail("scroll", direction="to_element")["code"] == "INVALID_PARAMETER"


def test_select_option_press_key_upload_file(browsing: Browsing, tmp_path: Path) -> None:
    browsing.show(
        "<select id=s><option>A<option>B</select>"
        "<input id=i onkeydown='document.title = event.key'><input id=f type=file>"
    )
    browsing.get("select_option", selector="#s", values=["B"])
    browsing.get("click", selector="#i")
    browsing.get("press_key", key="Enter")
    folder = browsing.agent.config.output_dir
    folder.mkdir()
    (folder / "data.txt").write_text("data")
    browsing.get("upload_file", selector="#f", path=str(folder / "data.txt"))
    browsing.get("upload_file", selector="#f", path=["data.txt"])
    assert browsing.js("[s.value, document.title, f.files[0].name]") == ["B", "Enter", "data.txt"]
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    for path in ("missing.txt", "link.txt", "../secret.txt", str(tmp_path / "secret.txt"), "/etc/passwd"):
        assert browsing.fail("upload_file", selector="#f", path=path)["code"] == "INVALID_PARAMETER", path


def test_select_option_press_key_upload_file__from_other_folders(make_agent: MakeAgent, tmp_path: Path) -> None:
    browsing = Browsing(make_agent(toolset=("extract",), upload_dirs=(tmp_path,)))
    (tmp_path / "mine.txt").write_text("mine")
    browsing.show("<input id=f type=file>")
    browsing.get("upload_file", selector="#f", path=str(tmp_path / "mine.txt"))
    assert browsing.js("f.files[0].name") == "mine.txt"


@pytest.mark.parametrize(
    ("script", "result"),
    [
        (
            "Array.from(document.querySelectorAll('.program-title'))\n  .map(el => el.textContent.trim())",
            ["Förderung A", "Förderung B"],
        ),
        (
            """Array.from(document.querySelectorAll('.program-card')).map(card => ({
  title: card.querySelector('.title')?.textContent,
  description: card.querySelector('.description')?.textContent,
}))""",
            [
                {"title": " Förderung A ", "description": "Money"},
                {"title": "Förderung B", "description": "More"},
            ],
        ),
        ("document.querySelector('.next-page-button') !== null", True),
        (
            "({\n  scrollHeight: document.documentElement.scrollHeight > 0,\n  scrollY: window.scrollY\n})",
            {"scrollHeight": True, "scrollY": 0},
        ),
        ("undefined", None),
        ("Promise.resolve([1, null, 'x'])", [1, None, "x"]),
        ("new Date(0)", "1970-01-01T00:00:00.000Z"),
        ("// a comment\nreturn 5;", 5),
        ("async () => 7", 7),
        ("let i = 0;\nwhile (i++ < 3);", None),
        ("({text: 'a\\ud83d', pair: '\\ud83d\\ude00'})", {"text": "a\ufffd", "pair": "\U0001f600"}),
    ],
)  # fmt: skip
def test_execute_js(browsing: Browsing, script: str, result: object) -> None:
    browsing.show(PROGRAMS)
    assert browsing.js(script) == result


def test_execute_js_errors(browsing: Browsing) -> None:
    browsing.show("")
    for script in ("boom()", "return (", "window", "throw new Error('x')", "10n"):
        assert browsing.fail("execute_js", script=script)["code"] == "JS_EXECUTION_ERROR", script
    thrown = browsing.fail("execute_js", script="function inner() {\n  throw new Error('in') }\nreturn inner()")
    assert thrown["details"] == {"line": 2, "column": 9, "stack": ["inner"]}


@pytest.mark.parametrize("script", ["const a = 1;\nreturn a +;", "// rows\n/* all */ return [1;", "if (1) { throw ] }"])
def test_execute_js_errors__in_statements(browsing: Browsing, script: str) -> None:
    browsing.show("")
    message = browsing.fail("execute_js", script=script)["message"]
    assert "SyntaxError" in message
    assert not re.search("const|return|keyword|'if'", message)


@pytest.mark.parametrize("script", ["args[0].a + args[1]", "return args[0].a + args[1]", "(one, two) => one.a + two"])
def test_execute_js__with_arguments(browsing: Browsing, script: str) -> None:
    browsing.show("")
    assert browsing.get("execute_js", script=script, args=[{"a": 3}, 4])["result"] == 7


def test_get_text__of_json(browsing: Browsing) -> None:
    browsing.get("navigate", url=browsing.site.url_for("/json"))
    assert json.loads(browsing.get("get_text")["text"])["rooms"] == [1, 2, 3]
    assert browsing.js("fetch('/json').then((got) => got.status)") == 200


def test_get_html(browsing: Browsing) -> None:
    browsing.show("<div class='content'><b>x</b></div>")
    assert browsing.get("get_html", selector=".content") == {"html": '<div class="content"><b>x</b></div>'}
    assert browsing.get("get_html", selector=".content", outer_html=False) == {"html": "<b>x</b>"}
    whole = browsing.get("get_html")["html"]
    assert whole.startswith("<!DOCTYPE html>\n<html")
    assert whole.endswith("</html>")
    assert browsing.fail("get_html", selector=".non-existent")["code"] == "SELECTOR_NOT_FOUND"


def test_get_text(browsing: Browsing) -> None:
    browsing.show("<p>Seen</p><p hidden>Not</p><div id=d>Part</div>")
    assert browsing.get("get_text")["text"].split() == ["Seen", "Part"]
    assert browsing.get("get_text", selector="#d") == {"text": "Part"}


def test_get_element_info(browsing: Browsing) -> None:
    style = "position: absolute; left: 100px; top: 200px; width: 150px; height: 40px; box-sizing: border-box"
    browsing.show(
        f'<button class="btn btn-primary" id=submit-btn data-testid=submit style="{style}">Element text</button>'
    )
    info = browsing.get("get_element_info", selector=".btn")
    assert info["boundingBox"] == {"x": 100, "y": 200, "width": 150, "height": 40}
    assert info["attributes"]["class"] == "btn btn-primary"
    assert info["attributes"]["data-testid"] == "submit"
    assert (info["text"], info["isVisible"], info["tagName"]) == ("Element text", True, "BUTTON")
    browsing.js("document.querySelector('button').hidden = true")
    assert browsing.get("get_element_info", selector=".btn")["isVisible"] is False


def test_get_selector_for_point(browsing: Browsing) -> None:
    browsing.show(
        "<div class=container style='padding: 50px'><button class=submit>Submit</button><button>Other</button></div>"
    )
    hit = browsing.get("get_selector_for_point", x=70, y=70)
    assert hit["element_info"] == {"tagName": "BUTTON", "text": "Submit"}
    assert browsing.js(f"document.querySelectorAll({hit['selector']!r}).length") == 1
    assert hit["selector"] == "button.submit"
    assert browsing.fail("get_selector_for_point", x=5000, y=1)["code"] == "INVALID_PARAMETER"


def test_find_elements__passes_over_texts_of_scripts(browsing: Browsing) -> None:
    browsing.show(
        '<style>p { quotes: \'Sold out\' }</style><script type=application/json>{"a": "Sold out"}</script>'
        "<ul class=buy><li>Buy<script>'Sold out'</script> now</li></ul>"
    )
    assert browsing.get("find_elements", query={"text": "sold out"})["total"] == 0
    assert browsing.get("find_elements", query={"text": "sold out", "attributes": {"class": "buy"}})["total"] == 0
    assert browsing.get("get_element_info", selector='text="Buy now"')["tagName"] == "LI"
    error = browsing.fail("wait_for", condition="selector", target="text=Sold out", timeout=200)
    assert error["code"] == "SELECTOR_NOT_FOUND"


def test_find_elements(browsing: Browsing) -> None:
    browsing.show(PROGRAMS)
    found = browsing.get("find_elements", query={"text": "Förder", "attributes": {"class": "program-title"}})
    assert [each["text"] for each in found["elements"]] == ["Förderung A", "Förderung B"]
    assert found["total"] == 2
    assert found["elements"][0]["attributes"] == {"class": "title program-title"}
    one = browsing.get("find_elements", query={"text": "förder"}, limit=1)
    assert (len(one["elements"]), one["total"]) == (1, 2)
    assert browsing.get("find_elements", query={"role": "button"})["elements"][0]["text"] == "Next"
    assert browsing.get("find_elements", query={"role": "Link", "text": "B"})["total"] == 1
    assert browsing.get("find_elements", query={"attributes": {"href": "/program/2"}})["total"] == 1
    assert browsing.get("find_elements", query={"text": "no such text"}) == {"elements": [], "total": 0}
    assert browsing.fail("find_elements", query={})["code"] == "INVALID_PARAMETER"


def test_selectors_are_unique(browsing: Browsing) -> None:
    browsing.show(
        PROGRAMS
        + PROGRAMS
        + """<form id=f1><input name=q><input name=q></form>
        <ul><li>1</li><li>2</li><li><a href=/x>3</a><a href=/x>4</a></li></ul>
        <div id=ember1234><p id=":r1:">generated</p></div><svg><g><circle r=3></circle><circle r=3></circle></g></svg>
        <weird:tag>w</weird:tag><p title='with "quotes" and \\ too'>t</p><p class="w-1/2 md:flex">u</p>
        <my-box></my-box><my-box></my-box><script>for (const host of document.querySelectorAll('my-box'))
        host.attachShadow({mode: 'open'}).innerHTML = '<button>In</button><b>in</b><p><b>in</b></p>'</script>"""
    )
    everything = browsing.get(
        "find_elements", query={"attributes": {}, "text": ""} | {"attributes": {"class": "title"}}
    )
    assert everything["total"] == 4
    for query in (
        {"role": "button"},
        {"text": "generated"},
        {"attributes": {"name": "q"}},
        {"attributes": {"r": "3"}},
        {"role": "link"},
        {"role": "listitem"},
        {"text": "in"},
        {"text": "t"},
        {"text": "u"},
    ):
        found = browsing.get("find_elements", query=query, limit=100)["elements"]
        assert found, query
        for each in found:
            again = browsing.get("get_element_info", selector=each["selector"])
            assert again["selector"] == each["selector"]
            assert again["tagName"].upper() == each["tagName"]
            assert len(each["selector"]) < 120, each
        assert len({each["selector"] for each in found}) == len(found)


def test_selectors_are_unique__and_survive_a_reload(browsing: Browsing) -> None:
    browsing.show(PROGRAMS + PROGRAMS)
    before = browsing.get("find_elements", query={"role": "link"}, limit=100)["elements"]
    browsing.get("reload")
    assert browsing.get("find_elements", query={"role": "link"}, limit=100)["elements"] == before


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        (".a", "One"),
        ("css=.a", "One"),
        ("xpath=//p[2]", "Two bold words"),
        ("//p[2]", "Two bold words"),
        ("(//p)[1]", "One"),
        ("text=BOLD", "bold"),
        ('text="Save"', "Save"),
        ("text='Save all'", "Save all"),
        ("text=two bold", "Two bold words"),
        ("role=button", "Save all"),
        ("role=Button", "Save all"),
        ('role=button[name="Save"]', "Save"),
        ("role=button[name='save all' i]", "Save all"),
        ("role=button[name*=all]", "Save all"),
        ("role=heading", "Top"),
    ],
)
def test_selector_engines(browsing: Browsing, selector: str, text: str) -> None:
    browsing.show(
        "<h1>Top</h1><p class=a>One</p><p>Two <b>bold</b> words</p><button>Save all</button><button>Save</button>"
    )
    assert browsing.get("get_text", selector=selector)["text"] == text


def test_selector_engines__wrong(browsing: Browsing) -> None:
    browsing.show("")
    for selector in ("##", "xpath=//[", "role=[x]", "role=button[name=", "text=", " "):
        assert browsing.fail("get_text", selector=selector)["code"] == "INVALID_PARAMETER", selector


def test_get_network_requests(browsing: Browsing) -> None:
    url = browsing.url("<script>fetch('/json?programs'); fetch('/echo', {method: 'POST', body: 'sent'})</script>")
    browsing.get("navigate", url=url, wait_until="networkidle")
    found = browsing.get("get_network_requests")["requests"]
    assert found[0] == {"url": url, "method": "GET", "status": 200, "resourceType": "document"}
    by_url = browsing.get("get_network_requests", filter={"url_pattern": r"json\?"})["requests"]
    assert [each["resourceType"] for each in by_url] == ["fetch"]
    posts = browsing.get("get_network_requests", filter={"method": "POST"})["requests"]
    assert [each["url"].rpartition("/")[2] for each in posts] == ["echo"]
    assert len(browsing.get("get_network_requests", filter={"resource_type": "document"})["requests"]) == 1
    late = browsing.get("get_network_requests", include_response_body=True)
    assert "from now on" in late["note"]
    assert browsing.fail("get_network_requests", filter={"url_pattern": "("})["code"] == "INVALID_PARAMETER"


def test_enable_request_interception(browsing: Browsing) -> None:
    pattern = ".*json.*"
    assert browsing.get("enable_request_interception", url_pattern=pattern) == {"status": "enabled", "pattern": pattern}
    script = "fetch('/json'); fetch('/image.png'); fetch('/echo?json', {method: 'POST', body: 'sent'})"
    browsing.get("navigate", url=browsing.url(f"<script>{script}</script>"), wait_until="networkidle")
    found = {each["url"].rpartition("/")[2]: each for each in browsing.get("get_network_requests")["requests"]}
    assert json.loads(found["json"]["response_body"])["name"]
    assert found["echo?json"]["request_body"] == "sent"
    assert "response_body" not in found["image.png"]
    picture = browsing.get("get_network_requests", filter={"url_pattern": "png"}, include_response_body=True)[
        "requests"
    ][0]
    assert picture["response_body_encoding"] == "base64"
    assert Image.open(io.BytesIO(base64.b64decode(picture["response_body"]))).format == "PNG"


def test_enable_request_interception_block_and_answer(browsing: Browsing) -> None:
    browsing.show("")
    body = '{"made": "up"}'
    browsing.get(
        "enable_request_interception",
        url_pattern="/api/",
        action="answer",
        status=201,
        headers={"content-type": "application/json"},
        body=body,
    )
    browsing.get("enable_request_interception", url_pattern="/json", action="block")
    assert browsing.js("fetch('/api/x').then(async (got) => [got.status, await got.json()])") == [201, {"made": "up"}]
    other = browsing.site.other_url_for("/api/y")
    assert browsing.js(f"fetch({other!r}).then((got) => got.status)") == 201
    assert browsing.js("fetch('/json').then(() => 'got', () => 'blocked')") == "blocked"
    assert not [request for request in browsing.site.requests if request.path.startswith("/api/")]
    assert browsing.get("disable_request_interception")["status"] == "disabled"
    assert browsing.js("fetch('/json').then(() => 'got', () => 'blocked')") == "got"
    assert browsing.fail("enable_request_interception", url_pattern="[")["code"] == "INVALID_PARAMETER"


@pytest.mark.parametrize("headers", [{"not a name": "1"}, {"x-a:": "1"}, {"x-a": "1\nx-b: 2"}])
def test_enable_request_interception__no_header(browsing: Browsing, headers: dict[str, str]) -> None:
    error = browsing.fail("enable_request_interception", url_pattern="/api", action="answer", headers=headers)
    assert error["code"] == "INVALID_PARAMETER"
    assert "is not a header" in error["message"]


def test_enable_request_interception_block_and_answer__after_a_preflight(browsing: Browsing) -> None:
    browsing.show("")
    browsing.get("enable_request_interception", url_pattern="/api/", action="answer", status=201)
    other = browsing.site.other_url_for("/api/y")
    assert browsing.js(f"fetch({other!r}, {{headers: {{'x-a': '1'}}}}).then((got) => got.status)") == 201


def test_enable_request_interception__of_one_session_only(agent: Agent) -> None:
    first, second = Browsing(agent), Browsing(agent)
    first.get("enable_request_interception", url_pattern=".", action="block")
    assert second.show("free")["status"] == 200
    assert first.fail("navigate", url=first.url(""))["code"] == "NAVIGATION_FAILED"


def test_enable_request_interception__pattern_that_never_ends() -> None:
    assert Pattern("(a+)+$").found_in("a" * 40 + "b") is False
    with pytest.raises(InvalidParametersError):
        Pattern("(")


def size_of(picture: str | io.BytesIO) -> tuple[int, int]:
    """Return the size of a picture in pixels."""
    with Image.open(picture) as opened:
        return opened.size


def test_take_screenshot(browsing: Browsing) -> None:
    browsing.show("<div id=box style='width: 120px; height: 80px; background: red'></div><div style='height: 2000px'>")
    shot = browsing.get("take_screenshot")
    data = base64.b64decode(shot["base64"])
    assert data == Path(shot["path"]).read_bytes()
    assert size_of(io.BytesIO(data)) == (1280, 720)
    element = browsing.get("take_screenshot", selector="#box", format="jpeg", path="box.jpeg")
    assert size_of(element["path"]) == (120, 80)
    assert size_of(browsing.get("take_screenshot", full_page=True)["path"])[1] > 2000


def test_take_screenshot_path(browsing: Browsing, tmp_path: Path) -> None:
    browsing.show("")
    folder = browsing.agent.config.output_dir
    inside = browsing.get("take_screenshot", path=str(folder / "inside.png"))
    assert Path(inside["path"]) == folder / "inside.png"
    assert Path(browsing.get("take_screenshot", path="sub/x.png")["path"]) == folder / "sub" / "x.png"
    (folder / "link").symlink_to(tmp_path)
    for path in ("../out.png", str(tmp_path / "out.png"), "link/out.png"):
        assert browsing.fail("take_screenshot", path=path)["code"] == "INVALID_PARAMETER"
    assert not (tmp_path / "out.png").exists()


def test_take_screenshot_path__its_suffix_is_the_format(browsing: Browsing) -> None:
    browsing.show("")
    for path, kind in (("x.jpg", "JPEG"), ("y.JPEG", "JPEG"), ("z.png", "PNG"), ("none", "PNG")):
        with Image.open(browsing.get("take_screenshot", path=path)["path"]) as picture:
            assert picture.format == kind
    assert browsing.fail("take_screenshot", path="x.jpeg", format="png")["code"] == "INVALID_PARAMETER"
    assert browsing.fail("take_screenshot", path="x.gif")["code"] == "INVALID_PARAMETER"


def test_get_viewport_info(browsing: Browsing) -> None:
    browsing.show("<div style='height: 5000px'></div><style>body { margin: 0 }</style>")
    browsing.get("scroll", pixels=1500)
    info = browsing.get("get_viewport_info")
    assert {key: info[key] for key in ("width", "height", "scrollX", "scrollY", "scrollHeight")} == {
        "width": 1280, "height": 720, "scrollX": 0, "scrollY": 1500, "scrollHeight": 5000,
    }  # fmt: skip


def test_wait_for(browsing: Browsing) -> None:
    later = "setTimeout(() => { document.body.innerHTML = '<p class=program-list>x</p>' }, 200)"
    browsing.show(f"<script>{later}</script>")
    assert browsing.get("wait_for", condition="selector", target=".program-list")["status"] == "done"
    assert browsing.get("wait_for", condition="network_idle")["status"] == "done"
    assert browsing.get("wait_for", condition="timeout", timeout=20)["status"] == "done"
    browsing.show(
        "<a href=/text>Go</a><button onclick=\"setTimeout(() => location.href = '/text', 200)\">Later</button>"
    )
    browsing.get("click", selector="button")
    assert browsing.get("wait_for", condition="navigation")["url"].endswith("/text")
    browsing.show("<a href=/text>Go</a>")
    browsing.get("click", selector="a")
    assert browsing.get("wait_for", condition="navigation")["url"].endswith("/text")
    assert browsing.get("wait_for", condition="navigation", target="/te.t$")["status"] == "done"
    for condition, target in (("selector", ".none"), ("navigation", "never")):
        error = browsing.fail("wait_for", condition=condition, target=target, timeout=100)
        assert error["code"] == ("SELECTOR_NOT_FOUND" if condition == "selector" else "TIMEOUT")
    assert browsing.fail("wait_for", condition="selector")["code"] == "INVALID_PARAMETER"
    assert browsing.fail("wait_for", condition="miracle")["code"] == "INVALID_PARAMETER"


def numbered(browsing: Browsing, count: int, last: str) -> str:
    """Make pages that lead to each other and return the first's address; ``last`` is what the last has for a link."""
    url, following = "", last
    for number in range(count, 0, -1):
        url = browsing.url(f"<p class=item>Item {number}</p>{following}")
        following = f"<a class=next href={url!r}>Next</a>"
    return url


def test_execute_js_on_all_pages(browsing: Browsing) -> None:
    told: list[tuple[float, float | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert message is not None
        if not message.startswith("running for "):  # on a slow machine
            told.append((progress, total))

    browsing.get("navigate", url=numbered(browsing, 3, ""))
    arguments = {
        "session_id": browsing.session,
        "script": "Array.from(document.querySelectorAll('.item')).map((item) => item.textContent)",
        "next_page_selector": ".next",
        "max_pages": 100,
        "wait_between_pages": 10,
    }
    client = browsing.agent.client
    result = browsing.agent.world.run(
        lambda: client.call_tool("execute_js_on_all_pages", arguments, progress_callback=note)
    )
    assert isinstance(result.content[0], TextContent)
    assert result.structured_content == {
        "results": [{"page": number, "data": [f"Item {number}"]} for number in (1, 2, 3)],
        "total_pages": 3,
        "stopped": "no next page",
    }
    assert told == [(1, 100), (2, 100), (3, 100)]


@pytest.mark.parametrize(
    ("last", "stopped"),
    [
        ("<button class=next disabled>Next</button>", "next page is disabled or hidden"),
        ("<a class='next disabled' href='#'>Next</a>", "next page is disabled or hidden"),
        ("<li class=disabled><a class=next href='#'>Next</a></li>", "next page is disabled or hidden"),
        ("<a class=next aria-disabled=true href='#'>Next</a>", "next page is disabled or hidden"),
        ("<a class=next hidden href='#'>Next</a>", "next page is disabled or hidden"),
        ("<a class=next href='#'>Next</a>", "repeated content"),
        ("<button class=next>Does nothing</button>", "repeated content"),
    ],
)
def test_execute_js_on_all_pages_stops(browsing: Browsing, last: str, stopped: str) -> None:
    browsing.get("navigate", url=numbered(browsing, 2, last))
    script = "document.querySelector('.item').textContent"
    found = browsing.get("execute_js_on_all_pages", script=script, next_page_selector=".next", wait_between_pages=0)
    assert [each["data"] for each in found["results"]] == ["Item 1", "Item 2"]
    assert found["stopped"] == stopped


def test_execute_js_on_all_pages_stops__within_one_document(browsing: Browsing) -> None:
    turn = "page++; document.querySelector('p').textContent = 'Item ' + page; this.disabled = page === 4"
    browsing.show(f'<script>let page = 1</script><p>Item 1</p><button onclick="{turn}">Next</button>')
    call = {
        "script": "document.querySelector('p').textContent",
        "next_page_selector": "text=Next",
        "wait_between_pages": 0,
    }
    assert browsing.get("execute_js_on_all_pages", **call)["total_pages"] == 4
    browsing.get("reload")
    assert browsing.get("execute_js_on_all_pages", max_pages=2, **call)["stopped"] == "max_pages"


def test_execute_js_on_all_pages_stops__at_an_error(browsing: Browsing) -> None:
    browsing.get("navigate", url=numbered(browsing, 3, ""))
    script = "if (document.body.textContent.includes('Item 2')) throw new Error('odd'); return 1"
    found = browsing.get("execute_js_on_all_pages", script=script, next_page_selector=".next", wait_between_pages=0)
    assert found["total_pages"] == 1
    assert found["stopped"].startswith('error on page 2: The script threw "Error: odd"')
    browsing.get("navigate", url=numbered(browsing, 1, ""))
    wrong = browsing.fail("execute_js_on_all_pages", script="boom()", next_page_selector=".next")
    assert wrong["code"] == "JS_EXECUTION_ERROR"


def test_execute_js_on_all_pages_stops__where_the_link_is_covered(browsing: Browsing) -> None:
    cover = "<div style='position: fixed; inset: 0; background: white'>Cookies?</div>"
    browsing.get("navigate", url=numbered(browsing, 1, f"<button class=next>Next</button>{cover}"))
    found = browsing.get("execute_js_on_all_pages", script="1", next_page_selector=".next", wait_between_pages=0)
    assert (found["total_pages"], found["results"]) == (1, [{"page": 1, "data": 1}])
    assert "is covered by" in found["stopped"]


def test_execute_js_on_all_pages_stops__where_a_page_hangs(make_agent: MakeAgent) -> None:
    browsing = Browsing(make_agent(toolset=("extract",), action_timeout=1, navigation_timeout=2))
    browsing.get("navigate", url=numbered(browsing, 2, ""))
    script = "while (document.body.textContent.includes('Item 2')) {} return 1"
    found = browsing.get("execute_js_on_all_pages", script=script, next_page_selector=".next", wait_between_pages=0)
    assert found["total_pages"] == 1
    assert found["stopped"].startswith("error on page 2: The page did not react")


@pytest.mark.parametrize(
    ("table", "data"),
    [
        (
            (
                "<tr><th>Name<th>Region<th>Type<tr><td>Program A<td>Bayern<td>Zuschuss"
                "<tr><td>Program B<td>Berlin<td>Darlehen"
            ),
            [
                {"Name": "Program A", "Region": "Bayern", "Type": "Zuschuss"},
                {"Name": "Program B", "Region": "Berlin", "Type": "Darlehen"},
            ],
        ),
        (
            "<tbody><tr><td>1<td>2</tbody><thead><tr><th>A<th>B</thead><tfoot><tr><td>Sum<td>3</tfoot>",
            [{"A": "1", "B": "2"}, {"A": "Sum", "B": "3"}],
        ),
        ("<tr><th>A<th><th>A<tr><td>1<td>2<td>3<td>4", [{"A": "1", "Column 2": "2", "A (2)": "3", "Column 4": "4"}]),
        (
            "<tr><th>A<th>B<th>C<tr><td rowspan=2>1<td colspan=2>2<tr><td>3<td>4",
            [{"A": "1", "B": "2", "C": "2"}, {"A": "1", "B": "3", "C": "4"}],
        ),
        (
            "<thead><tr><th rowspan=2>Name<th colspan=2>Price<tr><th>Net<th>Gross</thead><tr><td>X<td>1<td>2",
            [{"Name": "X", "Price / Net": "1", "Price / Gross": "2"}],
        ),
        (
            "<tr><th>A<th>B<tr><td>1<td><table><tr><td>x<td>y</table><tr><td rowspan=0>2<td>3<tr><td>4",
            [{"A": "1", "B": "x y"}, {"A": "2", "B": "3"}, {"A": "2", "B": "4"}],
        ),
        ("<tr><th>A<tr><td><input value=typed><tr><td><input type=checkbox checked>", [{"A": "typed"}, {"A": "true"}]),
        ("<tr><th>A<tr><td><select><option>x<option selected>y</select>", [{"A": "y"}]),
        ("<tr><th>A<tr><td><img alt=True><tr><td><i role=img aria-label=No></i>", [{"A": "True"}, {"A": "No"}]),
        ("", []),
        ("<tr><th>A", []),
    ],
)
def test_extract_table(browsing: Browsing, table: str, data: list[dict[str, str]]) -> None:
    browsing.show(f"<div id=around><table>{table}</table></div>")
    assert browsing.get("extract_table", selector="#around") == {"data": data, "row_count": len(data)}


def test_extract_table__without_headers(browsing: Browsing) -> None:
    browsing.show("<table><tr><td>a<td>b<tr><td>c<td>d</table><p>no table</p>")
    data = [{"Column 1": "a", "Column 2": "b"}, {"Column 1": "c", "Column 2": "d"}]
    assert browsing.get("extract_table", selector="table", use_first_row_as_headers=False)["data"] == data
    assert browsing.fail("extract_table", selector="p")["code"] == "ELEMENT_NOT_ACTIONABLE"


def test_extract_table__of_roles(browsing: Browsing) -> None:
    row = "<div role=row><span role=gridcell>{}</span><span role=gridcell>{}</span></div>"
    head = "<div role=row><span role=columnheader>A</span><span role=columnheader>B</span></div>"
    browsing.show(f"<div role=grid><div role=rowgroup>{head}</div>{row.format(1, 2)}{row.format(3, 4)}</div>")
    assert browsing.get("extract_table", selector="[role=grid]")["data"] == [{"A": "1", "B": "2"}, {"A": "3", "B": "4"}]


def test_extract_table__keeps_the_order_of_columns(browsing: Browsing) -> None:
    browsing.show("<table><tr><th>Name<th>2024<th>2023<tr><td>a<td>1<td>2</table>")
    assert list(browsing.get("extract_table", selector="table")["data"][0]) == ["Name", "2024", "2023"]


def test_extract_table__of_a_grid_that_draws_what_is_to_be_seen(browsing: Browsing) -> None:
    def row(number: int, role: str, **cells: object) -> str:
        inner = (f"<i role={role} aria-colindex={column[1:]}>{text}</i>" for column, text in cells.items())
        return f"<div role=row aria-rowindex={number}>{''.join(inner)}</div>"

    head, cell = "columnheader", "gridcell"
    still = row(1, head, c1="Key") + row(8, cell, c1="k8") + row(7, cell, c1="k7")
    moving = row(1, head, c3="C", c5="E") + row(8, cell, c5="e8") + row(7, cell, c5="e7", c3="c7")
    browsing.show(f"<div role=grid aria-rowcount=90><div>{still}</div><div>{moving}</div></div>")
    answer = browsing.get("extract_table", selector="[role=grid]")
    assert answer["data"] == [{"Key": "k7", "C": "c7", "E": "e7"}, {"Key": "k8", "C": "", "E": "e8"}]
    assert answer["events"] == ["The page holds 3 of the table's 90 rows: scroll it for the others."]


def test_extract_table__of_rows_that_all_have_one_number(browsing: Browsing) -> None:
    row = "<div role=row aria-rowindex=1><i role=cell aria-colindex=1>{}</i></div>"
    browsing.show(f"<div role=table>{''.join(map(row.format, 'Aab'))}</div>")
    assert browsing.get("extract_table", selector="[role=table]")["data"] == [{"A": "a"}, {"A": "b"}]


def test_extract_table__of_many_rows(browsing: Browsing) -> None:
    browsing.show("<table id=t><tr><th>A</table>")
    browsing.js("t.insertAdjacentHTML('beforeend', '<tr><td>1'.repeat(15000))")
    assert browsing.get("extract_table", selector="table")["row_count"] == 15_000


def test_get_cookies(browsing: Browsing) -> None:
    browsing.show("")
    browsing.js("document.cookie = 'seen=1'")
    browsing.get("navigate", url=browsing.site.url_for("/set-cookie/http-only?name=hidden&value=2"))
    found = {each["name"]: each for each in browsing.get("get_cookies")["cookies"]}
    assert [each for each in found.values() if each["httpOnly"]]
    assert all(each["domain"] == "127.0.0.1" for each in found.values())
    browsing.get("navigate", url=browsing.site.other_url_for("/text"))
    assert browsing.get("get_cookies") == {"cookies": []}


def test_get_cookies__of_one_without_a_name(browsing: Browsing) -> None:
    browsing.show("")
    browsing.js("document.cookie = 'nameless'")
    cookies = browsing.get("get_cookies")["cookies"]
    assert [each["name"] + each["value"] for each in cookies] == ["nameless"], "Firefox calls the text its name"


def test_set_cookies(browsing: Browsing) -> None:
    cookies = [{"name": "session_id", "value": "abc123", "domain": "127.0.0.1"}]
    assert browsing.get("set_cookies", cookies=cookies) == {"status": "set", "count": 1}
    browsing.get("navigate", url=browsing.site.url_for("/cookies"))
    assert "abc123" in browsing.get("get_text")["text"]
    browsing.get("set_cookies", cookies=[{"name": "here", "value": "1", "path": "/cookies"}])
    assert {each["name"] for each in browsing.get("get_cookies")["cookies"]} == {"session_id", "here"}
    for cookie in ({"name": "", "value": "1"}, {"name": "a;b", "value": "1"}):
        assert browsing.fail("set_cookies", cookies=[cookie])["code"] == "INVALID_PARAMETER"


@pytest.mark.parametrize("domain", ["http://127.0.0.1", "127.0.0.1:8080", "example.com/shop"])
def test_set_cookies__for_what_is_no_domain(browsing: Browsing, domain: str) -> None:
    error = browsing.fail("set_cookies", cookies=[{"name": "a", "value": "1", "domain": domain}])
    assert "is not a domain" in error["message"]


def test_set_cookies__without_a_domain(browsing: Browsing) -> None:
    assert browsing.fail("set_cookies", cookies=[{"name": "a", "value": "1"}])["code"] == "INVALID_PARAMETER"


def test_get_local_storage(browsing: Browsing) -> None:
    browsing.show("<script>localStorage.user_prefs = '{}'; localStorage.session_token = 'xyz'</script>")
    assert browsing.get("get_local_storage") == {"data": {"user_prefs": "{}", "session_token": "xyz"}}


def test_get_local_storage__entries_named_like_members_of_storage(browsing: Browsing) -> None:
    names = ["key", "length", "getItem", "setItem", "removeItem", "clear", "constructor", "toString", "__proto__"]
    browsing.show(f"<script>for (const name of {names}) localStorage.setItem(name, 'of ' + name)</script>")
    assert browsing.get("get_local_storage") == {"data": {name: f"of {name}" for name in names}}


def test_error_format(browsing: Browsing) -> None:
    browsing.show("")
    answer = browsing("click", selector=".non-existent", timeout=200)
    assert answer.is_error
    assert answer.data == {
        "error": {
            "code": "SELECTOR_NOT_FOUND",
            "message": "No element matches the selector '.non-existent' after 0.2 s.",
            "details": {"selector": ".non-existent", "timeout": 200},
        }
    }


def test_error_codes(browsing: Browsing) -> None:
    assert browsing.fail("get_text", session_id="wrong")["code"] == "SESSION_NOT_FOUND"
    assert browsing.fail("get_text", session_id=1)["code"] == "INVALID_PARAMETER"
    assert browsing.fail("get_text", selektor="p")["code"] == "INVALID_PARAMETER"
    error = browsing.agent("get_text").data["error"]
    assert error["message"] == "get_text needs the parameter 'session_id'."


def test_maximum_of_sessions(make_agent: MakeAgent) -> None:
    agent = make_agent(toolset=("extract",), max_sessions=1)
    Browsing(agent)
    assert Config().max_sessions == 10
    assert agent("create_browser_session").data["error"]["code"] == "LIMIT_REACHED"


def test_rate_limit(make_agent: MakeAgent) -> None:
    agent = make_agent(toolset=("extract",), rate_limit=2)
    assert Config().rate_limit == 100
    first, second = Browsing(agent), Browsing(agent)
    for _ in range(2):
        first.get("list_tabs")
    error = first.fail("list_tabs")
    assert error["code"] == "RATE_LIMITED"
    assert 50 < error["details"]["retry_after_seconds"] <= 60.1
    second.get("list_tabs")


async def test_rate_limit__in_any_minute(autojump_clock: trio.testing.MockClock) -> None:
    rate = Rate(100)
    for _ in range(100):
        rate.take()
        await trio.sleep(0.3)
    with pytest.raises(RateLimitError, match="Wait 30") as caught:
        rate.take()
    wait = caught.value.details["retry_after_seconds"]
    assert isinstance(wait, float)
    await trio.sleep(wait)
    rate.take()
    with pytest.raises(RateLimitError):
        rate.take()


def test_isolation(agent: Agent, make_agent: MakeAgent) -> None:
    first, second = Browsing(agent), Browsing(agent)
    url = first.url("")
    for each in (first, second):
        each.get("navigate", url=url)
    first.js("document.cookie = 'mine=1'; localStorage.mine = 1")
    assert second.js("[document.cookie, localStorage.mine ?? null]") == ["", None]
    stranger = make_agent(toolset=("extract",))
    assert stranger("get_text", session_id=first.session).data["error"]["code"] == "SESSION_NOT_FOUND"


def test_example_1(agent: Agent) -> None:
    browsing = Browsing(agent, headless=True, viewport={"width": 1920, "height": 1080})
    browsing.get("navigate", url=browsing.url(PROGRAMS), wait_until="networkidle")
    browsing.get("enable_request_interception", url_pattern=".*api.*")
    programs = browsing.js("""
    Array.from(document.querySelectorAll('.program-item')).map(item => ({
      title: item.querySelector('.title')?.textContent.trim(),
      region: item.querySelector('.region')?.textContent.trim(),
      url: item.querySelector('a')?.href
    }))
  """)
    assert programs == [
        {"title": "Förderung A", "region": "Bayern", "url": browsing.site.url_for("/program/1")},
        {"title": "Förderung B", "region": "Berlin", "url": browsing.site.url_for("/program/2")},
    ]
    assert browsing.js("document.querySelector('.next-page') !== null") is True
    browsing.get("close_browser_session")


def test_example_2(browsing: Browsing) -> None:
    browsing.show(PROGRAMS)
    assert "legal-requirements" in browsing.get("get_html")["html"]
    requirements = browsing.js("""
    const section = document.querySelector('.legal-requirements');
    return {
      title: section?.querySelector('h2')?.textContent,
      criteria: Array.from(section?.querySelectorAll('li') || [])
        .map(li => li.textContent.trim())
    }
  """)
    assert requirements == {"title": "Requirements", "criteria": ["Be small", "Be new"]}


def test_example_3(browsing: Browsing) -> None:
    browsing.get("enable_request_interception", url_pattern=".*")
    script = "const asked = new XMLHttpRequest(); asked.open('GET', '/json?api=program'); asked.send()"
    browsing.get("navigate", url=browsing.url(f"<script>{script}</script>"), wait_until="networkidle")
    found = browsing.get(
        "get_network_requests", filter={"resource_type": "xhr", "method": "GET"}, include_response_body=True
    )["requests"]
    assert [each["url"].rpartition("/")[2] for each in found] == ["json?api=program"]
    assert "name" in json.loads(found[0]["response_body"])


def test_multi_tab_support(browsing: Browsing) -> None:
    browsing.show("<a href=/text target=_blank>New</a>")
    assert "A new tab was opened" in browsing.get("click", selector="a")["events"][0]
    tabs = browsing.get("list_tabs")["tabs"]
    assert [tab["active"] for tab in tabs] == [True, False]
    browsing.get("switch_tab", index=1)
    assert browsing.js("location.pathname") == "/text"
    assert len(browsing.get("new_tab", url=browsing.url("third"))["tabs"]) == 3
    assert browsing.get("get_text")["text"] == "third"
    assert len(browsing.get("close_tab")["tabs"]) == 2
    assert browsing.fail("switch_tab", index=9)["code"] == "INVALID_PARAMETER"


def test_download_management(browsing: Browsing) -> None:
    browsing.show("<a href='/download/report.csv'>Report</a>")
    browsing.get("click", selector="a")
    found = browsing.get("get_downloads")["downloads"]
    assert [(each["name"], each["status"]) for each in found] == [("report.csv", "complete")]
    assert Path(found[0]["path"]).is_file()


def test_performance_metrics(browsing: Browsing) -> None:
    browsing.show("<p>text</p>")
    metrics = browsing.get("get_performance_metrics")
    assert metrics["timings"]["load"] > 0
    assert metrics["requests"] >= 1
    assert metrics["transferredBytes"] > 0


def test_har_export(browsing: Browsing) -> None:
    browsing.show("<p>text</p>")
    exported = browsing.get("export_har", path="mine.har")
    archive = Archive.model_validate_json(Path(exported["path"]).read_text())
    assert len(archive.log.entries) == exported["requests"] > 0


def test_error_codes__names_and_defaults_of_the_seed() -> None:
    seed: dict[str, dict[str, object]] = {
        "create_browser_session": {
            "headless": True, "viewport": {"width": 1280, "height": 720}, "userAgent": None, "browser": "chromium",
        },
        "close_browser_session": {"session_id": None},
        "navigate": {"session_id": None, "url": None, "wait_until": "load"},
        "go_back": {"session_id": None},
        "reload": {"session_id": None, "ignore_cache": False},
        "click": {"session_id": None, "selector": None, "wait_for_selector": True, "timeout": 30000},
        "type_text": {"session_id": None, "selector": None, "text": None, "clear_first": True, "delay": 0},
        "scroll": {"session_id": None, "direction": "down", "selector": None, "pixels": None},
        "execute_js": {"session_id": None, "script": None},
        "get_html": {"session_id": None, "selector": None, "outer_html": True},
        "get_text": {"session_id": None, "selector": None},
        "get_element_info": {"session_id": None, "selector": None},
        "get_selector_for_point": {"session_id": None, "x": None, "y": None},
        "find_elements": {"session_id": None, "query": None, "limit": 10},
        "get_network_requests": {"session_id": None, "include_response_body": False},
        "enable_request_interception": {"session_id": None, "url_pattern": None},
        "take_screenshot": {"session_id": None, "selector": None, "full_page": False, "format": "png", "path": None},
        "get_viewport_info": {"session_id": None},
        "wait_for": {"session_id": None, "condition": None, "target": None, "timeout": 30000},
        "execute_js_on_all_pages": {
            "session_id": None, "script": None, "next_page_selector": None, "max_pages": 100,
            "wait_between_pages": 1000,
        },
        "extract_table": {"session_id": None, "selector": None, "use_first_row_as_headers": True},
        "get_cookies": {"session_id": None},
        "set_cookies": {"session_id": None, "cookies": None},
        "get_local_storage": {"session_id": None},
    }  # fmt: skip
    tools = {name: describe(tool) for name, tool in offered(["extract"], []).items()}
    for name, parameters in seed.items():
        properties = tools[name].input_schema["properties"]
        assert {key: properties[key].get("default") for key in parameters} == parameters, name
    assert all(tool.output_schema for tool in tools.values())
