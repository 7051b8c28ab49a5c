"""Values of parsed JSON, each with its type checked as it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import TypeIs

Json = dict[str, object]
"""A JSON object."""


def is_object(value: object) -> TypeIs[Json]:
    """Whether a value of parsed JSON is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeIs[list[object]]:
    """Whether a value of parsed JSON is an array."""
    return isinstance(value, list)


def fields(value: object) -> Json:
    """Return a value if it is a JSON object, and an empty object otherwise."""
    return value if is_object(value) else {}


def items(value: object) -> list[object]:
    """Return a value if it is a JSON array, and an empty array otherwise."""
    return value if is_array(value) else []


def objects(value: object) -> list[Json]:
    """Return the items of a JSON array, each as `fields` does."""
    return [fields(item) for item in items(value)]
