"""Snapshot, screenshot, evaluate, wait."""

import json
import re
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pytest
from PIL import Image

from tests.support.world import Agent, Answer

MakeAgent = Callable[..., Agent]


def test_snapshot_of_a_part(agent: Agent) -> None:
    page = agent.show("<nav aria-label=Top><a href=/a>A</a></nav><main><button>B</button></main>")
    part = agent("browser_snapshot", selector="main")
    assert "button" in part
    assert "navigation" not in part
    link = agent("browser_snapshot", ref=page.ref("link", "A"))
    assert link.text.startswith('- link "A"')
    assert "No element matches" in agent("browser_snapshot", selector="#no")


def _below_document(answer: Answer) -> list[str]:
    lines = answer.text.partition("- document")[2].splitlines()[1:]
    return [line.partition(" [")[0] for line in lines]


def test_a_snapshot_shows_containers_without_content_and_an_action_does_not(agent: Agent) -> None:
    shown = agent.show(
        "<header></header><p></p><div role=group></div><nav></nav><main><ul><li></li></ul><button>B</button>"
        "<table><tbody></tbody></table><output></output></main><footer></footer>"
    )
    assert _below_document(shown) == ["  - main:", '    - button "B"', "    - table"]
    assert _below_document(agent("browser_snapshot")) == [
        "  - banner", "  - group", "  - navigation", "  - main:", "    - list:", "      - listitem", '    - button "B"',
        "    - table:", "      - rowgroup", "    - status", "  - contentinfo",
    ]  # fmt: skip
    assert agent("browser_snapshot", selector="nav").text == "- navigation"
    assert "The snapshot shows no change." in agent("browser_hover", selector="button").text


def test_snapshot_of_a_part_hides_no_closed_root_from_the_next(agent: Agent) -> None:
    agent.show("<main><div style='height:20px'></div></main>")
    agent.evaluate(
        "() => { document.querySelector('main').innerHTML = '<div style=height:20px></div>';"
        " document.querySelector('div').attachShadow({mode: 'closed'}).innerHTML = '<button>Inside</button>' }"
    )
    agent("browser_snapshot", selector="main")
    assert 'button "Inside"' in agent("browser_snapshot")


def test_snapshot_of_what_is_hidden_says_so(agent: Agent) -> None:
    page = agent.show("<button id=b>B</button><p hidden>P</p><div style='display:none'><b id=c>C</b></div><i id=i></i>")
    assert agent("browser_snapshot", selector="p").text == "paragraph <p> is hidden."
    assert agent("browser_snapshot", selector="#c").text.startswith('generic "C" is hidden.')
    assert agent("browser_snapshot", selector="#i").text == "There is nothing to read in generic <i>."
    agent.evaluate("() => { document.getElementById('b').hidden = true }")
    assert "is hidden." in agent("browser_snapshot", ref=page.ref("button"))


def test_rows_that_are_not_there_are_told(agent: Agent) -> None:
    page = agent.show("<table role=grid aria-label=x aria-rowcount=61><tr><td>A</table>")
    assert 'grid "x" [rows=61]' in page


def test_lines_of_a_text_are_kept(agent: Agent) -> None:
    rows = [f"{number},{number * 2}" for number in range(100)]
    page = agent.show("<pre tabindex=0>" + "\n".join(rows) + "</pre>")
    whole = "\\n".join(rows)
    assert f": {whole[:50]}" in page
    assert agent("browser_snapshot", ref=page.ref("generic")).text.endswith(f": {whole}")


def test_snapshot_depth(agent: Agent) -> None:
    agent.show("<main><ul><li><a href=/a>A</a><li><a href=/b>B</a></ul></main>")
    assert "link" not in agent("browser_snapshot", depth=1)
    assert "link" in agent("browser_snapshot")


def test_large_page_is_answered_as_an_outline_and_read_in_full(agent: Agent) -> None:
    answer = agent.open("/nodes/3000")
    assert len(answer.text) < 9000
    assert "browser_snapshot" in answer
    assert len(agent("browser_snapshot").text) > 20000


