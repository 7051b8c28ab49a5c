"""What pictures leave out: ``mask`` of browser_take_screenshot."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from PIL import Image, ImageChops

from tests.support.world import Agent

MASK = "#FF00FF"

STYLE = """<style>body { margin: 0; background: white } .secret { position: absolute; background: black }</style>"""


def picture(agent: Agent, **arguments: object) -> Image.Image:
    """Return the picture that a call of the tool takes."""
    answer = agent("browser_take_screenshot", **arguments)
    assert not answer.is_error, answer.text
    path = re.search(r"\S+\.(png|jpeg|webp)$", answer.text, re.MULTILINE)
    assert path is not None
    with Image.open(Path(path[0])) as opened:
        return opened.convert("RGB")


def covered(image: Image.Image) -> tuple[int, int, int, int] | None:
    """Return the box of the mask in a picture: left, top, right and bottom; None if there is none."""
    difference = ImageChops.difference(image, Image.new("RGB", image.size, MASK)).convert("L")
    return _below(difference, 8)


def shows_secret(image: Image.Image) -> bool:
    """Return whether something dark is in a picture."""
    return _below(image.convert("L"), 60) is not None


def _below(image: Image.Image, level: int) -> tuple[int, int, int, int] | None:
    dark = image.point([255] * level + [0] * (256 - level))  # pyright: ignore[reportUnknownMemberType] - numpy's
    return dark.getbbox()


SECRET = "<p class=secret style='left:{}px;top:{}px;width:100px;height:40px;margin:0'></p>"


def test_elements_are_covered(agent: Agent) -> None:
    agent.show(f"{STYLE}{SECRET.format(30, 50)}<button>Go</button>")
    assert shows_secret(picture(agent))
    image = picture(agent, mask=[".secret"])
    assert image.size == (1280, 720)
    assert covered(image) == (30, 50, 130, 90)
    assert not shows_secret(image.crop((20, 40, 140, 100)))
    for kind in ("jpeg", "webp"):
        assert covered(picture(agent, mask=[".secret"], type=kind, quality=100)) is not None
    ref = agent("browser_snapshot").ref("button", "Go")
    assert covered(picture(agent, mask=[ref])) is not None
    assert "secret" in agent.evaluate("document.querySelector('p').outerHTML")


def test_parts_of_a_long_page(agent: Agent) -> None:
    agent.show(f"{STYLE}<div style='height:3000px'>{SECRET.format(30, 50)}{SECRET.format(200, 2000)}</div>")
    agent("browser_evaluate", function="scrollTo(0, 500)")
    image = picture(agent, mask=[".secret"], fullPage=True)
    assert covered(image) == (30, 50, 300, 2040)
    assert not shows_secret(image)
    assert covered(picture(agent, mask=[".secret"])) is None
    agent("browser_evaluate", function="scrollTo(0, 60)")
    assert covered(picture(agent, mask=[".secret"])) == (30, 0, 130, 30)
    image = picture(agent, mask=[".secret"], fullPage=True, clip=[190, 1990, 50, 30])
    assert image.size == (50, 30)
    assert covered(image) == (10, 10, 50, 30)
    assert covered(picture(agent, mask=[".secret"], clip=[20, 10, 50, 10])) == (10, 0, 50, 10)


def test_pictures_of_elements(agent: Agent) -> None:
    box = "<div id=box style='position:absolute;left:{}px;top:{}px;width:300px;height:200px'>{}</div>"
    for left, top in ((40.4, 60.6), (100, 2500)):
        agent.show(STYLE + box.format(left, top, SECRET.format(20, 30)) + SECRET.format(0, 0))
        image = picture(agent, selector="#box", mask=[".secret"])
        found = covered(image)
        assert found is not None
        assert all(abs(a - b) <= 1 for a, b in zip(found, (20, 30, 120, 70), strict=True))
        assert not shows_secret(image)


@pytest.fixture
def agent_of_phone(make_agent: Callable[..., Agent]) -> Agent:
    """Return an agent whose pages are shown as on a phone."""
    agent = make_agent(caps=("emulate",))
    agent("browser_emulate", device="iPhone 16")
    return agent


def test_frames(agent: Agent) -> None:
    inner = urlsplit(agent.run(lambda: agent.site.html(f"{STYLE}{SECRET.format(10, 20)}{SECRET.format(150, 20)}"))).path
    frame = "<iframe src='{}' style='left:{}px'>"
    here, there = agent.site.url_for(inner), agent.site.other_url_for(inner)
    agent.show(
        f"{STYLE}<style>iframe {{ position: absolute; top: 100px; width: 200px; height: 150px; border: 5px solid }}"
        "iframe { border-color: white } iframe + iframe { padding: 10px; transform: scale(0.5) }</style>"
        f"{frame.format(here, 40)}</iframe>{frame.format(there, 400)}</iframe>"
    )
    image = picture(agent, mask=[".secret"])
    assert not shows_secret(image)
    left, right = image.crop((0, 0, 300, 400)), image.crop((300, 0, 800, 400))
    assert covered(left) == (55, 125, 245, 165)
    assert covered(right) is not None
    assert not shows_secret(picture(agent, mask=[".secret"], fullPage=True))
    assert not shows_secret(picture(agent, mask=[".secret"], selector="iframe"))


def test_shadow_trees_and_elements_without_boxes(agent: Agent) -> None:
    agent.show(
        f"{STYLE}<div id=host></div><b class=secret style='display:contents'><i style='background:black'>Text</i></b>"
        "<script>host.attachShadow({mode: 'open'}).innerHTML = `<p class=secret style='background:black'>Secret</p>`"
        "</script><div style='width:50px;height:30px;overflow:hidden;margin-top:100px'>"
        "<p class=secret style='position:static;width:400px'>Wide</p></div>"
    )
    agent("browser_snapshot")
    image = picture(agent, mask=[".secret"])
    assert not shows_secret(image)
    assert covered(image.crop((60, 150, 1280, 720))) is None


@pytest.mark.parametrize("scale", ["css", "device"])
def test_screens_with_more_pixels(agent_of_phone: Agent, scale: str) -> None:
    agent = agent_of_phone
    for head in ("<meta name=viewport content='width=device-width'>", ""):
        agent.show(f"{STYLE}{SECRET.format(31, 51)}<div style='height:3000px'>", head=head)
        for full in (False, True):
            image = picture(agent, mask=[".secret"], scale=scale, fullPage=full)
            assert covered(image) is not None
            assert not shows_secret(image)


@pytest.mark.parametrize(
    ("mask", "said"),
    [
        ("#none", "No element matches the selector '#none'."),
        ("e1zzz", "There is no element with ref e1zzz. Take a new snapshot"),
        ("p[", "'p[' is not a selector."),
    ],
)
def test_what_cannot_be_covered(agent: Agent, mask: str, said: str) -> None:
    agent.show("<p>Here")
    answer = agent("browser_take_screenshot", mask=["p", mask])
    assert answer.is_error
    assert said in answer
