"""Text for editors: fields whose scripts complete, draw or refuse what is typed, as well-known packages do."""

import pytest

from tests.support.world import Agent

CODE = 'def f(a):\n    return {1: "x[0]"}\n\nprint(f((1)))'

# As CodeMirror 6 does: keys are completed, a paste is taken as it is. A part of the text is drawn, a copy has all.
CODE_EDITOR = """<div id=e contenteditable role=textbox aria-label=Code style="white-space:pre;min-height:20px">
</div><script>
let written = 'first';
const closing = {'(': ')', '[': ']', '{': '}', '"': '"'};
const draw = () => { e.replaceChildren(...written.split('\\n').slice(0, SHOWN).map((line) => {
  const row = document.createElement('div'); row.append(line || document.createElement('br')); return row; })); };
draw();
const put = (text) => {
  written = getSelection().isCollapsed ? written + text : text;
  draw(); getSelection().selectAllChildren(e); getSelection().collapseToEnd();
};
e.onbeforeinput = (event) => { event.preventDefault(); if (event.data) put(event.data + (closing[event.data] ?? '')); };
e.onpaste = (event) => { event.preventDefault(); put(PASTED); };
e.oncopy = (event) => { event.preventDefault(); event.clipboardData.setData('text/plain', written); };
</script>"""


def code_editor(*, shown: int = 100, pasted: str = "event.clipboardData.getData('text/plain')") -> str:
    return CODE_EDITOR.replace("SHOWN", str(shown)).replace("PASTED", pasted)


@pytest.mark.parametrize("shown", [100, 2], ids=["whole", "in part"])
def test_code_editors_get_text_as_it_is(agent: Agent, shown: int) -> None:
    page = agent.show(code_editor(shown=shown))
    code = page.ref("textbox", "Code")
    answer = agent("browser_type", ref=code, text=CODE, clear=True)
    assert agent.evaluate("written") == CODE
    assert "But " not in answer
    assert "But " not in agent("browser_type", ref=code, text="\n(")
    assert agent.evaluate("written") == f"{CODE}\n("
    assert "But " not in agent("browser_fill_form", fields=[{"ref": code, "value": CODE}])
    assert agent.evaluate("written") == CODE


def test_slowly_sends_keys_to_editors_and_says_what_they_made_of_them(agent: Agent) -> None:
    page = agent.show(code_editor())
    answer = agent("browser_type", ref=page.ref("textbox", "Code"), text="f(", clear=True, slowly=True)
    assert agent.evaluate("written") == "f()"
    assert 'shows "f()" now.' in answer


def test_the_answer_says_what_an_editor_holds_that_changed_the_text(agent: Agent) -> None:
    page = agent.show(code_editor(pasted="event.clipboardData.getData('text/plain').replaceAll('**', '')"))
    code = page.ref("textbox", "Code")
    said = 'But the editor changed the text: it holds "a bold word" now.'
    assert said in agent("browser_type", ref=code, text="a **bold** word", clear=True)
    assert said in agent("browser_fill_form", fields=[{"ref": code, "value": "a **bold** word"}])


# As Monaco, Ace and CodeMirror 5 do: a textarea without a size catches keys, pastes and copies of what is drawn.
DRAWN_EDITOR = """<pre id=text></pre>
<textarea id=e aria-label="Line 1" style="position:absolute;width:0;height:0;border:0;padding:0"></textarea><script>
let [written, all] = ['first', false];
const draw = () => { text.textContent = written; e.ariaLabel = `Line ${written.split('\\n').length}`; };
draw();
const put = (added) => { written = all ? added : written + added; all = false; draw(); };
e.onkeydown = ({key, ctrlKey}) => { if (ctrlKey) all = key === 'a'; };
e.oninput = () => { put(e.value + ({'(': ')', '{': '}'}[e.value] ?? '')); e.value = ''; };
e.onpaste = (event) => {
  event.preventDefault();
  const [text, types] = [event.clipboardData.getData('text/plain'), event.clipboardData.types];
  // Monaco asks for the user's permission to read the clipboard where a paste has no list of addresses.
  if (types.includes('text/uri-list')) setTimeout(() => put(text));
};
COPY</script>"""
COPIES = {
    "event": "e.oncopy = (event) => { event.preventDefault(); event.clipboardData.setData('text/plain', written); }",
    "textarea": "e.oncopy = () => { e.value = written; e.select(); setTimeout(() => { e.value = ''; }); }",
    "none": "",
}


@pytest.mark.parametrize("copy", COPIES)
def test_editors_that_draw_their_text_get_it_as_it_is(agent: Agent, copy: str) -> None:
    page = agent.show(DRAWN_EDITOR.replace("COPY", COPIES[copy]))
    ref = page.ref("textbox", "Line 1")
    assert "But " not in agent("browser_type", ref=ref, text=CODE, clear=True)
    assert agent.evaluate("written") == CODE
    assert "But " not in agent("browser_type", selector="#e", text="\n{(")
    assert agent.evaluate("written") == f"{CODE}\n{{("
    assert "But " not in agent("browser_fill_form", fields=[{"selector": "#e", "value": CODE}])
    assert agent.evaluate("written") == CODE


