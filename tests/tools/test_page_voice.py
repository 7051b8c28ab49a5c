"""No tool lets a text of a page speak with the server's voice, wherever the page puts it."""

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import get_args

import pytest
import trio
from mcp_types import CallToolResult, ResourceLink, TextContent, TextResourceContents

from bidi_server.attacks.page_voice import HOSTILE, PLACES_OF_SCRIPT, check, hides, page_script, unfenced
from bidi_server.attacks.tcp import open_tcp
from bidi_server.config import Capability
from bidi_server.tools.base import offered
from bidi_server.tools.structured import Answer
from tests.support.world import Agent

CAPABILITIES = get_args(Capability)


def answer_of_raw_server(hostile: str) -> bytes:
    """Return an answer with the text in the status line, in headers and in the body, as far as HTTP has room for it."""
    line = re.sub("[\r\n\0]", " ", hostile)
    body = f"@responseBody@{hostile}"
    head = (
        f"HTTP/1.1 404 @statusText@ {line}\r\nContent-Type: text/plain; charset=utf-8; x=@contentType@{line}\r\n"
        f"X-Answer: @headerValue@ {line}\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n"
        f"Content-Length: {len(body.encode(errors='replace'))}\r\n\r\n"
    )
    return (head + body).encode(errors="replace")


PLACES = {*PLACES_OF_SCRIPT, "statusText", "headerValue", "contentType", "responseBody", "uploadName"}

NEVER_SHOWN = {
    "chromium": {"symbol", "popupName", "windowName", "socketUrl"},
    "firefox": {"symbol", "popupName", "windowName", "errorName", "nestedError"},
    "webkit": {"symbol", "popupName", "windowName", "sourceUrl", "nestedError", "functionName", "tag"},
}
"""Places that no answer shows."""

EMPTY = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Walk:
    """Calls of tools, each of whose answers must be the server's own."""

    tools = offered(["browser", "vision", "extract"], CAPABILITIES)

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.session = json.loads(agent("create_browser_session").text)["session_id"]
        self.said: dict[str, list[str]] = {"create_browser_session": [self.session]}
        self.failures: list[str] = []
        self.unfenced: list[str] = []

    def __call__(self, tool: str, *, texts: bool = False, **arguments: object) -> str:
        """Call a tool in the session. With ``texts`` the page's text is in the answer, as a block that is indented."""
        if tool not in WITHOUT_SESSION:
            arguments[self.tools[tool].session_parameter()] = self.session
        told: list[str] = []
        self.said.setdefault(tool, [])

        async def call() -> CallToolResult:
            async def on_progress(progress: float, total: float | None, message: str | None) -> None:
                told.append(message or "")

            return await self.agent.client.call_tool(tool, arguments, progress_callback=on_progress)

        result = self.agent.world.run(call)
        for part in result.content:
            if isinstance(part, ResourceLink) and part.uri.endswith(".txt"):
                file = self.agent.world.run(partial(self.agent.client.read_resource, part.uri)).contents[0]
                assert isinstance(file, TextResourceContents)
                self.said[tool].append(file.text)
                self.failures += check(f"file of {tool} {arguments}", file.text, texts=texts)
        names = [part.name for part in result.content if isinstance(part, ResourceLink)]
        text = "\n".join([*(part.text for part in result.content if isinstance(part, TextContent)), *names])
        self.said[tool] += [text, *told]
        self.failures += check(f"{tool} {arguments}", text, texts=texts)
        if tool.startswith("browser_") and tool not in OF_THE_AGENT:
            self.unfenced += [f"{tool} {arguments}: {line!r}" for line in unfenced(text, self.agent.sessions.fence)]
        self.failures += check(f"progress of {tool}", "\n".join(told))
        if self.tools[tool].output_schema() is None and result.structured_content is not None:
            self._check_data(tool, Answer.model_validate(result.structured_content), texts=texts)
        return text

    def _check_data(self, tool: str, data: Answer, *, texts: bool) -> None:
        """Check the data of an answer: what the server says, and what the page has written."""
        said = [*data.notices, *data.result, *data.events, data.page, *data.files]
        if data.error is not None:
            said += [data.error.message, data.error.advice]
        self.failures += check(f"data of {tool}", "\n".join(said), texts=texts)
        written = [
            data.url,
            data.title,
            *(each.text for each in data.console),
            *(each.what for each in data.unfinished),
        ]
        written += [text for each in data.dialogs for text in (each.message, each.default)]
        written += [text for each in data.downloads for text in (each.name, each.url, each.path)]
        written += [text for each in data.tabs for text in (each.url, each.title)]
        self.failures += [f"data of {tool}: {line!r}" for text in written for line in text.split("\n") if hides(line)]


