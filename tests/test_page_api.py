"""The seam between Python and the page's script: names and words are the same on both sides."""

import ast
import re
from typing import get_args

from bidi_server.page import api
from tests.test_layers import PRODUCT, SCRIPTS

ENTRY = (SCRIPTS / "main.js").read_text("utf-8")


def methods() -> set[str]:
    """Return the names of the methods of `act` and `extra`."""
    found: set[str] = set()
    for name in ("act", "extra"):
        body = (SCRIPTS / "act" / f"{name}.js").read_text("utf-8").partition(f"export const {name} = {{")[2]
        found |= {f"{name}.{method}" for method in re.findall(r"^  (?:async )?(\w+)(?=[:,(])", body, re.MULTILINE)}
    return found


def exports() -> set[str]:
    """Return the names of the functions that the script exports."""
    passed_on = re.findall(r"^export \{([^}]*)\}", ENTRY, re.MULTILINE)
    named = [name.split(" as ")[-1].strip() for names in passed_on for name in names.split(",")]
    return {*named, *re.findall(r"^export (?:async )?(?:function|const) (\w+)", ENTRY, re.MULTILINE)}


def test_every_obstacle_of_the_script_has_its_word() -> None:
    told: set[str] = set()
    for path in SCRIPTS.rglob("*.js"):
        lines = [line for line in path.read_text("utf-8").splitlines() if not re.match(r"\s*(?:\*|/\*)", line)]
        for value in re.findall(r"\{\s*blocked: ([^,}]*)", "\n".join(lines)):
            told |= set(re.findall(r"'([a-z-]+)'", value))
    assert told == set(get_args(api.Obstacle.model_fields["blocked"].annotation))


def test_properties_of_elements_are_the_same_on_both_sides() -> None:
    state = (SCRIPTS / "spec" / "state.js").read_text("utf-8")
    typedef = state[state.index("@typedef {object} Props") :].partition("*/")[0]
    added = {"cells", "note"}  # by Python
    assert {*re.findall(r"@property \{[^}]+\} \[(\w+)\]", typedef)} | added == {*api.Props.__annotations__}


def test_every_answer_names_the_function_that_gives_it() -> None:
    named: set[str] = set()
    for kind in vars(api).values():
        if isinstance(kind, type) and issubclass(kind, api.Answer) and kind.__doc__:
            named |= set(re.findall(r"^``([\w.]+)``", kind.__doc__))
    assert len(named) > 20
    assert {name for name in named if "." in name} <= methods()
    assert {name for name in named if "." not in name} <= exports()


PLACES = {"actionable": 3, "on_element": 3, "try_element": 3, "_ask_editor": 3, "ask": 1, "asked": 1, "call_json": 0}
"""Functions that call one of the script, and the place of the argument that names it."""


def test_every_name_of_a_function_is_whole() -> None:
    there = methods() | exports()
    wrong: list[str] = []
    for path in PRODUCT:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            given = node.args[PLACES[name]] if len(node.args) > PLACES.get(name, 99) else None
            if isinstance(given, ast.Constant) and given.value not in there:
                wrong.append(f"{path.name}: {given.value}")
    assert wrong == []


def test_every_function_that_is_called_is_there() -> None:
    texts = {
        node.value
        for path in PRODUCT
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    called = {text for text in texts if re.fullmatch(r"(act|extra)\.\w+", text)}
    assert called == methods() - {"act.useTestId", "extra.useAxe"}  # these two are parts of longer expressions
