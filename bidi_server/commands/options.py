"""The options as a person gives them and reads about them: what argparse, ``--help`` and the README are made from."""

import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Union, cast, get_args, get_origin

from bidi_server.config import ENVIRONMENT_PREFIX, Config


@dataclass(frozen=True, slots=True)
class Option:
    """One option of `Config`."""

    name: str
    """The field, and the key in a file."""
    values: str
    """What it takes; "" for one that is only given or not."""
    default: str
    """As one would write it; "" for none."""
    text: str
    """One paragraph on what it is for."""

    @property
    def flag(self) -> str:
        """The argument on the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def variable(self) -> str:
        """The variable of the environment."""
        return f"{ENVIRONMENT_PREFIX}{self.name.upper()}"


def options() -> Iterator[Option]:
    """Yield every option, in the order of the model."""
    for name, field in Config.model_fields.items():
        yield Option(name, _values(field.annotation), _default(field.default), field.description or "")


def _values(annotation: object) -> str:
    arguments = get_args(annotation)
    match get_origin(annotation):
        case types.UnionType:
            return "|".join(_values(argument) for argument in arguments if argument is not type(None))
        case origin if origin is Union:
            return "|".join(_values(argument) for argument in arguments if argument is not type(None))
        case origin if origin is Annotated:
            return _values(arguments[0])
        case origin if origin is Literal:
            return "|".join(arguments)
        case origin if origin is tuple:
            return {"NUMBER": "WIDTHxHEIGHT", "TEXT": "TEXT,…", "PATH": "PATH,…"}.get(_values(arguments[0]), "NAME,…")
        case _:
            return {bool: "", Path: "PATH", str: "TEXT"}.get(cast("type", annotation), "NUMBER")


def _default(value: object) -> str:
    match value:
        case None | False | ():
            return ""
        case (int(width), int(height)):
            return f"{width}x{height}"
        case tuple():
            return ",".join(map(str, cast("tuple[object, ...]", value)))
        case _:
            return str(value)
