"""Emulation of devices, settings and places: ``--caps emulate``."""

import json
from collections.abc import Callable
from typing import cast
from urllib.parse import urlsplit

import pytest

from bidi_server.browser.contexts.devices import DEVICES, emulation_of
from bidi_server.errors import InvalidParametersError
from tests.support.world import Agent

MakeAgent = Callable[..., Agent]

PHONE_PAGE = "<meta name=viewport content='width=device-width, initial-scale=1'>"

SEEN = """() => JSON.stringify({
    size: [innerWidth, innerHeight],
    scale: Math.round(visualViewport.scale * 1000) / 1000,
    ratio: devicePixelRatio,
    touch: navigator.maxTouchPoints > 0,
    dark: matchMedia('(prefers-color-scheme: dark)').matches,
    still: matchMedia('(prefers-reduced-motion: reduce)').matches,
    contrast: matchMedia('(prefers-contrast: more)').matches,
    forced: matchMedia('(forced-colors: active)').matches,
    language: navigator.language,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
})"""

USUAL = {
    "size": [1280, 720],
    "scale": 1,
    "ratio": 1,
    "touch": False,
    "dark": False,
    "still": False,
    "contrast": False,
    "forced": False,
}


@pytest.fixture
def emulator(make_agent: MakeAgent) -> Agent:
    """Return an agent with the tool, on a page for phones."""
    agent = make_agent(caps=("emulate",))
    agent.show("<p>Here", head=PHONE_PAGE)
    return agent


def seen(agent: Agent) -> dict[str, object]:
    """Return what the page sees."""
    return cast("dict[str, object]", json.loads(agent.evaluate(SEEN)))


def test_size_and_pixels_of_a_device(emulator: Agent) -> None:
    answer = emulator("browser_emulate", device="iphone 16 LANDSCAPE")
    assert "Emulated: viewport 852x393, pixel ratio 3," in answer
    assert "user agent Mozilla/5.0 (iPhone; " in answer
    now = seen(emulator)
    assert (now["size"], now["ratio"], now["scale"]) == ([852, 393], 3, 1)
    emulator.show("<p>There", head=PHONE_PAGE)
    assert seen(emulator)["size"] == [852, 393]
    assert emulator.evaluate("navigator.userAgent").startswith("Mozilla/5.0 (iPhone; ")
    emulator("browser_tabs", action="new")
    emulator.show("<p>In another tab", head=PHONE_PAGE)
    assert seen(emulator)["size"] == [852, 393]
    answer = emulator("browser_emulate", reset=True)
    assert "Emulated: viewport 1280x720." in answer
    now = seen(emulator)
    assert {name: now[name] for name in USUAL} == USUAL
    assert "iPhone" not in emulator.evaluate("navigator.userAgent")


def test_layout_and_touch_of_a_phone(emulator: Agent) -> None:
    emulator("browser_emulate", device="Pixel 9")
    assert seen(emulator)["touch"] is True
    for body in ("<p>One", "<p>Two"):
        emulator.show(body)  # made for large screens, as it has no viewport meta tag
        assert emulator.evaluate("document.documentElement.clientWidth") == "980"
    emulator("browser_emulate", device="Pixel 9 landscape")
    emulator.show("<p>Three", head=PHONE_PAGE)
    now = seen(emulator)
    assert (now["size"], now["scale"]) == ([923, 412], 1)
    emulator("browser_resize", width=500, height=600)
    now = seen(emulator)
    assert (now["size"], now["scale"], now["ratio"]) == ([500, 600], 1, 2.625)
    emulator("browser_emulate", device="Desktop")
    now = seen(emulator)
    assert {name: now[name] for name in USUAL} == USUAL


@pytest.mark.parametrize("head", [PHONE_PAGE, ""], ids=["for phones", "for large screens"])
def test_clicks_on_a_phone(emulator: Agent, head: str) -> None:
    emulator("browser_emulate", device="iPhone SE")
    buttons = "".join(
        f"<p><button style='margin-left:{n * 40}px' onclick='this.textContent += `!`'>B{n}</button>" for n in range(6)
    )
    emulator.show(
        f"{buttons}<p style='height:3000px'><button onclick='this.textContent += `!`'>Far</button>", head=head
    )
    for name in ("B0", "B5", "Far"):
        assert f'"{name}!"' in emulator("browser_click", selector=f"text={name}")


def test_client_hints_of_an_android_phone(emulator: Agent) -> None:
    emulator("browser_emulate", device="Galaxy S24")
    hints = "navigator.userAgentData && `${navigator.userAgentData.platform} ${navigator.userAgentData.mobile}`"
    assert emulator.evaluate(hints) == "Android true"


def test_settings_of_a_person(emulator: Agent) -> None:
    emulator.show(
        "<p id=p>light</p><script>matchMedia('(prefers-color-scheme: dark)').onchange = () => "
        "{ p.textContent = 'turned dark' }</script>"
    )
    answer = emulator("browser_emulate", colorScheme="dark", reducedMotion="reduce")
    assert "Emulated: colour scheme dark, reduced motion reduce." in answer
    assert "turned dark" in answer
    emulator("browser_emulate", contrast="more", forcedColors="active")
    now = seen(emulator)
    assert [now[name] for name in ("dark", "still", "contrast", "forced")] == [True] * 4
    emulator("browser_emulate", reset=True)
    now = seen(emulator)
    assert {name: now[name] for name in USUAL} == USUAL


PRINTED = """<style>
#menu { display: block } @media print { #menu { display: none } }
#dark { display: none } @media print and (prefers-color-scheme: dark) { #dark { display: block } }
</style><p id=menu>Menu</p><p id=dark>Dark on paper</p>"""


