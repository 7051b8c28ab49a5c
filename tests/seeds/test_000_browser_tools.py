"""Seed 000, every scenario under its own name: what tools do, as a client sees it."""

import io
import json
import re
import ssl
import time
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import pytest
import trustme
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent
from PIL import Image

from bidi_server.config import Config
from bidi_server.server import make_server
from fixtures.proxy import open_proxy
from fixtures.socks import open_socks, open_tls_front
from tests.support.machines import program
from tests.support.world import Agent, Answer, World

MakeAgent = Callable[..., Agent]

COUNTER = "<button id=b onclick=\"this.textContent = 'clicked ' + (window.n = (window.n || 0) + 1)\">Sign In</button>"


def tool_names(agent: Agent) -> set[str]:
    return {tool.name for tool in agent.world.run(agent.client.list_tools).tools}


def saved(answer: Answer) -> Path:
    """Return the path that a screenshot's answer names."""
    return Path(answer.text.splitlines()[0].rpartition(": ")[2])


# Navigation Tools


def test_navigate_to_url(agent: Agent) -> None:
    answer = agent("browser_navigate", url=agent.site.url_for("/links"))
    assert not answer.is_error
    assert 'heading "Links"' in answer
    assert agent.evaluate("document.readyState") == "complete"


def test_navigate_back(agent: Agent) -> None:
    agent.open("/links")
    agent.open("/form")
    assert 'heading "Links"' in agent("browser_navigate_back")
    assert agent.evaluate("location.pathname") == "/links"


def test_navigate_after_all_pages_closed(agent: Agent) -> None:
    agent.open("/links")
    agent("browser_close")
    assert agent("browser_tabs", action="list").text == "No tab is open."
    answer = agent("browser_navigate", url=agent.site.url_for("/form"))
    assert not answer.is_error
    assert 'heading "Every kind of field"' in answer


# Element Interaction Tools


def test_click_element(agent: Agent) -> None:
    page = agent.show(
        "<button onclick=\"fetch('/slow?ms=150').then(() => out.textContent = 'in')\">Sign In</button><p id=out>out</p>"
    )
    answer = agent("browser_click", ref=page.ref("button", "Sign In"), element="Sign In button")
    assert "paragraph: in" in answer


def test_click_triggers_navigation(agent: Agent) -> None:
    page = agent.open("/links")
    answer = agent("browser_click", ref=page.ref("link", "Slow link"))
    assert "/slow" in answer.text.partition("Page:")[2].splitlines()[0]
    assert agent.evaluate("document.readyState") == "complete"


def test_click_triggers_navigation__submit_button(agent: Agent) -> None:
    page = agent.show("<form action=/result><input name=q value=tea><button>Search</button></form>")
    answer = agent("browser_click", ref=page.ref("button", "Search"))
    assert "/result?q=tea" in answer
    assert 'heading "Result"' in answer


@pytest.mark.parametrize("kind", ["element", "canvas"])
def test_right_click_element(agent: Agent, kind: str) -> None:
    tag = "button" if kind == "element" else "canvas"
    agent.show(
        f"<{tag} id=b>B</{tag}><p id=out></p>"
        "<script>b.oncontextmenu = e => out.textContent = e.type + e.button</script>"
    )
    answer = agent("browser_click", selector="#b", button="right")
    assert "contextmenu2" in answer


def test_middle_click_element(agent: Agent) -> None:
    agent.show(
        "<button id=b>B</button><p id=out></p><script>b.onauxclick = e => out.textContent = e.type + e.button</script>"
    )
    assert "auxclick1" in agent("browser_click", selector="#b", button="middle")


def test_click_with_modifier_keys(agent: Agent) -> None:
    page = agent.show("<a href=/form>Form</a>")
    answer = agent("browser_click", ref=page.ref("link", "Form"), modifiers=["Control"])
    assert "A new tab was opened: " in answer
    assert agent("browser_tabs", action="list").text.startswith("- 0: (active)")


def test_click_with_modifier_keys__are_seen_by_the_page(agent: Agent) -> None:
    agent.show(
        "<button id=b>B</button><p id=out></p>"
        "<script>b.onclick = e => out.textContent = [e.ctrlKey, e.shiftKey, e.altKey]</script>"
    )
    assert "true,true,false" in agent("browser_click", selector="#b", modifiers=["Control", "Shift"])
    assert "false,false,false" in agent("browser_click", selector="#b")


def test_double_click(agent: Agent) -> None:
    agent.show(
        "<p id=p ondblclick=\"fetch('/slow?ms=100').then(() => out.textContent = 'twice')\">Text</p><p id=out>once</p>"
    )
    assert "twice" in agent("browser_click", selector="#p", doubleClick=True)


def test_type_text(agent: Agent) -> None:
    page = agent.show("<label>Email <input type=email></label>")
    answer = agent("browser_type", ref=page.ref("textbox", "Email"), element="Email input", text="user@example.com")
    assert 'textbox "Email"' in answer
    assert agent.evaluate("document.querySelector('input').value") == "user@example.com"


def test_type_text__in_every_kind_of_field(agent: Agent) -> None:
    fields = {
        "<textarea id=a></textarea>": ("two\nlines", "two\nlines"),
        "<input id=b type=date>": ("2026-11-22", "2026-11-22"),
        "<input id=c type=time>": ("13:45", "13:45"),
        "<input id=d type=color>": ("#ff8800", "#ff8800"),
        "<input id=e type=range max=10>": ("7", "7"),
        "<input id=f type=number>": ("42", "42"),
        "<div id=g contenteditable>old</div>": (" new", "old new"),
    }
    agent.show("".join(fields) + "<script>const heard = new Set(); onchange = e => heard.add(e.target.id)</script>")
    for name, (text, value) in zip("abcdefg", fields.values(), strict=True):
        answer = agent("browser_type", selector=f"#{name}", text=text)
        assert not answer.is_error, answer.text
        held = json.loads(agent.evaluate(f"[{name}.value ?? {name}.innerText]"))[0]
        assert held.replace("\xa0", " ") == value
    assert json.loads(agent.evaluate("[...'cde'].filter(id => heard.has(id))")) == ["c", "d", "e"]


