"""JSON schemas of parameters: without what models do not need, and as readable types."""

import json
from collections.abc import Mapping

from drivers.json_values import Json, fields, is_array, is_object, items, objects


def slim(schema: dict[str, object], *, nulls: bool = False) -> dict[str, object]:
    """Return a JSON schema without parts that models do not need: titles, references, and null unless ``nulls``."""
    return fields(_slim(schema, fields(schema.get("$defs")), nulls))


def _slim(schema: object, definitions: Mapping[str, object], nulls: bool) -> object:
    if is_array(schema):
        return [_slim(item, definitions, nulls) for item in schema]
    if not is_object(schema):
        return schema
    node = dict(schema)
    reference = node.pop("$ref", None)
    if isinstance(reference, str):
        node = {**fields(definitions[reference.rpartition("/")[2]]), **node}
    if "anyOf" in node and not nulls:
        # An optional parameter can be left out, so the value null is not needed.
        rest = [choice for choice in objects(node["anyOf"]) if choice.get("type") != "null"]
        if len(rest) == 1:
            del node["anyOf"]
            return _slim({**rest[0], **node}, definitions, nulls)
        node["anyOf"] = rest
    if node.get("default", 0) is None:
        del node["default"]
    for noise in ("title", "$defs"):
        if isinstance(node.get(noise), str) or noise == "$defs":
            node.pop(noise, None)
    if node.get("type") == "object" and "properties" in node:
        node.pop("description", None)
        properties = fields(node["properties"])
        node["properties"] = {name: _slim(value, definitions, nulls) for name, value in properties.items()}
        return node
    return {key: _slim(value, definitions, nulls) for key, value in node.items()}


def readable(schema: Json) -> str:
    """Return a schema as a readable type: "a" or "b", list of number, {ref?: string, value: string}."""
    if choices := objects(schema.get("anyOf")):
        return " or ".join(map(readable, choices))
    if "enum" in schema or "const" in schema:
        values = items(schema.get("enum", [schema.get("const")]))
        return " or ".join(f"`{json.dumps(value)}`" for value in values)
    match schema.get("type"):
        case "array":
            return f"list of {readable(fields(schema.get('items')))}"
        case "object" if "properties" in schema:
            required, properties = items(schema.get("required")), fields(schema["properties"])
            inside = (
                f"{name}{'' if name in required else '?'}: {readable(fields(properties[name]))}" for name in properties
            )
            return f"{{{', '.join(inside)}}}"
        case str(name):
            return name + _bounds(schema)
        case _:
            return "any"


def _bounds(schema: Json) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None and high is None:
        return ""
    return (
        f" {low} to {high}" if low is not None and high is not None else f" ≥ {low}" if high is None else f" ≤ {high}"
    )
