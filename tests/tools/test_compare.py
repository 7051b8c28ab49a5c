"""A page in several engines and sizes: what is different, and which differences are the engines' own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest
import trio
from PIL import Image, ImageDraw

from bidi_server.plan.faults import ConsoleError, FailedRequest
from bidi_server.tools.comparison import as_html, as_json, compare_looks, line, told
from bidi_server.tools.look_differences import KINDS, Difference, compare_engines, compare_sizes
from bidi_server.tools.looks import Box, Element, Flaw, Flaws, Look
from drivers import BrowserNotFoundError
from drivers.find import first_browser, first_pair
from tests.support.world import Agent, Answer

MakeAgent = Callable[..., Agent]

WIDE, NARROW = (1280, 720), (390, 844)


def look(
    *elements: Element,
    engine: str = "chromium",
    viewport: tuple[int, int] = WIDE,
    errors: tuple[ConsoleError, ...] = (),
    failed: tuple[FailedRequest, ...] = (),
    picture: bytes = b"",
    width: int = 0,
) -> Look:
    return Look(engine, viewport, elements, errors, failed, picture, width or viewport[0])


firefox = partial(look, engine="firefox")


def control(role: str, name: str, *box: int, kind: str = "", depth: int = 1, **state: str) -> Element:
    x, y, width, height = box or (8, 8, 80, 24)
    return Element(role, name, depth, tuple(state.items()), (x, y, width, height), is_control=True, type=kind)


button = partial(control, "button")


def block(role: str, name: str, *box: int, depth: int = 1) -> Element:
    x, y, width, height = box
    return Element(role, name, depth, box=(x, y, width, height))


def text(said: str, depth: int = 1) -> Element:
    return Element("text", said, depth)


def differences(first: Look, second: Look) -> list[str]:
    """Return the differences as lines; those that are the engines' own begin with their reason."""
    return [
        f"{each.reason}: {line(each)}" if each.is_engines_own else line(each) for each in compare_engines(first, second)
    ]


def test_equal_looks() -> None:
    page = (block("heading", "Shop", 8, 8, 600, 40), text("Tea"), button("Buy"), button("Buy", 8, 60, 80, 24))
    assert differences(look(*page), firefox(*page)) == []


def test_elements_in_one_engine_only() -> None:
    first = look(button("Save"), text("Saved"))
    second = firefox(button("Save"), button("Undo"))
    assert differences(first, second) == ['text "Saved" is only in chromium', 'button "Undo" is only in firefox']


def test_a_missing_part_is_one_difference() -> None:
    part = [
        block("navigation", "Main", 8, 8, 600, 40),
        control("link", "Home", depth=2),
        control("link", "Tea", depth=2),
    ]
    after = button("Buy", 8, 60, 80, 24)
    moved = button("Buy", 8, 20, 80, 24)
    assert differences(look(*part, after), firefox(moved)) == [
        'navigation "Main" is only in chromium, with 2 elements inside'
    ]


def test_an_element_at_another_place_is_not_missing() -> None:
    assert differences(look(text("a"), text("b"), text("c")), firefox(text("c"), text("a"), text("b"))) == []


@pytest.mark.parametrize("role", ["button", "link"])
def test_of_equal_elements_the_number_counts(role: str) -> None:
    one = control(role, "Add")
    assert differences(look(one, one, one), firefox(one, one)) == [f'{role} "Add" is only in chromium']


def test_states_and_values() -> None:
    first = look(control("checkbox", "Gift", checked="False"), control("textbox", "Name", value="Ada"))
    second = firefox(control("checkbox", "Gift", checked="True"), control("textbox", "Name"))
    assert differences(first, second) == [
        'checkbox "Gift": checked is "False" in chromium, "True" in firefox',
        'textbox "Name": value is "Ada" in chromium, none in firefox',
    ]


def test_the_text_of_a_file_input_is_the_engines_own() -> None:
    first = look(button("Photo", kind="file", value="No file chosen"))
    second = firefox(button("Photo", kind="file", value="No file selected."))
    assert differences(first, second) == [
        'widgets: button "Photo": value is "No file chosen" in chromium, "No file selected." in firefox'
    ]