def test_type_text__in_controlled_inputs(agent: Agent) -> None:
    page = agent.open("/controlled")
    field = re.search(r"textbox .*?\[ref=(\w+)\]", page.text)
    assert field
    agent("browser_type", ref=field[1], text="tea")
    assert "tea" in agent("browser_snapshot")


def test_type_text__key_by_key(agent: Agent) -> None:
    agent.show("<input id=f><p id=out></p><script>f.onkeydown = e => out.textContent += e.key + ' '</script>")
    assert "a b c" in agent("browser_type", selector="#f", text="abc", slowly=True)


def test_type_with_submit(agent: Agent) -> None:
    page = agent.show("<form action=/result><input name=q aria-label=Query></form>")
    answer = agent("browser_type", ref=page.ref("textbox", "Query"), text="tea", submit=True)
    assert "/result?q=tea" in answer


def test_type_with_submit_triggers_navigation(agent: Agent) -> None:
    page = agent.show(
        "<form action=/slow><input type=hidden name=ms value=300><input type=search name=q aria-label=Search></form>"
    )
    answer = agent("browser_type", ref=page.ref("searchbox", "Search"), text="tea", submit=True)
    assert "/slow?ms=300&q=tea" in answer
    assert agent.evaluate("document.readyState") == "complete"


def test_fill_form(agent: Agent) -> None:
    page = agent.open("/form")
    fields = [
        {"ref": page.ref("textbox", "Full name"), "name": "Full name", "type": "textbox", "value": "Ada"},
        {"ref": page.ref("checkbox", "Newsletter"), "name": "Newsletter", "type": "checkbox", "value": True},
        {"ref": page.ref("radio", "Large"), "name": "Large", "type": "radio", "value": "true"},
        {"ref": page.ref("combobox", "Country"), "name": "Country", "type": "combobox", "value": "Japan"},
        {"ref": page.ref("slider", "Volume"), "name": "Volume", "type": "slider", "value": 70},
    ]
    answer = agent("browser_fill_form", fields=fields)
    assert not answer.is_error, answer.text
    form = json.loads(agent.evaluate("Object.fromEntries(new FormData(everything))"))
    assert {**form, "name": "Ada", "news": "yes", "size": "l", "country": "jp", "volume": "70"} == form


def test_hover_element(agent: Agent) -> None:
    page = agent.show(
        "<style>ul {display: none} nav:hover ul {display: block}</style>"
        "<nav><button>Menu</button><ul><li>Tea</ul></nav>"
    )
    assert "Tea" in agent("browser_hover", ref=page.ref("button", "Menu"))


@pytest.mark.parametrize(
    ("start", "end", "outcome"),
    [
        ("#task-1", "#done", "Boil water dropped on Done"),
        (".pointer", "[aria-label=Finished]", "Buy paper moved to Finished"),
        ("#sortable li", "#sortable li:nth-child(3)", "order Beta Gamma Alpha"),
        ("#knob", "#track", "strength 5"),
    ],
)
def test_drag_and_drop(agent: Agent, start: str, end: str, outcome: str) -> None:
    agent.open("/drag")
    answer = agent("browser_drag", startSelector=start, endSelector=end)
    assert answer.text.startswith("Dragged ")
    assert f"status: {outcome}" in answer


def test_drag_and_drop__by_ref_and_back(agent: Agent) -> None:
    page = agent.open("/drag")
    card = page.ref("listitem", "Boil water")
    assert "dropped on Done" in agent("browser_drag", startRef=card, endSelector="#done")
    answer = agent(
        "browser_drag", startRef=card, startElement="Boil water", endRef=page.ref("listitem", "Warm the pot")
    )
    assert "dropped on To do" in answer


def test_drag_and_drop__farther_than_the_viewport(agent: Agent) -> None:
    agent.show(
        "<div id=a style='width:50px;height:50px;background:red'>A</div><div style='height:3000px'></div>"
        "<div id=z style='width:50px;height:50px;background:blue'>Z</div><p id=out></p>"
        "<script>let held = false; a.onpointerdown = () => held = true;"
        "z.onpointerup = () => { if (held) out.textContent = 'arrived' }</script>"
    )
    assert "arrived" in agent("browser_drag", startSelector="#a", endSelector="#z")


def test_drag_and_drop__waits_for_what_the_drop_starts(agent: Agent) -> None:
    agent.show(
        "<p id=a draggable=true>A</p><p id=z>Z</p><p id=out></p><script>z.ondragover = e => e.preventDefault();"
        "z.ondrop = e => fetch('/slow?ms=100').then(() => { out.textContent = 'stored' })</script>"
    )
    assert "stored" in agent("browser_drag", startSelector="#a", endSelector="#z")


def test_select_dropdown_option(agent: Agent) -> None:
    page = agent.open("/form")
    for values, expected in ((["fr"], "fr"), (["Japan"], "jp"), (["de"], "de")):
        answer = agent("browser_select_option", ref=page.ref("combobox", "Country"), values=values)
        assert not answer.is_error, answer.text
        assert agent.evaluate("document.querySelector('[name=country]').value") == expected


def test_select_dropdown_option__several(agent: Agent) -> None:
    page = agent.open("/form")
    agent("browser_select_option", ref=page.ref("listbox", "Toppings"), values=["ham", "Olives"])
    chosen = agent.evaluate("[...document.querySelector('[name=toppings]').selectedOptions].map(o => o.value).join()")
    assert chosen == "ham,olives"


