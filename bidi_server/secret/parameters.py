"""Parameters of tools that may contain secrets: ``{{NAME}}`` in them, and nowhere else, stands for a value."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeVar

import trio
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bidi_server.secret.dotenv import NAME
from bidi_server.secret.text import SecretText
from drivers.json_values import is_array, is_object

if TYPE_CHECKING:
    from bidi_server.config import Config

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class MayContainSecrets:
    """Mark of a parameter whose texts may contain secrets. What takes them checks the origins they are bound to."""


SECRETS = MayContainSecrets()

WithSecrets = Annotated[str, SECRETS]
"""A text that may contain ``{{NAME}}``."""

PLACEHOLDER = re.compile(rf"\{{\{{({NAME})(\.totp)?\}}\}}")


def secret_names(model: BaseModel) -> tuple[str, ...]:
    """Return the names of the secrets that the parameters of a call name."""
    names: list[str] = []

    def note(text: str) -> str:
        names.extend(match[1] for match in PLACEHOLDER.finditer(text))
        return text

    _changed(model, note)
    return tuple(dict.fromkeys(names))


def secrets_of(config: "Config", names: Sequence[str]) -> Sequence[str]:
    """Return those of some names that are secrets of the server. A command alone may know all of them."""
    if config.secrets is None and config.secrets_command is None:
        return ()
    from bidi_server.secret.vault import vault

    known = vault(config.secrets, config.secrets_command).names
    return names if known is None else [name for name in names if name in known]


async def with_values(model: M, config: "Config") -> M:
    """Return a call's parameters with the values of the secrets that they name, as `SecretText`.

    Raises `InvalidParametersError` for an unknown name, and `ToolError` if a value can't be read.
    """
    if config.secrets is None and config.secrets_command is None:
        return model
    from bidi_server.secret.vault import vault

    # Its file is read before the first call: a page may show a value that was entered long ago.
    vault(config.secrets, config.secrets_command)
    if not secret_names(model):
        return model
    # It may run a command, which takes its time.
    return await trio.to_thread.run_sync(_filled, model, config, abandon_on_cancel=True)


def _filled(model: M, config: "Config") -> M:
    return _changed(model, lambda text: fill(text, config))


def fill(text: str, config: "Config", escape: Callable[[str], str] = str) -> str:
    """Return a text with values, each ``escape``d, in place of its names. It blocks. Raises as `with_values` does."""
    if PLACEHOLDER.search(text) is None:
        return text
    from bidi_server.secret.vault import vault

    source = vault(config.secrets, config.secrets_command)
    names: list[str] = []
    origins: list[tuple[str, ...]] = []
    splits = True

    def value(match: re.Match[str]) -> str:
        nonlocal splits
        name, is_code = match[1], bool(match[2])
        secret = source.code(name) if is_code else source.get(name)
        names.append(match[0][2:-2])
        splits = splits and is_code
        if secret.origins is not None:
            origins.append(secret.origins)
        return escape(secret.value)

    whole = PLACEHOLDER.sub(value, text)
    common = tuple(each for each in origins[0] if all(each in others for others in origins)) if origins else None
    return SecretText.of(whole, text, " and ".join(dict.fromkeys(names)), common, splits=splits)


def _changed(model: M, change: Callable[[str], str]) -> M:
    """Return a model with changed texts in the parameters that are marked, in models within it too."""
    updates: dict[str, object] = {}
    for name, field in type(model).model_fields.items():
        value: object = getattr(model, name)
        new = _text(value, change) if _is_marked(field) else _inner(value, change)
        if new is not value:
            updates[name] = new
    return model.model_copy(update=updates) if updates else model


def _is_marked(field: FieldInfo) -> bool:
    return SECRETS in field.metadata


def _inner(value: object, change: Callable[[str], str]) -> object:
    """Return a value with changed models in it."""
    if isinstance(value, BaseModel):
        return _changed(value, change)
    if is_array(value):
        new = [_inner(each, change) for each in value]
        return new if any(one is not other for one, other in zip(new, value, strict=True)) else value
    return value


def _text(value: object, change: Callable[[str], str]) -> object:
    """Return a text, or the texts in a list or an object, changed; the same value if nothing changes."""
    if isinstance(value, str):
        return change(value)
    if is_array(value):
        new = [_text(each, change) for each in value]
        return new if any(one is not other for one, other in zip(new, value, strict=True)) else value
    if is_object(value):
        changed = {name: _text(each, change) for name, each in value.items()}
        return changed if any(changed[name] is not each for name, each in value.items()) else value
    return value
