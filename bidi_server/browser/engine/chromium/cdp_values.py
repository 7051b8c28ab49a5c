"""Convert values from Chromium's own events to BiDi values. These events have only the first items, one level deep.

https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#type-RemoteObject
"""

from bidi_server.bidi.script import RemoteValue
from bidi_server.bidi.values import CUT
from bidi_server.browser.console.format import REST, Raw
from drivers.json_values import fields, objects


def from_preview(shown: Raw) -> RemoteValue:
    """Convert an argument of a console method to a BiDi value."""
    return RemoteValue.model_validate(_value(shown))


def _value(shown: Raw) -> dict[str, object]:
    kind = str(shown.get("subtype") or shown.get("type"))
    described = shown.get("description")
    value = shown.get("unserializableValue", shown.get("value", described))
    match kind:
        case "string" | "number":
            return {"type": kind, "value": value}
        case "boolean":
            return {"type": kind, "value": value in {True, "true"}}
        case "bigint":
            return {"type": kind, "value": str(value).removesuffix("n")}
        case "date":
            return {"type": kind, "value": described or value}
        case "regexp":
            pattern, _, flags = str(described or value).removeprefix("/").rpartition("/")
            return {"type": kind, "value": {"pattern": pattern, "flags": flags}}
        case "node":
            return {"type": kind, "value": {"nodeType": 1, "localName": described or value}}
        case "accessor":
            return {"type": CUT}
        case "object" | "array" | "map" | "set":
            preview = shown if "properties" in shown else fields(shown.get("preview"))
            return {"type": kind, "value": _items(kind, preview)} if preview else {"type": kind}
        case _:
            return {"type": kind}


def _items(kind: str, preview: Raw) -> list[object]:
    if kind in {"map", "set"}:
        entries = objects(preview.get("entries"))
        pairs: list[list[object]] = [[_value(fields(each.get(part))) for part in ("key", "value")] for each in entries]
    else:
        pairs = [[str(each.get("name")), _value(each)] for each in objects(preview.get("properties"))]
    items: list[object] = [value for _, value in pairs] if kind in {"array", "set"} else [*pairs]
    return [*items, REST] if preview.get("overflow") else items
