import math
from typing import Literal

import pytest
from pydantic import ValidationError

from bidi_server.bidi import browsing_context, cdp, emulation, input, network, script, session  # noqa: A004
from bidi_server.bidi.wire import EVENTS, Command, EmptyResult, Event, Exchanged, Parameters, Result, read_json


class Wheel(Parameters):
    kind: Literal["wheel"] = "wheel"
    tyre_pressure: float | None = None


class Car(Parameters):
    wheels: list[Wheel]
    spare_wheel: Wheel | None = None


def test_names_on_the_wire_are_the_specifications() -> None:
    assert Car(wheels=[], spare_wheel=Wheel(tyre_pressure=1.5)).to_wire() == {
        "wheels": [],
        "spareWheel": {"kind": "wheel", "tyrePressure": 1.5},
    }


def test_absent_is_left_out_and_null_is_sent() -> None:
    assert browsing_context.SetViewport(context="c").to_wire() == {"context": "c"}
    assert browsing_context.SetViewport(context="c", viewport=None).to_wire() == {"context": "c", "viewport": None}
    assert Car(wheels=[Wheel(tyre_pressure=None), Wheel()]).to_wire() == {
        "wheels": [{"kind": "wheel", "tyrePressure": None}, {"kind": "wheel"}]
    }


def test_firefox_tells_of_a_script_that_failed_without_its_url() -> None:
    event = browsing_context.NavigationFailed.model_validate({"context": "c", "navigation": "n", "timestamp": 1})
    assert event.url == ""


def test_constants_are_sent_at_every_depth() -> None:
    origin = input.ElementOrigin(element=script.SharedReference(shared_id="node"))
    actions = input.PerformActions(
        context="c",
        actions=[
            input.PointerSourceActions(
                id="mouse", actions=[input.PointerMove(x=1, y=2.5, origin=origin), input.Pause()]
            ),
            input.KeySourceActions(id="keys", actions=[input.KeyDown(value="a"), input.KeyUp(value="a")]),
        ],
    )
    assert actions.to_wire() == {
        "context": "c",
        "actions": [
            {
                "type": "pointer",
                "id": "mouse",
                "actions": [
                    {
                        "type": "pointerMove",
                        "x": 1.0,
                        "y": 2.5,
                        "origin": {"type": "element", "element": {"sharedId": "node"}},
                    },
                    {"type": "pause"},
                ],
            },
            {
                "type": "key",
                "id": "keys",
                "actions": [{"type": "keyDown", "value": "a"}, {"type": "keyUp", "value": "a"}],
            },
        ],
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"context": "c", "url": "u", "wiat": "complete"},
        {"context": "c", "url": "u", "wait": "soon"},
        {"context": 1, "url": "u"},
        {"context": "c"},
    ],
    ids=["misspelled", "unknown value", "wrong type", "missing"],
)
def test_what_we_send_is_strict(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        browsing_context.Navigate.model_validate(fields)


def test_a_coordinate_that_is_no_number_is_our_mistake() -> None:
    with pytest.raises(ValidationError):
        input.PointerMove(x=math.nan, y=0)


def test_what_we_receive_is_lenient() -> None:
    info = browsing_context.Info.model_validate({"context": "c", "url": "u", "userContext": "d", "vendor:new": 1})
    assert (info.context, info.user_context, info.children, info.parent) == ("c", "d", None, None)


def test_what_travels_both_ways_is_received_with_leniency_and_sent_by_the_same_rules() -> None:
    received = script.SharedReference.model_validate({"sharedId": "s", "type": "node", "value": {}})
    assert received.to_wire() == {"sharedId": "s"}
    assert issubclass(script.SharedReference, Exchanged)
    header = network.Header.model_validate({"name": "a", "value": {"type": "base64", "value": "/w==", "new": 1}})
    assert header.value.to_bytes() == b"\xff"
    assert str(header.value) == "\ufffd"
    assert network.SetExtraHeaders(headers=[header]).to_wire() == {
        "headers": [{"name": "a", "value": {"type": "base64", "value": "/w=="}}]
    }


def test_a_command_knows_its_method_and_its_result() -> None:
    assert browsing_context.Navigate.method == "browsingContext.navigate"
    assert browsing_context.Navigate.result_type is browsing_context.NavigateResult
    assert browsing_context.Activate.result_type is EmptyResult


def test_fields_that_the_wire_calls_method_do_not_hide_the_commands_own() -> None:
    command = network.ContinueRequest(request="1", http_method="POST")
    assert (command.method, command.to_wire()) == ("network.continueRequest", {"request": "1", "method": "POST"})
    devtools = cdp.SendCommand(cdp_method="Browser.getVersion")
    assert (devtools.method, devtools.to_wire()) == (
        "goog:cdp.sendCommand",
        {"method": "Browser.getVersion", "params": {}},
    )


def test_media_features_are_named_as_in_style_sheets() -> None:
    features = emulation.MediaFeatures(prefers_color_scheme="dark", any_hover=None)
    assert features.to_wire() == {"prefers-color-scheme": "dark", "any-hover": None}


def test_every_event_is_found_by_its_name() -> None:
    assert EVENTS["browsingContext.load"] is browsing_context.Load
    assert all(issubclass(event, Event) and event.method == name for name, event in EVENTS.items())


def test_a_proxy_is_sent_with_its_kind() -> None:
    request = session.CapabilityRequest(proxy=session.ManualProxyConfiguration(socks_proxy="h:1", socks_version=5))
    assert request.to_wire() == {"proxy": {"proxyType": "manual", "socksProxy": "h:1", "socksVersion": 5}}


def test_a_new_command_needs_nothing_but_a_class() -> None:
    class Answer(Result):
        number: int

    class Ask(Command[Answer], method="test.ask"):
        big_question: str

    assert (Ask.method, Ask.result_type) == ("test.ask", Answer)
    assert Ask(big_question="?").to_wire() == {"bigQuestion": "?"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('["a\\ud83d", "\\ud83d\\ude00", "\\ude00b"]', ["a\ufffd", "\U0001f600", "\ufffdb"]),
        ("[" * 400 + "]" * 400, None),
    ],
    ids=["half a surrogate pair", "deeply nested"],
)
def test_json_as_pages_write_it(text: str, value: object) -> None:
    read = read_json(text)
    assert value is None or read == value


@pytest.mark.parametrize("text", ["", "nope", '{"a":', "[" * 100_000])
def test_no_json(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_json(text)
