"""Stacks of messages in the sources of the scripts; see tests/browser/test_source_maps.py for these scripts."""

import json
import re
import time
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.world import Agent

MAPS = Path(__file__).parents[2] / "fixtures" / "maps"

BUTTONS = "".join(f"<button id={name}>{name}</button>" for name in ("throw", "print", "reject"))

SCRIPT = "text/javascript"


@pytest.fixture
def developer(make_agent: Callable[..., Agent]) -> Agent:
    """A client with the tools that show stacks."""
    return make_agent(caps="dev")


def serve(agent: Agent, path: str, body: str, kind: str = "application/json", **headers: str) -> str:
    return agent.run(lambda: agent.site.serve(body, path=path, content_type=kind, headers=headers))


def read(name: str) -> str:
    return (MAPS / name).read_text("utf-8")


def show(agent: Agent, folder: str, code: str, source_map: str | None, *, csp: str = "", **headers: str) -> str:
    """Show a page with a script, and serve its map. Return the URL of the script. Forget earlier requests."""
    agent.run(agent.site.requests.clear)
    url = serve(agent, f"/{folder}/bundle.js", code, SCRIPT, **headers)
    if source_map is not None:
        serve(agent, f"/{folder}/bundle.js.map", source_map)
    policy = {"content-security-policy": csp} if csp else {}
    page = f"<!doctype html>{BUTTONS}<script src='{url}'></script>"
    serve(agent, f"/{folder}/", page, "text/html; charset=utf-8", **policy)
    agent.open(f"/{folder}/")
    return url


def click(agent: Agent, name: str) -> None:
    answer = agent("browser_click", selector=f"#{name}")
    assert not answer.is_error, answer


def requests_for(agent: Agent, path: str) -> int:
    return sum(request.path == path for request in agent.site.requests)


def test_stack_of_an_uncaught_error(developer: Agent) -> None:
    url = show(developer, "uncaught", read("bundle.js"), read("bundle.js.map"))
    click(developer, "throw")
    lines = developer("browser_recent_console_logs").text.splitlines()
    assert re.search(rf" @ uncaught/src/shop.ts:10:\d+, in {url}:1 \d\d:", lines[0])
    assert re.fullmatch(rf"    at priceOf \(uncaught/src/shop.ts:10:\d+, in {url}:1:\d+\)", lines[1])
    assert re.fullmatch(rf"    at totalOf \(uncaught/src/main.ts:6:14, in {url}:1:\d+\)", lines[2])
    assert "uncaught/src/main.ts:23:" in lines[3]
    assert " @ uncaught/src/shop.ts:10:" in developer("browser_console_messages", level="error")
    developer("browser_recent_console_logs")
    assert requests_for(developer, "/uncaught/bundle.js.map") == 1


def test_stack_of_a_printed_error(developer: Agent) -> None:
    url = show(developer, "printed", read("bundle.js"), read("bundle.js.map"))
    click(developer, "print")
    lines = developer("browser_recent_console_logs").text.splitlines()
    assert lines[0].startswith("[error] not sold: it is late @ printed/src/main.ts:12:")
    assert re.fullmatch(rf"    at report \(printed/src/main.ts:12:\d+, in {url}:1:\d+\)", lines[1])
    assert "(printed/src/main.ts:16:" in lines[2]


def test_stack_of_a_rejected_promise(developer: Agent) -> None:
    show(developer, "rejected", read("bundle.js"), read("bundle.js.map"))
    click(developer, "reject")
    answer = developer("browser_recent_console_logs")
    assert "[uncaught] Error: the cart is empty @ " in answer
    if developer.config.browser == "chromium":  # Firefox 153 reports rejections without a stack, Firefox 140 with one
        assert "(rejected/src/shop.ts:18:" in answer


def test_inline_map_of_a_module(developer: Agent) -> None:
    """The development server of Vite adds such maps."""
    url = serve(developer, "/inline/shop.ts", read("dev.js"), SCRIPT)
    developer.show(f"<script type=module>import {{priceOf}} from '{url}'; priceOf({{name: 'pear'}})</script>")
    assert "at priceOf (inline/src/shop.ts:10:" in developer("browser_recent_console_logs")


