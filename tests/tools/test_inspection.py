"""Snapshot, screenshot, evaluate, wait."""

import base64
import io
import re
from collections.abc import Callable

import pytest
from PIL import Image

from tests.world import Agent


def test_snapshot_of_a_part(agent: Agent) -> None:
    page = agent.show("<nav aria-label=Top><a href=/a>A</a></nav><main><button>B</button></main>")
    part = agent("browser_snapshot", selector="main")
    assert "button" in part
    assert "navigation" not in part
    link = agent("browser_snapshot", ref=page.ref("link", "A"))
    assert link.text.startswith('- link "A"')
    assert "No element matches" in agent("browser_snapshot", selector="#no")


def test_snapshot_depth(agent: Agent) -> None:
    agent.show("<main><ul><li><a href=/a>A</a><li><a href=/b>B</a></ul></main>")
    assert "link" not in agent("browser_snapshot", depth=1)
    assert "link" in agent("browser_snapshot")


def test_large_page_is_answered_as_an_outline_and_read_in_full(agent: Agent) -> None:
    answer = agent.open("/nodes/3000")
    assert len(answer.text) < 9000
    assert "browser_snapshot" in answer
    assert len(agent("browser_snapshot").text) > 20000


def test_blank_page(agent: Agent) -> None:
    answer = agent("browser_navigate", url="about:blank")
    assert "- document" in answer


def test_long_text_is_cut_and_can_be_read(agent: Agent) -> None:
    agent.show(f"<p id=p>{'word ' * 100}</p>")
    line = next(line for line in agent("browser_snapshot").text.splitlines() if "word" in line)
    assert line.endswith("…")
    assert len(line) < 130
    assert len(agent.evaluate("p.textContent")) == 500


def test_ref_survives_a_reload(agent: Agent) -> None:
    first = agent.open("/form")
    second = agent.open("/form")
    assert "shows what it showed before" in second
    assert "Clicked" in agent("browser_click", ref=first.ref("button", "Clear"))


def test_ref_of_an_element_that_has_gone_suggests_others(agent: Agent) -> None:
    page = agent.show("<button id=b>Save order</button>")
    agent.evaluate("document.body.innerHTML = '<button id=c>Save order now</button>'")
    answer = agent("browser_click", ref=page.ref("button", "Save order"))
    assert answer.is_error
    assert "Element 'Save order button'" in answer
    assert "no longer exists" in answer
    assert "Similar elements on page: button 'Save order now' [ref=" in answer
    assert "Take a new snapshot" in answer


def test_ref_of_an_element_that_has_changed(agent: Agent) -> None:
    page = agent.show("<button id=b>Submit</button>")
    agent.evaluate("b.textContent = 'Loading'")
    answer = agent("browser_click", ref=page.ref("button", "Submit"))
    assert answer.is_error
    assert "Was: button 'Submit', Now: button 'Loading'." in answer


def test_small_change_goes_on_with_a_note(agent: Agent) -> None:
    page = agent.show("<button id=b>Cart (1)</button>")
    agent.evaluate("b.textContent = 'Cart (2)'")
    answer = agent("browser_click", ref=page.ref("button", "Cart (1)"))
    assert "Note: Element may have changed. Using current state." in answer


@pytest.mark.parametrize(
    ("script", "result"),
    [
        ("() => document.title", "Test"),
        ("document.title", "Test"),
        ("() => ({a: [1, null, true], b: {c: 'x'}})", '{"a": [1, null, true], "b": {"c": "x"}}'),
        ("() => null", "null"),
        ("() => undefined", "null"),
        ("async () => 42", "42"),
        ("Promise.resolve('later')", "later"),
        ("const x = 2; return x * 21", "42"),
        ("() => document.querySelector('p')", None),
    ],
)
def test_evaluate(agent: Agent, script: str, result: str | None) -> None:
    agent.show("<p>text</p>")
    answer = agent("browser_evaluate", function=script)
    assert not answer.is_error, answer.text
    if result is not None:
        assert answer.text == result


def test_evaluate_on_an_element(agent: Agent) -> None:
    page = agent.show("<button id=b data-x=1>Go</button>")
    ref = page.ref("button", "Go")
    assert agent("browser_evaluate", ref=ref, function="(el) => el.textContent").text == "Go"
    assert agent("browser_evaluate", ref=ref, function="(el) => el.getAttribute('nonexistent')").text == "null"
    answer = agent("browser_evaluate", ref=ref, function="(el) => ({ tag: el.tagName, id: el.id })")
    assert answer.text == '{"tag": "BUTTON", "id": "b"}'


