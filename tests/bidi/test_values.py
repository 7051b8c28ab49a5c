import math
from datetime import UTC, date, datetime

import pytest

from bidi_server.bidi.script import (
    ChannelProperties,
    ChannelValue,
    RemoteObjectReference,
    RemoteValue,
    SharedReference,
)
from bidi_server.bidi.values import CIRCULAR, CUT, context_of, from_remote, shared_id_of, to_local


@pytest.mark.parametrize(
    ("value", "local"),
    [
        (None, {"type": "null"}),
        (True, {"type": "boolean", "value": True}),
        (7, {"type": "number", "value": 7}),
        (2**53 - 1, {"type": "number", "value": 2**53 - 1}),
        (2**53, {"type": "bigint", "value": "9007199254740992"}),
        (-(2**70), {"type": "bigint", "value": str(-(2**70))}),
        (1.5, {"type": "number", "value": 1.5}),
        (math.nan, {"type": "number", "value": "NaN"}),
        (math.inf, {"type": "number", "value": "Infinity"}),
        (-math.inf, {"type": "number", "value": "-Infinity"}),
        (-0.0, {"type": "number", "value": "-0"}),
        ("é", {"type": "string", "value": "é"}),
        ([1, ["a"]], {"type": "array", "value": [{"type": "number", "value": 1}, to_local(["a"])]}),
        ((None,), {"type": "array", "value": [{"type": "null"}]}),
        ({"a": {"b": 1}}, {"type": "object", "value": [["a", to_local({"b": 1})]]}),
        ({}, {"type": "object", "value": []}),
        ({1: "x", "k": 2}, {"type": "map", "value": [[to_local(1), to_local("x")], ["k", to_local(2)]]}),
        ({4}, {"type": "set", "value": [{"type": "number", "value": 4}]}),
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), {"type": "date", "value": "2026-01-02T03:04:05.000+00:00"}),
        (date(2026, 1, 2), {"type": "date", "value": "2026-01-02"}),
        (SharedReference(shared_id="s"), {"sharedId": "s"}),
        (RemoteObjectReference(handle="h"), {"handle": "h"}),
        (RemoteValue(type="node", shared_id="s", handle="h"), {"sharedId": "s"}),
        (RemoteValue(type="object", handle="h"), {"handle": "h"}),
        (
            ChannelValue(value=ChannelProperties(channel="c", ownership="none")),
            {"type": "channel", "value": {"channel": "c", "ownership": "none"}},
        ),
        ([SharedReference(shared_id="s")], {"type": "array", "value": [{"sharedId": "s"}]}),
    ],
)
def test_python_to_page(value: object, local: object) -> None:
    assert to_local(value) == local


@pytest.mark.parametrize("value", [b"bytes", object(), RemoteValue(type="object", value=[])])
def test_what_cannot_be_sent_says_so(value: object) -> None:
    with pytest.raises(TypeError, match="a page's script"):
        to_local(value)


def _string(text: str) -> dict[str, object]:
    return {"type": "string", "value": text}


REMOTE_VALUES: list[tuple[dict[str, object], object]] = [
    ({"type": "undefined"}, None),
    ({"type": "null"}, None),
    (_string("é"), "é"),
    ({"type": "boolean", "value": False}, False),
    ({"type": "number", "value": 1.5}, 1.5),
    ({"type": "number", "value": "Infinity"}, math.inf),
    ({"type": "number", "value": "-Infinity"}, -math.inf),
    ({"type": "bigint", "value": str(2**70)}, 2**70),
    ({"type": "array", "value": [_string("a"), {"type": "array", "value": []}]}, ["a", []]),
    ({"type": "array"}, CUT),
    ({"type": "object", "value": [["a", {"type": "object", "value": []}]]}, {"a": {}}),
    ({"type": "object"}, CUT),
    ({"type": "map", "value": [["a", _string("b")]]}, {"a": "b"}),
    (
        {"type": "map", "value": [[{"type": "number", "value": 1}, _string("b")], ["a", _string("c")]]},
        [[1, "b"], ["a", "c"]],
    ),
    ({"type": "set", "value": [_string("a")]}, ["a"]),
    ({"type": "nodelist", "value": [{"type": "node"}]}, ["#node"]),
    ({"type": "htmlcollection", "value": []}, []),
    ({"type": "date", "value": "1970-01-01T00:00:00.000Z"}, "1970-01-01T00:00:00.000Z"),
    ({"type": "regexp", "value": {"pattern": "a.b", "flags": "gi"}}, "/a.b/gi"),
    ({"type": "regexp", "value": {"pattern": "a"}}, "/a/"),
    ({"type": "function", "handle": "h"}, "function"),
    ({"type": "symbol"}, "symbol"),
    ({"type": "promise"}, "Promise"),
    ({"type": "error"}, "Error"),
    ({"type": "weakmap"}, "WeakMap"),
    ({"type": "typedarray"}, "TypedArray"),
    ({"type": "window", "value": {"context": "c"}}, "Window c"),
    ({"type": "temporal"}, "temporal"),
]


@pytest.mark.parametrize(("remote", "value"), REMOTE_VALUES)
def test_page_to_python(remote: dict[str, object], value: object) -> None:
    assert from_remote(remote) == value
    assert from_remote(RemoteValue.model_validate(remote)) == value


def test_numbers_that_json_lacks() -> None:
    assert math.isnan(float(str(from_remote({"type": "number", "value": "NaN"}))))
    assert math.copysign(1, float(str(from_remote({"type": "number", "value": "-0"})))) == -1


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        (
            {"nodeType": 1, "localName": "button", "attributes": {"type": "submit", "id": "x", "class": "a b"}},
            '<button id="x" class="a b">',
        ),
        ({"nodeType": 1, "localName": "p"}, "<p>"),
        ({"nodeType": 3, "nodeValue": "hi"}, "#text 'hi'"),
        ({"nodeType": 8, "nodeValue": "c"}, "#comment 'c'"),
        ({"nodeType": 9}, "#document"),
        ({"nodeType": 11, "mode": "closed"}, "#shadow-root"),
        ({"nodeType": 11}, "#document-fragment"),
    ],
)
def test_a_node_is_described(properties: dict[str, object], text: str) -> None:
    assert from_remote({"type": "node", "sharedId": "s", "value": properties}) == text


def test_a_value_inside_itself() -> None:
    cyclic = {
        "type": "object",
        "internalId": "1",
        "value": [["self", {"type": "object", "internalId": "1"}], ["n", {"type": "number", "value": 1}]],
    }
    assert from_remote(cyclic) == {"self": CIRCULAR, "n": 1}


def test_a_value_that_occurs_twice_is_read_twice() -> None:
    shared = {"type": "object", "internalId": "1", "value": [["v", {"type": "number", "value": 1}]]}
    again = {"type": "object", "internalId": "1"}
    assert from_remote({"type": "array", "value": [shared, again]}) == [{"v": 1}, {"v": 1}]


def test_a_value_that_was_cut_both_times() -> None:
    cut = {"type": "object", "internalId": "1"}
    assert from_remote({"type": "array", "value": [cut, cut]}) == [CUT, CUT]


def test_ids_of_nodes_and_windows() -> None:
    node, window = {"type": "node", "sharedId": "s"}, {"type": "window", "value": {"context": "c"}}
    assert (shared_id_of(node), shared_id_of(window)) == ("s", None)
    assert (context_of(node), context_of(window)) == (None, "c")
    assert context_of(RemoteValue(type="window", value={"context": "c"})) == "c"
    assert shared_id_of(RemoteValue(type="node", shared_id="s")) == "s"