def test_press_key(agent: Agent) -> None:
    agent.show(
        "<input id=f autofocus><p id=out></p><script>f.onkeydown = e =>"
        " fetch('/slow?ms=100').then(() => out.textContent = 'got ' + e.key)</script>"
    )
    agent("browser_click", selector="#f")
    assert "got Enter" in agent("browser_press_key", key="Enter")


def test_press_enter_triggers_form_submission(agent: Agent) -> None:
    agent.show("<form action=/result><input id=f name=q value=tea></form>")
    agent("browser_click", selector="#f")
    assert "/result?q=tea" in agent("browser_press_key", key="Enter")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, text in (("file.pdf", "%PDF-"), ("tea.txt", "Earl Grey")):
        (tmp_path / name).write_text(text)
    return [str(tmp_path / "file.pdf"), str(tmp_path / "tea.txt")]


def test_upload_files(agent: Agent, files: list[str]) -> None:
    page = agent.open("/upload")
    answer = agent("browser_file_upload", paths=files[:1], ref=page.ref("button", "One file"))
    assert "file.pdf (5 bytes)" in answer
    answer = agent("browser_file_upload", paths=files, ref=page.ref("button", "Several pictures"))
    assert "file.pdf (5 bytes), tea.txt (9 bytes)" in answer


def test_upload_files__to_the_only_input(agent: Agent, files: list[str]) -> None:
    agent.show("<label>File <input type=file onchange='out.textContent = this.files[0].name'></label><p id=out></p>")
    assert "paragraph: tea.txt" in agent("browser_file_upload", paths=files[1:])


def test_upload_files__what_is_wrong_is_said(agent: Agent, files: list[str], tmp_path: Path) -> None:
    agent.open("/upload")
    missing = agent("browser_file_upload", paths=[str(tmp_path / "nothing")], selector="[name=one]")
    assert "nothing does not exist. Pass files" in missing
    assert "is a folder. Pass files" in agent("browser_file_upload", paths=[str(tmp_path)], selector="[name=one]")
    assert "takes one file only, not 2." in agent("browser_file_upload", paths=files, selector="[name=one]")
    assert "The page has 3 file inputs: " in agent("browser_file_upload", paths=files)
    assert "is not a file input." in agent("browser_file_upload", paths=files, selector="h1")
    agent.show("<p>Nothing here")
    assert "The page has no file input, and no file chooser is open." in agent("browser_file_upload", paths=files)


def test_upload_files_with_hidden_input(agent: Agent, files: list[str]) -> None:
    agent.open("/upload")
    assert "file.pdf (5 bytes), tea.txt (9 bytes)" in agent("browser_file_upload", paths=files, selector="#hidden")


def test_upload_files_with_hidden_input__created_by_a_click(agent: Agent, files: list[str]) -> None:
    page = agent.open("/upload")
    agent("browser_click", ref=page.ref("button", "Choose through a new input"))
    assert "tea.txt (9 bytes)" in agent("browser_file_upload", paths=files[1:])


def test_upload_files_after_click_triggers_file_chooser(agent: Agent, files: list[str]) -> None:
    page = agent.open("/upload")
    answer = agent("browser_click", ref=page.ref("button", "Choose files"))
    assert "A file chooser was opened. Call browser_file_upload." in answer
    assert "file.pdf (5 bytes), tea.txt (9 bytes)" in agent("browser_file_upload", paths=files)


def test_action_without_navigation_returns_promptly(agent: Agent) -> None:
    page = agent.show(COUNTER)
    began = time.perf_counter()
    assert "clicked 1" in agent("browser_click", ref=page.ref("button", "Sign In"))
    assert time.perf_counter() - began < agent.config.navigation_timeout / 2


# Page Inspection Tools


def test_capture_accessibility_snapshot(agent: Agent) -> None:
    agent.open("/form")
    answer = agent("browser_snapshot")
    assert re.search(r'^    - heading "Every kind of field" \[level=1\]$', answer.text, re.MULTILINE)
    assert re.search(r'- textbox "Email".* \[ref=e\w{4,6}\]', answer.text)


def test_take_screenshot_file_mode(agent: Agent) -> None:
    agent.open("/form")
    answer = agent("browser_take_screenshot")
    assert answer.text.startswith("Screenshot of the viewport: ")
    assert answer.images == ()
    with Image.open(saved(answer)) as image:
        assert image.size == agent.config.viewport


def test_take_screenshot_inline_mode(make_agent: MakeAgent) -> None:
    agent = make_agent(image_responses="inline")
    agent.open("/form")
    answer = agent("browser_take_screenshot")
    assert saved(answer).exists()
    (image,) = answer.images
    with Image.open(io.BytesIO(b64decode(image.data))) as shown:
        assert max(shown.size) <= 1568
        assert shown.width * shown.height <= 1_150_000


def test_take_screenshot_omit_mode(make_agent: MakeAgent) -> None:
    agent = make_agent(image_responses="omit")
    agent.open("/form")
    answer = agent("browser_take_screenshot")
    assert (answer.text, answer.images) == ("Took a screenshot of the viewport.", ())
    assert len(list(agent.config.output_dir.glob("page-*.png"))) == 1


@pytest.mark.parametrize("size", [(2000, 300), (1300, 1300)])
def test_screenshot_image_scaling_for_inline_response(make_agent: MakeAgent, size: tuple[int, int]) -> None:
    agent = make_agent(image_responses="inline", viewport=size)
    agent.open("/form")
    answer = agent("browser_take_screenshot")
    with Image.open(saved(answer)) as full:
        assert full.size == size
    (image,) = answer.images
    assert image.mime_type == "image/jpeg"
    with Image.open(io.BytesIO(b64decode(image.data))) as shown:
        assert shown.format == "JPEG"
        assert max(shown.size) <= 1568
        assert shown.width * shown.height <= 1_150_000
        assert abs(shown.width / shown.height - size[0] / size[1]) < 0.01 * size[0] / size[1]


