"""Pictures of pages, compared with earlier ones: ``--caps testing``."""

import base64
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import cast

import pytest
from PIL import Image, ImageFont

from tests.support.world import Agent, Answer

MakeAgent = Callable[..., Agent]

BUTTON = (
    "<button id=go style='position:absolute;left:{}px;top:80px;width:120px;height:40px;background:#36C'>Go</button>"
)

TEXT = "<h1>Report</h1><p>Some lines of text, as on any page.</p>"


@pytest.fixture
def agent(make_agent: MakeAgent) -> Agent:
    """Return an agent that has the tool."""
    return make_agent(caps=("testing",))


def verify(agent: Agent, **arguments: object) -> Answer:
    """Call the tool, which must not find a difference."""
    answer = agent("browser_verify_screenshot", **{"name": "page", **arguments})
    assert not answer.is_error, answer.text
    return answer


def differs(agent: Agent, **arguments: object) -> Answer:
    """Call the tool, which must find a difference."""
    answer = agent("browser_verify_screenshot", **{"name": "page", **arguments})
    assert answer.is_error, answer.text
    return answer


def baselines(agent: Agent) -> list[str]:
    """Return the names of the baselines."""
    return sorted(path.name for path in agent.config.baseline_dir.iterdir())


def sheet_of(answer: Answer) -> Path:
    """Return the path of the picture of the difference."""
    path = re.search(r"All three pictures: (\S+\.png)", answer.text)
    assert path is not None, answer.text
    return Path(path[1])


MOVING = {
    "caret": "<input value=Text autofocus style='font-size:60px'>",
    "caret with transitions": "<style>* { transition: all 5s; font-size: 60px }</style><textarea autofocus></textarea>",
    "caret of rich text": "<div contenteditable id=rich style='font-size:60px'>Text</div><script>rich.focus()</script>",
    "caret of empty rich text": "<div contenteditable id=rich style='font-size:60px'></div>"
    "<script>rich.focus()</script>",
    "caret in a shadow tree": "<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML = "
    "'<input style=font-size:60px>'; host.shadowRoot.querySelector('input').focus()</script>",
    "endless animation": "<style>@keyframes turn { to { transform: rotate(1turn) } } div { width: 100px; height: 100px;"
    "background: linear-gradient(red, blue); animation: turn 1s linear infinite }</style><div></div>",
    "long animation": "<style>@keyframes grow { from { width: 10px } } div { width: 500px; height: 100px;"
    "background: red; animation: grow 20s linear }</style><div></div>",
    "animation in a shadow tree": "<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML = "
    "`<style>@keyframes blink { to { opacity: 0 } } p { background: red; "
    "animation: blink 1s infinite }</style><p>Text</p>`</script>",
    "animation in a frame": '<iframe srcdoc="<style>@keyframes blink { to { opacity: 0 } }'
    'p { background: red; animation: blink 1s infinite }</style><p>Text</p>"></iframe>',
    "animation by script": "<p id=text style='font-size:60px'>Text</p><script>"
    "text.animate([{opacity: 0}, {opacity: 1}], {duration: 700, iterations: Infinity})</script>",
}


@pytest.mark.parametrize("kind", MOVING)
def test_what_moves_looks_the_same(agent: Agent, kind: str) -> None:
    agent.show(TEXT + MOVING[kind])
    assert "There was no baseline" in verify(agent)
    for _ in range(5):
        assert "The viewport looks like the baseline:" in verify(agent)


def test_the_page_goes_on_as_before(agent: Agent) -> None:
    agent.show(
        f"{MOVING['endless animation']}<input id=field autofocus><input id=styled style='caret-color: red'>"
        "<script>const times = () => document.getAnimations().map((each) => [each.playState, each.currentTime > 0])"
        "</script>"
    )
    verify(agent)
    assert agent.evaluate("JSON.stringify(times())") == '[["running",true]]'
    assert agent.evaluate("field.outerHTML") == '<input id="field" autofocus="">'
    agent.evaluate("styled.focus()")
    verify(agent, name="other")
    assert "red" in agent.evaluate("styled.style.caretColor + styled.style.getPropertyPriority('caret-color')")
    assert agent.evaluate("String(document.activeElement === styled)") == "true"


