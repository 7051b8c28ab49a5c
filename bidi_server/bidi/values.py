"""Conversion between Python values and values of a page.

https://w3c.github.io/webdriver-bidi/#type-script-LocalValue
https://w3c.github.io/webdriver-bidi/#type-script-RemoteValue
"""

import math
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import cast

from drivers.json_values import fields, is_array, items

from .script import ChannelValue, LocalValue, RemoteObjectReference, RemoteValue, SharedReference

MAX_SAFE_INTEGER = 2**53 - 1
"""Larger absolute integers are sent as bigint: a JavaScript number cannot hold them exactly."""

CIRCULAR = "[Circular]"
"""Placeholder for a circular reference."""

CUT = "…"
"""Placeholder for a value that the browser did not serialise: too deep, or a platform object such as a URL.

Also for repetitions beyond `MAX_REPEATED`.
"""

MAX_REPEATED = 500_000
"""Maximum number of repeated values and characters in one conversion: each level of ``a = [a, a]`` doubles them."""

_DESCRIPTIONS = {
    "function": "function",
    "symbol": "symbol",
    "promise": "Promise",
    "error": "Error",
    "weakmap": "WeakMap",
    "weakset": "WeakSet",
    "generator": "Generator",
    "proxy": "Proxy",
    "typedarray": "TypedArray",
    "arraybuffer": "ArrayBuffer",
}

_NODE_NAMES = {
    2: "#attribute",
    3: "#text",
    4: "#cdata-section",
    7: "#processing-instruction",
    8: "#comment",
    9: "#document",
}
"""https://dom.spec.whatwg.org/#dom-node-nodetype"""


def to_local(value: object) -> LocalValue:  # noqa: C901 a case for each type
    """Return the protocol's form of a Python value, or of a reference to a value in the page.

    A dict becomes an object, or a Map if a key is not a string. Raises `TypeError` for other types.
    """
    match value:
        case None:
            return {"type": "null"}
        case bool():
            return {"type": "boolean", "value": value}
        case int():
            if abs(value) > MAX_SAFE_INTEGER:
                return {"type": "bigint", "value": str(value)}
            return {"type": "number", "value": value}
        case float():
            return {"type": "number", "value": _number(value)}
        case str():
            return {"type": "string", "value": value}
        case list() | tuple():
            return {"type": "array", "value": [to_local(item) for item in cast("Iterable[object]", value)]}
        case set() | frozenset():
            return {"type": "set", "value": [to_local(item) for item in cast("set[object]", value)]}
        case Mapping():
            return _mapping(cast("Mapping[object, object]", value))
        case datetime():
            return {"type": "date", "value": value.isoformat(timespec="milliseconds")}
        case date():
            return {"type": "date", "value": value.isoformat()}
        case SharedReference() | RemoteObjectReference() | ChannelValue():
            return value.to_wire()
        case RemoteValue(shared_id=str(shared_id)):
            return {"sharedId": shared_id}
        case RemoteValue(handle=str(handle)):
            return {"handle": handle}
        case bytes() | bytearray() | memoryview():
            raise TypeError("a page's script takes no bytes: send them as Base64 text and decode them there")
        case _:
            raise TypeError(f"a {type(value).__name__} cannot be sent to a page's script")


def _number(value: float) -> float | str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return "-0" if value == 0 and math.copysign(1, value) < 0 else value


def _mapping(value: Mapping[object, object]) -> LocalValue:
    if all(isinstance(key, str) for key in value):
        return {"type": "object", "value": [[key, to_local(item)] for key, item in value.items()]}
    pairs = [[key if isinstance(key, str) else to_local(key), to_local(item)] for key, item in value.items()]
    return {"type": "map", "value": pairs}


def from_remote(value: RemoteValue | Mapping[str, object]) -> object:
    """Return a plain Python value: JSON types, and short descriptions of other values.

    undefined becomes None, a bigint an int (or its digits, above Python's limit for conversion), a Set a list, a Map a
    dict (a list of pairs if a key is not a string), a Date its ISO text, a RegExp ``/source/flags``, a node its tag, a
    function "function". NaN and the infinities stay floats. See also `CIRCULAR` and `CUT`.
    """
    return _Reader().read(as_mapping(value))