def test_screenshot_element(agent: Agent) -> None:
    page = agent.show("<button style='width: 120px; height: 40px; border: 0'>Sign In</button>")
    answer = agent("browser_take_screenshot", ref=page.ref("button", "Sign In"))
    with Image.open(saved(answer)) as image:
        assert image.size == (120, 40)
    assert saved(answer).parent == agent.config.output_dir


def test_full_page_screenshot(agent: Agent) -> None:
    agent.show("<div style='height: 3000px'>High</div>")
    answer = agent("browser_take_screenshot", fullPage=True)
    with Image.open(saved(answer)) as image:
        assert image.height >= 3000


LEVELS = "for (const level of ['debug', 'log', 'info', 'warn', 'error']) console[level]('said at ' + level)"


def test_get_console_messages(agent: Agent) -> None:
    agent.show(f"<script>{LEVELS}</script>")
    answer = agent("browser_console_messages", level="warning")
    assert "said at error" in answer
    assert "said at warn" in answer
    assert "said at info" not in answer
    agent.show("<p>Another page")
    assert "said at" not in agent("browser_console_messages", level="debug")


def test_console_messages_include_all_levels(agent: Agent) -> None:
    agent.show(f"<script>{LEVELS}</script>")
    answer = agent("browser_console_messages", level="debug")
    said = [line.partition(" @")[0] for line in answer.text.splitlines()]
    levels = {"debug": "debug", "log": "info", "info": "info", "warn": "warning", "error": "error"}
    assert said == [f"[{shown}] said at {level}" for level, shown in levels.items()]


def test_console_messages_filtered_by_level(agent: Agent) -> None:
    agent.show(f"<script>{LEVELS}</script>")
    answer = agent("browser_console_messages", level="error")
    assert "said at error" in answer
    assert answer.text.count("said at") == 1


def test_console_message_buffer_limit(agent: Agent) -> None:
    agent.show("<script>for (let n = 0; n < 1005; n++) console.log('number ' + n + '.')</script>")
    answer = agent("browser_console_messages", level="debug")
    assert "number 4." not in answer
    assert "number 5." in answer
    assert "number 1004." in answer
    assert answer.text.count("number ") == 1000


def test_get_network_requests(agent: Agent) -> None:
    agent.show("<script>fetch('/json')</script>")
    answer = agent("browser_network_requests")
    assert f"GET {agent.site.url_for('/json')}" in answer
    assert "200" in answer
    agent.show("<p>Another page")
    assert "/json" not in agent("browser_network_requests")


# JavaScript Evaluation


def test_evaluate_expression(agent: Agent) -> None:
    agent.show("<p>Text", title="The title")
    assert agent("browser_evaluate", function="() => document.title").text == "The title"


def test_evaluate_expression__of_any_type(agent: Agent) -> None:
    agent.show("<p>Text")
    for function, result in (
        ("() => Promise.resolve({deep: [1, 2]})", '{"deep": [1, 2]}'),
        ("async () => { await 0; return 7 }", "7"),
        ("() => [true, null, 1.5, 'a']", '[true, null, 1.5, "a"]'),
        ("() => undefined", "null"),
    ):
        assert agent("browser_evaluate", function=function).text == result


def test_evaluate_expression__that_throws(agent: Agent) -> None:
    agent.show("<p>Text")
    answer = agent("browser_evaluate", function="() => { throw new TypeError('no tea') }")
    assert answer.is_error
    assert "TypeError: no tea" in answer
    assert "no milk" in agent("browser_evaluate", function="() => Promise.reject(new Error('no milk'))")


@pytest.fixture
def item(agent: Agent) -> Callable[[str], str]:
    """Evaluate a function on the page's button by its ref."""
    ref = agent.show("<button id=b>Earl Grey</button>").ref("button", "Earl Grey")
    return lambda function: agent("browser_evaluate", ref=ref, function=function).text


def test_evaluate_on_element(item: Callable[[str], str]) -> None:
    assert item("(el) => el.textContent") == "Earl Grey"


def test_evaluate_on_element_returns_object(item: Callable[[str], str]) -> None:
    assert json.loads(item("(el) => ({ tag: el.tagName, id: el.id })")) == {"tag": "BUTTON", "id": "b"}


def test_evaluate_on_element_returns_string(item: Callable[[str], str]) -> None:
    assert item("(el) => el.textContent") == "Earl Grey"


def test_evaluate_on_element_returns_null(item: Callable[[str], str]) -> None:
    assert item("(el) => el.getAttribute('nonexistent')") == "null"


# Wait Conditions


def test_wait_for_text(agent: Agent) -> None:
    agent.show("<p id=p>Loading...</p><script>setTimeout(() => { p.textContent = 'Loading complete' }, 300)</script>")
    answer = agent("browser_wait_for", text="Loading complete")
    assert answer.text.startswith("The text 'Loading complete' is there.")


def test_wait_for_text_gone(agent: Agent) -> None:
    agent.show("<p id=p>Loading...</p><script>setTimeout(() => p.remove(), 300)</script>")
    assert agent("browser_wait_for", textGone="Loading...").text.startswith("The text 'Loading...' is gone.")
    assert agent.evaluate("document.getElementById('p')") == "null"


def test_wait_for_time(agent: Agent) -> None:
    agent.show("<p>Text")
    began = time.perf_counter()
    assert "Waited 0.5 s." in agent("browser_wait_for", time=0.5)
    assert time.perf_counter() - began >= 0.5


# Dialog Handling


ASKS = "<button onclick=\"out.textContent = String({0}('Sure?'))\">Ask</button><p id=out></p>"


@pytest.mark.parametrize("before", [True, False])
def test_accept_dialog(agent: Agent, *, before: bool) -> None:
    page = agent.show(ASKS.format("confirm"))
    calls = [
        lambda: agent("browser_handle_dialog", accept=True),
        lambda: agent("browser_click", ref=page.ref("button", "Ask")),
    ]
    answers = [call() for call in (calls if before else calls[::-1])]
    assert "paragraph: true" in answers[-1]


