"""Keys and buttons that stay down between calls, and drops from outside: ``--caps input``."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.world import Agent

MakeAgent = Callable[..., Agent]

LOG = """<pre id=log></pre><script>
const note = (event) => {
    const held = ['shift', 'ctrl', 'alt'].filter((name) => event[`${name}Key`]).join('+');
    log.textContent += `${[event.type, held, event.key ?? event.buttons].filter((part) => part !== '').join(' ')}; `;
};
</script>"""


@pytest.fixture
def hands(make_agent: MakeAgent) -> Agent:
    """Return an agent with the tools."""
    return make_agent(caps=("input",))


def test_a_key_is_held_during_other_calls(hands: Agent) -> None:
    hands.show(f"<button onclick='note(event)'>Here</button><input onkeydown='note(event)'>{LOG}")
    assert "Shift is held down until browser_keyup." in hands("browser_keydown", key="Shift")
    assert "click shift 0;" in hands("browser_click", selector="button")
    hands("browser_click", selector="input")
    assert "keydown shift ArrowLeft;" in hands("browser_press_key", key="ArrowLeft")
    assert "Released Shift." in hands("browser_keyup", key="Shift")
    answer = hands("browser_click", selector="button")
    assert "click 0;" in answer


def test_a_character_is_typed_as_it_goes_down(hands: Agent) -> None:
    hands.show("<input autofocus onkeyup='document.title = `up ${event.key}`'>")
    hands("browser_click", selector="input")
    assert "a" in hands("browser_keydown", key="a")
    assert hands.evaluate("document.querySelector('input').value") == "a"
    assert hands.evaluate("document.title") == "Test"
    hands("browser_keyup", key="a")
    assert hands.evaluate("document.title") == "up a"


def test_an_unknown_key(hands: Agent) -> None:
    hands.show("<p>Here")
    for tool in ("browser_keydown", "browser_keyup"):
        answer = hands(tool, key="Anykey")
        assert answer.is_error
        assert "There is no key 'Anykey'." in answer


def test_a_button_is_held_while_the_mouse_moves(hands: Agent) -> None:
    pad = "<div style='position:absolute;left:100px;top:100px;width:300px;height:200px;background:silver' "
    hands.show(f"{pad}onmousedown='note(event)' onmousemove='note(event)' onmouseup='note(event)'>Pad</div>{LOG}")
    assert "mousedown 1;" in hands("browser_mouse_down", x=150, y=150)
    assert "mousemove 1;" in hands("browser_mouse_move_xy", x=200, y=160)
    answer = hands("browser_mouse_up")
    assert "Released the left button." in answer
    assert "mouseup 0;" in answer
    assert "mousedown 2;" in hands("browser_mouse_down", button="right")
    assert "mouseup 0;" in hands("browser_mouse_up", button="right", x=210, y=170)


def test_the_wheel(hands: Agent) -> None:
    hands.show(
        "<div id=box style='width:300px;height:200px;overflow:auto'><p style='width:2000px;height:2000px'>Tall</div>"
    )
    assert "Turned the wheel at 100, 100, over " in hands("browser_mouse_wheel", x=100, y=100, deltaY=90, deltaX=40)
    assert hands.evaluate("box.scrollTop + ',' + box.scrollLeft") == "90,40"


@pytest.mark.parametrize(
    ("tool", "wrong", "said"),
    [
        ("browser_mouse_down", {"x": 1}, "x and y go together. Pass both, or none."),
        ("browser_mouse_down", {"x": 5000, "y": 1}, "The point 5000, 1 is outside of the viewport"),
        ("browser_mouse_wheel", {"x": 1, "y": 1}, "There is nowhere to scroll."),
        ("browser_drop", {"selector": "p"}, "There is nothing to drop. Pass paths or data."),
        ("browser_drop", {"selector": "p", "paths": ["/nowhere"]}, "/nowhere does not exist."),
        ("browser_drop", {"selector": "p", "data": {"text/plain": "x"}}, "takes no drop of this kind."),
    ],
)
def test_what_hands_cannot_do(hands: Agent, tool: str, wrong: dict[str, object], said: str) -> None:
    hands.show("<p>Here")
    answer = hands(tool, **wrong)
    assert answer.is_error
    assert said in answer


ZONE = """<div id=zone style='width:300px;height:200px'><b>Drop files here</b></div><pre id=said></pre><script>
zone.addEventListener('dragenter', () => zone.classList.add('over'));
zone.addEventListener('dragover', (event) => event.preventDefault());
zone.addEventListener('drop', async (event) => {
    event.preventDefault();
    const {files, types} = event.dataTransfer;
    const text = event.dataTransfer.getData('text/plain');
    const parts = await Promise.all([...files].map(async (file) => `${file.name} ${file.type}: ${await file.text()}`));
    said.textContent = [...parts, [...types].join(), text, zone.className, event.target.tagName].join(' | ');
});
</script>"""


def test_files_are_dropped(hands: Agent, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.csv").write_text("two")
    hands.show(ZONE)
    answer = hands("browser_drop", selector="#zone", paths=[str(tmp_path / "a.txt"), str(tmp_path / "b.csv")])
    assert "Dropped a.txt, b.csv on " in answer
    assert "a.txt text/plain: one | b.csv text/csv: two | Files | | over | " in answer


def test_data_is_dropped(hands: Agent) -> None:
    hands.show(ZONE)
    answer = hands(
        "browser_drop", selector="#zone", data={"text/plain": "Hello", "text/uri-list": "https://example.com"}
    )
    assert "Dropped text/plain, text/uri-list on " in answer
    assert "text/plain,text/uri-list | Hello | over" in answer
    # What was dropped before is not dropped again.
    assert "| Hello |" not in hands("browser_drop", selector="#zone", data={"text/html": "<b>x</b>"})


COPY = """<input id=field><button onclick="navigator.clipboard.writeText('from\\n<page>').then(
    () => { document.title = 'copied' }, (error) => { document.title = `${error}` })">Copy</button>
