"""Emulation of a device and a location for the pages of a context.

https://w3c.github.io/webdriver-bidi/#module-emulation
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi import emulation as e
from bidi_server.bidi.errors import BidiError, UnknownCommandError, UnsupportedOperationError
from bidi_server.errors import InvalidParametersError, NotSupportedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bidi_server.bidi.wire import Command, Result
    from bidi_server.browser.contexts.context import Context

TOUCH_POINTS = 5
"""Number of simultaneous touches on an emulated touch screen, as on phones."""


@dataclass(frozen=True, slots=True)
class Place:
    """A position in degrees; ``accuracy`` is in metres."""

    latitude: float
    longitude: float
    accuracy: float = 10


@dataclass(frozen=True, slots=True)
class Emulation:
    """The emulated differences from the real device; None keeps the real value."""

    user_agent: str | None = None
    locale: str | None = None
    """A language tag such as ``de-DE``."""
    timezone: str | None = None
    """An IANA name such as ``Europe/Berlin``."""
    place: Place | None = None
    pixel_ratio: float | None = None
    """Device pixels per CSS pixel."""
    mobile: bool = False
    """Whether pages use their viewport meta tag for layout and scroll as on a phone."""
    touch: bool = False

    @property
    def is_of_phone(self) -> bool:
        """Whether it emulates a phone's layout or touch screen."""
        return self.mobile or self.touch

    async def apply(self, context: "Context") -> None:
        """Apply the emulation to a context.

        Raises `NotSupportedError` if the browser does not support it, `InvalidParametersError` for invalid values.
        """
        if self.place is not None:
            context.shared.granted = ("geolocation",)
        for what, command in self._commands([context.user_context]):
            try:
                await context.browser.connection.send(command)
            except (UnknownCommandError, UnsupportedOperationError) as error:
                raise NotSupportedError(
                    f"{context.browser.name} can't emulate {what}.",
                    "Leave it out, or use another browser or a newer version.",
                ) from error
            except BidiError as error:
                said = error.first_line
                raise InvalidParametersError(f"The {what} can't be emulated: {said}", "Check it.") from error

    def _commands(self, contexts: list[str]) -> "Iterator[tuple[str, Command[Result]]]":
        if self.user_agent is not None:
            yield "user agent", e.SetUserAgentOverride(user_agent=self.user_agent, user_contexts=contexts)
        if self.locale is not None:
            yield "locale", e.SetLocaleOverride(locale=self.locale, user_contexts=contexts)
        if self.timezone is not None:
            yield "time zone", e.SetTimezoneOverride(timezone=self.timezone, user_contexts=contexts)
        if self.place is not None:
            place = e.GeolocationCoordinates(
                latitude=self.place.latitude, longitude=self.place.longitude, accuracy=self.place.accuracy
            )
            yield "geolocation", e.SetGeolocationOverride(coordinates=place, user_contexts=contexts)
        if self.pixel_ratio is not None:
            yield "pixel ratio", bc.SetViewport(device_pixel_ratio=self.pixel_ratio, user_contexts=contexts)
        if self.mobile:
            yield "mobile viewport", e.SetViewportMetaOverride(viewport_meta=True, user_contexts=contexts)
            yield "overlay scrollbars", e.SetScrollbarTypeOverride(scrollbar_type="overlay", user_contexts=contexts)
        if self.touch:
            yield "touch", e.SetTouchOverride(max_touch_points=TOUCH_POINTS, user_contexts=contexts)