def test_dismiss_dialog(agent: Agent) -> None:
    page = agent.show(ASKS.format("confirm"))
    assert 'A confirm dialog "Sure?" is open.' in agent("browser_click", ref=page.ref("button", "Ask"))
    assert "paragraph: false" in agent("browser_handle_dialog", accept=False)


def test_dismiss_dialog__that_asks_before_the_page_is_left(agent: Agent) -> None:
    page = agent.show("<input aria-label=Note><script>onbeforeunload = e => e.preventDefault()</script>")
    agent("browser_type", ref=page.ref("textbox", "Note"), text="unsaved")
    answer = agent("browser_navigate", url=agent.site.url_for("/form"))
    assert "A beforeunload dialog" in answer
    assert "is open. Call browser_handle_dialog." in answer
    agent("browser_handle_dialog", accept=False)
    assert agent.evaluate("document.querySelector('input').value") == "unsaved"


def test_accept_dialog__that_asks_before_the_page_is_left(agent: Agent) -> None:
    page = agent.show("<input aria-label=Note><script>onbeforeunload = e => e.preventDefault()</script>")
    agent("browser_type", ref=page.ref("textbox", "Note"), text="unsaved")
    assert "A beforeunload dialog" in agent("browser_navigate", url=agent.site.url_for("/links"))
    assert 'heading "Links"' in agent("browser_handle_dialog", accept=True)


def test_prompt_text(agent: Agent) -> None:
    page = agent.show(ASKS.format("prompt"))
    agent("browser_click", ref=page.ref("button", "Ask"))
    assert "paragraph: answer" in agent("browser_handle_dialog", accept=True, promptText="answer")


# Browser Management Tools


def test_close_page(agent: Agent) -> None:
    agent.open("/form")
    assert agent("browser_close").text.startswith("Closed ")
    assert agent("browser_tabs", action="list").text == "No tab is open."


def test_resize_viewport(agent: Agent) -> None:
    agent.open("/form")
    agent("browser_resize", width=1920, height=1080)
    assert agent.evaluate("innerWidth + 'x' + innerHeight") == "1920x1080"


def test_resize_viewport__one_after_another(agent: Agent) -> None:
    agent.show("<p>Here")
    sizes = [(1800, 300), (700, 900)] * 10
    for width, height in sizes:
        answer = agent("browser_resize", width=width, height=height)
        assert not answer.is_error, answer.text
        assert agent.evaluate("[innerWidth, innerHeight]") == f"[{width}, {height}]"


def test_list_tabs(agent: Agent) -> None:
    agent.open("/form")
    agent("browser_tabs", action="new", url=agent.site.url_for("/links"))
    assert agent("browser_tabs", action="list").text.splitlines() == [
        f'- 0: "Form" {agent.site.url_for("/form")}',
        f'- 1: (active) "Links" {agent.site.url_for("/links")}',
    ]


def test_create_tab(agent: Agent) -> None:
    agent.open("/form")
    assert "- 1: (active)" in agent("browser_tabs", action="new")
    assert agent.evaluate("location.href") == "about:blank"


def test_close_tab(agent: Agent) -> None:
    for path in ("/form", "/links", "/spa"):
        agent("browser_tabs", action="new", url=agent.site.url_for(path))
    answer = agent("browser_tabs", action="close", index=2)
    assert "/spa" not in answer
    assert answer.text.count(agent.site.url) == 2


def test_select_tab(agent: Agent) -> None:
    agent.open("/form")
    agent("browser_tabs", action="new", url=agent.site.url_for("/links"))
    assert '- 0: (active) "Form"' in agent("browser_tabs", action="select", index=0)
    assert agent.evaluate("document.title") == "Form"
    assert agent.evaluate("document.visibilityState") == "visible"


# Browser Installation


async def call_alone(tool: str, config: Config) -> str:
    """Call a tool of a server of its own, which starts no browser."""
    async with Client(make_server(config)) as client:
        result = await client.call_tool(tool, {})
        return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


async def test_install_browser(apt_get: Path) -> None:
    answer = await call_alone("browser_install", Config(browser="firefox"))
    browser = apt_get.parent / "firefox-esr"
    assert "Changing the system: apt-get update && apt-get install -y firefox-esr" in answer
    assert answer.endswith(f"Installed: {browser} (140.7)\nThe browser is ready.")
    assert browser.exists()


async def test_browser_already_installed(bare_machine: Path) -> None:
    browser = program(bare_machine / "firefox", "#!/bin/sh\necho Mozilla Firefox 140.0\n")
    answer = await call_alone("browser_install", Config(browser="firefox"))
    assert answer == f"Already there: {browser} (140.0)\nThe browser is ready."


def test_browser_already_installed__the_real_one(agent: Agent) -> None:
    answer = agent("browser_install")
    assert answer.text.startswith("Already there: /")
    assert answer.text.endswith("The browser is ready.")


# Vision Capabilities (Optional)


VISION = {"browser_mouse_click_xy", "browser_mouse_move_xy", "browser_mouse_drag_xy"}


@pytest.fixture
def seeing(make_agent: MakeAgent) -> Agent:
    return make_agent(caps=("vision",))


def test_vision_tools_hidden_by_default(agent: Agent) -> None:
    assert not VISION & tool_names(agent)
    for name in VISION:
        with pytest.raises(MCPError) as caught:
            agent(name, x=1, y=1)
        assert caught.value.error.code == -32601
        assert caught.value.error.message.startswith(f"Unknown tool: {name}.")


def test_vision_tools_exposed_when_enabled(seeing: Agent) -> None:
    assert tool_names(seeing) >= VISION


PLACE = "<style>body {margin: 0} button {position: absolute; left: 80px; top: 180px; width: 60px; height: 40px}</style>"