OF_THE_AGENT = {"browser_export_test", "browser_file_upload"}
"""Tools that repeat what the agent has passed to them or to others."""

WITHOUT_SESSION = {
    "browser_session_create",
    "browser_session_list",
    "browser_session_close",
    "create_browser_session",
    "list_browser_sessions",
}


def walked(make_agent: Callable[..., Agent], hostile: str, folder: Path, **options: object) -> Walk:
    """Return what every tool says about a page that puts a text into every place; the folder is for files."""
    agent = make_agent(
        toolset=["browser", "vision", "extract"],
        caps=CAPABILITIES,
        structured=True,
        snapshot_budget=50_000,
        action_timeout=2,
        navigation_timeout=10,
        **options,
    )
    walk = Walk(agent)

    async def answer(stream: trio.SocketStream) -> None:
        request = await stream.receive_some(65536)
        answers = request.startswith((b"GET /status", b"GET /page"))
        await stream.send_all(answer_of_raw_server(hostile) if answers else EMPTY)
        await stream.aclose()

    with agent.world.opened(open_tcp(answer)) as port:
        raw = f"http://127.0.0.1:{port}"
        url = agent.run(lambda: agent.site.html(page_script(hostile, raw)))
        walk_of(walk, url, raw, hostile, folder)
    return walk


@pytest.mark.usefixtures("axe_core")
@pytest.mark.parametrize("kind", HOSTILE)
def test_page_text_never_speaks_for_the_server(make_agent: Callable[..., Agent], kind: str, tmp_path: Path) -> None:
    hostile = HOSTILE[kind]
    walk = walked(make_agent, hostile, tmp_path / "shots")
    assert walk.failures == []
    assert not walk.unfenced, "\n".join(walk.unfenced)
    assert walk.tools.keys() - walk.said.keys() == set(), "every tool is called"
    everything = "\n".join(text for texts in walk.said.values() for text in texts)
    missing = {place for place in PLACES if not re.search(f"(@|%40){place}(@|%40)", everything)}
    if not hostile:  # the others may be refused, as a line feed is in the name of a cookie
        assert missing == NEVER_SHOWN[walk.agent.world.browser], "every place is shown by some tool"