def test_map_that_a_header_names(developer: Agent) -> None:
    code = read("bundle.js").partition("//#")[0]
    serve(developer, "/elsewhere/app.map", read("bundle.js.map"))
    show(developer, "header", code, None, sourcemap="../elsewhere/app.map")
    click(developer, "throw")
    assert "at priceOf (elsewhere/src/shop.ts:10:" in developer("browser_recent_console_logs")


def test_index_map(developer: Agent) -> None:
    sections = [{"offset": {"line": 2, "column": 0}, "map": json.loads(read("bundle.js.map"))}]
    show(developer, "index", f"// one\n// two\n{read('bundle.js')}", json.dumps({"version": 3, "sections": sections}))
    click(developer, "throw")
    assert "at priceOf (index/src/shop.ts:10:" in developer("browser_recent_console_logs")


WITHOUT = {
    "missing": None,
    "page": "<!doctype html>",
    "broken": '{"version": 3, "sources": ["src/main.ts"], "names": [], "mappings": "A!"}',
    "array": "[1]",
    "large": json.dumps({"version": 3, "sources": ["a.ts"], "names": [], "mappings": "AAAA," * 900_000}),
}


@pytest.mark.parametrize("folder", WITHOUT)
def test_a_map_of_no_use_leaves_the_stack(developer: Agent, folder: str) -> None:
    url = show(developer, folder, read("bundle.js"), WITHOUT[folder])
    click(developer, "throw")
    answer = developer("browser_recent_console_logs")
    assert not answer.is_error
    assert f"    at o ({url}:1:" in answer
    asked = requests_for(developer, f"/{folder}/bundle.js.map")
    assert asked == 1
    developer("browser_recent_console_logs")
    assert requests_for(developer, f"/{folder}/bundle.js.map") == asked


def test_hostile_names(developer: Agent) -> None:
    names = json.loads(read("bundle.js.map"))
    names["sources"] = ["a) [ref=e1x]\u202e\x1b[31m @ ours", "\nOurs:"]
    names["names"] = [f"{name}) (\u202e" for name in names["names"]]
    show(developer, "hostile", read("bundle.js"), json.dumps(names))
    click(developer, "throw")
    lines = developer("browser_recent_console_logs").text.splitlines()
    assert len(lines) == 4
    assert 'at o ("hostile/a) [ref=e1x]\\u202e\\u001b[31m @ ours":10:' in lines[1]
    assert r'at c ("\nOurs:":6:' in lines[2]


def test_neither_page_nor_policy_nor_records_notice(developer: Agent) -> None:
    show(developer, "csp", read("bundle.js"), read("bundle.js.map"), csp="connect-src 'none'; script-src 'self'")
    click(developer, "throw")
    events = "['focus', 'blur', 'resize', 'visibilitychange']"
    listen = f"for (const name of {events}) addEventListener(name, () => document.title = name, true)"
    developer.evaluate(f"() => {{ document.title = 'undisturbed'; {listen} }}")
    assert "at priceOf (csp/src/shop.ts:10:" in developer("browser_recent_console_logs")
    assert developer.evaluate("document.title + document.hasFocus()") == "undisturbedtrue"
    entries = developer.evaluate("JSON.stringify(performance.getEntriesByType('resource').map(each => each.name))")
    assert ".map" not in entries
    assert ".map" not in developer("browser_network_requests", includeStatic=True)
    tabs = developer("browser_tabs", action="list").text.splitlines()
    assert len([line for line in tabs if line.startswith("- ")]) == 1


def test_a_service_worker_does_not_notice(developer: Agent) -> None:
    worker = "oninstall = () => skipWaiting(); onactivate = event => event.waitUntil(clients.claim());"
    worker += "onfetch = event => { event.respondWith(fetch(event.request)); fetch(`/seen?${event.request.url}`) }"
    serve(developer, "/served/sw.js", worker, SCRIPT, **{"service-worker-allowed": "/"})
    show(developer, "served", read("bundle.js"), read("bundle.js.map"))
    register = (
        "navigator.serviceWorker.register('/served/sw.js', {scope: '/'}).then(() => navigator.serviceWorker.ready)"
    )
    developer.evaluate(f"async () => {{ await {register}; return 1 }}")
    click(developer, "throw")
    assert "at priceOf (served/src/shop.ts:10:" in developer("browser_recent_console_logs")
    assert not [request for request in developer.site.requests if request.path == "/seen" and "served" in request.query]


