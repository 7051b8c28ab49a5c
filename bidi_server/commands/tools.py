"""Reference of the tools, as Markdown for people and as JSON for programs."""

import json
from collections.abc import Iterable, Iterator
from typing import get_args

from bidi_server.config import Capability, Config, Toolset
from bidi_server.server import describe
from bidi_server.tools.base import Tool, offered, tools_of
from bidi_server.tools.schemas import readable
from drivers.json_values import Json, fields, items


def tools(config: Config, *, as_json: bool) -> int:
    """Print every tool as Markdown, or the answer of tools/list with this configuration as JSON."""
    if as_json:
        listed = [
            describe(tool) for tool in offered(config.toolset, config.caps, far=config.transport == "http").values()
        ]
        found = {"tools": [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in listed]}
        print(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        print("\n".join(reference(config.toolset if "toolset" in config.model_fields_set else get_args(Toolset))))
    return 0


def reference(toolsets: Iterable[str] = get_args(Toolset)) -> Iterator[str]:
    """Yield the lines of the Markdown reference of every tool of some toolsets."""
    yield "# Tools"
    for toolset in toolsets:
        everything = tools_of(f"bidi_server.tools.{toolset}")
        for capability in ("", *get_args(Capability)):
            chosen = [tool for _, tool in sorted(everything.items()) if next(iter(tool.capabilities), "") == capability]
            if not chosen:
                continue
            yield ""
            yield f"## Toolset `{toolset}`" + (f", with `--caps {capability}`" if capability else "")
            if toolset == "browser" and not capability:
                yield ""
                yield "Every tool in a session takes `tab`, the index of a tab to select before."
            if capability == "sessions":
                yield ""
                yield "Every other tool then takes `session`, the name of one; without it, it works on the default one."
            for tool in chosen:
                yield ""
                yield from _section(tool)


def _section(tool: type[Tool]) -> Iterator[str]:
    yield f"### `{tool.tool_name()}`"
    yield ""
    more = "".join(f" Also with `--caps {capability}`." for capability in tool.capabilities[1:])
    yield _escaped(tool.description()) + more + (" *Reads only.*" if tool.read_only else "")
    schema = tool.input_schema()
    yield from _parameters(schema)
    if result := tool.output_schema():
        yield ""
        yield f"Answers {readable(result)}"


def _parameters(schema: Json) -> Iterator[str]:
    properties, required = dict(fields(schema.get("properties"))), items(schema.get("required"))
    properties.pop("tab", None)  # explained once
    if not properties:
        return
    yield ""
    yield "| parameter | type | default | |"
    yield "| --- | --- | --- | --- |"
    for name, schema_of_value in properties.items():
        value = fields(schema_of_value)
        default = "required" if name in required else f"`{json.dumps(value['default'])}`" if "default" in value else ""
        text = _escaped(str(value.get("description", "")))
        yield f"| `{name}` | {readable(value)} | {default} | {text} |"


def _escaped(text: str) -> str:
    """Return a text escaped for a cell of a Markdown table, where ``<select>`` must not become HTML."""
    return " ".join(text.split()).replace("<", "&lt;").replace("|", "\\|")
