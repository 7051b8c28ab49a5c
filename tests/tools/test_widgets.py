"""Widgets of the page's own making: sliders, sortable lists, editors, what shows only under the pointer."""

from collections.abc import Callable

import pytest

from tests.support.world import Agent

REVERTS = """<input role=combobox aria-label=Country value=Austria><input aria-label=Name><script>
const box = document.querySelector('[role=combobox]'); box.onblur = () => { box.value = 'Austria'; };</script>"""


def test_form_says_which_field_did_not_keep_what_was_filled_in(agent: Agent) -> None:
    page = agent.show(REVERTS)
    fields = [
        {"ref": page.ref("combobox", "Country"), "value": "Chile"},
        {"ref": page.ref("textbox", "Name"), "value": "Ada"},
    ]
    answer = agent("browser_fill_form", fields=fields)
    assert 'Filled "Chile" into combobox "Country"' in answer
    assert 'But combobox "Country" [ref=' in answer
    assert 'shows "Austria" now. It may want an option to be chosen' in answer
    assert 'But textbox "Name"' not in answer


@pytest.mark.parametrize("wanted", ["60", "0", "100", "25"])
def test_slider_gets_its_last_step_by_a_key(agent: Agent, wanted: str) -> None:
    page = agent.show(
        "<input type=range aria-label=Limit value=25><output id=o>committed 25</output><script>"
        "const r = document.querySelector('input');"
        "r.onkeyup = () => { o.textContent = 'committed ' + r.value; }</script>"
    )
    answer = agent("browser_fill_form", fields=[{"ref": page.ref("slider", "Limit"), "value": wanted}])
    assert f'Filled "{wanted}" into slider "Limit"' in answer
    assert f"committed {wanted}" in agent("browser_snapshot")


DRAWN_ANEW = """<output id=o></output><div></div><script>
const host = document.querySelector('div').attachShadow({mode: 'open'});
host.innerHTML = '<input type=range aria-label=Size>';
const slider = host.querySelector('input'); let value = slider.value = '20';
const draw = () => Promise.resolve().then().then().then(() => { slider.value = value; });
slider.onfocus = draw;
slider.oninput = () => { value = slider.value; draw(); };
slider.onchange = () => { o.textContent = 'committed ' + value; };</script>"""


def test_slider_that_is_drawn_anew_for_the_focus_gets_its_value(agent: Agent) -> None:
    page = agent.show(DRAWN_ANEW)
    answer = agent("browser_fill_form", fields=[{"ref": page.ref("slider", "Size"), "value": 55}])
    assert "committed 55" in answer
    assert "But " not in answer


ARIA_SLIDER = """<div role=slider tabindex=0 aria-label=Volume aria-valuemin=0 aria-valuemax=300 aria-valuenow=20></div>
<script>const s = document.querySelector('div'); s.onkeydown = ({key}) => {
  const by = {ArrowUp: 5, ArrowDown: -5}[key] ?? 0;
  s.ariaValueNow = Math.max(0, Math.min(300, Number(s.ariaValueNow) + by)); };</script>"""


@pytest.mark.parametrize(("wanted", "reached"), [(280, "280"), (5, "5"), (20, "20"), (51, "50"), (1000, "300")])
def test_slider_of_the_pages_own_making_is_moved_by_keys(agent: Agent, wanted: int, reached: str) -> None:
    page = agent.show(ARIA_SLIDER)
    answer = agent("browser_fill_form", fields=[{"ref": page.ref("slider", "Volume"), "value": wanted}])
    assert f'Filled "{reached}" into slider "Volume"' in answer
    said = agent("browser_fill_form", fields=[{"ref": page.ref("slider", "Volume"), "value": "loud"}])
    assert "'loud' is not a number. Pass the number to set the slider to." in said


def test_slider_that_says_its_number_in_words_has_kept_it(agent: Agent) -> None:
    agent.show(
        "<div role=slider tabindex=0 aria-label=Zoom aria-valuenow=20 aria-valuetext='20 %'></div><script>"
        "const zoom = document.querySelector('div'); zoom.onkeydown = ({key}) => {"
        "zoom.ariaValueNow = Number(zoom.ariaValueNow) + ({ArrowUp: 5, ArrowDown: -5}[key] ?? 0);"
        "zoom.ariaValueText = `${zoom.ariaValueNow} %`; }</script>"
    )
    answer = agent("browser_fill_form", fields=[{"selector": "div", "value": 40}])
    assert 'Filled "40" into slider "Zoom"' in answer
    assert ": 40 %" in answer
    assert "But " not in answer