def test_very_large_page_is_outlined_unless_all_of_it_is_asked_for(make_agent: MakeAgent) -> None:
    agent = make_agent(snapshot_budget=200)
    agent.open("/nodes/3000")
    answer = agent("browser_snapshot")
    assert len(answer.text) < 9000
    assert "the rest: browser_snapshot with the ref or selector of a part, or with depth: 100" in answer
    assert len(agent("browser_snapshot", selector="body").text) < 9000
    assert len(agent("browser_snapshot", depth=100).text) > 20000


def test_large_page_keeps_its_characters(agent: Agent) -> None:
    names = "".join(f'<li>Größe {number} → 🎉 "quoted" \\ `so`</li>' for number in range(400))
    agent.show(f"<ul>{names}<li id=half></ul><script>half.textContent = 'half \\ud83d pair'</script>")
    snapshot = agent("browser_snapshot")
    assert 'Größe 399 → 🎉 "quoted" \\ `so`' in snapshot
    assert "half \ufffd pair" in snapshot


def test_ref_survives_a_reload(agent: Agent) -> None:
    first = agent.open("/form")
    second = agent.open("/form")
    assert "shows what it showed before" in second
    assert "Clicked" in agent("browser_click", ref=first.ref("button", "Clear"))


def test_evaluate(agent: Agent) -> None:
    agent.show("<p>text</p>")
    for script, result in (
        ("document.title", "Test"),
        ("() => ({a: [1, null, true], b: {c: 'x'}})", '{"a": [1, null, true], "b": {"c": "x"}}'),
        ("() => null", "null"),
        ("Promise.resolve('later')", "later"),
        ("const x = 2; return x * 21", "42"),
    ):
        assert agent("browser_evaluate", function=script).text == result
    assert not agent("browser_evaluate", function="() => document.querySelector('p')").is_error


def test_evaluate_writes_out_again_and_again_only_so_much(agent: Agent) -> None:
    agent.show("")
    text = agent.evaluate("() => { let a = ['x']; for (let i = 0; i < 40; i++) a = [a, a]; return a }")
    assert 100_000 < len(text) < 5_000_000
    twice = "() => { const long = {text: 'x'.repeat(50_000)}; return {first: long, all: [long]} }"
    assert agent.evaluate(twice).count("x" * 50_000) == 2


HALVES = {
    "() => 'a\\ud83d'": "a\ufffd",
    "async () => '\\ude00b'": "\ufffdb",
    "() => '\\ud83d\\ude00'": "\U0001f600",
    "() => ['\\ud83d', {deep: [{b: '\\ud83d'}], n: 1}, , document.body]": (
        '["\ufffd", {"deep": [{"b": "\ufffd"}], "n": 1}, null, "<body>"]'
    ),
    "() => ({['k\\ud83d']: 1, ['__proto__']: 2})": '{"k\ufffd": 1, "__proto__": 2}',
    "() => { const a = ['\\ud83d']; a.push(a); return a }": '["\ufffd", "[Circular]"]',
    "() => new Proxy({}, {get: (_, name, self) => self, ownKeys: () => ['a'],"
    " getOwnPropertyDescriptor: () => ({enumerable: true, configurable: true})})": "Proxy",
}


@pytest.mark.parametrize(("script", "said"), HALVES.items(), ids=HALVES)
def test_evaluate_replaces_half_a_character(agent: Agent, script: str, said: str) -> None:
    agent.show("")
    assert agent.evaluate(script) == said


def test_evaluate_leaves_half_a_character_in_the_page(agent: Agent) -> None:
    agent.show("<script>mine = {text: 'a\\ud83d', list: ['\\ud83d']}</script>")
    assert agent.evaluate("mine") == '{"text": "a\ufffd", "list": ["\ufffd"]}'
    assert (
        agent.evaluate("[mine.text.length, mine.text.charCodeAt(1), mine.list[0].charCodeAt(0)]") == "[2, 55357, 55357]"
    )


def test_evaluate_tells_what_was_thrown_with_half_a_character(agent: Agent) -> None:
    agent.show("")
    for script in ("() => { throw new Error('a\\ud83d') }", "() => { throw {a: 'a\\ud83d'} }"):
        answer = agent("browser_evaluate", function=script)
        assert answer.is_error
        assert "a\ufffd" in answer


