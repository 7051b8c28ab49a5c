"""What tools/list says, and what a wrong call is told; no browser needed."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest

from bidi_server.config import Capability, Toolset
from bidi_server.errors import InvalidParametersError
from bidi_server.server import describe
from bidi_server.tools.base import offered

GOLDEN = Path(__file__).parents[1] / "golden"

BUDGETS: dict[Toolset, int] = {"browser": 496, "vision": 600, "extract": 850}
"""Bytes a tool may take in tools/list, on average: every agent pays for them in every conversation.

The seeds prescribe the parameters of ``vision`` and ``extract`` in more detail.
"""


def catalogue(toolset: Toolset, capabilities: Sequence[Capability] = get_args(Capability)) -> list[dict[str, object]]:
    """Return the tools as tools/list gives them; by default those of every capability."""
    tools = offered([toolset], capabilities)
    return [describe(tool).model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools.values()]


def written(toolset: Toolset) -> str:
    """Return the catalogue of a toolset as its golden file has it."""
    return json.dumps(catalogue(toolset), indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("toolset", get_args(Toolset))
def test_catalogue_is_the_golden_one(toolset: Toolset) -> None:
    assert written(toolset) == (GOLDEN / f"{toolset}.json").read_text("utf-8"), (
        "tools/list has changed; if that is meant, write it anew: python -m tests.golden"
    )


@pytest.mark.parametrize("toolset", get_args(Toolset))
@pytest.mark.parametrize("capabilities", [(), get_args(Capability)], ids=["default", "all"])
def test_catalogue_is_small(toolset: Toolset, capabilities: Sequence[Capability]) -> None:
    tools = catalogue(toolset, capabilities)
    assert len(json.dumps(tools, separators=(",", ":"))) <= BUDGETS[toolset] * len(tools)


def test_every_tool_and_parameter_name_of_the_seed_is_there() -> None:
    tools = {str(tool["name"]): tool for tool in catalogue("browser", [])}
    seed = {
        "browser_navigate": {"url"},
        "browser_navigate_back": set[str](),
        "browser_snapshot": {"allRefs", "ref", "selector"},
        "browser_click": {"ref", "element", "button", "modifiers", "doubleClick", "selector"},
        "browser_type": {"ref", "element", "text", "submit", "slowly", "selector"},
        "browser_press_key": {"key"},
        "browser_hover": {"ref", "element", "selector"},
        "browser_select_option": {"ref", "element", "values", "selector"},
        "browser_fill_form": {"fields"},
        "browser_evaluate": {"function", "ref", "element", "selector"},
        "browser_take_screenshot": {"ref", "fullPage", "selector"},
        "browser_wait_for": {"text", "textGone", "time"},
        "browser_tabs": {"action", "index"},
        "browser_close": set[str](),
        "browser_resize": {"width", "height"},
        "browser_console_messages": {"level"},
        "browser_network_requests": set[str](),
        "browser_handle_dialog": {"accept", "promptText"},
    }
    assert set(tools) >= set(seed)
    for name, parameters in seed.items():
        schema = json.loads(json.dumps(tools[name]["inputSchema"]))
        assert set(schema.get("properties", {})) >= parameters, name


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("browser_click", {"reff": "e1"}, "browser_click has no parameter 'reff'. Did you mean 'ref'?"),
        ("browser_type", {"ref": "e1abc"}, "browser_type needs the parameter 'text'."),
        ("browser_type", {"ref": "e1abc", "text": 5}, "text: Input should be a valid string, not 5."),
        ("browser_resize", {"width": "wide", "height": 1}, "width: Input should be a valid integer"),
        ("browser_click", {"button": "upper"}, "button: Input should be 'left', 'right' or 'middle', not 'upper'."),
        ("browser_navigate", {"uri": "/"}, "browser_navigate has no parameter 'uri'. Did you mean 'url'? It takes: "),
        (
            "browser_type",
            {"selector": "p", "words": "a"},
            "browser_type has no parameter 'words'. It needs: text. It takes: ",
        ),
        (
            "browser_select_option",
            {"ref": 1, "vals": []},
            "browser_select_option has no parameter 'vals'. Did you mean 'values'",
        ),
        ("browser_tabs", {}, "browser_tabs needs the parameter 'action'."),
    ],
)
def test_wrong_call_gets_one_line_that_says_what_to_change(
    tool: str, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidParametersError) as caught:
        offered(["browser"], [])[tool].parse(arguments)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