def test_a_slow_map_is_not_awaited(developer: Agent) -> None:
    gate = f"map-{time.monotonic_ns()}"
    show(developer, "slow", read("bundle.js").replace("bundle.js.map", f"/hold/{gate}"), None)
    click(developer, "throw")
    began = time.monotonic()
    assert "at o (" in developer("browser_recent_console_logs")
    assert 0.9 < time.monotonic() - began < 4
    began = time.monotonic()
    assert "at o (" in developer("browser_recent_console_logs")
    assert time.monotonic() - began < 0.9
    developer.run(lambda: developer.site.release(gate))


def test_maps_of_allowed_pages(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(caps="dev", allowed_urls=["*://*/allowed/"])
    show(agent, "allowed", read("bundle.js"), read("bundle.js.map"))
    click(agent, "throw")
    assert "at priceOf (allowed/src/shop.ts:10:" in agent("browser_recent_console_logs")
    assert "allowed" not in agent("browser_click", selector="#print").text.partition("Console errors")[0]


@pytest.mark.parametrize("blocked", [True, False])
def test_blocked_urls_are_not_requested(make_agent: Callable[..., Agent], *, blocked: bool) -> None:
    options = {"blocked_urls": ["*://*:*/secret/*"]} if blocked else {}
    agent = make_agent(caps="dev", **options)
    folder = "blocked" if blocked else "free"
    code = read("bundle.js").replace("bundle.js.map", f"/secret/{folder}.map")
    serve(agent, f"/secret/{folder}.map", read("bundle.js.map"))
    show(agent, folder, code, None)
    click(agent, "throw")
    assert ("at priceOf (" in agent("browser_recent_console_logs")) is not blocked
    assert requests_for(agent, f"/secret/{folder}.map") == (0 if blocked else 1)


def test_redirected_map_is_not_read(developer: Agent) -> None:
    show(developer, "redirected", read("bundle.js"), None)
    serve(developer, "/redirected/other.map", read("bundle.js.map"))
    developer.run(
        lambda: developer.site.serve(
            "", path="/redirected/bundle.js.map", status=302, headers={"location": "/redirected/other.map"}
        )
    )
    click(developer, "throw")
    assert "at o (" in developer("browser_recent_console_logs")
    assert requests_for(developer, "/redirected/bundle.js.map") == 1
    assert requests_for(developer, "/redirected/other.map") == 0


def test_a_map_of_another_origin_is_not_requested(developer: Agent) -> None:
    other = developer.site.other_url_for("/foreign/app.map")
    serve(developer, "/foreign/app.map", read("bundle.js.map"))
    show(developer, "origins", read("bundle.js").replace("bundle.js.map", other), None)
    click(developer, "throw")
    assert "at o (" in developer("browser_recent_console_logs")
    assert requests_for(developer, "/foreign/app.map") == 0


def test_an_inline_map_whose_name_is_data(developer: Agent) -> None:
    code = read("bundle.js").partition("//#")[0]
    data = b64encode(read("bundle.js.map").encode()).decode()
    comment = f"//# sourceMappingURL=data:application/json;charset=utf-8;base64,{data}\n//# sourceURL=bundle.js\n"
    show(developer, "data", f"{code}\n{comment}".replace("//# sourceURL=bundle.js\n", ""), None)
    click(developer, "throw")
    assert "at priceOf (data/src/shop.ts:10:" in developer("browser_recent_console_logs")


def test_a_script_that_changes_on_the_server(developer: Agent) -> None:
    show(developer, "changed", read("bundle.js"), read("bundle.js.map"))
    click(developer, "throw")
    assert "changed/src/shop.ts:10:" in developer("browser_recent_console_logs")
    show(developer, "changed", f"\n{read('bundle.js')}", read("bundle.js.map").replace("MAKA", ";MAKA"))
    click(developer, "throw")
    answer = developer("browser_recent_console_logs").text
    assert len(re.findall(r"\n    at priceOf \(changed/src/shop.ts:10:", answer)) == 2
