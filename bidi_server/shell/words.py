"""The commands of a session: one for each tool, with its parameters as words and options."""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, NoReturn, get_args

from bidi_server.advice import Operation
from bidi_server.browser.actions.target import is_ref
from bidi_server.browser.words import clip
from bidi_server.config import Capability
from bidi_server.errors import InvalidParametersError
from bidi_server.tools.base import Tool, offered
from bidi_server.tools.schemas import readable
from bidi_server.tools.toolset import Toolset
from drivers.json_values import Json, fields, is_array, items

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

PREFIX = "browser_"

LEFT_OUT = {
    "browser_close": "ends the page; the command `close` ends the session",
    "browser_compare": "the command `compare` does that",
    "browser_enable": "all are enabled",
    "browser_eval": "`eval` is short for evaluate",
    "browser_install": "the command `install` does that",
    "browser_replay": "the command `replay` does that, with a browser of its own",
    "browser_session_create": "-s does that",
    "browser_session_list": "the command `sessions` does that",
    "browser_session_close": "the command `close` does that",
}
"""Tools without a command, each with the reason."""

SHORT = {
    "export": "export-test",
    "goto": "navigate",
    "back": "navigate-back",
    "forward": "navigate-forward",
    "go-back": "navigate-back",
    "go-forward": "navigate-forward",
    "dblclick": "click --double-click",
    "fill": "type --clear",
    "press": "press-key",
    "select": "select-option",
    "upload": "file-upload",
    "wait": "wait-for",
    "eval": "evaluate",
    "screenshot": "take-screenshot",
    "pdf": "pdf-save",
    "console": "console-messages",
    "requests": "network-requests",
    "request": "network-request",
    "dialog-accept": "handle-dialog --accept",
    "dialog-dismiss": "handle-dialog --no-accept",
    "tab-list": "tabs list",
    "tab-new": "tabs new",
    "tab-select": "tabs select",
    "tab-close": "tabs close",
    "state-save": "storage-state",
    "state-load": "set-storage-state",
}
"""Shorter names, and those of playwright-cli."""

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")

OWN = {
    "open": "[URL] [OPTIONS]",
    "close": "[--all]",
    "sessions": "",
}
"""Commands that open, close and list sessions instead of running a tool, each with its words."""

UNWORDED = {"element", "startElement", "endElement", "tab"}
"""Parameters that are no words: what an agent calls an element, and the tab of a call."""


class Shell(Toolset):
    """The tools as commands."""

    names: Mapping[Operation, str] = {
        operation: f"`bidi-server {'close' if operation is Operation.CLOSE else operation.value.replace('_', '-')}`"
        for operation in Operation
    }


SHELL = Shell()


@dataclass(frozen=True, slots=True)
class Line:
    """A command line, as a call of a tool."""

    tool: type[Tool]
    arguments: dict[str, object]
    as_json: bool


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a command: the value of a parameter."""

    name: str
    schema: Json
    is_required: bool
    selector: str = ""
    """The parameter for an element's selector, if the word is its ref or its selector."""

    @property
    def placeholder(self) -> str:
        """The word in a description of the command: ``[TARGET]``."""
        name = re.sub("ref$", "target", re.sub("Ref$", "Target", self.name)) if self.selector else self.name
        text = kebab(name).upper() + (" ..." if self.schema.get("type") == "array" else "")
        return text if self.is_required else f"[{text}]"

    def takes(self, text: str) -> bool:
        """Whether a text can be its value."""
        if "enum" in self.schema:
            return text in items(self.schema["enum"])
        match self.schema.get("type"):
            case "integer" | "number":
                return bool(_NUMBER.fullmatch(text))
            case "boolean":
                return text in {"true", "false"}
            case "object":
                return text.startswith("{")
            case _:
                return True


class Parser(argparse.ArgumentParser):
    """Parser of a command's words that raises `InvalidParametersError`."""

    def error(self, message: str) -> NoReturn:
        """Raise the error."""
        raise InvalidParametersError(f"{message}.", f"See: {self.prog} --help")


class Commands:
    """The commands by name."""

    toolset = SHELL

    def __init__(self) -> None:
        everything = offered(["browser"], get_args(Capability))
        self.tools = {
            name.removeprefix(PREFIX).replace("_", "-"): tool
            for name, tool in everything.items()
            if name.startswith(PREFIX) and name not in LEFT_OUT
        }

    def parse(self, words: Sequence[str]) -> Line:
        """Return the call that a command stands for. Raises `InvalidParametersError`."""
        if not words:
            raise InvalidParametersError("Which command?", "See: bidi-server help")
        name, *rest = words
        if (short := SHORT.get(name)) is not None:
            name, *more = short.split()
            rest = [*more, *rest]
        tool = self.find(name)
        if tool is None:
            raise InvalidParametersError(self.unknown(name))
        given = vars(_parser(tool, name).parse_intermixed_args(rest))
        as_json, words = given.pop("json"), given.pop("words")
        parameters = fields(tool.input_schema().get("properties"))
        arguments = {name: _value(value, fields(parameters[name])) for name, value in given.items()}
        if left := _assign(words, words_of(tool), arguments):
            raise InvalidParametersError(
                f"{name} has no parameter for {clip(left[0])!r}.", f"See: bidi-server {name} --help"
            )
        return Line(tool, arguments, as_json)

    def find(self, name: str) -> type[Tool] | None:
        """Return the tool of a command, also by the tool's own name, which answers may call it."""
        return self.tools.get(name) or self.tools.get(name.removeprefix(PREFIX).replace("_", "-"))

    def knows(self, name: str) -> bool:
        """Whether there is a command of this name."""
        return name in SHORT or name in OWN or self.find(name) is not None

    def unknown(self, name: str, others: Iterable[str] = ()) -> str:
        """Return the error about a command that does not exist, with the closest name, also of ``others``."""
        close = get_close_matches(name, [*self.tools, *SHORT, *OWN, *others], 1)
        return f"There is no command {clip(name)!r}." + (f" Did you mean {close[0]}?" if close else "")