def rows(*tops: int) -> list[Element]:
    return [button(f"Row {number}", 8, top, 80, 24) for number, top in enumerate(tops)]


def test_elements_that_move_together_are_one_difference() -> None:
    assert differences(look(*rows(0, 40, 80, 120)), firefox(*rows(0, 40, 180, 220))) == [
        'button "Row 2" is at 8,80 in chromium, at 8,180 in firefox, and 1 more alike'
    ]


def test_small_distances_do_not_count_and_add_up() -> None:
    first = look(*rows(*range(0, 3000, 30)))
    second = firefox(*rows(*range(0, 3300, 33)))
    assert differences(first, second) == []


@pytest.mark.parametrize(("viewport", "distance"), [(WIDE, 64), (NARROW, 19), ((200, 200), 16)])
def test_the_distance_that_counts_depends_on_the_viewport(viewport: tuple[int, int], distance: int) -> None:
    def moved(by: int) -> list[str]:
        return differences(
            look(button("Go"), viewport=viewport), firefox(button("Go", 8 + by, 8, 80, 24), viewport=viewport)
        )

    assert moved(distance) == []
    assert moved(distance + 1) == [f'button "Go" is at 8,8 in chromium, at {9 + distance},8 in firefox']


def test_sizes() -> None:
    assert differences(look(button("Go")), firefox(button("Go", 8, 8, 400, 24))) == [
        'button "Go" is 80x24 in chromium, 400x24 in firefox'
    ]


def test_a_container_that_grows_with_its_content_is_not_mentioned() -> None:
    first = look(block("main", "", 0, 0, 800, 100), button("Go", 8, 8, 80, 24, depth=2))
    second = firefox(block("main", "", 0, 0, 800, 300), button("Go", 8, 8, 80, 224, depth=2))
    assert differences(first, second) == ['button "Go" is 80x24 in chromium, 80x224 in firefox']
    empty = firefox(block("main", "", 0, 0, 800, 300), button("Go", 8, 8, 80, 24, depth=2))
    assert differences(first, empty) == ["main is 800x100 in chromium, 800x300 in firefox"]


def test_what_follows_an_element_that_grows_is_not_mentioned() -> None:
    first = look(button("Go", 8, 8, 80, 24), button("Stop", 8, 40, 80, 24), button("Side", 96, 8, 80, 24))
    second = firefox(button("Go", 8, 8, 300, 124), button("Stop", 8, 140, 80, 24), button("Side", 316, 8, 80, 24))
    assert differences(first, second) == ['button "Go" is 80x24 in chromium, 300x124 in firefox']


@pytest.mark.parametrize(
    "element",
    [
        partial(control, "textbox", "Day", kind="date"),
        partial(control, "button", "Photo", kind="file"),
        partial(control, "slider", "Volume"),
        partial(control, "listbox", "Toppings"),
        partial(control, "video", ""),
    ],
)
def test_sizes_of_form_widgets_are_the_engines_own(element: Callable[..., Element]) -> None:
    found = compare_engines(look(element(8, 8, 80, 24)), firefox(element(8, 8, 180, 24)))
    assert [(each.kind, each.reason) for each in found] == [("resized", "widgets")]


def test_sizes_of_texts_are_the_engines_own() -> None:
    """The sizes are those of fixtures/pages/dialogs.html."""
    first = look(control("link", "Leave the page", 123, 139, 97, 17), viewport=NARROW)
    second = firefox(control("link", "Leave the page", 123, 139, 124, 19), viewport=NARROW)
    assert [each.reason for each in compare_engines(first, second)] == ["fonts"]