def test_evaluate_takes_numbers_of_any_length(agent: Agent) -> None:
    agent.show("")
    assert agent.evaluate("10n ** 5000n").strip('"') == "1" + "0" * 5000


def test_evaluate_errors(agent: Agent) -> None:
    agent.show("")
    thrown = agent("browser_evaluate", function="() => { throw new TypeError('broken') }")
    assert thrown.is_error
    assert "TypeError: broken" in thrown
    assert "SyntaxError" in agent("browser_evaluate", function="() => {{")


LEAVE = {
    "at once": "() => { location.href = THERE }",
    "after a while": "async () => { await new Promise(done => setTimeout(done, 30)); location.href = THERE }",
    "before a while": "async () => { location.href = THERE; await new Promise(done => setTimeout(done, 10)) }",
    "in statements": "const here = 1; location.href = THERE; return here",
    "by a link": "() => document.querySelector('a').click()",
    "by a button": "() => document.querySelector('button').click()",
    "by a form": "() => document.forms[0].submit()",
    "by a form, after a while": "async () => { await 1; document.forms[0].requestSubmit() }",
}


def test_evaluate_tells_its_error_when_the_page_is_busy_after_it(agent: Agent) -> None:
    agent.show("<p>Page</p>")
    busy = "setTimeout(() => { const end = Date.now() + 700; while (Date.now() < end); })"
    answer = agent("browser_evaluate", function=f"() => {{ {busy}; throw new RangeError('too far'); }}")
    assert "RangeError: too far" in answer
    assert answer.is_error


@pytest.mark.parametrize("script", LEAVE.values(), ids=LEAVE)
def test_evaluate_tells_where_it_led(agent: Agent, script: str) -> None:
    target = agent.site.html("<h1>There</h1>")
    agent.show(f"<a href='{target}'>Go</a><form action='{target}'><button>Send</button></form>")
    answer = agent("browser_evaluate", function=script.replace("THERE", f"'{target}'"))
    assert target in answer
    assert "There" in agent("browser_snapshot")


def test_snapshot_of_a_page_that_is_leaving_is_of_the_next(agent: Agent) -> None:
    slow = agent.site.url_for("/slow?ms=300")
    before = [request.path for request in agent.site.requests].count("/slow")
    agent.show("<p>Here</p>")
    agent.evaluate(f"() => {{ setTimeout(() => {{ location.href = '{slow}' }}, 100) }}")
    agent.world.run(lambda: agent.site.wait_request("/slow", count=before + 1))
    assert "Cedar" in agent("browser_snapshot")