def shared_id_of(value: RemoteValue | Mapping[str, object]) -> str | None:
    """Return the shared id of a node, or None for other values."""
    shared_id = as_mapping(value).get("sharedId")
    return shared_id if isinstance(shared_id, str) else None


def context_of(value: RemoteValue | Mapping[str, object]) -> str | None:
    """Return the browsing context of a window, or None for other values."""
    raw = as_mapping(value)
    if raw.get("type") != "window":
        return None
    context = fields(raw.get("value")).get("context")
    return context if isinstance(context, str) else None


def as_mapping(value: RemoteValue | Mapping[str, object]) -> Mapping[str, object]:
    """Return a value in its form on the wire, the form of nested values."""
    if not isinstance(value, RemoteValue):
        return value
    raw: dict[str, object] = {"type": value.type}
    if "value" in value.model_fields_set:
        raw["value"] = value.value
    if value.internal_id is not None:
        raw["internalId"] = value.internal_id
    if value.shared_id is not None:
        raw["sharedId"] = value.shared_id
    return raw


class _Reader:
    """One conversion. Remembers objects by internal id: the browser serialises each of them only once."""

    def __init__(self) -> None:
        self._seen: dict[object, tuple[object, int]] = {}
        """Converted objects and their sizes, by internal id."""
        self._size = 0
        """Size of all values converted so far."""
        self._repeated = 0

    def read(self, raw: Mapping[str, object]) -> object:
        kind, value = str(raw.get("type")), raw.get("value")
        self._size += 1 + (len(value) if isinstance(value, str) else 0)
        match kind:
            case "undefined" | "null":
                return None
            case "string" | "boolean" | "date":
                return value
            case "number":
                return float(value) if isinstance(value, str) else value
            case "bigint":
                return _integer(str(value))
            case "regexp":
                source = fields(value)
                return f"/{source.get('pattern', '')}/{source.get('flags') or ''}"
            case "array" | "set" | "nodelist" | "htmlcollection" | "object" | "map":
                return self._container(kind, raw)
            case "node":
                return _describe_node(fields(value))
            case "window":
                return f"Window {context_of(raw) or ''}".rstrip()
            case _:
                return _DESCRIPTIONS.get(kind, kind)

    def _container(self, kind: str, raw: Mapping[str, object]) -> object:
        internal_id, value = raw.get("internalId"), raw.get("value")
        if not is_array(value):
            return self._again(internal_id)
        before = self._size
        if internal_id is not None:
            self._seen[internal_id] = CIRCULAR, 0
        if kind in {"object", "map"}:
            result = self._pairs([(key, fields(item)) for key, item in map(items, value)])
        else:
            result = [self.read(item) for item in map(fields, value)]
        if internal_id is not None:
            self._seen[internal_id] = result, self._size - before
        return result

    def _again(self, internal_id: object) -> object:
        seen, size = self._seen.get(internal_id, (CUT, 0))
        if self._repeated + size > MAX_REPEATED:
            return CUT
        self._repeated += size
        self._size += size
        return seen

    def _pairs(self, pairs: list[tuple[object, Mapping[str, object]]]) -> object:
        read = [(key if isinstance(key, str) else self.read(fields(key)), self.read(value)) for key, value in pairs]
        if all(isinstance(key, str) for key, _ in pairs):
            return dict(read)
        return [list(pair) for pair in read]


def _integer(digits: str) -> int | str:
    try:
        return int(digits)
    except ValueError:  # more digits than `sys.get_int_max_str_digits`: str() of the number would fail
        return digits


def _describe_node(properties: Mapping[str, object]) -> str:
    node_type = properties.get("nodeType")
    if node_type == 1:
        attributes = fields(properties.get("attributes"))
        shown = "".join(f' {name}="{attributes[name]}"' for name in ("id", "class", "name") if attributes.get(name))
        return f"<{properties.get('localName', 'element')}{shown}>"
    if node_type == 11:
        return "#shadow-root" if "mode" in properties else "#document-fragment"
    name = _NODE_NAMES.get(node_type, "#node") if isinstance(node_type, int) else "#node"
    text = properties.get("nodeValue")
    return f"{name} {text!r}" if isinstance(text, str) and node_type != 9 else name