def test_a_field_in_the_next_line_is_the_engines_own() -> None:
    """The places are those of fixtures/pages/form.html."""
    before = [control("button", "Photos", 32, 1160 + by, 253, 21) for by in (0, 40)]
    first = look(before[0], control("textbox", "Member number", 170, 1206, 177, 21), viewport=NARROW)
    second = firefox(before[1], control("textbox", "Member number", 32, 1270, 191, 23), viewport=NARROW)
    assert [(each.kind, each.reason) for each in compare_engines(first, second)] == [("moved", "fonts")]


def test_a_field_after_a_long_label_is_the_engines_own_at_a_small_size_only() -> None:
    """The places are those of fixtures/pages/shadow.html."""
    name = "Sugar for Inner of Outer cup"
    before, after = (26, 823, 56, 21), (113, 842, 64, 23)
    found = compare_engines(
        look(control("spinbutton", name, *before), viewport=NARROW),
        firefox(control("spinbutton", name, *after), viewport=NARROW),
    )
    assert [(each.kind, each.reason) for each in found] == [("moved", "fonts")]
    wide = compare_engines(look(control("spinbutton", name, *before)), firefox(control("spinbutton", name, *after)))
    assert [(each.kind, each.reason) for each in wide] == [("moved", None)]


def test_overlapping_controls() -> None:
    apart = [button("Save", 8, 8, 80, 24), button("Cancel", 100, 8, 80, 24)]
    over = [button("Save", 8, 8, 80, 24), button("Cancel", 60, 8, 80, 24)]
    assert differences(look(*apart), firefox(*over)) == [
        'button "Save" and button "Cancel" overlap by 28x24 only in firefox'
    ]
    assert differences(look(*over), firefox(*over)) == []
    close = [button("Save", 8, 8, 80, 24), button("Cancel", 83, 8, 80, 24)]
    assert differences(look(*apart), firefox(*close)) == []


def test_a_control_in_another_does_not_overlap_it() -> None:
    outside = [control("link", "Card", 8, 8, 300, 100), button("Buy", 400, 8, 80, 24, depth=2)]
    inside = [control("link", "Card", 8, 8, 300, 100), button("Buy", 20, 20, 80, 24, depth=2)]
    assert not [each for each in differences(look(*outside), firefox(*inside)) if "overlap" in each]


def test_controls_outside_of_the_viewport() -> None:
    first, second = look(button("Pay", 1190, 8, 80, 24)), firefox(button("Pay", 1240, 8, 80, 24), width=1320)
    assert differences(first, second) == [
        'button "Pay" reaches 40 px beyond the width of the viewport only in firefox',
        "The page scrolls sideways only in firefox: it is 1320 px wide",
    ]
    assert differences(second, second) == []


PLACE = "http://shop.test/shop.js"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            ConsoleError("TypeError: Cannot read properties of null (reading 'foo')", PLACE, 2),
            ConsoleError('TypeError: can\'t access property "foo" of null', PLACE, 2),
        ),
        (
            ConsoleError("SyntaxError: Unexpected identifier 'b'"),
            ConsoleError("SyntaxError: unexpected token: identifier"),
        ),
        (
            ConsoleError("TypeError: Failed to fetch", "", 394),
            ConsoleError("TypeError: NetworkError when attempting to fetch resource.", "self-hosted", 2610),
        ),
        (
            ConsoleError("Uncaught (in promise) SyntaxError: Unexpected token '<' is not valid JSON"),
            ConsoleError("SyntaxError: JSON.parse: unexpected character at line 1 column 1 of the JSON data"),
        ),
    ],
)
def test_words_of_errors_are_the_engines_own(one: ConsoleError, other: ConsoleError) -> None:
    found = compare_engines(look(errors=(one,)), firefox(errors=(other,)))
    assert [(each.kind, each.reason, each.only_in) for each in found] == [("console", "words", "")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ConsoleError("TypeError: a", PLACE, 2), ConsoleError("TypeError: b", PLACE, 7)),
        (ConsoleError("TypeError: a", PLACE, 2), ConsoleError("RangeError: b", PLACE, 2)),
        (ConsoleError("no payment", PLACE, 2), ConsoleError("no delivery", PLACE, 2)),
    ],
)
def test_different_errors_are_the_page_s(one: ConsoleError, other: ConsoleError) -> None:
    assert differences(look(errors=(one,)), firefox(errors=(other,))) == [
        f'Console error "{one.text}" only in chromium',
        f'Console error "{other.text}" only in firefox',
    ]