def test_click_at_coordinates(seeing: Agent) -> None:
    seeing.show(PLACE + "<button onclick='this.textContent = [event.clientX, event.clientY]'>B</button>")
    answer = seeing("browser_mouse_click_xy", x=100, y=200)
    assert answer.text.startswith('Clicked at 100, 200, on button "B"')
    assert "100,200" in answer


def test_click_at_coordinates__outside_of_the_viewport(seeing: Agent) -> None:
    seeing.show("<p>Text")
    answer = seeing("browser_mouse_click_xy", x=100, y=5000)
    assert answer.text.startswith("The point 100, 5000 is outside of the viewport, which is 1280x720.")


def test_move_mouse(seeing: Agent) -> None:
    seeing.show(PLACE + "<button onmousemove='this.textContent = [event.clientX, event.clientY]'>B</button>")
    assert "90,190" in seeing("browser_mouse_move_xy", x=90, y=190)


def test_drag_by_coordinates(seeing: Agent) -> None:
    seeing.open("/drag")
    place = json.loads(
        seeing.evaluate("(() => { const b = knob.getBoundingClientRect(); return [b.x + 15, b.y + 15] })()")
    )
    x, y = place
    answer = seeing("browser_mouse_drag_xy", startX=x, startY=y, endX=x + 135, endY=y)
    assert "strength 5" in answer


def test_mixed_mode_usage(seeing: Agent) -> None:
    page = seeing.show(PLACE + COUNTER)
    assert "clicked 1" in seeing("browser_click", ref=page.ref("button", "Sign In"))
    assert "clicked 2" in seeing("browser_mouse_click_xy", x=100, y=200)


# PDF Capabilities (Optional)


def test_save_page_as_pdf(make_agent: MakeAgent) -> None:
    agent = make_agent(caps=("pdf",))
    agent.open("/form")
    answer = agent("browser_pdf_save")
    path = saved(answer)
    assert path.name.endswith(".pdf")
    assert path.read_bytes().startswith(b"%PDF-")
    assert saved(agent("browser_pdf_save", filename="form.pdf", landscape=True, pages="1")).name == "form.pdf"


def test_save_page_as_pdf__is_hidden_by_default(agent: Agent) -> None:
    with pytest.raises(MCPError) as caught:
        agent("browser_pdf_save")
    assert caught.value.error.code == -32601


# Context Management Tools


def contexts(agent: Agent) -> dict[str, dict[str, object]]:
    return {entry["name"]: entry for entry in json.loads(agent("browser_context_list").text)}


def test_create_context(agent: Agent) -> None:
    agent.open("/set-cookie?tea=green")
    answer = agent("browser_context_create", name="clean")
    assert answer.text == "Created the context 'clean'; it is active now."
    agent.open("/cookies")
    assert "green" not in agent("browser_snapshot")
    agent("browser_context_switch", name="default")
    agent.open("/cookies")
    assert "green" in agent("browser_snapshot")


@pytest.mark.parametrize(
    ("name", "said"),
    [("default", "already"), ("", "is not a valid context name"), ("a:b", "is not a valid context name")],
)
def test_create_context__with_a_name_that_can_not_be(agent: Agent, name: str, said: str) -> None:
    answer = agent("browser_context_create", name=name)
    assert answer.is_error
    assert said in answer


LOGIN = ("user", "pass")


def named(login: tuple[str, str] | None) -> dict[str, str]:
    """Return a login as the parameters of a proxy."""
    return dict(zip(("username", "password"), login or (), strict=False))