def test_fonts_and_images_are_there(agent: Agent) -> None:
    font = cast("ImageFont.FreeTypeFont", ImageFont.load_default(16)).path
    assert isinstance(font, BytesIO)  # a TrueType font that Pillow brings along
    served = agent.run(lambda: agent.site.serve(font.getvalue(), headers={"content-type": "font/ttf"}))
    late = "<style>@font-face {{ font-family: Late; src: url({}) }} .late {{ font: 60px Late }}</style>"
    agent.show(f"{late.format(served)}<p id=text>Text that is wide</p>")
    for number in range(6):
        script = (
            f"text.className = ''; document.querySelector('style').append('/* {number} */'); text.className = 'late'"
        )
        agent.evaluate(f"(() => {{ {script} }})()")
        assert ("There was no baseline" if number == 0 else "looks like the baseline:") in verify(agent)
    colour = BytesIO()
    Image.new("RGB", (200, 200), "red").save(colour, "PNG")
    image = agent.run(lambda: agent.site.serve(colour.getvalue(), headers={"content-type": "image/png"}))
    agent.show("<div id=box></div>")
    for number in range(4):
        agent.evaluate(f"void (box.innerHTML = '<img width=200 height=200 src=\"{image}?{number}\">')")
        assert ("There was no baseline" if number == 0 else "looks like the baseline:") in verify(agent, name="image")