def test_an_error_that_comes_twice_in_one_engine() -> None:
    error = ConsoleError("TypeError: boom", PLACE, 2)
    assert differences(look(errors=(error, error)), firefox(errors=(error,))) == [
        'Console error "TypeError: boom" only in chromium'
    ]


def test_failed_requests() -> None:
    url = "http://shop.test/price"
    refused = FailedRequest("GET", url, "net::ERR_CONNECTION_REFUSED")
    other_words = FailedRequest("GET", url, "NS_ERROR_CONNECTION_REFUSED")
    missing, icon = FailedRequest("GET", url, "404"), FailedRequest("GET", "http://shop.test/favicon.ico", "404")
    assert differences(look(failed=(missing,)), firefox(failed=(missing,))) == []
    assert differences(look(failed=(missing,)), firefox()) == [f"Failed request GET {url} → 404 only in chromium"]
    assert differences(look(failed=(refused,)), firefox(failed=(other_words,))) == [
        f"words: Failed request GET {url} → {refused.result} in chromium, {other_words.result} in firefox"
    ]
    assert len(differences(look(failed=(missing,)), firefox(failed=(other_words,)))) == 1
    assert differences(look(), firefox(failed=(icon,))) == [
        f"icon: Failed request GET {icon.url} → 404 only in firefox"
    ]


def picture(*boxes: Box, size: tuple[int, int] = WIDE) -> bytes:
    """Return a white PNG with dark boxes."""
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    for x, y, width, height in boxes:
        draw.rectangle((x, y, x + width - 1, y + height - 1), fill="#003366")
    buffer = BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def test_pictures() -> None:
    panel, dot = picture((160, 160, 320, 160)), picture((160, 160, 40, 2))
    plain = picture()
    assert differences(look(picture=panel), firefox(picture=panel)) == []
    assert differences(look(picture=panel), firefox(picture=plain)) == [
        "5.56% of the picture differs, large regions: 160,160 320x160"
    ]
    assert differences(look(picture=dot), firefox(picture=plain)) == ["rendering: 0.01% of the picture differs"]
    video = control("video", "", 150, 150, 340, 180)
    assert differences(look(video, picture=panel), firefox(video, picture=plain)) == [
        "rendering: 5.56% of the picture differs"
    ]


def test_a_page_that_does_not_load() -> None:
    failed = Look("firefox", WIDE, failure="The server did not answer.")
    assert differences(look(button("Go")), failed) == ["firefox: The server did not answer."]


def test_sizes_differ_in_controls_and_overflow_only() -> None:
    first = look(button("Menu", 8, 8, 80, 24), control("link", "Tea"), text("Welcome"))
    second = look(button("Menu", 300, 300, 20, 20), viewport=NARROW, width=500)
    assert [line(each) for each in compare_sizes(first, second)] == [
        'link "Tea" is only in chromium 1280x720',
        "The page scrolls sideways only in chromium 390x844: it is 500 px wide",
    ]


def test_the_page_s_differences_come_first_and_by_severity() -> None:
    first = look(button("Photo", kind="file"), button("Go", 8, 80, 80, 24), errors=(ConsoleError("x"),))
    second = firefox(button("Photo", 8, 8, 200, 24, kind="file"), button("Go", 8, 280, 80, 24), text("new"))
    found = compare_engines(first, second)
    assert [each.kind for each in found] == ["missing", "moved", "console", "resized"]
    assert [each.is_engines_own for each in found] == [False, False, False, True]


def flaw(selector: str, rule: str = "label (critical)") -> Flaw:
    return Flaw(rule, "Form elements must have labels https://axe.test/label", control("textbox", ""), selector)


