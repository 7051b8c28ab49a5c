"""Going to pages, and every way in which that fails."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from bidi_server.bidi.script import ContextTarget, Evaluate
from bidi_server.browser.pages.navigate import complete_url
from bidi_server.errors import InvalidParametersError
from tests.support.world import Agent, World


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("example.com", "https://example.com"),
        ("example.com:8443/x", "https://example.com:8443/x"),
        ("localhost:3000", "http://localhost:3000"),
        ("localhost", "http://localhost"),
        ("app.localhost/x", "http://app.localhost/x"),
        ("127.0.0.1:8000/?q=a b", "http://127.0.0.1:8000/?q=a b"),
        ("[::1]:80", "http://[::1]:80"),
        (" https://a.example/ ", "https://a.example/"),
        ("about:blank", "about:blank"),
        ("data:text/html,<p>Hi there</p>", "data:text/html,<p>Hi there</p>"),
        ("file:///tmp/x.html", "file:///tmp/x.html"),
    ],
)
def test_url_without_a_scheme_gets_one(text: str, url: str) -> None:
    assert complete_url(text) == url


@pytest.mark.parametrize("text", ["", "  ", "not a url"])
def test_what_is_no_url_is_refused(text: str) -> None:
    with pytest.raises(InvalidParametersError, match="not a URL"):
        complete_url(text)


def test_answer_has_the_page(agent: Agent) -> None:
    answer = agent.show("<h1>Hello</h1><a href='/x'>More</a>", title="Greeting")
    assert answer.text.startswith('Page: "Greeting" http://127.0.0.1:')
    assert '  - heading "Hello" [level=1]' in answer
    assert " → /x" in answer


def test_page_is_ready_when_a_script_fills_it_after_load(agent: Agent) -> None:
    answer = agent.show(
        "<p id=p>loading</p><script>addEventListener('load', () =>"
        " fetch('/slow?ms=150').then(() => { p.textContent = 'ready' }))</script>"
    )
    assert "ready" in answer


def test_redirects_are_followed(agent: Agent) -> None:
    assert "/result?from=redirect" in agent(
        "browser_navigate", url=agent.site.url_for("/redirect?to=/result?from=redirect")
    )


def test_back_at_the_beginning(agent: Agent) -> None:
    agent("browser_tabs", action="new")
    answer = agent("browser_navigate_back")
    assert answer.is_error
    assert "no earlier page" in answer


def test_back_and_forward(agent: Agent) -> None:
    agent.show("<p>First")
    agent.show("<p>Second")
    assert "First" in agent("browser_navigate_back")
    answer = agent("browser_navigate_forward")
    assert "Went forward." in answer
    assert "Second" in answer
    answer = agent("browser_navigate_forward")
    assert answer.is_error
    assert "There is no later page in this tab's history." in answer


def test_the_page_is_loaded_again(agent: Agent) -> None:
    agent.show("<p id=p>Fresh</p><button onclick=\"p.textContent = 'Used'\">Use</button>")
    agent("browser_click", selector="button")
    answer = agent("browser_reload")
    assert "Reloaded the page." in answer
    assert "Fresh" in answer
    agent("browser_navigate", url=agent.site.url_for("/status/500"))
    assert "HTTP 500" in agent("browser_reload")


def test_http_errors_are_told(agent: Agent) -> None:
    assert "HTTP 404" in agent("browser_navigate", url=agent.site.url_for("/status/404"))
    assert "HTTP 500" in agent("browser_navigate", url=agent.site.url_for("/status/500"))


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1:9/", "block this port"),
        ("http://127.0.0.1:65432/", "nothing listens there"),
        ("http://no-such-host.invalid/", "can't be resolved"),
        ("nonsense://x", "Can't open nonsense://x: the browser"),
    ],
)
def test_failures_are_told_apart(agent: Agent, url: str, reason: str) -> None:
    answer = agent("browser_navigate", url=url)
    assert answer.is_error
    assert reason in answer


def test_redirect_loop(agent: Agent) -> None:
    answer = agent("browser_navigate", url=agent.site.url_for("/redirect-loop"))
    assert "redirects in a loop" in answer


def test_download_is_reported_with_its_path(agent: Agent) -> None:
    answer = agent("browser_navigate", url=agent.site.url_for("/download/report.csv?size=2048"))
    assert not answer.is_error, answer.text
    path = agent.config.output_dir.absolute() / "downloads" / "report.csv"
    assert f'Download "report.csv": saved as {path}.' in answer
    assert path.stat().st_size == 2048


def test_a_download_in_a_frame_is_no_page_that_does_not_come(agent: Agent) -> None:
    agent.show("<a href=/download/report.csv target=inner>Get</a><iframe name=inner></iframe>")
    said = agent("browser_click", selector="a").text
    while 'Download "report.csv": saved as' not in said:  # WebKitGTK's driver does not report it: the file is found
        said += agent("browser_snapshot").text
    assert "Stopped waiting" not in said + agent("browser_snapshot").text


def test_what_happened_between_two_calls_is_told(agent: Agent, world: World) -> None:
    agent.show("<a href=/download/report.csv>Get</a>")

    async def act() -> None:
        tab = world.browsers.running[0].tabs[-1]
        code = "open('/form'); document.links[0].click()"
        await tab.connection.send(
            Evaluate(
                expression=code, target=ContextTarget(context=tab.context), await_promise=False, user_activation=True
            )
        )

    world.run(act)
    said = ""
    while not ("Download" in said and "new tab" in said):
        said += agent("browser_snapshot").text
    assert said.count('Download "report.csv": saved as') == said.count("A new tab was opened: ") == 1
    assert "Download" not in agent("browser_snapshot")


def test_slow_page_is_an_error_after_the_deadline(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(navigation_timeout=6)
    answer = agent("browser_navigate", url=agent.site.url_for("/hold/forever"))
    assert answer.is_error
    assert "did not answer within 6 s" in answer
    agent.run(lambda: agent.site.release("forever"))
    assert not agent.show("fine").is_error


@pytest.mark.parametrize("event", ["beforeunload", "pagehide"])
def test_last_request_of_the_page_before_is_not_waited_for(agent: Agent, event: str) -> None:
    agent.show(f"<p>Before<script>addEventListener('{event}', () => fetch('/hold/navigation-{event}'))</script>")
    answer = agent.show("<p>After<script>fetch('/slow?ms=100').then(() => document.title = 'Loaded')</script>")
    assert "After" in answer
    assert "Loaded" in answer
    assert "hold" not in answer


def test_page_with_a_part_that_never_loads_is_usable(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(navigation_timeout=1)
    answer = agent.show("<h1>There</h1><img src=/hold/photo>")
    assert "There" in answer
    assert "still loading" in answer
    agent.run(lambda: agent.site.release("photo"))


def test_page_that_a_script_blocks_names_the_script(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(navigation_timeout=1)
    answer = agent.show("<h1>There</h1><script src=/hold/blocking></script>")
    assert "There" in answer
    assert re.search(r"The page is still loading: GET \S+/hold/blocking\.", answer.text)
    agent.run(lambda: agent.site.release("blocking"))
    assert "still loading" not in agent.open("/text")


def test_page_stays_usable_whose_link_nobody_answers(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(navigation_timeout=1)
    agent.show("<input id=i><a href=/hold/link>Go</a>")
    agent("browser_type", selector="#i", text="precious")
    answer = agent("browser_click", selector="a")
    assert "Stopped waiting for the next page: its server has not answered" in answer
    assert agent.evaluate("i.value") == "precious"
    refused = agent("browser_navigate", url=agent.site.url_for("/hold/link"))
    assert "did not answer within 1 s" in refused
    assert "precious" in agent("browser_snapshot")
    agent.run(lambda: agent.site.release("link"))


def test_page_stays_usable_after_a_cancelled_navigation(agent: Agent) -> None:
    agent.show("<input value=precious>")

    async def begin_and_cancel() -> None:
        async with trio.open_nursery() as nursery:
            arguments = {"url": agent.site.url_for("/hold/cancelled")}
            nursery.start_soon(agent.client.call_tool, "browser_navigate", arguments)
            await agent.site.wait_request("/hold/cancelled")
            nursery.cancel_scope.cancel()

    agent.world.run(begin_and_cancel)
    assert "precious" in agent("browser_snapshot")
    agent.run(lambda: agent.site.release("cancelled"))


def test_pages_that_go_on_without_end_are_not_waited_for(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(navigation_timeout=3)
    answer = agent.show("<meta http-equiv=refresh content=0><h1>Again</h1>")
    assert "Stopped waiting: each page goes on to another, again and again." in answer
    assert "Fine" in agent.show("<h1>Fine</h1>")


def test_the_browsers_page_about_a_failure_counts_as_loaded(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(action_timeout=600)
    assert agent("browser_navigate", url="http://127.0.0.1:9/").is_error
    failed = agent("browser_snapshot")
    assert not failed.is_error
    assert len(failed.text.splitlines()[0]) < 100


def test_a_page_that_does_not_answer_is_not_told_as_the_failure_before(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(navigation_timeout=1)
    assert agent("browser_navigate", url="http://127.0.0.1:9/").is_error
    answer = agent("browser_navigate", url=agent.site.url_for("/hold/after-failure"))
    assert "did not answer within 1 s." in answer
    agent.run(lambda: agent.site.release("after-failure"))


def test_page_with_a_frame_that_may_not_be_one(agent: Agent) -> None:
    assert "Around" in agent.show("<h1>Around</h1><iframe src=/unframed></iframe>")


def test_page_that_goes_elsewhere_at_the_same_time(agent: Agent) -> None:
    agent.show("<script>setTimeout(() => { location.href = '/text'; }, 500)</script>Here")
    answer = agent("browser_navigate", url=agent.site.url_for("/slow?ms=1500"))
    assert "Alder" in answer
    assert "Alder" in agent("browser_snapshot")


def test_pages_of_the_machine_for_who_started_the_server(agent: Agent, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<title>Mine</title><p>my own file")
    assert "my own file" in agent("browser_navigate", url=(tmp_path / "page.html").as_uri())


def test_allowed_urls(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(allowed_urls=("127.0.0.1",))
    other = agent.site.other_url_for("/text")
    agent.show(f"<a href={other!r}>Out</a>")
    answer = agent("browser_click", selector="a")
    assert f"{other} was not opened: --allowed-urls does not allow it." in answer
    assert "The snapshot shows no change." in answer
    refused = agent("browser_navigate", url=other)
    assert refused.is_error
    assert "does not allow" in refused


@pytest.mark.parametrize(
    ("way", "press"),
    [
        ("<a id=out target=_blank rel=noopener href={}>Out</a>", ()),
        ("<a id=out href={}>Out</a>", ("Control",)),
        ("<form target=_blank action={}><button id=out>Out</button></form>", ()),
        ("<button id=out onclick='window.open(`about:blank`).location = `{}`'>Out</button>", ()),
    ],
)
@pytest.mark.parametrize("path", ["/text", "/stream?chunks=500&hold=its-end"])
def test_allowed_urls_hold_in_new_tabs(
    make_agent: Callable[..., Agent], way: str, press: tuple[str, ...], path: str
) -> None:
    agent = make_agent(allowed_urls=("127.0.0.1",))
    other = agent.site.other_url_for(path)
    agent.show(way.format(other))
    answer = agent("browser_click", selector="#out", modifiers=press)
    assert "A new tab was opened: " in answer
    assert "was not opened: --allowed-urls does not allow it." in answer
    assert "- 1: (active) about:blank" in agent("browser_tabs", action="select", index=1)
    # A busy Chromium may tell of the page when it has been left already, and it is left again.
    assert agent.evaluate("document.URL").splitlines()[0] == "about:blank"


def test_allowed_urls_hold_for_links_to_files(make_agent: Callable[..., Agent], tmp_path: Path) -> None:
    (tmp_path / "secret.html").write_text("<title>Nobody may read this</title>", "utf-8")
    agent = make_agent(allowed_urls=("127.0.0.1",))
    agent.show(f"<a href={(tmp_path / 'secret.html').as_uri()}>Out</a>")
    for press in ((), ("Control",)):
        agent("browser_click", selector="a", modifiers=press)
        tabs = agent("browser_tabs", action="list").text
        assert not re.search(r"file:|Nobody", tabs), tabs


def test_blocked_urls(make_agent: Callable[..., Agent]) -> None:
    """Nothing is requested from them, for whatever purpose; an allowed page stays blocked."""
    agent = make_agent(
        allowed_urls=("127.0.0.1", "localhost"), blocked_urls=("localhost", "*/image.png"), caps=("network",)
    )
    other, image = agent.site.other_url_for("/text"), agent.site.url_for("/image.png")
    away = agent.run(lambda: agent.site.serve("", status=302, headers={"location": other}))
    agent("browser_route", pattern="**/image.png", body="not this either")
    agent.show(f"<a href={other!r}>Out</a><iframe src={other!r}></iframe><img src={image!r}>")
    for url in (other, away):
        refused = agent("browser_navigate", url=url)
        assert refused.is_error
        assert refused.text == f"{other} was not opened: --blocked-urls blocks it. Use another page."
    assert f"{other} was not opened: --blocked-urls blocks it." in agent("browser_click", selector="a")
    assert agent.evaluate("frames[0].document.body.childNodes.length") == "0"
    assert agent.evaluate("document.images[0].naturalWidth") == "0"
    answer = "fetch({!r}, {{mode: 'no-cors'}}).then(() => 'came', () => 'failed')"
    for url in (other, image):
        assert agent.evaluate(answer.format(url)) == "failed"
    assert agent.evaluate(answer.format(away)) == "failed"
    code = f"{answer.format(image)}.then(postMessage)"
    worker = f"new Worker(URL.createObjectURL(new Blob([{code!r}])))"
    assert agent.evaluate(f"new Promise(told => {{ {worker}.onmessage = event => told(event.data) }})") == "failed"


def test_patterns_with_methods_and_addresses(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(blocked_urls=("POST 127.0.0.1", "ip:::1", "DELETE ip:loopback"))
    agent.show("<form method=post><button>Send</button></form>")
    answer = "fetch('/text', {{method: '{}'}}).then(() => 'came', () => 'failed')"
    assert [agent.evaluate(answer.format(method)) for method in ("GET", "POST", "DELETE")] == [
        "came",
        "failed",
        "failed",
    ]
    assert "was not opened: --blocked-urls blocks it." in agent("browser_click", selector="button")
    assert agent("browser_navigate", url="http://[::1]:9/").text.startswith("http://[::1]:9/ was not opened: ")
    assert not agent("browser_navigate", url=agent.site.url_for("/text")).is_error


def test_blocked_urls_alone_leave_all_other_pages(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(blocked_urls=("localhost",))
    assert "Hello" in agent("browser_navigate", url="data:text/html,Hello")
    assert "Plain text." in agent("browser_navigate", url=agent.site.url_for("/text"))
    assert agent("browser_navigate", url=agent.site.other_url_for("/text")).is_error


def show_early(agent: Agent, kind: str, url: str) -> None:
    """Show a link to a page that Chromium may load before it is clicked, and has."""
    rules = {"prefetch": [{"urls": ["/json"]}]}
    rules.setdefault(kind, []).append({"urls": [url]})
    agent.show(f"<script type=speculationrules>{json.dumps(rules)}</script><a href={url}>Next</a>")
    if agent.world.browser == "chromium":
        agent.world.run(lambda: agent.site.wait_request("/json"))


@pytest.mark.parametrize("command", ["browser_navigate", "browser_reload"])
def test_a_page_that_goes_on_to_one_that_is_not_allowed_while_it_loads(
    make_agent: Callable[..., Agent], command: str
) -> None:
    """Chromium 156 never reports that such a page has loaded."""
    agent = make_agent(allowed_urls=("127.0.0.1",))
    other = agent.site.other_url_for("/text")
    first = agent.show("<p>Rest</p>", head=f"<script>location = {other!r}</script>")
    answer = agent(command) if command == "browser_reload" else first
    assert f"{other} was not opened: --allowed-urls does not allow it." in answer
    assert "still loading" not in answer


@pytest.mark.parametrize("kind", ["prerender", "prefetch"])
def test_allowed_urls_hold_for_pages_that_are_loaded_early(make_agent: Callable[..., Agent], kind: str) -> None:
    agent = make_agent(allowed_urls=("127.0.0.1/page/*",))
    url = agent.site.url_for("/text")
    show_early(agent, kind, url)
    answer = agent("browser_click", selector="a")
    assert f"{url} was not opened: --allowed-urls does not allow it." in answer
    assert "/text" not in agent.evaluate("document.URL")


def test_a_page_that_is_loaded_early_is_no_end_of_the_tab(agent: Agent) -> None:
    show_early(agent, "prerender", agent.site.url_for("/result"))
    answer = agent("browser_click", selector="a")
    assert "The page was closed" not in answer
    assert 'heading "Result"' in answer


def test_allowed_urls_leave_the_saving_of_storage_alone(make_agent: Callable[..., Agent], tmp_path: Path) -> None:
    agent = make_agent(allowed_urls=("127.0.0.1",))
    agent.show("<script>localStorage.kept = 'yes'</script>")
    agent("browser_navigate", url="about:blank")
    agent("browser_context_save_storage", name="default", path=str(tmp_path / "state.json"))
    assert '"kept"' in (tmp_path / "state.json").read_text()
    assert "still opens" in agent.show("still opens")


def test_a_script_is_no_page(agent: Agent) -> None:
    agent.show("<p>Here</p>")
    answer = agent("browser_navigate", url="javascript:void(0)")
    assert answer.text == "A javascript: URL is not a page. Run the script with the tool for JavaScript."
    assert "Here" in agent("browser_snapshot")


@pytest.mark.parametrize(
    "script",
    ["new EventSource('/events')", "fetch('/events', {headers: {accept: 'text/event-stream'}})", "fetch('/events')"],
)
def test_streams_of_events_are_not_waited_for(agent: Agent, script: str) -> None:
    assert "still" not in agent.show(f"<p>here</p><script>{script}</script>")