def tls_context(authority: trustme.CA, host: str) -> ssl.SSLContext:
    """Return the context of a server that shows a certificate for a host."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host).configure_cert(context)  # pyright: ignore[reportUnknownMemberType] - pyOpenSSL's type, not installed
    return context


@pytest.mark.parametrize("login", [None, LOGIN])
def test_create_context_with_proxy(world: World, agent: Agent, login: tuple[str, str] | None) -> None:
    with world.opened(open_socks(to_port=world.site.port, login=login)) as socks:
        proxy = {"server": f"socks5://127.0.0.1:{socks.port}", **named(login)}
        answer = agent("browser_context_create", name="uk_proxy", proxy=proxy)
        assert f"Its traffic goes through socks5://127.0.0.1:{socks.port}" in answer
        assert 'heading "Links"' in agent("browser_navigate", url="http://shop.test/links")
        assert "shop.test" in socks.hosts
        assert contexts(agent)["uk_proxy"]["proxy"] == f"socks5://127.0.0.1:{socks.port}"
        agent("browser_context_close", name="uk_proxy")


@pytest.mark.parametrize("login", [None, LOGIN])
def test_create_context_with_proxy__http(world: World, agent: Agent, login: tuple[str, str] | None) -> None:
    with world.opened(open_proxy(to_port=world.site.port, login=login)) as http:
        agent("browser_context_create", name="office", proxy={"server": http.address, **named(login)})
        assert 'heading "Links"' in agent("browser_navigate", url="http://shop.test/links")
        assert "http://shop.test/links" in http.passed
        agent("browser_context_switch", name="default")
        agent.open("/form")
        assert not any("/form" in seen.target for seen in http.seen)
        agent("browser_context_close", name="office")


@pytest.mark.parametrize("bypass", ["", "127.0.0.1, localhost"])
def test_create_context_with_proxy__for_this_machine_too(world: World, agent: Agent, bypass: str) -> None:
    port = world.site.port
    with world.opened(open_proxy(to_port=port)) as http:
        agent("browser_context_create", name="office", proxy={"server": http.address, "bypass": bypass})
        for host in ("127.0.0.1", "localhost"):
            url = f"http://{host}:{port}/links"
            assert not agent("browser_navigate", url=url).is_error
            assert (url in http.passed) is not bool(bypass)
        agent("browser_context_close", name="office")


def test_create_context_with_proxy__http_and_a_wrong_login(world: World, agent: Agent) -> None:
    with world.opened(open_proxy(to_port=world.site.port, login=LOGIN)) as http:
        proxy = {"server": f"http://{http.address}", "username": "user", "password": "wrong"}
        agent("browser_context_create", name="office", proxy=proxy)
        answer = agent("browser_navigate", url="http://shop.test/links")
        assert answer.text.startswith("Can't open http://shop.test/links: the proxy does not accept the login.")
        assert http.passed == []
        agent("browser_context_close", name="office")


def test_create_context_with_proxy__https(
    world: World, agent: Agent, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    context = tls_context(authority, "127.0.0.1")
    with (
        world.opened(open_proxy(to_port=world.site.port, login=LOGIN)) as http,
        world.opened(open_tls_front(http.port, context)) as port,
    ):
        proxy = {"server": f"https://127.0.0.1:{port}", "username": "user", "password": "pass"}
        agent("browser_context_create", name="office", proxy=proxy)
        assert 'heading "Links"' in agent("browser_navigate", url="http://shop.test/links")
        assert "http://shop.test/links" in http.passed
        agent("browser_context_close", name="office")


@pytest.mark.parametrize("login", [None, LOGIN])
def test_create_context_with_proxy__for_pages_of_https(
    world: World, make_agent: MakeAgent, login: tuple[str, str] | None
) -> None:
    context = tls_context(trustme.CA(), "shop.test")
    agent = make_agent(ignore_https_errors=True)
    with (
        world.opened(open_tls_front(world.site.port, context)) as port,
        world.opened(open_proxy(to_port=port, login=login)) as http,
    ):
        agent("browser_context_create", name="office", proxy={"server": http.address, **named(login)})
        assert 'heading "Links"' in agent("browser_navigate", url="https://shop.test/links")
        assert "shop.test:443" in http.passed
        agent("browser_context_close", name="office")


@pytest.mark.parametrize("url", ["http://shop.test/links", "https://shop.test/links"])
def test_create_context_with_proxy__https_that_does_not_speak_it(world: World, agent: Agent, url: str) -> None:
    with world.opened(open_proxy(to_port=world.site.port)) as http:
        proxy = {"server": f"https://{http.address}"}
        agent("browser_context_create", name="office", proxy=proxy)
        answer = agent("browser_navigate", url=url)
        assert answer.text.startswith(f"Can't open {url}: the proxy https://{http.address} did not connect: ")
        assert "SSL" in answer
        agent("browser_context_close", name="office")


def test_create_context_with_proxy__that_is_none(agent: Agent) -> None:
    answer = agent("browser_context_create", name="x", proxy={"server": "ftp://host"})
    assert answer.text == "'ftp://host' is not a proxy server. Use http://, https://, socks4:// or socks5://HOST:PORT."
    assert agent("browser_context_list").text.count("name") == 1


def remember(agent: Agent) -> None:
    agent.open("/storage")
    for button in ("Save locally", "Save as a cookie"):
        agent("browser_click", ref=agent("browser_snapshot").ref("button", button))


def test_create_context_with_storage_state(agent: Agent, tmp_path: Path) -> None:
    remember(agent)
    agent("browser_context_save_storage", name="default", path=str(tmp_path / "cookies.json"))
    answer = agent("browser_context_create", name="again", storageState=str(tmp_path / "cookies.json"))
    assert "It has 1 cookies and 1 localStorage entries" in answer
    agent.open("/storage")
    page = agent.evaluate("[localStorage.getItem('tea'), document.cookie].join()")
    assert page == "green,tea=green"
    assert agent("browser_tabs", action="list").text.count("\n") == 0


@pytest.mark.parametrize(
    ("text", "said"), [("{", "is not a storage state"), ('{"cookies": 5}', "cookies: "), (None, "can't be read")]
)
def test_create_context_with_storage_state__that_is_none(
    agent: Agent, tmp_path: Path, text: str | None, said: str
) -> None:
    if text is not None:
        (tmp_path / "state.json").write_text(text)
    answer = agent("browser_context_create", name="x", storageState=str(tmp_path / "state.json"))
    assert answer.is_error
    assert said in answer
    assert set(contexts(agent)) == {"default"}


def test_switch_context(agent: Agent) -> None:
    agent.open("/form")
    agent("browser_context_create", name="returning_user")
    agent.open("/links")
    assert agent("browser_context_switch", name="default").text == (
        f"The context 'default' is active; its page is {agent.site.url_for('/form')}."
    )
    assert agent.evaluate("document.title") == "Form"
    agent("browser_context_switch", name="returning_user")
    assert agent.evaluate("document.title") == "Links"
    assert agent("browser_context_switch", name="nobody").text == (
        "There is no context 'nobody'. There are: 'default', 'returning_user'."
    )


def test_list_contexts(agent: Agent) -> None:
    agent.open("/form")
    agent("browser_context_create", name="clean")
    assert contexts(agent) == {
        "default": {"name": "default", "isActive": False, "pageCount": 1, "currentUrl": agent.site.url_for("/form")},
        "clean": {"name": "clean", "isActive": True, "pageCount": 0},
    }


def test_close_context(agent: Agent) -> None:
    agent.open("/form")
    agent("browser_context_create", name="temp")
    agent.open("/links")
    answer = agent("browser_context_close", name="temp")
    assert answer.text == "Closed the context 'temp'. The context 'default' is active now."
    assert agent.evaluate("document.title") == "Form"
    assert set(contexts(agent)) == {"default"}


def test_close_active_context_error(agent: Agent) -> None:
    answer = agent("browser_context_close", name="default")
    assert answer.is_error
    assert answer.text.startswith("Cannot close the only remaining context")


def test_save_context_storage_state(agent: Agent, tmp_path: Path) -> None:
    remember(agent)
    path = tmp_path / "new" / "save.json"
    answer = agent("browser_context_save_storage", name="default", path=str(path))
    assert answer.text == f"Saved 1 cookies and the localStorage of 1 origin to {path}."
    state = json.loads(path.read_text())
    assert state["origins"] == [{"origin": agent.site.url, "localStorage": [{"name": "tea", "value": "green"}]}]
    (cookie,) = state["cookies"]
    assert {**cookie, "name": "tea", "value": "green", "domain": "127.0.0.1", "path": "/"} == cookie
    assert path.stat().st_mode & 0o077 == 0


def test_save_context_storage_state__of_pages_left_long_ago(agent: Agent, tmp_path: Path) -> None:
    remember(agent)
    agent("browser_close")
    agent("browser_navigate", url=f"{agent.site.other_url}/form")
    agent("browser_context_save_storage", name="default", path=str(tmp_path / "save.json"))
    (origin,) = json.loads((tmp_path / "save.json").read_text())["origins"]
    assert origin["origin"] == agent.site.url


@pytest.mark.parametrize("is_open", [True, False])
def test_save_context_storage_state__entries_named_like_members_of_storage(
    agent: Agent, tmp_path: Path, is_open: bool
) -> None:
    names = ["clear", "getItem", "key", "length"]
    agent.show(f"<script>for (const name of {names}) localStorage.setItem(name, 'of ' + name)</script>")
    if not is_open:
        agent("browser_navigate", url=f"{agent.site.other_url}/form")
    path = str(tmp_path / "save.json")
    agent("browser_context_save_storage", name="default", path=path)
    (origin,) = json.loads(Path(path).read_text())["origins"]
    assert sorted((item["name"], item["value"]) for item in origin["localStorage"]) == [
        (name, f"of {name}") for name in names
    ]
    agent("browser_context_create", name="again", storageState=path)
    agent("browser_navigate", url=f"{agent.site.url}/form")
    read = "() => ['clear', 'getItem', 'key', 'length'].map((name) => localStorage.getItem(name)).join()"
    assert "of clear,of getItem,of key,of length" in agent("browser_evaluate", function=read)


def test_save_storage_state_handles_page_session_errors(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(action_timeout=1.5)
    remember(agent)
    agent("browser_tabs", action="new", url=f"{agent.site.other_url}/form")
    assert agent("browser_evaluate", function="() => { for (;;); }").is_error
    answer = agent("browser_context_save_storage", name="default", path=str(tmp_path / "save.json"))
    assert not answer.is_error
    assert "Saved 1 cookies and the localStorage of 1 origin" in answer
    assert json.loads((tmp_path / "save.json").read_text())["origins"][0]["origin"] == agent.site.url


# Scroll Into View Tool


FAR = "<div style='height: 3000px'>High</div><button>Submit</button><div style='height: 3000px'>Low</div>"


def test_scroll_element_into_view(agent: Agent) -> None:
    page = agent.show(FAR)
    answer = agent("browser_scroll_into_view", ref=page.ref("button", "Submit"), element="Submit button")
    assert answer.text.startswith('Scrolled to button "Submit"')
    middle = agent.evaluate(
        "(() => { const b = document.querySelector('button').getBoundingClientRect();"
        " return (b.top + b.bottom) / 2 / innerHeight })()"
    )
    assert abs(float(middle) - 0.5) < 0.05


def test_scroll_element_not_found(agent: Agent) -> None:
    agent.show(FAR)
    answer = agent("browser_scroll_into_view", ref="e0000", element="Nothing")
    assert answer.is_error
    assert "There is no element with ref e0000." in answer


def test_scroll_with_stale_ref(agent: Agent) -> None:
    page = agent.show(FAR)
    agent.evaluate("document.querySelector('button').remove()")
    answer = agent("browser_scroll_into_view", ref=page.ref("button", "Submit"))
    assert answer.is_error
    assert "no longer exists" in answer


# MCP Content Types


def test_text_content_response(agent: Agent) -> None:
    agent.show("<p>Text")
    result = agent.world.run(lambda: agent.client.call_tool("browser_snapshot", {}))
    assert [part.type for part in result.content] == ["text"]


def test_image_content_response(make_agent: MakeAgent) -> None:
    agent = make_agent(image_responses="inline")
    agent.show("<p>Text")
    (image,) = agent("browser_take_screenshot").images
    assert (image.type, image.mime_type) == ("image", "image/jpeg")
    assert b64decode(image.data, validate=True).startswith(b"\xff\xd8")


def test_mixed_content_response(make_agent: MakeAgent) -> None:
    agent = make_agent(image_responses="inline")
    agent.show("<p>Text")
    result = agent.world.run(lambda: agent.client.call_tool("browser_take_screenshot", {}))
    assert [part.type for part in result.content] == ["text", "image"]


# Screenshot Directory


def test_default_screenshot_directory(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    agent = world.agent()
    try:
        agent.show("<p>Text")
        agent("browser_take_screenshot")
        assert len(list((tmp_path / ".bidi-server-screenshots").glob("page-*.png"))) == 1
    finally:
        agent.close()


def test_custom_screenshot_directory(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(output_dir=tmp_path / "mine")
    agent.show("<p>Text")
    assert saved(agent("browser_take_screenshot")).parent == tmp_path / "mine"


def test_directory_creation(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(output_dir=tmp_path / "not" / "there" / "yet")
    agent.show("<p>Text")
    assert saved(agent("browser_take_screenshot")).exists()


@pytest.mark.parametrize("mode", ["file", "inline"])
def test_relative_path_in_response(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.chdir(tmp_path)
    agent = world.agent(output_dir=Path("shots"), image_responses=mode)
    try:
        agent.show("<p>Text")
        path = saved(agent("browser_take_screenshot"))
        assert not path.is_absolute()
        assert (tmp_path / path).exists()
    finally:
        agent.close()


def test_timestamp_based_filenames(agent: Agent) -> None:
    agent.show("<p>Text")
    name = saved(agent("browser_take_screenshot")).name
    assert re.fullmatch(r"page-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.png", name)
    assert saved(agent("browser_take_screenshot", type="jpeg")).suffix == ".jpeg"