<p id=log></p><script>
for (const kind of ['focus', 'blur', 'keydown', 'copy', 'paste', 'visibilitychange'])
    document.addEventListener(kind, () => { log.textContent += `${kind} ` }, true);
</script>"""


def test_the_clipboard(hands: Agent) -> None:
    hands.show(COPY)
    assert "copied" in hands("browser_click", selector="button")
    assert hands("browser_clipboard_read").text == "Text:\n  from\n  <page>"
    hands("browser_click", selector="#field")
    before = hands.evaluate("log.textContent")
    assert hands("browser_clipboard_write", text="öne\ttwo 😀").text == "9 characters are on the clipboard."
    assert hands.evaluate("log.textContent") == before
    answer = hands("browser_press_key", key="Control+v")
    assert "öne" in answer
    assert "new tab" not in answer
    assert hands.evaluate("field.value") == "öne\ttwo 😀"
    assert hands("browser_tabs", action="list").text.count("\n") == 0
    hands("browser_clipboard_write", text="")
    assert hands("browser_clipboard_read").text == "There is no text on the clipboard."


def test_the_clipboard_in_other_places(hands: Agent) -> None:
    assert hands("browser_clipboard_write", text="a\r\nb" * 5000).text == "20000 characters are on the clipboard."
    assert " bytes, written to " in hands("browser_clipboard_read")
    hands("browser_navigate", url="data:text/html,<textarea autofocus></textarea>")  # not a secure context
    hands("browser_clipboard_write", text="here")
    hands("browser_click", selector="textarea")
    hands("browser_press_key", key="Control+v")
    assert hands.evaluate("document.querySelector('textarea').value") == "here"
    hands("browser_evaluate", function="document.querySelector('textarea').value = 'copied by keys'")
    hands("browser_press_key", key="Control+a")
    hands("browser_press_key", key="Control+c")
    assert hands("browser_clipboard_read").text == "Text:\n  copied by keys"