def test_evaluate_errors(agent: Agent) -> None:
    agent.show("")
    thrown = agent("browser_evaluate", function="() => { throw new TypeError('broken') }")
    assert thrown.is_error
    assert "TypeError: broken" in thrown
    assert "SyntaxError" in agent("browser_evaluate", function="() => {{")


def test_evaluate_that_never_ends_is_cut(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(action_timeout=1)
    agent.show("")
    answer = agent("browser_evaluate", function="() => new Promise(() => 0)")
    assert answer.is_error
    assert "within 1 s" in answer


def test_screenshot_modes(make_agent: Callable[..., Agent]) -> None:
    for mode in ("file", "inline", "omit"):
        agent = make_agent(image_responses=mode)
        agent.show("<body style='background:#fff'><h1>Big</h1><div style='height:3000px'></div>")
        answer = agent("browser_take_screenshot", fullPage=True)
        files = sorted(agent.config.screenshot_dir.glob("page-*.png"))
        assert re.fullmatch(r"page-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.png", files[-1].name)
        with Image.open(files[-1]) as picture:
            assert picture.height >= 3000
        assert (str(files[-1]) in answer) is (mode != "omit")
        assert len(answer.images) == (mode == "inline")
        if answer.images:
            picture = Image.open(io.BytesIO(base64.b64decode(answer.images[0].data)))
            assert picture.format == "JPEG"
            assert max(picture.size) <= 1568
            assert picture.width * picture.height <= 1_150_000


def test_screenshot_of_viewport_and_element(agent: Agent) -> None:
    page = agent.show("<button style='width:200px;height:100px;box-sizing:border-box'>Box</button>")
    agent("browser_take_screenshot", filename="view.png")
    with Image.open(agent.config.screenshot_dir / "view.png") as picture:
        assert picture.size == (1280, 720)
    agent("browser_take_screenshot", ref=page.ref("button", "Box"), filename="box.jpeg", type="jpeg")
    with Image.open(agent.config.screenshot_dir / "box.jpeg") as picture:
        assert picture.format == "JPEG"
        assert picture.size == (200, 100)


def test_screenshot_stays_in_its_folder(agent: Agent) -> None:
    agent.show("")
    answer = agent("browser_take_screenshot", filename="../escape.png")
    assert answer.is_error
    assert "leads out of the folder" in answer


def test_wait_for_text_and_its_end(agent: Agent) -> None:
    agent.show("<p id=p>Loading...</p><script>setTimeout(() => p.textContent = 'Loading complete', 300)</script>")
    assert "'Loading complete' is there" in agent("browser_wait_for", text="Loading complete")
    assert "is gone" in agent("browser_wait_for", textGone="Loading...")
    assert "Waited 0.1 s" in agent("browser_wait_for", time=0.1)
    answer = agent("browser_wait_for", text="never", time=0.3)
    assert answer.is_error
    assert "did not appear after 0.3 s" in answer
    assert "nothing to wait for" in agent("browser_wait_for")


def test_wait_for_text_over_a_navigation_and_in_a_frame(agent: Agent) -> None:
    agent.show("<script>setTimeout(() => location.href = '/result?from=script', 100)</script>")
    assert not agent("browser_wait_for", text="script").is_error
    agent.open("/frames")
    assert not agent("browser_wait_for", text="This is cross.").is_error


def test_listeners_are_noted_behind_the_back_of_the_page(agent: Agent) -> None:
    agent.show(
        "<ul id=list><li>Delegated</li><li><button>B</button></li></ul><p id=p>Own</p>"
        "<script>for (const id of ['list', 'p']) document.getElementById(id).addEventListener('click', () => {});"
        "addEventListener('click', () => {}); document.body.addEventListener('click', () => {})</script>"
    )
    refs = [line for line in agent("browser_snapshot").text.splitlines() if "ref=" in line]
    assert [line.split()[1] for line in refs] == ["button", "paragraph"]
    shown = "(f => [f.name, f.length, String(f).includes('[native code]')].join())(addEventListener)"
    assert agent.evaluate(shown) == "addEventListener,2,true"
