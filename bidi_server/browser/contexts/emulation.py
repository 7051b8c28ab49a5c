"""Values of an emulated device, of a person's settings and of a place."""

from dataclasses import dataclass, field
from typing import Literal

from bidi_server.bidi.emulation import MediaFeatures
from bidi_server.browser.words import clip


@dataclass(frozen=True, slots=True)
class Place:
    """A position in degrees; ``accuracy`` is in metres."""

    latitude: float
    longitude: float
    accuracy: float = 10


@dataclass(frozen=True, slots=True)
class Hints:
    """Client hints about a device.

    https://wicg.github.io/ua-client-hints/
    """

    platform: str
    model: str
    mobile: bool


@dataclass(frozen=True, slots=True)
class Media:
    """The media type, and values of media features that a person sets; None keeps the real value.

    https://www.w3.org/TR/mediaqueries-5/#mf-user-preferences
    """

    color_scheme: Literal["light", "dark"] | None = None
    reduced_motion: Literal["no-preference", "reduce"] | None = None
    contrast: Literal["no-preference", "more", "less"] | None = None
    forced_colors: Literal["none", "active"] | None = None
    type: Literal["screen", "print"] | None = None
    """Media type, which WebDriver BiDi can't override."""

    def said(self) -> list[str]:
        """Return the features that are overridden, in words."""
        words = {
            "colour scheme": self.color_scheme,
            "reduced motion": self.reduced_motion,
            "contrast": self.contrast,
            "forced colours": self.forced_colors,
            "media": self.type,
        }
        return [f"{name} {value}" for name, value in words.items() if value is not None]

    def features(self) -> MediaFeatures | None:
        """Return the features to override; None if there are none."""
        wanted = {
            "prefers_color_scheme": self.color_scheme,
            "prefers_reduced_motion": self.reduced_motion,
            "prefers_contrast": self.contrast,
            "forced_colors": self.forced_colors,
        }
        given = {name: value for name, value in wanted.items() if value is not None}
        return MediaFeatures.model_validate(given) if given else None


@dataclass(frozen=True, slots=True)
class Emulation:
    """The emulated differences from the real device; None keeps the real value."""

    user_agent: str | None = None
    hints: Hints | None = None
    locale: str | None = None
    """A language tag such as ``de-DE``."""
    timezone: str | None = None
    """An IANA name such as ``Europe/Berlin``."""
    place: Place | None = None
    viewport: tuple[int, int] | None = None
    """Width and height in CSS pixels."""
    pixel_ratio: float | None = None
    """Device pixels per CSS pixel."""
    mobile: bool = False
    """Whether pages use their viewport meta tag for layout and scroll as on a phone."""
    touch: bool = False
    media: Media = field(default_factory=Media)
    granted: tuple[str, ...] = ()
    """Names of the permissions granted to every origin (https://w3c.github.io/permissions/#permissions-interface)."""

    @property
    def is_of_phone(self) -> bool:
        """Whether it emulates a phone's layout or touch screen."""
        return self.mobile or self.touch

    def said(self) -> list[str]:
        """Return what is emulated, in words."""
        place = self.place
        return [
            *([f"viewport {self.viewport[0]}x{self.viewport[1]}"] if self.viewport else []),
            *([f"pixel ratio {self.pixel_ratio:g}"] if self.pixel_ratio else []),
            *(["mobile layout"] if self.mobile else []),
            *(["touch"] if self.touch else []),
            *([f"user agent {clip(self.user_agent)}"] if self.user_agent else []),
            *([f"platform {self.hints.platform}"] if self.hints else []),
            *self.media.said(),
            *([f"locale {self.locale}"] if self.locale else []),
            *([f"time zone {self.timezone}"] if self.timezone else []),
            *([f"position {place.latitude:g}, {place.longitude:g}"] if place else []),
            *([f"permissions {', '.join(self.granted)}"] if self.granted else []),
        ]
