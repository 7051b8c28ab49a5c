"""Options of the server that apply to every context."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures.proxy import open_proxy
from fixtures.site import open_tls_site
from tests.support.world import Agent, World

MakeAgent = Callable[..., Agent]


@pytest.mark.parametrize(
    ("option", "value", "expression"),
    [
        ("user_agent", "Agent/1.0", "navigator.userAgent"),
        ("locale", "de-CH", "navigator.language"),
        ("timezone", "Asia/Tokyo", "Intl.DateTimeFormat().resolvedOptions().timeZone"),
    ],
)
def test_what_pages_see(make_agent: MakeAgent, option: str, value: str, expression: str) -> None:
    agent = make_agent(**{option: value})
    agent.show("<p>Here")
    assert agent.evaluate(expression) == value
    agent("browser_context_create", name="other")
    agent.show("<p>There")
    assert agent.evaluate(expression) == value


def test_environment_of_the_browser(make_agent: MakeAgent) -> None:
    agent = make_agent(browser_env=["TZ=Asia/Tokyo", "NOTHING="])
    agent.show("<p>Here")
    assert agent.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone") == "Asia/Tokyo"


def test_configuration_without_secrets(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(
        caps=("config",),
        viewport="900x700",
        output_dir=tmp_path,
        output_max_size="5MB",
        http_credentials=["https://hunter1:hunter2@a.example"],
        extra_header=["Authorization: Bearer hunter2"],
        browser_env=["API_TOKEN=hunter2", "TZ=hunter2"],
        browser_arg=["--proxy-server=http://hunter1:hunter2@proxy:1/", "--api-key=hunter2", "--lang=de"],
        browser_pref=["service.password=hunter2", "plain=1"],
        proxy_server="http://hunter1:hunter2@127.0.0.1:9",
        grid_url="https://hunter1:hunter2@grid:1/?token=hunter2",
        endpoint="wss://hunter1:hunter2@elsewhere/session/1?token=hunter2",
    )
    answer = agent("browser_get_config").text
    assert "hunter" not in answer
    shown = json.loads(answer)
    assert (shown["viewport"], shown["output_dir"], shown["output_max_size"]) == ("900x700", str(tmp_path), 5_000_000)
    assert shown["http_credentials"] == ["https://…@a.example"]
    assert shown["extra_header"] == ["Authorization: …"]
    assert shown["browser_env"] == ["API_TOKEN=…", "TZ=…"]
    assert shown["browser_arg"] == ["--proxy-server=http://…@proxy:1/", "--api-key=…", "--lang=de"]
    assert shown["browser_pref"] == ["service.password=…", "plain=1"]
    assert (shown["proxy_server"], shown["grid_url"]) == ("http://…@127.0.0.1:9", "https://…@grid:1/?…")
    assert shown["endpoint"] == "wss://…@elsewhere/session/1?…"
    assert (shown["navigation_timeout"], shown["headed"]) == (30, False)
    assert "user_agent" not in shown


def test_headers_of_every_request(make_agent: MakeAgent) -> None:
    agent = make_agent(extra_header=["X-Team: blue and green", "X-Run:7"])
    agent.show("<p>Here")
    path = str(agent.evaluate("location.pathname"))  # of this page only: the site is that of all tests
    request = agent.world.run(lambda: agent.site.wait_request(path))
    assert (request.headers["x-team"], request.headers["x-run"]) == ("blue and green", "7")


def test_scripts_before_those_of_pages(make_agent: MakeAgent, tmp_path: Path) -> None:
    first, second = tmp_path / "first.js", tmp_path / "second.js"
    first.write_text("window.order = ['first'] // no line after this", "utf-8")
    second.write_text("window.order.push('second', 'ü')", "utf-8")
    agent = make_agent(init_script=[first, second])
    shown = "<p id=p></p><script>p.textContent = window.order.join(' then ')</script>"
    assert "first then second then ü" in agent.show(shown)
    agent("browser_context_create", name="other")
    assert "first then second then ü" in agent.show(shown)


def test_a_script_that_cannot_be_read(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(init_script=[tmp_path / "none.js"])
    answer = agent("browser_navigate", url="about:blank")
    assert answer.is_error
    assert f"--init-script {tmp_path / 'none.js'} can't be read: No such file or directory." in answer


def test_cookies_and_storage_to_begin_with(make_agent: MakeAgent, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    first = make_agent()
    first.show("<p>Here")
    first.evaluate("document.cookie = 'team=blue; max-age=1000; path=/', localStorage.setItem('key', 'kept')")
    first("browser_context_save_storage", name="default", path=str(state))
    second = make_agent(storage_state=state)
    second.open("/form")
    assert second.evaluate("`${document.cookie} ${localStorage.getItem('key')}`") == "team=blue kept"
    lost = make_agent(storage_state=tmp_path / "none.json")("browser_navigate", url="about:blank")
    assert lost.is_error
    assert "none.json can't be read" in lost


def test_a_proxy_for_all_traffic(make_agent: MakeAgent, world: World) -> None:
    with world.opened(open_proxy(to_port=world.site.port, login=("user", "pass"))) as http:
        agent = make_agent(proxy_server=f"http://user:pass@{http.address}", proxy_bypass=["127.0.0.1"])
        assert 'heading "Links"' in agent("browser_navigate", url="http://shop.test/links")
        assert "http://shop.test/links" in http.passed
        url = f"http://127.0.0.1:{world.site.port}/form"
        assert not agent("browser_navigate", url=url).is_error
        assert url not in http.passed
        agent("browser_close")


def test_certificates_that_nobody_signed(make_agent: MakeAgent, world: World) -> None:
    with world.opened(open_tls_site()) as site:
        url = site.url_for("/form")
        assert make_agent()("browser_navigate", url=url).is_error
        agent = make_agent(ignore_https_errors=True)
        assert "Every kind of field" in agent("browser_navigate", url=url)
        agent("browser_close")


def test_a_device(make_agent: MakeAgent) -> None:
    agent = make_agent(device="iPhone SE landscape", locale="de-DE")
    agent.show("<meta name=viewport content='width=device-width'><p>Here")
    seen = agent.evaluate("`${innerWidth}x${innerHeight} ${devicePixelRatio} ${navigator.language}`")
    assert seen == "667x375 2 de-DE"
    assert "iPhone" in agent.evaluate("navigator.userAgent")


def test_a_device_with_another_size(make_agent: MakeAgent) -> None:
    agent = make_agent(device="Desktop HiDPI", viewport="900x500")
    agent.show("<p>Here")
    assert agent.evaluate("`${innerWidth}x${innerHeight} ${devicePixelRatio}`") == "900x500 2"


def test_a_device_that_is_not_there(make_agent: MakeAgent) -> None:
    agent = make_agent(device="Nokia 3310")
    answer = agent("browser_navigate", url="about:blank")
    assert answer.is_error
    assert "There is no device 'Nokia 3310'. " in answer


def test_permissions_of_every_page(make_agent: MakeAgent) -> None:
    agent = make_agent(grant_permissions="notifications,geolocation")
    for page in (agent.site.url_for("/text"), agent.site.other_url_for("/text")):
        agent("browser_navigate", url=page)
        query = "async () => (await navigator.permissions.query({name: 'geolocation'})).state"
        assert agent.evaluate(query) == "granted"