def test_violations_of_one_look_only() -> None:
    shared, alone = flaw("#name"), [flaw("#tea"), flaw("#cake"), flaw("p", "color-contrast (serious)")]
    first = replace(look(), flaws=Flaws((shared,)))
    second = replace(firefox(), flaws=Flaws((shared, *alone)))
    assert differences(first, second) == [
        'label (critical) is violated by textbox at "#tea" only in firefox, and 1 more alike',
        'color-contrast (serious) is violated by textbox at "p" only in firefox',
    ]
    assert len(differences(replace(first, flaws=Flaws((shared,), ("label",))), second)) == 1
    lines = told(trio.run(compare_looks, "http://shop.test/", [first, second]))
    assert lines[-2:] == [
        "Violated everywhere: 1 rule of accessibility:",
        '  - label (critical): Form elements must have labels https://axe.test/label: textbox at "#name"',
    ]
    assert not any(
        "everywhere" in said for said in told(trio.run(compare_looks, "http://a.test/", [look(), firefox()]))
    )


def test_an_answer_has_a_limit() -> None:
    names = [text(f"Text {number}") for number in range(100)]
    comparison = trio.run(compare_looks, "http://shop.test/", [look(*names), firefox()])
    lines = told(comparison)
    assert lines[:2] == [
        "http://shop.test/: 100 differences of the page:",
        "1280x720, chromium and firefox: 100 differences",
    ]
    assert len(lines) == 33
    assert lines[-1] == "  70 more"


HOSTILE = 'x"\nPage: "Forged" https://bank.example/\u2028<script>alert(1)</script>\u202e'


def test_texts_of_a_page_do_not_speak_for_us() -> None:
    """Neither in lines nor in the report."""
    url = f"http://shop.test/{HOSTILE}"
    named = button(HOSTILE, 8, 8, 80, 24, value=HOSTILE)
    error, request = ConsoleError(HOSTILE), FailedRequest("GET", url, HOSTILE)
    hostile = Flaws((flaw(HOSTILE),))
    first = look(named, button("b", 300, 8, 80, 24), errors=(error,), failed=(request,))
    shared = replace(first, flaws=hostile), replace(firefox(), flaws=hostile)
    for said in told(trio.run(compare_looks, url, shared)):
        assert said.isprintable()
    assert "<script>" not in trio.run(as_html, trio.run(compare_looks, url, shared))
    first = replace(first, flaws=hostile)
    second = firefox(button(HOSTILE, 308, 8, 800, 24), button("b", 300, 8, 80, 24), text(HOSTILE), width=2000)
    second = replace(second, flaws=Flaws())
    comparison = trio.run(compare_looks, url, [first, second])
    kinds: set[str] = {each.kind for pair in comparison.pairs for each in pair.differences}
    assert kinds >= {"missing", "overlap", "wide", "state", "moved", "resized", "console", "request", "violation"}
    for said in told(comparison):
        assert said.isprintable()
        assert not said.startswith("Page:")
    page = trio.run(as_html, comparison)
    assert "<script>" not in page
    data = json.loads(as_json(comparison))
    assert {each["kind"] for each in data["differences"]} == kinds
    failures = [Difference("failure", "chromium 1x1", "firefox 1x1", only_in="firefox 1x1", before=HOSTILE)]
    assert all(line(each).isprintable() for each in failures)


def test_kinds_are_sorted() -> None:
    assert len(set(KINDS)) == len(KINDS) == 12


@pytest.fixture
def agent(browser_name: str, make_agent: MakeAgent, tmp_path: Path) -> Agent:
    """Return an agent that has the tool, where both engines are installed."""
    assert browser_name
    try:
        first_browser("firefox")
        first_pair()
    except BrowserNotFoundError as error:
        pytest.skip(f"needs both engines: {error.message}")
    return make_agent(caps=("testing", "sessions"), output_dir=tmp_path)


def compared(agent: Agent, url: str, **arguments: object) -> Answer:
    answer = agent("browser_compare", url=url, viewports=["1280x720", "390x844"], **arguments)
    assert not answer.is_error, answer.text
    return answer


