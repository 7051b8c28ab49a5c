"""Base classes of commands, events and values: names on the wire, strictness, absent and null fields.

https://w3c.github.io/webdriver-bidi/#protocol-definition
"""

import json
from types import GenericAlias
from typing import Annotated, Any, ClassVar, Generic, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel
from pydantic_core import from_json, to_json

R_co = TypeVar("R_co", bound="Result", covariant=True)

Packed = Annotated[bytes, BeforeValidator(to_json)]
"""A value kept as JSON: parsing it would be most of an event's cost, and few events are read in such detail."""


class Parameters(BaseModel):
    """A message or value that the product sends. Unknown or mistyped fields raise an error.

    A field that was not given is absent on the wire; a field given as ``None`` is sent as null. In BiDi, null resets an
    override and an absent field keeps it. A field with another default than ``None`` is a constant of the protocol,
    such as ``type: Literal["key"] = "key"``, and is always sent.
    """

    constants: ClassVar[frozenset[str]] = frozenset()

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        alias_generator=to_camel,
        validate_by_name=True,
        serialize_by_alias=True,
        defer_build=True,
    )

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:  # noqa: ANN401 - pydantic's signature
        super().__pydantic_init_subclass__(**kwargs)
        cls.constants = frozenset(
            name for name, field in cls.model_fields.items() if not field.is_required() and field.default is not None
        )

    def model_post_init(self, context: object, /) -> None:
        """Mark constants as given, so that `to_wire` sends them."""
        self.model_fields_set.update(self.constants)

    def to_wire(self) -> dict[str, object]:
        """Return the given fields under the names of the specification."""
        return self.model_dump(mode="json", exclude_unset=True)


class Result(BaseModel):
    """A message or value that the product receives. Unknown fields are ignored, for newer browsers."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, validate_by_name=True, defer_build=True
    )


class Exchanged(Parameters):
    """A value that travels both ways: strict like `Parameters` when sent, lenient like `Result` when received."""

    model_config = ConfigDict(extra="ignore", strict=False)


class EmptyResult(Result):
    """The result of a command that returns nothing."""


class Command(Parameters, Generic[R_co]):
    """The parameters of a method, generic in its result.

    Declare ``class Navigate(Command[NavigateResult], method="browsingContext.navigate")``.
    """

    method: ClassVar[str] = ""
    result_type: ClassVar[type[Result]] = EmptyResult

    def __class_getitem__(cls, result: object) -> GenericAlias:  # pyright: ignore[reportIncompatibleMethodOverride]
        # Plain Python generics: pydantic's would build another class for each type of result.
        return GenericAlias(cls, (result,))

    def __init_subclass__(cls, *, method: str = "", **kwargs: Any) -> None:  # noqa: ANN401 - pydantic's signature
        super().__init_subclass__(**kwargs)
        if method:
            cls.method = method
            (base,) = cls.__dict__["__orig_bases__"]
            (cls.result_type,) = get_args(base)


class Event(Result):
    """The parameters of one event. Declare ``class Load(Event, method="browsingContext.load")``."""

    method: ClassVar[str] = ""

    def __init_subclass__(cls, *, method: str = "", **kwargs: Any) -> None:  # noqa: ANN401 - pydantic's signature
        super().__init_subclass__(**kwargs)
        if method:
            cls.method = method
            EVENTS[method] = cls


EVENTS: dict[str, type[Event]] = {}
"""Imported event types by their names on the wire."""


def read_json(text: str | bytes) -> object:
    """Parse JSON written by a page. Lone surrogates become U+FFFD. Raises `ValueError` for invalid JSON."""
    try:
        return from_json(text)
    except ValueError:
        # Python's parser accepts lone surrogates and deeper nesting. UTF-16 tells lone surrogates from pairs.
        try:
            loose = json.dumps(json.loads(text), ensure_ascii=False)
            return json.loads(loose.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))
        except RecursionError as error:
            raise ValueError("the JSON is nested too deep to be read") from error