def test_the_wheel_is_not_turned_over_what_is_hidden(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(action_timeout=5)
    agent.show("<div id=list style='display:none'>Hidden</div><p>Text</p>")
    assert "is not visible" in agent("browser_scroll", selector="#list", down=10)


def test_what_is_dropped_glides_to_its_place(agent: Agent) -> None:
    page = agent.show(
        "<ul><li id=a>One</li><li id=b>Two</li></ul><script>"
        "onmouseup = () => setTimeout(() => { a.parentNode.prepend(b) }, 150)</script>"
    )
    assert "One" in page
    answer = agent("browser_drag", startSelector="#b", endSelector="#a")
    assert "Changes:" in answer


def test_a_click_on_a_widget_does_not_meet_the_box_inside(agent: Agent) -> None:
    agent.show(
        "<div role=treeitem tabindex=0 style='display:inline-flex;gap:40px'><span>▶</span>"
        "<span role=checkbox aria-label=Pick style='width:30px'>☐</span><span>Fruit</span></div><p id=out></p><script>"
        "document.querySelector('[role=treeitem]').onclick = ({target}) => { out.textContent = "
        "target.role === 'checkbox' ? 'ticked' : 'opened'; }</script>"
    )
    assert "paragraph: opened" in agent("browser_click", selector="[role=treeitem]")


CLIPPED = """<style>* {box-sizing: border-box}</style><body style="margin:0"><div style="padding:40px 20px 0 38px">
<label style="display:flex;width:61px"><span style="border:0;clip-path:inset(50%);height:1px;margin:-1px;
overflow:hidden;padding:0;position:absolute;width:1px">
<input type=checkbox aria-label=Agree style="margin:0;margin-left:-6px"></span>
<div style="width:16px;height:16px;border:1px solid"></div>Agree</label></div>"""


def test_a_box_that_is_clipped_away_is_ticked_by_its_label(agent: Agent) -> None:
    page = agent.show(CLIPPED)
    assert "[active, checked]" in agent("browser_click", ref=page.ref("checkbox", "Agree"))


def test_text_in_a_field_is_waited_for(agent: Agent) -> None:
    agent.show("<textarea disabled></textarea><script>setTimeout(() => { document.querySelector('textarea').value = "
               "'Hello  Bob' }, 300)</script>")  # fmt: skip
    assert "is there" in agent("browser_wait_for", text="Hello Bob")


def test_editors_show_their_lines(agent: Agent) -> None:
    agent.show(
        "<div contenteditable role=textbox aria-label=Code style='white-space:pre'><div>if x:</div><div>    y</div>"
        "<div><br></div><div>z</div></div>"
    )
    assert r'textbox "Code"' in agent("browser_snapshot")
    assert r": if x:\n    y\n\nz" in agent("browser_snapshot")


@pytest.mark.parametrize(
    "style",
    ["opacity:0;pointer-events:none", "visibility:hidden", "display:none"],
    ids=["no pointer", "hidden", "none"],
)
def test_what_shows_only_under_the_pointer_is_clicked(agent: Agent, style: str) -> None:
    shown = "opacity:1;pointer-events:auto;visibility:visible;display:block;z-index:2"
    agent.show(
        f"<style>.bar {{ {style}; position:absolute; right:0; top:0 }} .chart:hover .bar {{ {shown} }}</style>"
        "<div class=chart style='position:relative;width:300px;height:60px'><div class=bar>"
        "<button onclick=\"out.textContent='data'\">Show</button></div>"
        "<svg width=300 height=60 style='position:absolute;inset:0'><path d='M0 0H300V60H0z'/></svg></div>"
        "<p id=out></p>"
    )
    assert "paragraph: data" in agent("browser_click", selector="button")


# As Monaco and CodeMirror 5 have it: text and caret are drawn, and what has no size catches the keys.
CATCHER = """<div id=editor style="position:relative;width:300px;height:60px"><pre id=text aria-hidden=true></pre>
<div {clip}><{tag} tabindex=0 role=textbox aria-multiline=true aria-label=Code
 style="position:absolute;border:0;padding:0;{style}"></{tag}></div></div><script>
let [written, caret, all] = ['one', 0, false];
const input = document.querySelector('[role=textbox]');
const draw = () => {{ text.textContent = written; }};
draw();
{context}
document.querySelector('#editor').onmousedown = (event) => {{ event.preventDefault(); input.focus(); }};
const put = (added) => {{
  if (all) [written, caret, all] = ['', 0, false];
  written = written.slice(0, caret) + added + written.slice(caret); caret += added.length; draw();
}};
input.onkeydown = (event) => {{
  const {{key, ctrlKey}} = event;
  if (ctrlKey && key === 'a') all = true;
  else if (ctrlKey && key === 'End') [caret, all] = [written.length, false];
  else if (key === 'Backspace') put('');
  else if (key === 'Enter') put('\\n');
  else if (key.length === 1) put(key);
  else return;
  event.preventDefault();
}};</script>"""
CLIP = "style='position:relative;overflow:hidden;width:3px;height:0'"
CONTEXT = "input.editContext = window.EditContext ? new EditContext() : null;"


@pytest.mark.parametrize(
    ("tag", "clip", "style", "context"),
    [
        ("textarea", "", "left:9px;top:0;width:0;height:0;z-index:-10", ""),
        ("textarea", CLIP, "bottom:-1em;width:90px;height:1em", ""),
        ("div", "", "left:9px;top:0;width:0;height:19px;z-index:-10", CONTEXT),
    ],
    ids=["empty", "clipped", "EditContext"],
)
def test_an_editor_that_draws_its_text_is_typed_into_by_keys(
    agent: Agent, tag: str, clip: str, style: str, context: str
) -> None:
    page = agent.show(CATCHER.format(tag=tag, clip=clip, style=style, context=context))
    if context and agent.evaluate("typeof EditContext") == "undefined":
        pytest.skip("this browser has no EditContext")
    code = page.ref("textbox", "Code")
    assert 'Clicked textbox "Code"' in agent("browser_click", ref=code)
    assert agent.evaluate("document.activeElement === input") == "true"
    agent("browser_type", ref=code, text="\ntwo")
    assert agent.evaluate("written") == "one\ntwo"
    agent("browser_type", ref=code, text="x" * 210, clear=True)
    assert agent.evaluate("written") == "x" * 210
    assert "But " not in agent("browser_fill_form", fields=[{"ref": code, "value": "three"}])
    assert agent.evaluate("written") == "three"
    agent("browser_type", ref=code, text="", clear=True)
    assert agent.evaluate("written") == ""


def test_keys_for_a_terminal_are_those_of_the_text(agent: Agent) -> None:
    page = agent.show(
        "<textarea aria-label=Terminal aria-multiline=false style='position:absolute;width:0;opacity:0'></textarea>"
        "<script>const pressed = []; onkeydown = ({key}) => { pressed.push(key); }</script>"
    )
    agent("browser_type", ref=page.ref("textbox", "Terminal"), text="ls", submit=True)
    assert agent.evaluate("pressed.join(' ')") == "l s Enter"


SORTABLE = """<ul style="padding:0">{items}</ul><script>
let held = null;
const list = document.querySelector('ul');
onmousedown = (event) => {{ held = event.target.closest('li'); event.preventDefault(); }};
onmouseup = (event) => {{
  const over = event.target.closest('li');
  if (!held || !over || over === held) return;
  const {{top, height}} = over.getBoundingClientRect();
  list.insertBefore(held, event.clientY > top + height / 2 ? over.nextSibling : over);
}};
</script>"""


def test_an_item_that_is_dragged_to_another_takes_its_place(agent: Agent) -> None:
    agent.show(SORTABLE.format(items="".join(f"<li id={each}>{each}</li>" for each in "abcd")))
    agent("browser_drag", startSelector="#a", endSelector="#d")
    assert agent.evaluate("list.innerText.replace(/\\s+/g, '')") == "bcda"
    agent("browser_drag", startSelector="#a", endSelector="#b")
    assert agent.evaluate("list.innerText.replace(/\\s+/g, '')") == "abcd"


RESTING = """<ul id=todo><li draggable=true id=a>a<li>b<li>c</ul><ul id=done><li id=d>d</ul>
<script>
let [held, rests] = [null, false];
ondragstart = ({target}) => { held = target; };
ondragover = (event) => {
  event.preventDefault();
  const over = event.target.closest('li');
  if (rests || !over || over === held) return;
  const items = [...over.parentNode.children];
  const isBefore = items.includes(held) && items.indexOf(held) < items.indexOf(over);
  over[isBefore ? 'after' : 'before'](held);
  rests = true;
  setTimeout(() => { rests = false; }, 30);
};</script>"""


def test_lists_that_rest_after_each_change_take_what_is_dropped(agent: Agent) -> None:
    """As those of Sortable.js do."""
    agent.show(RESTING)
    agent("browser_drag", startSelector="#a", endSelector="#d")
    assert agent.evaluate("a.parentNode.id") == "done"


def test_read_only_combobox_says_how_it_is_used(agent: Agent) -> None:
    agent.show("<input role=combobox readonly aria-label=Fruit>")
    said = agent("browser_type", selector="input", text="Apple")
    assert "is read-only. Click it, then click the option that appears." in said


def test_a_field_that_lies_behind_its_box_is_clicked_there(agent: Agent) -> None:
    page = agent.show(
        "<div style='isolation:isolate'><div style='position:relative;width:200px;height:30px;background:#eee' "
        "onmousedown=\"out.textContent='open'\"><input role=combobox readonly aria-label=Room "
        "style='position:absolute;inset:0;opacity:0;z-index:-1'></div></div><p id=out></p>"
    )
    assert "paragraph: open" in agent("browser_click", ref=page.ref("combobox", "Room"))