def walk_of(walk: Walk, url: str, raw: str, hostile: str, folder: Path) -> None:
    """Call every tool, each where it can show something of the page."""

    def ref(role: str, name: str) -> str:
        found = re.search(rf'- {role} "@{name}@.*?\[ref=(\w+)\]', walk("browser_snapshot", allRefs=True))
        return found[1] if found else "none"

    walk("browser_navigate", url=walk.agent.site.url_for("/text"))
    walk("browser_navigate", url=url)
    walk("browser_wait_for", text="End of the page", time=10)
    walk("browser_snapshot", search="@")
    walk("browser_snapshot", selector="body", allRefs=True)
    for selector in ("#rich", "#table", "#list", "#area"):
        walk("browser_snapshot", selector=selector)
    for selector in ("#b", "#covered", "#nothing", "text=@alt@", "getByRole('button')", "#list", "#link", ".icon"):
        walk("browser_click", selector=selector)
    walk("browser_hover", selector="#b")
    renamed = ref("button", "before")
    walk("browser_click", ref=renamed)
    walk("browser_click", ref=renamed)
    walk("browser_type", selector="#field", text="more")
    walk("browser_type", selector="#rich", text="more")
    walk("browser_type", selector="#b", text="more")
    walk("browser_press_key", key="Tab")
    walk("browser_select_option", selector="#list", values=["none of them"])
    walk("browser_select_option", selector="#list", values=["@optionA@" + hostile])
    walk("browser_fill_form", fields=[{"selector": "#field", "value": "x"}, {"selector": "#b", "value": "x"}])
    walk("browser_drag", startSelector="#drag", endSelector="#b")
    walk("browser_drag", startSelector="#drag", endSelector="#covered")
    walk("browser_scroll", down=10)
    walk("browser_scroll", selector="#area", down=10)
    walk("browser_scroll_into_view", selector="#b")
    walk("browser_mouse_move_xy", x=20, y=60)
    walk("browser_mouse_click_xy", x=60, y=60)
    walk("browser_mouse_drag_xy", startX=20, startY=60, endX=60, endY=100)
    walk("browser_resize", width=1000, height=900)
    walk("browser_wait_for", text="Nowhere", time=0.1)
    walk("browser_wait_for_selector", selector="#nothing", timeout=0.1)
    walk("browser_take_screenshot", selector="#b")
    walk("browser_take_screenshot", mask=["#b", hostile or "#none"])
    walk("browser_pdf_save")
    for function in (
        "document.title",
        "document.body.innerText",
        "h('evaluated')",
        "[h('evaluated')]",
        "({[h('key')]: h('evaluated')})",
    ):
        walk("browser_evaluate", function=function, texts=True)
        walk("browser_eval", expression=function, texts=True)
        walk("browser.evaluate", script=function, texts=True)
        walk("execute_js", script=function)
    for function in ("() => { throw new Error(h('evaluateError')) }", "() => { throw h('evaluateError') }"):
        walk("browser_evaluate", function=function)
        walk("browser_eval", expression=f"({function})()")
        walk("browser.evaluate", script=function)
        walk("execute_js", script=function)
    walk("browser_console_messages", level="debug")
    walk("browser_recent_console_logs", limit=1000)
    walk("browser_network_requests", includeStatic=True)
    listed = walk("browser_recent_network_requests")
    for number in re.findall(r"^(\d+)\. ", listed, re.MULTILINE):
        walk("browser_network_request", number=int(number), bodies=True, texts=True)
    walk("browser_service_workers")
    walk("browser_performance")
    walk("browser_get_config")
    walk("browser_vitals")
    walk("browser_verify_screenshot", name="page")
    walk("browser_verify_screenshot", name="button", selector="#b")
    walk("browser_evaluate", function="void (document.querySelector('#b').style.background = 'red')")
    walk("browser_verify_screenshot", name="page")
    walk("browser_verify_screenshot", name="button", selector="#b")
    walk("browser_audit", tags=["wcag2a", "wcag2aa", "best-practice"], limit=100)
    walk("browser_audit", selector=hostile or "#b", tags=[hostile or "none"])
    walk_of_web_tools(walk, hostile)
    walk_of_verification(walk, hostile)
    sizes = ["800x600", "400x600"]
    walk("browser_compare", browsers=[walk.agent.world.browser], viewports=sizes, filename="compare.json")
    walk("browser_compare", url=f"http://127.0.0.1:1/{hostile}", browsers=[walk.agent.world.browser], viewports=sizes)
    walk("browser_export_har", bodies=True)
    walk("browser_throttle_network")
    walk("browser_set_offline", offline=False)
    walk("browser_context_list")
    walk("browser_context_save_storage", name="default", path=str(folder / "state.json"))
    walk("browser_session_list")
    walk("list_browser_sessions")
    walk("browser_tabs", action="list")
    walk("browser.snapshot", selector="body", compact=False)
    walk("browser.snapshot")
    walk("browser.screenshot")
    walk("browser.click", selector="#b")
    walk("browser.click", selector="#covered", timeout=300)
    walk("browser.click", selector="text=@alt@", timeout=300)
    walk("browser.fill", selector="#field", value="x")
    walk("browser.scroll", selector="#area")
    walk("click", selector="#b")
    walk("click", selector="#covered", timeout=300)
    walk("type_text", selector="#field", text="x")
    walk("select_option", selector="#list", values=["none of them"])
    walk("press_key", key="Tab")
    walk("scroll")
    walk("extract_table", selector="#table")
    walk("find_elements", query={"text": "@"}, limit=1000)
    walk("find_elements", query={"role": "button"})
    walk("get_element_info", selector="i.icon, i")
    walk("get_selector_for_point", x=20, y=60)
    walk("get_html")
    walk("get_text")
    walk("get_cookies")
    walk("get_local_storage")
    walk("get_network_requests", include_response_body=True)
    walk("get_performance_metrics")
    walk("get_viewport_info")
    walk("wait_for", condition="selector", target="#nothing", timeout=100)
    walk("take_screenshot")
    walk("export_har")
    walk("enable_request_interception", url_pattern="nothing")
    walk("disable_request_interception")
    walk("set_cookies", cookies=[{"name": "a", "value": "b"}])
    for answer in (True, False):
        for button in ("#alert", "#prompt"):
            walk("browser_click", selector=button)
            walk("browser_snapshot")
            walk("browser.snapshot")
            walk("get_text")
            walk("browser_handle_dialog", accept=answer)
    for tool in ("browser.click", "click"):
        walk(tool, selector="#alert")
        walk("browser_handle_dialog", accept=True)
    walk("browser_click", selector="#popup")
    walk("browser_tabs", action="select", index=1)
    walk("list_tabs")
    walk("switch_tab", index=0)
    walk("close_tab", index=1)
    walk("browser_click", selector="#download")
    walk("click", selector="#download")
    walk("browser.click", selector="#download")
    walk("get_downloads")
    file = folder / "".join(["@uploadName@", re.sub("[\0/\ud800-\udfff]", "", hostile)[:100]])
    file.write_text("x")
    walk("browser_file_upload", paths=[str(file)])
    walk("browser_file_upload", paths=[str(file)], selector="#file")
    walk("browser_file_upload", paths=[str(file) + "none"], selector="#file")
    walk("upload_file", selector="#file", path=str(file))
    walk("read_image", path=str(file))
    walk("browser_click", selector="#next")
    walk("browser_navigate_back")
    walk("browser_navigate_forward")
    walk("browser_navigate_back")
    walk("browser_reload")
    walk("browser_trace_start", filename="trace.json")
    walk("browser_trace_stop")
    walk("browser_heap", steps=[{"tool": "browser_evaluate", "arguments": {"function": "document.title"}}], times=2)
    walk("browser_find", text="@")
    walk("browser_find", regex="@|e", role="button")
    steps: list[dict[str, object]] = [
        {"tool": "browser_click", "arguments": {"selector": "#alert"}},
        {"tool": "browser_handle_dialog", "arguments": {"accept": True}},
        {"tool": "browser_find", "arguments": {"text": "@"}},
        {"tool": "browser_evaluate", "arguments": {"function": "document.title"}},
        {"tool": "browser_wait_for", "arguments": {"text": ["@", hostile], "time": 0.1}},
        {"tool": "browser_click", "arguments": {"selector": "#alert"}, "expect": {"url": hostile}},
    ]
    walk("browser_run", steps=steps)
    walk("browser_handle_dialog", accept=True)
    walk("browser_wait_for", text=[hostile, "@none"], time=0.1)
    walk("browser_wait_for", url=hostile, time=0.1)
    walk("browser_wait_for", response=hostile, time=0.1)
    walk("browser_wait_for", selector=hostile, state="hidden", time=0.1)
    walk("reload")
    walk(
        "execute_js_on_all_pages",
        script="document.title",
        next_page_selector="#next",
        max_pages=2,
        wait_between_pages=1,
    )
    walk("go_back")
    for tool in ("browser_navigate", "browser.navigate", "navigate"):
        walk(tool, url=f"{raw}/page", texts=True)
        walk("browser_snapshot", texts=True)
        walk("browser_snapshot", texts=True, search="@")
        walk(tool, url="http://127.0.0.1:1/")
    walk("browser_context_create", name="second")
    walk("browser_context_switch", name="default")
    walk("browser_context_close", name="second")
    walk("browser_clear_console_logs")
    walk("browser_clear_network_requests")
    walk_of_tests(walk, hostile, folder)
    walk_of_storage(walk, hostile, folder)
    walk("new_tab")
    walk("browser_close")
    walk("browser_install")
    walk("browser_enable", caps=["pdf"])
    name = json.loads(walk("create_browser_session"))["session_id"]
    walk("browser_session_close", name=name)
    walk("browser_session_create", name="third")
    resources = walk.agent.world.run(walk.agent.client.list_resources)
    for each in resources.resources:
        walk.failures += check("resources/list", each.name)
    walk("close_browser_session")
    walk("browser.close")