# As TinyMCE does: the paste goes to an element of its own, where it is fetched in the next task.
PASTE_BIN = """<div id=e contenteditable role=textbox aria-label=Note><p>first</p></div><script>
e.onpaste = (event) => {
  const text = event.clipboardData.getData('text/plain');
  const bin = document.createElement('div'); bin.append('bin'); e.append(bin);
  getSelection().selectAllChildren(bin);
  setTimeout(() => { bin.remove(); e.lastElementChild.append(text); });
};</script>"""


def test_an_editor_that_catches_the_paste_elsewhere_gets_it_once(agent: Agent) -> None:
    page = agent.show(PASTE_BIN)
    assert "But " not in agent("browser_type", ref=page.ref("textbox", "Note"), text=" word")
    assert agent.evaluate("e.textContent") == "first word"


# As Slate does: the selection is read at most every 100 ms, or when an input begins.
SELECTION_READ_LATE = """<div id=e contenteditable role=textbox aria-label=Note>first</div><script>
let [isAll, timer] = [false, 0];
const read = () => { clearTimeout(timer); timer = 0; isAll = !getSelection().isCollapsed; };
document.onselectionchange = () => { timer ||= setTimeout(read, 100); };
e.onbeforeinput = () => { if (timer) read(); };
e.onpaste = (event) => {
  event.preventDefault();
  const text = event.clipboardData.getData('text/plain');
  e.textContent = isAll ? text : e.textContent + text;
};</script>"""


def test_an_editor_that_reads_the_selection_late_has_it_before_the_paste(agent: Agent) -> None:
    page = agent.show(SELECTION_READ_LATE)
    note = page.ref("textbox", "Note")
    for text, clear, held in [(" word", False, "first word"), ("new", True, "new"), (" end", False, "new end")]:
        assert "But " not in agent("browser_type", ref=note, text=text, clear=clear)
        assert agent.evaluate("e.textContent") == held


# As Lexical does: what commands do to the elements is undone.
EDITED_BY_KEYS = """<div id=e contenteditable role=textbox aria-label=Note>first</div><script>
let written = 'first';
e.oninput = () => { e.textContent = written; };
e.onkeydown = (event) => {
  event.preventDefault();
  if (event.key === 'Backspace' && !getSelection().isCollapsed) e.textContent = written = '';
};
</script>"""


def test_an_editor_is_emptied_by_a_key(agent: Agent) -> None:
    page = agent.show(EDITED_BY_KEYS)
    answer = agent("browser_fill_form", fields=[{"ref": page.ref("textbox", "Note"), "value": ""}])
    assert 'Filled "" into' in answer
    assert "But " not in answer
    assert agent.evaluate("e.textContent") == ""


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<p>one</p>\n", "<p>one:</p>\n"),
        ("<h2>a</h2><ul><li>one</li></ul><span style='display:none'>hidden</span>", "<li>one:</li>"),
        ("<p>one</p><p><br></p>", "<p>:"),
        ("<p>one <img alt=''></p>", '<img alt="">:</p>'),
        ("one <span contenteditable=false>@Bob</span>", "@Bob</span>:"),
        ("", ":"),
    ],
    ids=["paragraph", "list", "empty line", "image", "mention", "empty"],
)
@pytest.mark.parametrize("slowly", [False, True], ids=["at once", "slowly"])
def test_text_goes_to_the_end_of_the_last_block(agent: Agent, content: str, expected: str, *, slowly: bool) -> None:
    page = agent.show(f"<div id=e contenteditable role=textbox aria-label=Note>{content}</div>")
    agent("browser_type", ref=page.ref("textbox", "Note"), text=":", slowly=slowly)
    assert expected in agent.evaluate("e.innerHTML")


# As Slate and CodeMirror 6 draw it.
PLACEHOLDER = (
    "<div id=e contenteditable role=textbox aria-label=Note><p>"
    "<span contenteditable=false style='pointer-events:none'>A note</span><span>\ufeff<br></span></p></div>"
)


def test_a_placeholder_is_no_content(agent: Agent) -> None:
    page = agent.show(PLACEHOLDER)
    assert ": A note" not in page
    answer = agent("browser_fill_form", fields=[{"ref": page.ref("textbox", "Note"), "value": ""}])
    assert "But " not in answer


def test_a_mention_is_content(agent: Agent) -> None:
    page = agent.show("<div contenteditable role=textbox aria-label=Note><span contenteditable=false>@Bob</span></div>")
    assert ": '@Bob'" in page or ": @Bob" in page