def test_a_moved_button(agent: Agent) -> None:
    agent.show(TEXT + BUTTON.format(300))
    first = verify(agent)
    assert baselines(agent) == [f"page-{agent.world.browser}-1280x720.png"]
    assert str(agent.config.baseline_dir / baselines(agent)[0]) in first
    agent.evaluate("void (go.style.left = '700px')")
    answer = differs(agent)
    found = re.match(r"(\d+) pixels \((\d+\.\d\d)%\) of the viewport differ from the baseline: ", answer.text)
    assert found is not None, answer.text
    assert 2000 < int(found[1]) <= 2 * 120 * 40
    regions = re.findall(r"(\d+),(\d+) (\d+)x(\d+) \((\d+) pixels, ([^)]*)\)", answer.text)
    assert len(regions) == 2
    for x, y, width, height, _, element in regions:
        assert (int(x) // 10, int(y) // 10) in {(30, 8), (70, 8)}
        assert 100 < int(width) <= 120
        assert 30 < int(height) <= 40
        assert ('button "Go" [ref=' in element) == (int(x) > 600)
    assert answer.text.endswith("If the page is right, pass update: true.")
    with Image.open(sheet_of(answer)) as sheet:
        assert sheet.size == (3 * 1280 + 16, 720)
    (image,) = answer.images
    with Image.open(BytesIO(base64.b64decode(image.data))) as shown:
        assert shown.height < 200
    assert "looks like the baseline, from which" in verify(agent, threshold=0.05)
    agent.evaluate("void (go.style.left = '300px')")
    verify(agent)


def test_one_pixel(agent: Agent) -> None:
    dot = "<i id=dot style='position:absolute;left:{}px;top:200px;width:1px;height:1px;background:red'></i>"
    agent.show(TEXT + dot.format(-5))
    verify(agent)
    agent.evaluate("void (dot.style.left = '500px')")
    said = "1 pixel (less than 0.01%) of the viewport differ from the baseline: "
    answer = differs(agent)
    assert answer.text.startswith(said)
    assert "Regions: 500,200 1x1 (1 pixel, " in answer
    verify(agent, threshold=0.00001)


def test_update(agent: Agent, make_agent: MakeAgent) -> None:
    agent.show(TEXT)
    verify(agent)
    assert "looks like the baseline:" in verify(agent, update=True)
    agent.show(f"{TEXT}<p>More</p>")
    differs(agent)
    assert "has replaced the baseline, from which" in verify(agent, update=True)
    verify(agent)
    other = make_agent(caps=("testing",), update_baselines=True)
    other.show("<p>Something else</p>")
    assert "has replaced the baseline, from which" in verify(other)
    differs(agent)


def test_masks(agent: Agent) -> None:
    page = "<p class=time style='width:300px'>{}</p><button id=also>{}</button>"
    agent.show(TEXT + page.format("12:00", "1"))
    ref = agent("browser_snapshot", selector="#also").ref("button")
    verify(agent, mask=[".time", ref])
    agent.evaluate("void (document.querySelector('.time').textContent = '13:47')")
    verify(agent, mask=[".time", ref])
    differs(agent, mask=[ref])
    assert "No element matches" in differs(agent, mask=["#none"])


def test_elements(agent: Agent) -> None:
    agent.show(TEXT + BUTTON.format(300))
    verify(agent, selector="#go")
    agent.evaluate("void (go.style.left = '800px')")
    answer = verify(agent, selector="#go")
    assert 'The button "Go" [ref=' in answer
    agent.evaluate("void (go.style.background = 'red')")
    assert re.search(r'of the button "Go" .* differ from the baseline', differs(agent, selector="#go").text)
    agent.evaluate("void (go.style.background = '', go.style.width = '150px')")
    assert "is 150x40 and the baseline 120x40; " in differs(agent, selector="#go")
    assert "fullPage does not go with an element" in differs(agent, selector="#go", fullPage=True)


def test_viewports_have_baselines_of_their_own(agent: Agent) -> None:
    agent.show(TEXT)
    verify(agent)
    agent("browser_resize", width=800, height=600)
    assert "There was no baseline" in verify(agent)
    verify(agent)
    engine = agent.world.browser
    assert baselines(agent) == [f"page-{engine}-1280x720.png", f"page-{engine}-800x600.png"]


def test_full_page(agent: Agent) -> None:
    agent.show(f"{TEXT}<div style='height:2500px'></div>{BUTTON.replace('80px', '2400px').format(300)}")
    verify(agent, fullPage=True)
    verify(agent, fullPage=True)
    verify(agent, name="top")
    agent.evaluate("void (go.textContent = 'Stop at once')")
    verify(agent, name="top")
    assert re.search(r" differ from the baseline: .*Regions: 3\d\d,24\d\d ", differs(agent, fullPage=True).text)
    agent.evaluate("void document.body.append(document.createElement('hr'))")
    agent.evaluate("void (document.body.style.height = '2900px')")
    assert re.search(r"The full page is (\d+)x\d+ and the baseline \1x\d+; ", differs(agent, fullPage=True).text)


def test_a_page_that_never_stands_still(make_agent: MakeAgent) -> None:
    agent = make_agent(caps=("testing",), action_timeout=1)
    agent.show(
        f"{TEXT}<canvas id=c width=320 height=20></canvas><script>let n = 0, to = c.getContext('2d');"
        # The number of the frame in binary digits: no two frames are equal.
        "(function draw() { n++; for (let bit = 0; bit < 16; bit++) { to.fillStyle = n >> bit & 1 ? 'black' : 'white';"
        "to.fillRect(20 * bit, 0, 20, 20) } requestAnimationFrame(draw) })()</script>"
    )
    answer = differs(agent)
    assert re.match(
        r"The page did not stand still within 1 s: \d+ pixels at \d+,\d+ \d+x20 changed last\.", answer.text
    )
    assert "mask" in answer
    verify(agent, mask=["canvas"])


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../up", "a/b", "a\\b", "/etc/passwd", ".hidden", "a\0b", "a\nb", "C:x", "x" * 101, "~", "a."],
)
def test_names_that_lead_elsewhere(agent: Agent, name: str) -> None:
    agent.show(TEXT)
    assert "is not a name for a baseline" in differs(agent, name=name)
    assert not agent.config.baseline_dir.exists()


def test_links_that_lead_elsewhere(agent: Agent, tmp_path: Path) -> None:
    agent.show(TEXT)
    outside = tmp_path / "outside.png"
    Image.new("RGB", (1280, 720), "red").save(outside)
    before = outside.read_bytes()
    agent.config.baseline_dir.mkdir()
    (agent.config.baseline_dir / f"page-{agent.world.browser}-1280x720.png").symlink_to(outside)
    assert "leads out of" in differs(agent)
    assert "leads out of" in differs(agent, update=True)
    assert outside.read_bytes() == before


def test_files_that_are_no_pictures(agent: Agent) -> None:
    agent.show(TEXT)
    verify(agent)
    (file,) = agent.config.baseline_dir.iterdir()
    file.write_text("nothing")
    assert "can't be used. The file is not a picture in PNG." in differs(agent)
    verify(agent, update=True)
    verify(agent)