def walk_of_web_tools(walk: Walk, hostile: str) -> None:
    """Call the tools of ``--caps webmcp``."""
    walk("browser_webmcp_list")
    for name in ("says", "gives", "throws", f"@toolName@{hostile}", f"none{hostile}"):
        walk("browser_webmcp_call", name=name, arguments={f"x{hostile}": hostile}, texts=True)
    walk("browser_webmcp_call", name="says", frame=hostile)


def walk_of_verification(walk: Walk, hostile: str) -> None:
    """Call the tools of ``--caps testing``, for what is true and for what is not."""
    for name in ("@button@", f"@none@{hostile}"):
        walk("browser_verify_element_visible", role="button", accessibleName=name, timeout=0.1)
        walk("browser_verify_element_visible", role=f"button{hostile}", accessibleName=name, timeout=0.1)
        walk("browser_verify_text_visible", text=name, timeout=0.1)
        for selector in ("#list", "body", name):
            walk("browser_verify_list_visible", selector=selector, items=["@", name], timeout=0.1)
        for selector in ("#field", "#area", "#rich", "#list", "#slider"):
            walk("browser_verify_value", type="textbox", selector=selector, value=name, timeout=0.1)
        walk("browser_verify_value", type="checkbox", selector="#b", value=name, timeout=0.1)
        attribute = {"name": "aria-label", "value": name}
        for selector in ("#labelled", "#covered", "#rich", name):
            walk("browser_verify_state", selector=selector, text=name, attribute=attribute, checked=True, timeout=0.1)
            walk("browser_verify_state", selector=selector, count=7, timeout=0.1)
        walk("browser_verify_state", url=name, title=name, noConsoleErrors=True, noFailedRequests=True, timeout=0.1)
        walk("browser_verify_state", url=f"**{hostile}", timeout=0.1)
    walk("browser_verify_state", selector="#b", attribute={"name": hostile or "id"}, timeout=0.1)
    for selector in ("#b", "#labelled", "#field", "#area", "i", "[data-testid]", "#link", "iframe", "details summary"):
        walk("browser_generate_locator", selector=selector)