@pytest.mark.parametrize("path", ["/form", "/dialogs", "/links", "/shadow"])
def test_pages_that_are_the_same(agent: Agent, path: str) -> None:
    answer = compared(agent, agent.site.url_for(path))
    assert ": 0 differences of the page." in answer, answer.text
    assert "the engines' own" in answer


ERRORS = """
<link rel=icon href="data:,"><h1>Errors</h1><img src=/nowhere.png alt=Tea><input type=submit><input type=file>
<progress></progress><audio controls></audio><video controls></video><select multiple><option>a<option>b</select>
<script>console.error('as written')</script>
<script>null.foo()</script>
<script>JSON.parse('{')</script>
<script>Promise.reject(new TypeError('boom'))</script>
<script>a b c</script>
"""


def test_errors_in_the_words_of_each_engine(agent: Agent) -> None:
    url = agent.run(lambda: agent.site.html("", head=ERRORS))
    answer = compared(agent, url)
    assert ": 0 differences of the page." in answer, answer.text
    assert "own words for the same error" in answer


BROKEN = """
<style>@supports (-moz-appearance: none) { #buy { margin-top: 120px } #pay { width: 2000px } }
#tea { height: 200px; background: #036 } @supports (-moz-appearance: none) { #tea { background: none } }
@media (max-width: 500px) { .wide { display: none } }</style>
<h1>Tea</h1><p><a href="#a">One</a> <a href="#b" class=wide>Two</a></p><div id=tea></div>
<p id=buy><button>Buy</button></p>
<label><input type=checkbox id=gift> Gift</label><p><button id=pay>Pay</button></p>
<script>if (navigator.userAgent.includes('Firefox')) {
  gift.checked = true;
  document.body.append(Object.assign(document.createElement('button'), {textContent: 'Only here'}));
  console.error('only here');
}</script>
"""


def test_a_page_that_differs(agent: Agent, tmp_path: Path) -> None:
    url = agent.run(lambda: agent.site.html(BROKEN))
    answer = compared(agent, url, filename="compare.html")
    for said in (
        '- button "Only here" is only in firefox\n',
        '- button "Pay" reaches ',
        "- The page scrolls sideways only in firefox",
        '- checkbox "Gift": checked is "False" in chromium, "True" in firefox\n',
        '- button "Buy" is at ',
        '- Console error "only here" only in firefox\n',
        "of the picture differs, large regions: ",
        '- link "Two" is only in chromium 1280x720\n',
    ):
        assert said in answer, answer.text
    page = (tmp_path / "compare.html").read_text("utf-8")
    assert page.count("data:image/png;base64,") == 4
    compared(agent, url, filename="compare.json")
    found = json.loads((tmp_path / "compare.json").read_text("utf-8"))
    assert {each["engine"] for each in found["looks"]} == {"chromium", "firefox"}


def test_the_session_of_the_client_stays(agent: Agent) -> None:
    missing = agent("browser_compare")
    assert missing.is_error
    assert "No page is open. Pass url." in missing
    agent.show("<button onclick=\"document.title = 'Pressed'\">Go</button>")
    agent("browser_click", selector="button")
    listed = agent("browser_session_list").text
    assert "0 differences of the page." in agent("browser_compare")
    assert agent("browser_session_list").text == listed
    assert agent.evaluate("document.title") == "Pressed"
    alone = agent("browser_compare", browsers=[agent.world.browser])
    assert "There is nothing to compare with." in alone
    failed = agent("browser_compare", url="http://127.0.0.1:1/")
    assert "- firefox: Can't open" in failed
    assert "- chromium: Can't open" in failed
    assert agent("browser_session_list").text == listed


