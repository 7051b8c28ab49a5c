"""The boundary of the server: nothing that it answers to a client has a value of a secret in it."""

from __future__ import annotations

import base64
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

from mcp.shared.exceptions import MCPError

from bidi_server.secret.redaction import REDACTOR, redact, redact_file
from drivers.json_values import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import mcp_types as types
    from pydantic import BaseModel

    Progress = Callable[[float, float | None, str], Awaitable[None]]

P = ParamSpec("P")
T = TypeVar("T")


def redacted(answer: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Decorate a function whose result, or MCPError, goes to a client."""

    @wraps(answer)
    async def without_values(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            result = await answer(*arguments, **named)
        except MCPError as error:
            error.error = cast("types.ErrorData", _without_values(error.error))
            raise
        # The call itself may have been the first to need a value.
        return cast("T", _without_values(result)) if REDACTOR.values else result

    return without_values


def redacted_progress(progress: Progress) -> Progress:
    """Return a function that passes on the progress of a call."""

    async def tell(done: float, total: float | None, message: str) -> None:
        await progress(done, total, redact(message))

    return tell


def _without_values(value: object) -> object:
    if isinstance(value, str):
        return redact(value)
    if is_array(value):
        return list(map(_without_values, value))
    if is_object(value):
        return {redact(str(name)): _without_values(each) for name, each in value.items()}
    if hasattr(value, "model_fields_set"):
        return _of_model(cast("BaseModel", value))
    return value


def _of_model(value: BaseModel) -> BaseModel:
    """Return a part of an answer. A picture stays as it is: secrets in it are masked before it is taken."""
    if str(getattr(value, "mime_type", "")).startswith("image/"):
        return value
    new: dict[str, object] = {}
    for name in type(value).model_fields:
        each: object = getattr(value, name)
        if name == "blob" and isinstance(each, str):
            data = redact_file(base64.b64decode(each), str(getattr(value, "uri", "")))
            new[name] = base64.b64encode(data).decode()
        else:
            new[name] = _without_values(each)
    changed = {name: each for name, each in new.items() if each != getattr(value, name)}
    return value.model_copy(update=changed) if changed else value
