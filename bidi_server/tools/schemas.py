"""JSON schemas of parameters: without what models do not need, and as readable types."""

import json
from collections.abc import Mapping

from drivers.json_values import Json, fields, is_array, is_object, items, objects


def slim(schema: dict[str, object], *, nulls: bool = False, offs: bool = True) -> dict[str, object]:
    """Return a JSON schema without parts that models do not need: titles, references, the format of paths.

    Null stays with ``nulls``, a default that is False or empty with ``offs``.
    """
    return fields(_slim(schema, fields(schema.get("$defs")), nulls, offs))


def _slim(schema: object, definitions: Mapping[str, object], nulls: bool, offs: bool) -> object:
    def rest_of(node: object) -> object:
        return _slim(node, definitions, nulls, offs)

    if is_array(schema):
        return list(map(rest_of, schema))
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
            return rest_of({**rest[0], **node})
        node["anyOf"] = rest
    _leave_out(node, offs)
    if node.get("type") == "object" and "properties" in node:
        node.pop("description", None)
        node["properties"] = {name: rest_of(value) for name, value in fields(node["properties"]).items()}
        return node
    return {key: rest_of(value) for key, value in node.items()}


def _leave_out(node: dict[str, object], offs: bool) -> None:
    """Remove what models do not need to know about one value."""
    default = node.get("default")
    if default is None or (not offs and (default is False or default == "")):
        node.pop("default", None)
    if node.get("format") == "path":
        del node["format"]
    if isinstance(node.get("title"), str):
        del node["title"]
    node.pop("$defs", None)


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