def words_of(tool: type[Tool]) -> list[Word]:
    """Return the words of a command: its parameters in order, without those that switch or refine what it does."""
    schema = tool.input_schema()
    parameters, required = fields(schema.get("properties")), items(schema.get("required"))
    found: list[Word] = []
    for name, value in parameters.items():
        parameter = fields(value)
        selector = re.sub("ref$", "selector", re.sub("Ref$", "Selector", name))
        word = Word(name, parameter, name in required, selector if selector != name and selector in parameters else "")
        item = fields(parameter.get("items"))
        is_refinement = parameter.get("type") == "boolean" or item.get("type") == "number" or "enum" in item
        is_known = name in UNWORDED or any(name == other.selector for other in found)
        if not is_known and (word.is_required or not is_refinement):
            found.append(word)
    return found


def _assign(given: Sequence[str], words: Sequence[Word], arguments: dict[str, object]) -> list[str]:
    """Give each word to the next parameter that can take it, and return the words that none can take."""
    missing = [word for word in words if not arguments.keys() & {word.name, word.selector}]
    required = [word for word in missing if word.is_required]
    left = list(given)
    # As many words as are required are those. If there are more, the optional ones before them have words too.
    for word in required if len(left) == len(required) else missing:
        if not left:
            break
        if word.schema.get("type") == "array":
            arguments[word.name], left = _value(left, word.schema), []
        elif word.takes(left[0]):
            text = left.pop(0)
            arguments[word.selector if word.selector and not is_ref(text) else word.name] = _value(text, word.schema)
    return left


def _value(given: object, schema: Json) -> object:
    """Return a parameter's value from the text or texts that were given; the tool itself checks it."""
    if is_array(given):
        kind = fields(schema.get("items")).get("type")
        if kind == "string" and not (len(given) == 1 and str(given[0]).startswith("[")):
            return given
        return _json(str(given[0])) if kind != "number" else [_json(part) for part in str(given[0]).split(",")]
    if not isinstance(given, str) or schema.get("type") == "string":
        return given
    is_text = "anyOf" in schema and not given.startswith(("[", "{"))  # the first choice is text
    return given if is_text else _json(given)


def _json(text: str) -> object:
    """Return what a text is as JSON, or the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


@cache
def _parser(tool: type[Tool], name: str) -> Parser:
    """Return the parser of a command."""
    parser = Parser(f"bidi-server {name}", allow_abbrev=False, add_help=False)
    add_parameters(parser, tool)
    return parser


def add_parameters(parser: argparse.ArgumentParser, tool: type[Tool]) -> None:
    """Give a parser the words and options of a command, and its description."""
    parser.description = tool.description()
    for name, value in fields(tool.input_schema().get("properties")).items():
        parameter = fields(value)
        option, text = f"--{kebab(name)}", str(parameter.get("description", ""))
        if _placeholder(parameter) == "JSON":
            text = f"{text} {readable(parameter).capitalize()}.".strip()
        text = text.replace("%", "%%")
        if parameter.get("type") == "boolean":
            either = argparse.BooleanOptionalAction
            parser.add_argument(option, dest=name, help=text, action=either, default=argparse.SUPPRESS)
        else:
            action = "append" if parameter.get("type") == "array" else "store"
            parser.add_argument(
                option, dest=name, help=text, action=action, metavar=_placeholder(parameter), default=argparse.SUPPRESS
            )
    parser.add_argument("--json", action="store_true", help="Print the answer as JSON: failed, text.")
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    parser.usage = f"%(prog)s {usage(tool)} [OPTIONS]"


def usage(tool: type[Tool]) -> str:
    """Return the words that a command takes: ``[TARGET] TEXT``."""
    return " ".join(word.placeholder for word in words_of(tool))


def _placeholder(schema: Json) -> str:
    if "enum" in schema:
        return "|".join(map(str, items(schema["enum"])))
    match schema.get("type"):
        case "integer" | "number":
            return "NUMBER"
        case "object":
            return "JSON"
        case "array":
            return {"string": "TEXT", "number": "NUMBER,…"}.get(str(fields(schema.get("items")).get("type")), "JSON")
        case _:
            return "TEXT"


def kebab(name: str) -> str:
    """Return a parameter's name as an option's: ``doubleClick`` is ``double-click``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
