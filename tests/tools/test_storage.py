"""Cookies and storage: ``--caps storage``."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.world import Agent

MakeAgent = Callable[..., Agent]


@pytest.fixture
def store(make_agent: MakeAgent, tmp_path: Path) -> Agent:
    """Return an agent with the tools, on a page."""
    agent = make_agent(caps=("storage",), output_dir=tmp_path)
    agent.show("<p>Here")
    return agent


def test_cookies_are_set_shown_and_deleted(store: Agent) -> None:
    assert not store("browser_cookie_set", name="theme", value="dark blue").is_error
    until = int(time.time()) + 5000
    more = {"httpOnly": True, "path": "/frames", "expires": until, "sameSite": "Lax", "domain": "other.example"}
    assert not store("browser_cookie_set", name="sid", value="x" * 900, **more).is_error
    assert store.evaluate("document.cookie") == "theme=dark blue"
    listed = store("browser_cookie_list")
    assert '"theme": "dark blue" (127.0.0.1/)' in listed
    assert f'"sid": "{"x" * 100}' in listed
    assert "x" * 900 not in listed
    assert "other.example/frames, HttpOnly, SameSite=Lax, until 20" in listed
    assert f'"sid": "{"x" * 900}"' in store("browser_cookie_get", name="sid")
    assert '"sid"' not in store("browser_cookie_list", domain="127.0.0.1")
    assert "theme" not in store("browser_cookie_list", domain="example")
    assert '"sid"' in store("browser_cookie_list", domain="example", path="/frames/one")
    assert "No cookies." in store("browser_cookie_list", domain="example", path="/framesets")
    assert "There is no such cookie." in store("browser_cookie_delete", name="theme", domain="other.example")
    assert 'Deleted: "theme": "dark blue"' in store("browser_cookie_delete", name="theme")
    assert store.evaluate("document.cookie") == ""
    assert 'Deleted: "sid"' in store("browser_cookie_clear")
    assert "No cookies." in store("browser_cookie_list")
    assert 'There is no cookie "theme".' in store("browser_cookie_get", name="theme")


def test_clearing_cookies_keeps_those_of_other_domains(store: Agent) -> None:
    for name in "ab":
        store("browser_cookie_set", name=name, value="1", domain="one.example")
    store("browser_cookie_set", name="c", value="1", domain="www.two.example")
    assert "Deleted 2 cookies." in store("browser_cookie_clear", domain="one.example")
    assert '"c": "1"' in store("browser_cookie_list")
    assert not store("browser_cookie_clear").is_error


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"domain": "http://x.example"}, "'http://x.example' is not a domain. Pass a host without scheme and port."),
        ({"domain": "x.example:80"}, "is not a domain"),
        ({"value": "a;b"}, "The cookie 'k' was refused: "),
        ({"sameSite": "lax"}, "sameSite: Input should be 'Strict', 'Lax' or 'None'"),
    ],
)
def test_a_cookie_that_cannot_be(store: Agent, wrong: dict[str, str], said: str) -> None:
    answer = store("browser_cookie_set", **{"name": "k", "value": "v", **wrong})
    assert answer.is_error
    assert said in answer


def test_a_cookie_of_no_page(make_agent: MakeAgent) -> None:
    agent = make_agent(caps=("storage",))
    assert "The cookie has no domain, and no web page is open." in agent("browser_cookie_set", name="k", value="v")
    agent("browser_navigate", url="about:blank")
    assert "Pass its domain." in agent("browser_cookie_set", name="k", value="v")
    assert not agent("browser_cookie_set", name="k", value="v", domain="x.example").is_error


@pytest.mark.parametrize("area", ["local", "session"])
def test_storage_is_set_shown_and_deleted(store: Agent, area: str) -> None:
    tool = f"browser_{area}storage"
    store.evaluate(f"{area}Storage.clear()")
    assert " is empty." in store(f"{tool}_list")
    for name in ("length", "getItem", "a key", "__proto__"):
        assert not store(f"{tool}_set", key=name, value=f"of {name}\nand more").is_error
    assert store.evaluate(f"{area}Storage.getItem('__proto__')") == "of __proto__\nand more"
    listed = store(f"{tool}_list")
    assert f"The {area}Storage of http://127.0.0.1:" in listed
    assert all(f'"{name}": "of {name}\\nand more"' in listed for name in ("length", "getItem", "a key", "__proto__"))
    assert "  of length\n  and more" in store(f"{tool}_get", key="length")
    assert f'Deleted "length" from {area}Storage.' in store(f"{tool}_delete", key="length")
    assert f'{area}Storage has no "length".' in store(f"{tool}_delete", key="length")
    assert f'{area}Storage has no "length".' in store(f"{tool}_get", key="length")
    assert "Deleted the 3 entries" in store(f"{tool}_clear")
    assert store.evaluate(f"{area}Storage.length") == "0"


def test_the_two_storages_are_apart(store: Agent) -> None:
    store("browser_localstorage_set", key="apart", value="local")
    store("browser_sessionstorage_set", key="apart", value="session")
    assert "local" in store("browser_localstorage_get", key="apart")
    assert "session" in store("browser_sessionstorage_get", key="apart")


def test_a_value_without_room(store: Agent) -> None:
    answer = store("browser_localstorage_set", key="full", value="x" * 11_000_000)
    assert answer.is_error
    assert "The localStorage of this site is full." in answer


def test_a_page_without_storage(store: Agent) -> None:
    store("browser_navigate", url="data:text/html,<p>none")
    for tool in ("browser_localstorage_list", "browser_sessionstorage_clear"):
        answer = store(tool)
        assert answer.is_error
        assert "This page has no " in answer


def test_storage_behind_a_dialog(store: Agent) -> None:
    store.show("<button onclick=\"alert('Stop')\">Ask</button>")
    store("browser_click", selector="button")
    assert "Stop" in store("browser_localstorage_list")
    assert not store("browser_cookie_list").is_error
    store("browser_handle_dialog", accept=True)


def test_a_state_is_saved_and_comes_back(store: Agent, tmp_path: Path) -> None:
    store("browser_cookie_set", name="kept", value="1")
    store("browser_localstorage_set", key="kept", value="yes")
    answer = store("browser_storage_state", filename=str(tmp_path / "state.json"))
    assert "Saved 1 cookies and the localStorage of 1 origin to" in answer
    assert json.loads((tmp_path / "state.json").read_text())["cookies"][0]["name"] == "kept"
    store("browser_cookie_set", name="later", value="1")
    store("browser_localstorage_set", key="later", value="yes")
    store("browser_navigate", url=store.site.other_url_for("/text"))
    store("browser_localstorage_set", key="later", value="yes")
    answer = store("browser_set_storage_state", filename=str(tmp_path / "state.json"))
    assert "The context has 1 cookies and 1 localStorage entries from" in answer
    assert " is empty." in store("browser_localstorage_list")
    store.open("/text")
    assert '"kept": "yes"' in store("browser_localstorage_list")
    assert "later" not in store("browser_localstorage_list")
    assert "later" not in store("browser_cookie_list")
    assert '"kept": "1"' in store("browser_cookie_list")


def test_a_state_in_the_folder_for_screenshots(store: Agent, tmp_path: Path) -> None:
    assert not store("browser_storage_state").is_error
    assert len(list(tmp_path.glob("storage-state-*.json"))) == 1
    answer = store("browser_set_storage_state", filename=str(tmp_path / "none.json"))
    assert "can't be read: No such file or directory." in answer