def walk_of_tests(walk: Walk, hostile: str, folder: Path) -> None:
    """Export what the walk has done, and replay a part of it."""
    walk("browser_export_test")
    walk("browser_export_test", path=f"test{hostile}", name=f"x{hostile}")
    walk("browser_export_test", path="test", name=f"x{hostile}")
    walk("browser_export_test", path="plan.json", format="plan", toStep=6)
    walk("browser_replay", path=str(folder / "plan.json"))
    walk("browser_replay", path=str(folder / f"none{hostile}"))


def walk_of_storage(walk: Walk, hostile: str, folder: Path) -> None:
    """Call the tools of ``--caps storage`` and ``--caps network``."""
    walk("browser_cookie_list")
    walk("browser_cookie_get", name="plain")
    walk("browser_cookie_get", name=f"@cookieName@{hostile}")
    walk("browser_cookie_set", name="c", value=f"x{hostile}", domain=f"x{hostile}.example")
    walk("browser_cookie_set", name=f"c{hostile}", value="x", domain="x.example")
    for area in ("local", "session"):
        key = f"@storageKey@{hostile}"
        walk(f"browser_{area}storage_set", key=key, value=f"@{hostile}")
        walk(f"browser_{area}storage_list")
        walk(f"browser_{area}storage_get", key=key, texts=True)
        walk(f"browser_{area}storage_delete", key=key)
        walk(f"browser_{area}storage_delete", key=key)
        walk(f"browser_{area}storage_clear")
    walk("browser_route", pattern=f"**/{hostile}*", body=hostile, headers=[f"X: {hostile}"])
    walk("browser_route", pattern=f"**/nowhere{hostile}*", body=hostile, contentType="text/plain")
    walk("browser_route", pattern=f"**/nowhere{hostile}*", file=f"/none{hostile}")
    walk("browser_route_list")
    walk("browser_unroute", pattern=f"none{hostile}")
    walk("browser_unroute")
    walk("browser_network_state_set", state="online")
    walk("browser_keydown", key=f"Shift{hostile}")
    walk("browser_keyup", key=f"Shift{hostile}")
    walk("browser_mouse_down", x=20, y=60)
    walk("browser_mouse_up")
    walk("browser_mouse_wheel", x=20, y=60, deltaY=10)
    walk("browser_drop", selector="#b", data={"text/plain": hostile})
    walk("browser_drop", selector="body", data={f"text/{hostile}": hostile})
    walk("browser_emulate", device=f"iPhone {hostile}")
    walk("browser_emulate", userAgent=f"x{hostile}", locale=f"de{hostile}")
    walk("browser_emulate", permissions=[f"x{hostile}"])
    walk("browser_clipboard_write", text=f"@{hostile}")
    walk("browser_clipboard_read", texts=True)
    walk("browser_clock", action="install", time=f"2030{hostile}")
    walk("browser_clock", action="fastForward", ticks=f"30{hostile}")
    walk("browser_clock", action="runFor", ticks=100)
    walk("browser_emulate", reset=True)
    walk("browser_storage_state", filename=str(folder / "again.json"))
    walk("browser_set_storage_state", filename=str(folder / "again.json"))
    walk("browser_cookie_delete", name="plain")
    walk("browser_cookie_clear")