def test_print_media(emulator: Agent) -> None:
    printed = "matchMedia('print').matches"
    inner = urlsplit(emulator.run(lambda: emulator.site.html(PRINTED))).path
    emulator.show(f"{PRINTED}<iframe src='{emulator.site.other_url_for(inner)}'></iframe>")
    assert emulator("browser_snapshot").text.count("Menu") == 2
    assert "Emulated: media print." in emulator("browser_emulate", media="print")
    assert "Menu" not in emulator("browser_snapshot")
    emulator.show(PRINTED)
    assert emulator.evaluate(printed) == "true"
    emulator("browser_tabs", action="new")
    emulator.show(PRINTED)
    assert emulator.evaluate(printed) == "true"
    assert "Menu" in emulator("browser_emulate", media="screen")
    emulator("browser_emulate", media="print")
    assert "Menu" in emulator("browser_emulate", reset=True)
    emulator.show(PRINTED)
    assert emulator.evaluate(printed) == "false"


def test_print_media_and_settings_of_a_person(emulator: Agent) -> None:
    emulator.show(PRINTED)
    for settings in ({"media": "print", "colorScheme": "dark"}, {"colorScheme": "light"}, {"colorScheme": "dark"}):
        emulator("browser_emulate", **settings)
        assert ("Dark on paper" in emulator("browser_snapshot")) == (settings["colorScheme"] == "dark")
    emulator("browser_emulate", media="screen")
    assert seen(emulator)["dark"] is True


def test_language_and_time_zone(emulator: Agent) -> None:
    usual = seen(emulator)
    answer = emulator("browser_emulate", locale="de-CH", timezone="Asia/Tokyo")
    assert "Emulated: locale de-CH, time zone Asia/Tokyo." in answer
    now = seen(emulator)
    assert (now["language"], now["zone"]) == ("de-CH", "Asia/Tokyo")
    emulator("browser_emulate", reset=True)
    assert seen(emulator) == usual


def test_what_the_server_was_started_with_is_usual(make_agent: MakeAgent) -> None:
    agent = make_agent(caps=("emulate",), locale="fr-FR", viewport="800x600")
    agent.show("<p>Here")
    agent("browser_emulate", locale="de-DE", device="Desktop HiDPI")
    now = seen(agent)
    assert (now["language"], now["size"], now["ratio"]) == ("de-DE", [1280, 720], 2)
    assert "Emulated: viewport 800x600, locale fr-FR." in agent("browser_emulate", reset=True)
    now = seen(agent)
    assert (now["language"], now["size"], now["ratio"]) == ("fr-FR", [800, 600], 1)


def test_a_position_and_the_permission_to_ask_for_it(emulator: Agent) -> None:
    ask = """() => new Promise((resolve) => {
        navigator.geolocation.getCurrentPosition(({coords: {latitude, longitude, accuracy}}) =>
            resolve(JSON.stringify([latitude, longitude, accuracy])), (error) => resolve(error.message));
    })"""
    assert "position 48.1, 11.5" in emulator("browser_emulate", latitude=48.1, longitude=11.5, accuracy=7)
    assert emulator.evaluate(ask) == "[48.1,11.5,7]"
    emulator("browser_emulate", latitude=-33.9, longitude=18.4)
    emulator("browser_navigate", url=emulator.site.other_url_for("/text"))
    assert emulator.evaluate(ask) == "[-33.9,18.4,10]"


def test_permissions_are_granted_and_withdrawn(emulator: Agent) -> None:
    state = "async () => (await navigator.permissions.query({name: 'notifications'})).state"
    before = emulator.evaluate(state)
    assert before != "granted"
    assert "permissions notifications" in emulator("browser_emulate", permissions=["notifications"])
    assert emulator.evaluate(state) == "granted"
    emulator("browser_emulate", permissions=[])
    assert emulator.evaluate(state) != "granted"


def test_a_slow_processor(emulator: Agent) -> None:
    work = """() => {
        const start = performance.now();
        let sum = 0;
        for (let n = 0; n < 3e7; n += 1) sum += Math.sqrt(n);
        return performance.now() - start + sum * 0;
    }"""
    fast = min(float(emulator.evaluate(work)) for _ in range(3))  # other processes may have slowed one down
    assert "a processor 20 times slower" in emulator("browser_emulate", cpuSlowdown=20)
    emulator.show("<p>Slow")
    assert float(emulator.evaluate(work)) > fast * 4
    emulator("browser_emulate", reset=True)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "There is nothing to emulate. Pass what should change, or reset: true."),
        ({"device": "Pixel"}, "There is no device 'Pixel'. Did you mean Pixel "),
        ({"device": "toaster"}, "There is no device 'toaster'. Devices: iPhone SE, "),
        ({"latitude": 1}, "latitude and longitude go together. Pass both, or none."),
        ({"latitude": 91, "longitude": 1}, "latitude: Input should be less than or equal to 90"),
        ({"timezone": "Nowhere/X"}, "The time zone can't be emulated: "),
        ({"locale": "xx_yy zz"}, "The locale can't be emulated: "),
        ({"permissions": ["telepathy"]}, "can't emulate the permission telepathy."),
    ],
)
def test_what_cannot_be_emulated(emulator: Agent, wrong: dict[str, object], said: str) -> None:
    before = seen(emulator)
    answer = emulator("browser_emulate", **wrong)
    assert answer.is_error
    assert said in answer
    assert seen(emulator) == before


def test_every_device_has_an_emulation() -> None:
    for name, device in DEVICES.items():
        found = emulation_of(name.upper())
        assert found.viewport == (device.width, device.height)
        assert bool(found.user_agent) == found.touch == found.mobile == bool(device.system)
    with pytest.raises(InvalidParametersError):
        emulation_of("landscape")
