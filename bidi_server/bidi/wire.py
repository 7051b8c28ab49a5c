"""What every command, event and value has in common: names on the wire, strictness, and absent against null.

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
"""What would be most of an event's cost, as JSON: many events are kept, and few looked at so closely."""


class Parameters(BaseModel):
    """Something we send: an unknown or mistyped field is our mistake and fails at once.

    A field that was never given is absent on the wire; one that was given as ``None`` is sent as null. The two mean
    different things in BiDi (null resets an override, absent leaves it alone). A field whose default is anything but
    ``None`` is a constant of the protocol, such as ``type: Literal["key"] = "key"``, and is always sent.
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
        """Count the constants as given, so that `to_wire` sends them."""
        self.model_fields_set.update(self.constants)

    def to_wire(self) -> dict[str, object]:
        """Return the fields that were given, under the names of the specification."""
        return self.model_dump(mode="json", exclude_unset=True)


class Result(BaseModel):
    """Something we receive: unknown fields are ignored, so that a newer browser doesn't break us."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, validate_by_name=True, defer_build=True
    )


class Exchanged(Parameters):
    """Something that travels both ways: sent like `Parameters`, received with the leniency of `Result`."""

    model_config = ConfigDict(extra="ignore", strict=False)


class EmptyResult(Result):
    """The result of a command that returns nothing."""


class Command(Parameters, Generic[R_co]):
    """The parameters of one method, generic in what the browser answers.

    Declare ``class Navigate(Command[NavigateResult], method="browsingContext.navigate")``.
    """

    method: ClassVar[str] = ""
    result_type: ClassVar[type[Result]] = EmptyResult

    def __class_getitem__(cls, result: object) -> GenericAlias:  # pyright: ignore[reportIncompatibleMethodOverride]
        # Plain Python generics: pydantic's own would build one more class for each type of result.
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
"""Every event type that has been imported, by its name on the wire."""


def read_json(text: str | bytes) -> object:
    """Parse JSON as pages write it: half a surrogate pair, which is no Unicode text, becomes U+FFFD.

    Raises `ValueError` for what is no JSON.
    """
    try:
        return from_json(text)
    except ValueError:
        # Python's own parser takes half pairs and deeper nesting; in UTF-16 the halves can be told from the pairs.
        try:
            loose = json.dumps(json.loads(text), ensure_ascii=False)
            return json.loads(loose.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))
        except RecursionError as error:
            raise ValueError("the JSON is nested too deep to be read") from error