def test_evaluate_that_never_ends_is_cut(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(action_timeout=1)
    agent.show("")
    answer = agent("browser_evaluate", function="() => new Promise(() => 0)")
    assert answer.is_error
    assert "within 1 s" in answer


def test_screenshot_stays_in_its_folder(agent: Agent) -> None:
    agent.show("")
    answer = agent("browser_take_screenshot", filename="../escape.png")
    assert answer.is_error
    assert "leads out of the output folder" in answer


def test_the_format_of_a_screenshot_is_that_of_its_file_name(agent: Agent) -> None:
    agent.show("")
    for name, asked, kind in (
        ("a.jpg", {}, "JPEG"),
        ("b.PNG", {}, "PNG"),
        ("c.jpeg", {"type": "jpeg"}, "JPEG"),
        ("d.webp", {}, "WEBP"),
    ):
        assert not agent("browser_take_screenshot", filename=name, **asked).is_error
        with Image.open(agent.config.output_dir / name) as picture:
            assert picture.format == kind
    assert "does not end in .png, .jpg, .jpeg or .webp" in agent("browser_take_screenshot", filename="d.gif")
    assert "does not go with the format jpeg" in agent("browser_take_screenshot", filename="e.png", type="jpeg")


def test_pixels_quality_and_parts_of_a_screenshot(make_agent: Callable[..., Agent]) -> None:
    agent = make_agent(device="Desktop HiDPI", viewport="400x300")
    agent.show(
        "<style>body {margin: 0; background: linear-gradient(45deg, red, blue)}</style>"
        "<div style='width:50px;height:2000px;background:lime'></div>"
    )
    corner = [10, 1500, 80, 60]

    def taken(**options: object) -> tuple[tuple[int, int], int, tuple[int, ...]]:
        """Return the size in pixels, the size in bytes, and the colour of the top left pixel."""
        answer = agent("browser_take_screenshot", **options)
        assert not answer.is_error, answer.text
        path = Path(answer.text.rpartition(": ")[2])
        with Image.open(path) as picture:
            pixel = picture.convert("RGB").getpixel((0, 0))
            assert isinstance(pixel, tuple)
            return picture.size, path.stat().st_size, pixel

    assert taken()[0] == (400, 300)
    assert taken(scale="device")[0] == (800, 600)
    assert taken(fullPage=True, type="webp")[0][1] == 2000
    good, poor = (taken(type="jpeg", quality=quality, scale="device")[1] for quality in (95, 10))
    assert poor < good / 2
    good, poor = (taken(type="webp", quality=quality)[1] for quality in (95, 10))
    assert poor < good / 2
    assert taken(fullPage=True, clip=corner)[::2] == ((80, 60), (0, 255, 0))
    assert taken(clip=[0, 0, 20, 10], scale="device")[0] == (40, 20)
    wrong = agent("browser_take_screenshot", clip=corner, selector="div")
    assert "clip does not go with an element. Leave one of them out." in wrong
    outside = agent("browser_take_screenshot", clip=[5000, 0, 20, 10])
    assert outside.is_error
    assert "No picture of the region 20x10: " in outside


def test_wait_for_text_and_its_end(agent: Agent) -> None:
    agent.show("<p id=p>Loading...</p><script>setTimeout(() => p.textContent = 'Loading complete', 300)</script>")
    assert "'Loading complete' is there" in agent("browser_wait_for", text="Loading complete")
    assert "is gone" in agent("browser_wait_for", textGone="Loading...")
    assert "Waited 0.1 s" in agent("browser_wait_for", time=0.1)
    answer = agent("browser_wait_for", text="never", time=0.3)
    assert answer.is_error
    assert "did not appear after 0.3 s" in answer
    assert "nothing to wait for" in agent("browser_wait_for")


@pytest.mark.parametrize("mode", ["open", "closed"])
def test_wait_for_text_that_lies_directly_in_a_shadow_tree(agent: Agent, mode: str) -> None:
    agent.show(f"<my-card><template shadowrootmode={mode}>Bare <b>words</b><p>Inner</p><i hidden>Secret</i></template>")
    agent("browser_snapshot")  # finds the closed ones
    assert "'Bare words' is there" in agent("browser_wait_for", text="Bare words")
    assert agent("browser_wait_for", text="Secret", time=0.3).is_error


def test_wait_for_text_in_a_shadow_tree_that_is_newer_than_the_snapshot(agent: Agent) -> None:
    script = "setTimeout(() => card.attachShadow({mode: 'open'}).append('Late words'), 300)"
    agent.show(f"<my-card id=card></my-card><script>{script}</script>")
    assert "'Late words' is there" in agent("browser_wait_for", text="Late words", time=3)


def test_wait_for_one_of_several_texts_and_the_end_of_all(agent: Agent) -> None:
    agent.show("<p id=p>One</p><script>setTimeout(() => p.textContent = 'Done', 700)</script>")
    assert "The text 'Failed' or 'Done' is there." in agent("browser_wait_for", text=["Failed", "Done"])
    assert "The text 'One' or 'Two' is gone." in agent("browser_wait_for", textGone=["One", "Two"])
    answer = agent("browser_wait_for", textGone=["One", "Done"], time=0.3)
    assert "The text 'One' or 'Done' is still on the page after 0.3 s." in answer


STATES = {
    "visible": "<button id=it hidden>Go</button><script>setTimeout(() => { it.hidden = false }, 700)</script>",
    "hidden": "<button id=it>Go</button><script>setTimeout(() => { it.hidden = true }, 700)</script>",
    "hidden, as it is gone": "<button id=it>Go</button><script>setTimeout(() => { it.remove() }, 700)</script>",
    "enabled": "<button id=it disabled>Go</button><script>setTimeout(() => { it.disabled = false }, 700)</script>",
    "disabled": "<button id=it>Go</button><script>setTimeout(() => { it.disabled = true }, 700)</script>",
    "checked": "<input id=it type=checkbox><script>setTimeout(() => { it.checked = true }, 700)</script>",
    "unchecked": "<input id=it type=checkbox checked><script>setTimeout(() => { it.checked = false }, 700)</script>",
}


@pytest.mark.parametrize("state", STATES)
def test_wait_for_the_state_of_an_element(agent: Agent, state: str) -> None:
    wanted = state.partition(",")[0]
    agent.show(STATES[state])
    assert f"The element with selector '#it' is {wanted}." in agent("browser_wait_for", selector="#it", state=wanted)
    opposite = {"visible": "hidden", "hidden": "visible", "enabled": "disabled", "disabled": "enabled"}
    other = opposite.get(wanted) or {"checked": "unchecked", "unchecked": "checked"}[wanted]
    answer = agent("browser_wait_for", selector="#it", state=other, time=0.3)
    assert answer.is_error
    assert f"The element with selector '#it' is not {other} after 0.3 s." in answer


def test_wait_for_the_state_of_a_ref(agent: Agent) -> None:
    page = agent.show(
        "<button id=it disabled>Go</button><script>setTimeout(() => { it.disabled = false }, 700)</script>"
    )
    ref = page.ref("button", "Go")
    assert f"The element with ref {ref} is enabled." in agent("browser_wait_for", ref=ref, state="enabled")
    assert "'b[' is not a selector." in agent("browser_wait_for", selector="b[", state="hidden")


def test_wait_for_a_page_and_for_a_response(agent: Agent) -> None:
    agent.show(
        "<button onclick=\"setTimeout(() => fetch('/slow?ms=300'), 900)\">Save</button>"
        "<a href=# onclick=\"setTimeout(() => { location.hash = 'done' }, 900)\">Go on</a>"
    )
    agent("browser_click", selector="button")
    answer = agent("browser_wait_for", response="/slow")
    assert re.search(r"GET http\S+/slow\?ms=300 was answered: 200", answer.text)
    assert "No response from a URL with '/other' came within 0.3 s." in agent(
        "browser_wait_for", response="/other", time=0.3
    )
    agent("browser_click", selector="a")
    assert re.search(r"The page is http\S+#done\.", agent("browser_wait_for", url="#done").text)
    assert "The URL did not match 'nowhere' within 0.3 s: it is http" in agent(
        "browser_wait_for", url="nowhere", time=0.3
    )


def test_wait_that_fails_says_what_came_instead(agent: Agent) -> None:
    # Longer than the timers that a click waits for: the change comes during the wait.
    agent.show("<p id=p>Waiting</p><button onclick=\"setTimeout(() => p.textContent = 'Sold out', 1500)\">Buy</button>")
    assert "Sold out" not in agent("browser_click", selector="button")
    answer = agent("browser_wait_for", text="In stock", time=3)
    assert answer.is_error
    assert "'In stock' did not appear after 3 s." in answer
    assert "Sold out" in answer


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


STRIPES = "background: linear-gradient(red 0 1000px, lime 0 2000px, blue 0)"


def pictured(answer: Answer) -> tuple[tuple[int, int], list[str]]:
    """Return the size of a screenshot, and the colours in its middle from top to bottom."""
    with Image.open(answer.text.rpartition(": ")[2]) as opened:
        picture = opened.convert("RGB")
    names: dict[object, str] = {(255, 0, 0): "red", (0, 255, 0): "lime", (0, 0, 255): "blue"}
    middle = [picture.getpixel((picture.width // 2, y)) for y in range(picture.height)]
    return picture.size, [names.get(color, "other") for color, _ in groupby(middle)]


ARTICLE = f"<style>body {{ margin: 0 }}</style><article style='height: 3000px; width: 400px; {STRIPES}'></article>"

LARGE = {
    "at the top": ARTICLE,
    "below": f"<p style='height: 5000px'></p>{ARTICLE}<p style='height: 900px'>",
    "to the right": f"<div style='margin-left: 2000px'>{ARTICLE}</div>",
    "in a shadow tree": f"<div><template shadowrootmode=open><slot></slot></template>{ARTICLE}</div>",
    "positioned": f"<div style='overflow: auto; height: 9px'><div style='position: absolute'>{ARTICLE}</div></div>",
    "in a body that is the viewport's": f"<style>body {{ overflow: auto; height: 100px }}</style>{ARTICLE}",
}


@pytest.mark.parametrize("body", LARGE.values(), ids=LARGE)
def test_picture_of_an_element_larger_than_the_viewport_is_whole(agent: Agent, body: str) -> None:
    agent.show(body)
    answer = agent("browser_take_screenshot", selector="article")
    assert pictured(answer) == ((400, 3000), ["red", "lime", "blue"])
    assert "part" not in answer


def test_picture_of_a_small_element_in_a_scrolled_page(agent: Agent) -> None:
    field = "<p style='height: 3000px'></p><section style='width: 50px; height: 20px; background: rgb({})'></section>"
    agent.show(field.format("255,0,0") + field.format("0,0,255") + "<p style='height: 3000px'>")
    for selector, color in (("section + p + section", "blue"), ("section", "red")):
        assert pictured(agent("browser_take_screenshot", selector=selector)) == ((50, 20), [color])


def test_picture_of_a_part_says_so(agent: Agent) -> None:
    agent.show(f"<div style='overflow: auto; height: 300px'>{ARTICLE}</div><p style='height: 2000px'>")
    answer = agent("browser_take_screenshot", selector="article")
    assert pictured(answer) == ((400, 300), ["lime"])
    assert "(only the part that the page shows)" in answer


def test_picture_of_a_large_element_in_a_frame(agent: Agent) -> None:
    inner = agent.site.html(ARTICLE)
    agent.show(f"<p style='height: 500px'></p><iframe src='{inner}' width=600 height=400></iframe>")
    answer = agent("browser_take_screenshot", selector="article")
    if agent.config.browser in {"chromium", "webkit"}:
        assert "take one of the viewport" in answer
    else:
        assert pictured(answer) == ((400, 3000), ["red", "lime", "blue"])


PAGE = """<script>
function thrower() { throw new Error('from the page') }
async function later() { await 1; thrower() }
</script>"""

THROWN = {
    "throw new Error('bare')": ("Error: bare", "line 1, column 7"),
    "() => {\n  const a = 1;\n  throw new Error('deep')\n}": ("Error: deep", "line 3, column 9"),
    "\n\n  throw new TypeError('below')": ("TypeError: below", "line 3, column 9"),
    "() => {\n  function inner() { throw new RangeError('in') }\n  inner()\n}": (
        "RangeError: in",
        "line 2, column 28, in inner",
    ),
    "async () => {\n  await null;\n  throw new Error('late') }": ("Error: late", "line 3, column 9"),
    "() => thrower()": ("Error: from the page", "line 1, column 7, in thrower"),
    "() => later()": ("Error: from the page", "in thrower, later"),
    "() => { throw new Error('one\\ntwo') }": ("Error: one\ntwo", "line 1, column 15"),
    "() => { throw {status: 500, nested: {a: [1]}} }": ("{status: 500, nested: {a: [1]}}", ""),
    "() => Promise.reject({code: 'E'})": ('{code: "E"}', ""),
    "() => { throw [1, 'b'] }": ('[1, "b"]', ""),
    "throw Object.create(null)": ("{}", ""),
    "throw 'text'": ("text", ""),
    "throw undefined": ("undefined", ""),
    "throw new DOMException('m', 'AbortError')": ("AbortError: m", None),
    "() => { throw new Error('x'.repeat(600)) }": (f"Error: {'x' * 493}…", "line 1, column 15"),
}
"""What a script throws, and where; None if that is told in some engines only."""

IN_WEBKIT = {
    "throw new Error('bare')": "line 1, column 16",
    "() => {\n  const a = 1;\n  throw new Error('deep')\n}": "line 3, column 18",
    "\n\n  throw new TypeError('below')": "line 3, column 22",
    "() => {\n  function inner() { throw new RangeError('in') }\n  inner()\n}": "line 2, column 42",
    "async () => {\n  await null;\n  throw new Error('late') }": "line 3, column 18",
    "() => thrower()": "in thrower",
    "() => { throw new Error('one\\ntwo') }": "line 1, column 24",
    "() => { throw new Error('x'.repeat(600)) }": "line 1, column 24",
}
"""Where WebKitGTK 2.50 says that it was thrown: it counts up to the arguments, and knows one place in the script."""


@pytest.mark.parametrize(("script", "thrown"), THROWN.items(), ids=THROWN)
def test_evaluate_tells_what_was_thrown_and_where(agent: Agent, script: str, thrown: tuple[str, str | None]) -> None:
    text, place = thrown
    if agent.config.browser == "webkit":
        place = IN_WEBKIT.get(script, place)
    agent.show(PAGE)
    if script == "() => later()" and not agent.world.run(lambda: agent.world.knows("browser.setDownloadBehavior")):
        # Firefox 140 tells the place in the agent's script where the asynchronous function was called, too.
        place = "line 1, column 7, in thrower, later"
    answer = agent("browser_evaluate", function=script)
    assert answer.is_error
    told = f"The script threw {json.dumps(text, ensure_ascii=False)}"
    assert answer.text.startswith(told if place is None else f"{told} ({place})." if place else f"{told}.")
    assert answer.text.endswith(". Fix the script and try again.")


def test_evaluate_runs_once_what_throws_a_syntax_error(agent: Agent) -> None:
    agent.show("")
    assert "SyntaxError" in agent("browser_evaluate", function="window.n = (window.n ?? 0) + 1, JSON.parse('{')")
    assert agent.evaluate("window.n") == "1"


def test_a_description_that_repeats_is_short(agent: Agent) -> None:
    help_ = "Press space to select, escape to cancel."
    agent.show(
        "".join(f"<button aria-description='{help_}'>B{n}</button>" for n in range(3))
        + "<button aria-description='Just this'>C</button><button aria-description='Just this'>D</button>"
        f"<p id=p>Why this is so.</p><input aria-label=E aria-describedby=p>"
        f"<button onclick=\"this.ariaDescription = '{help_} Or not.'\">F</button>"
    )
    lines = [line.strip() for line in agent("browser_snapshot").text.splitlines()]
    assert [line.rpartition("(description: ")[2] for line in lines if "description" in line] == [
        f"{help_})", "Press space to sele…)", "Press space to sele…)", "Just this)", "Just this)", "Why this is so.)",
    ]  # fmt: skip
    assert f"(description: {help_} Or not.)" in agent("browser_click", selector="text=F")


@pytest.mark.parametrize(
    ("tool", "arguments", "content"),
    [
        ("browser_snapshot", {}, '- button "Save" [ref='),
        ("browser_snapshot", {"search": "save"}, '- button "Save" [ref='),
        ("browser_evaluate", {"function": "'one\\ntwo'"}, "one\ntwo"),
        ("browser_evaluate", {"function": "({a: [1]})"}, '{"a": [1]}'),
        ("browser_console_messages", {}, "[info] said"),
        ("browser_network_requests", {}, "GET http://127.0.0.1:"),
    ],
)
def test_an_answer_in_a_file(
    make_agent: Callable[..., Agent], tmp_path: Path, tool: str, arguments: dict[str, object], content: str
) -> None:
    agent = make_agent(output_dir=tmp_path)
    agent.show("<button>Save</button><script>console.log('said')</script>")
    answer = agent(tool, **arguments, filename="answer.txt")
    assert f" bytes, written to {tmp_path / 'answer.txt'}" in answer
    assert content not in answer
    assert content in (tmp_path / "answer.txt").read_text("utf-8")
    refused = agent(tool, **arguments, filename="../out.txt")
    assert refused.is_error
    assert "leads out of the output folder." in refused


def test_a_large_page_is_whole_in_a_file(make_agent: Callable[..., Agent], tmp_path: Path) -> None:
    agent = make_agent(output_dir=tmp_path)
    agent.open("/nodes/10000")
    assert len(agent("browser_snapshot", filename="page.md").text) < 200
    assert (tmp_path / "page.md").stat().st_size > 200_000
    assert "Outline" not in (tmp_path / "page.md").read_text("utf-8")
    agent.open("/text")
    whole = agent.evaluate("document.body.innerText.length")
    agent("browser_snapshot", filename="text.txt")
    assert (tmp_path / "text.txt").stat().st_size >= int(whole)
