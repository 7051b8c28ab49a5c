"""What every command, event and value has in common: names on the wire, strictness, and absent against null.

https://w3c.github.io/webdriver-bidi/#protocol-definition
"""

from typing import Any, ClassVar, Generic, TypeVar, cast

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

R = TypeVar("R", bound="Result")


class Parameters(BaseModel):
    """Something we send: an unknown or mistyped field is our mistake and fails at once.

    A field that was never given is absent on the wire; one that was given as ``None`` is sent as null. The two mean
    different things in BiDi (null resets an override, absent leaves it alone).
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        validate_by_name=True,
        serialize_by_alias=True,
        defer_build=True,
    )

    def to_wire(self) -> dict[str, object]:
        """Return the fields that were given, under the names of the specification."""
        return self.model_dump(mode="json", exclude_unset=True)


class Result(BaseModel):
    """Something we receive: unknown fields are ignored, so that a newer browser doesn't break us."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, validate_by_name=True, defer_build=True
    )


class EmptyResult(Result):
    """The result of a command that returns nothing."""


class Command(Parameters, Generic[R]):
    """The parameters of one method, generic in what the browser answers.

    Declare ``class Navigate(Command[NavigateResult], method="browsingContext.navigate")``.
    """

    method: ClassVar[str] = ""
    result_type: ClassVar[type[Result]] = EmptyResult

    def __init_subclass__(cls, *, method: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if method:
            cls.method = method
            for base in cls.__mro__:
                args = cast("dict[str, Any]", base.__dict__.get("__pydantic_generic_metadata__", {})).get("args")
                if args:
                    cls.result_type = args[0]
                    break


class Event(Result):
    """The parameters of one event. Declare ``class Load(Event, method="browsingContext.load")``."""

    method: ClassVar[str] = ""

    def __init_subclass__(cls, *, method: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if method:
            cls.method = method
            EVENTS[method] = cls


EVENTS: dict[str, type[Event]] = {}
"""Every event type that has been imported, by its name on the wire."""