def test_what_takes_no_paste_gets_keys(agent: Agent) -> None:
    page = agent.show(
        "<div id=e contenteditable role=textbox aria-label=Note>one</div><script>let keys = '';"
        "e.onkeydown = ({key}) => { keys += key; }</script>"
    )
    assert "But " not in agent("browser_type", ref=page.ref("textbox", "Note"), text=" two")
    assert agent.evaluate("e.textContent + '|' + keys") == "one two| two"


# As Draft.js in Firefox does: the text is drawn anew in a later task, and keys that come before are lost.
DRAWN_LATER = """<input id=e aria-label=Note><script>
let [written, isDrawn] = ['', true];
e.onbeforeinput = (event) => {
  event.preventDefault();
  if (!isDrawn || !event.data) return;
  isDrawn = false; written += event.data;
  setTimeout(() => { e.value = written; isDrawn = true; });
};</script>"""


def test_slowly_leaves_the_page_a_turn_after_each_key(agent: Agent) -> None:
    agent.show(DRAWN_LATER)
    agent("browser_type", selector="#e", text="hello world", slowly=True)
    assert agent.evaluate("written") == "hello world"


LISTENS = """<input id=e aria-label=Price><p id=out></p><script>
const seen = [];
for (const type of ['keydown', 'keypress', 'input', 'keyup'])
  e.addEventListener(type, ({key, keyCode, code}) => {
    seen.push(type === 'input' ? type : `${type} ${key} ${keyCode} ${code}`);
  });
e.addEventListener('keyup', () => { out.textContent = `${e.value} EUR`; });</script>"""


def test_a_form_that_listens_to_keys_hears_them(agent: Agent) -> None:
    page = agent.show(LISTENS)
    answer = agent("browser_fill_form", fields=[{"ref": page.ref("textbox", "Price"), "value": "7b"}])
    assert "paragraph: 7b EUR" in answer
    keys = ["keydown 7 55 Digit7", "keypress 7 55 Digit7", "keydown b 66 KeyB", "keypress b 98 KeyB"]
    assert agent.evaluate("seen.join()") == ",".join([*keys, "input", "keyup 7 55 Digit7", "keyup b 66 KeyB"])


def test_a_form_that_takes_keys_itself_gets_real_ones(agent: Agent) -> None:
    page = agent.show(
        "<input id=e aria-label=Digits value=1><script>e.onkeydown = (event) => {"
        " if (event.key.length === 1 && !event.ctrlKey && !/[0-9]/.test(event.key)) event.preventDefault(); }</script>"
    )
    answer = agent("browser_fill_form", fields=[{"ref": page.ref("textbox", "Digits"), "value": "12a3"}])
    assert agent.evaluate("e.value") == "123"
    assert 'shows "123" now.' in answer


def test_typing_says_what_a_field_shows_instead(agent: Agent) -> None:
    page = agent.show("<input aria-label=Code maxlength=3 value=a><input type=password aria-label=Secret>")
    assert 'But textbox "Code"' in agent("browser_type", ref=page.ref("textbox", "Code"), text="bcde")
    assert "But " not in agent("browser_type", ref=page.ref("textbox", "Code"), text="xyz", clear=True)
    assert "But " not in agent("browser_type", ref=page.ref("textbox", "Secret"), text="hunter2")


RICH = (
    "<div contenteditable role=textbox aria-label=Note><h2>Plan</h2><p>Read <strong>this</strong> and <i>that</i> on "
    "<a href='/x'>the site</a>.</p><ul><li>One</li><li>Two</li></ul></div>"
)


def test_rich_text_has_structure_in_a_snapshot_of_its_field(agent: Agent) -> None:
    page = agent.show(RICH)
    assert "heading" not in page
    for field in ({"ref": page.ref("textbox", "Note")}, {"selector": "[contenteditable]"}):
        shown = agent("browser_snapshot", **field)
        assert 'heading "Plan" [level=2]' in shown
        assert "- strong: this" in shown
        assert "- emphasis: that" in shown
        assert shown.ref("link", "the site")
        assert shown.text.count("listitem") == 2


def test_plain_text_of_an_editor_stays_in_one_line(agent: Agent) -> None:
    agent.show("<div contenteditable role=textbox aria-label=Note><div>one</div><div>two</div></div>")
    assert r": one\ntwo" in agent("browser_snapshot", selector="[contenteditable]")


def test_an_editor_that_is_gone_when_its_text_is_compared(agent: Agent) -> None:
    """Its page takes a paste for another text, and gives the element another ID at the next key."""
    agent.show(
        "<div id=e contenteditable role=textbox aria-label=Note></div><script>"
        "e.onpaste = (event) => { event.preventDefault(); event.target.textContent = 'other'; };"
        "e.onkeydown = ({target}) => { target.id = 'f'; };</script>"
    )
    answer = agent("browser_type", selector="#e", text="text")
    assert not answer.is_error, answer
    assert 'But the editor changed the text: it holds "other" now.' in answer