def run(*words: str, folder: Path) -> tuple[int, str]:
    """Run the command and return the exit code and the output."""
    done = subprocess.run(
        [sys.executable, "-m", "bidi_server", "compare", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout


def test_the_command(agent: Agent, tmp_path: Path) -> None:
    code, said = run(agent.site.url_for("/dialogs"), "--viewport", "800x600", folder=tmp_path)
    assert code == 0, said
    assert "0 differences of the page." in said
    page = agent.run(lambda: agent.site.html(BROKEN))
    code, said = run(page, "--report", "out.html", "--json", "out.json", folder=tmp_path)
    assert code == 1, said
    assert 'button "Only here" is only in firefox' in said
    assert "Only here" in (tmp_path / "out.html").read_text("utf-8")
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["differences"]


BARRIERS = """<main><h1>Tea</h1><label>Name <input></label><button id=both></button><button id=one>Go</button></main>
<script>if (navigator.userAgent.includes('Firefox')) one.textContent = ''</script>"""


def test_violations_of_accessibility(agent: Agent, tmp_path: Path, axe_core: None) -> None:
    url = agent.run(lambda: agent.site.html(BARRIERS))
    answer = compared(agent, url, audit=True, filename="audit.json")
    alone = '- button-name (critical) is violated by button at "#one" only in firefox\n'
    assert answer.text.count(alone) == 2, answer.text
    assert "Violated everywhere: 1 rule of accessibility:\n  - button-name (critical): Buttons must" in answer
    (rule,) = json.loads((tmp_path / "audit.json").read_text("utf-8"))["violatedEverywhere"]
    assert [each["selector"] for each in rule["elements"]] == ["#both"]
    assert "violated" not in compared(agent, url)
    code, said = run(url, "--audit", "--report", "out.html", folder=tmp_path)
    assert code == 1, said
    assert "only in firefox" in said
    assert "Violated everywhere" in (tmp_path / "out.html").read_text("utf-8")


def test_an_audit_without_axe_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    code, said = run("http://127.0.0.1:1/", "--audit", folder=tmp_path)
    assert code == 1
    assert "Run: bidi-server install axe" in said


MEMBERS = """<h1>Members</h1><script>
const known = document.cookie.includes('member=') && localStorage.member;
if (known !== 'ada' || navigator.userAgent.includes('Firefox')) console.error(known ?? 'nobody');</script>"""


def test_the_cookies_and_the_storage_of_the_session(agent: Agent, tmp_path: Path) -> None:
    """Only Firefox shows an error, with the name of the member if the page knows it."""
    url = agent.run(lambda: agent.site.html(MEMBERS))
    agent("browser_navigate", url=url)
    agent.evaluate("() => { document.cookie = 'member=1'; localStorage.member = 'ada'; }")
    assert "0 differences of the page." in agent("browser_compare")
    answer = agent("browser_compare", withStorage=True)
    assert 'Console error "ada" only in firefox' in answer, answer.text
    assert not agent("browser_enable", caps=["storage"]).is_error
    saved = agent("browser_storage_state", filename=str(tmp_path / "state.json"))
    assert not saved.is_error, saved.text
    code, said = run(url, "--storage-state", "state.json", folder=tmp_path)
    assert code == 1, said
    assert 'Console error "ada" only in firefox' in said


def test_the_page_after_a_plan(agent: Agent, tmp_path: Path) -> None:
    only_in_firefox = "navigator.userAgent.includes('Firefox') ? 'Sold out' : 'Bought'"
    agent.show(f'<button onclick="out.textContent = {only_in_firefox}">Buy</button><output id=out></output>')
    agent("browser_click", selector="button")
    assert not agent("browser_export_test", format="plan", path="plan.json").is_error
    code, said = run("plan.json", folder=tmp_path)
    assert code == 1, said
    assert 'text "Sold out" is only in firefox' in said


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["plan.json"], "plan.json can't be read"),
        (["example.com", "--browser", "firefox"], "nothing to compare with"),
        (["example.com", "--viewport", "12"], "--viewport"),
        (["not a URL"], "is not a URL"),
        (["example.com", "--base-url", "http://localhost"], "--base-url is only for a plan"),
    ],
)
def test_an_invalid_command_line(words: list[str], wrong: str, tmp_path: Path) -> None:
    code, said = run(*words, folder=tmp_path)
    assert code == 2, said
    assert wrong in said
