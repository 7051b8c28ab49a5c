"""The emulation module. https://w3c.github.io/webdriver-bidi/#module-emulation

Each command sets one override for the given tabs, for the given user contexts (including their future tabs) or, without
either, for the whole session; null restores the browser's default.
"""

from typing import Literal

from pydantic import ConfigDict

from .wire import Command, EmptyResult, Parameters


class SetForcedColorsModeThemeOverride(Command[EmptyResult], method="emulation.setForcedColorsModeThemeOverride"):
    """https://w3c.github.io/webdriver-bidi/#command-emulation-setForcedColorsModeThemeOverride"""

    theme: Literal["light", "dark"] | None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class GeolocationCoordinates(Parameters):
    """Degrees, metres and metres per second.

    https://w3c.github.io/webdriver-bidi/#command-emulation-setGeolocationOverride
    """

    latitude: float
    longitude: float
    accuracy: float | None = None
    altitude: float | None = None
    altitude_accuracy: float | None = None
    heading: float | None = None
    speed: float | None = None


class GeolocationPositionError(Parameters):
    """https://w3c.github.io/webdriver-bidi/#command-emulation-setGeolocationOverride"""

    type: Literal["positionUnavailable"] = "positionUnavailable"


class SetGeolocationOverride(Command[EmptyResult], method="emulation.setGeolocationOverride"):
    """Either coordinates or the error.

    https://w3c.github.io/webdriver-bidi/#command-emulation-setGeolocationOverride
    """

    coordinates: GeolocationCoordinates | None = None
    error: GeolocationPositionError | None = None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class SetLocaleOverride(Command[EmptyResult], method="emulation.setLocaleOverride"):
    """A BCP 47 language tag. https://w3c.github.io/webdriver-bidi/#command-emulation-setLocaleOverride"""

    locale: str | None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


def _to_kebab(name: str) -> str:
    return name.replace("_", "-")


class MediaFeatures(Parameters):
    """Values of media features. https://w3c.github.io/webdriver-bidi/#command-emulation-setMediaFeaturesOverride"""

    model_config = ConfigDict(alias_generator=_to_kebab)

    any_hover: Literal["none", "hover"] | None = None
    any_pointer: Literal["none", "coarse", "fine"] | None = None
    color: int | None = None
    color_gamut: Literal["srgb", "p3", "rec2020"] | None = None
    color_index: int | None = None
    display_mode: Literal["fullscreen", "standalone", "minimal-ui", "browser", "picture-in-picture"] | None = None
    dynamic_range: Literal["standard", "high"] | None = None
    environment_blending: Literal["opaque", "additive", "subtractive"] | None = None
    forced_colors: Literal["none", "active"] | None = None
    grid: Literal[0, 1] | None = None
    horizontal_viewport_segments: int | None = None
    hover: Literal["none", "hover"] | None = None
    inverted_colors: Literal["none", "inverted"] | None = None
    monochrome: int | None = None
    nav_controls: Literal["none", "back"] | None = None
    overflow_block: Literal["none", "scroll", "optional-paged", "paged"] | None = None
    overflow_inline: Literal["none", "scroll"] | None = None
    pointer: Literal["none", "coarse", "fine"] | None = None
    prefers_color_scheme: Literal["light", "dark"] | None = None
    prefers_contrast: Literal["no-preference", "more", "less", "custom"] | None = None
    prefers_reduced_data: Literal["no-preference", "reduce"] | None = None
    prefers_reduced_motion: Literal["no-preference", "reduce"] | None = None
    prefers_reduced_transparency: Literal["no-preference", "reduce"] | None = None
    scan: Literal["interlace", "progressive"] | None = None
    scripting: Literal["none", "initial-only", "enabled"] | None = None
    update: Literal["none", "slow", "fast"] | None = None
    vertical_viewport_segments: int | None = None
    video_color_gamut: Literal["srgb", "p3", "rec2020"] | None = None
    video_dynamic_range: Literal["standard", "high"] | None = None


class SetMediaFeaturesOverride(Command[EmptyResult], method="emulation.setMediaFeaturesOverride"):
    """https://w3c.github.io/webdriver-bidi/#command-emulation-setMediaFeaturesOverride"""

    features: MediaFeatures | None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class NetworkConditionsOffline(Parameters):
    """https://w3c.github.io/webdriver-bidi/#command-emulation-setNetworkConditions"""

    type: Literal["offline"] = "offline"


class SetNetworkConditions(Command[EmptyResult], method="emulation.setNetworkConditions"):
    """https://w3c.github.io/webdriver-bidi/#command-emulation-setNetworkConditions"""

    network_conditions: NetworkConditionsOffline | None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class ScreenArea(Parameters):
    """CSS pixels. https://w3c.github.io/webdriver-bidi/#command-emulation-setScreenSettingsOverride"""

    width: int
    height: int


class SetScreenSettingsOverride(Command[EmptyResult], method="emulation.setScreenSettingsOverride"):
    """https://w3c.github.io/webdriver-bidi/#command-emulation-setScreenSettingsOverride"""

    screen_area: ScreenArea | None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class ScreenOrientation(Parameters):
    """https://w3c.github.io/webdriver-bidi/#command-emulation-setScreenOrientationOverride"""

    natural: Literal["portrait", "landscape"]
    type: Literal["portrait-primary", "portrait-secondary", "landscape-primary", "landscape-secondary"]


class SetScreenOrientationOverride(Command[EmptyResult], method="emulation.setScreenOrientationOverride"):
    """https://w3c.github.io/webdriver-bidi/#command-emulation-setScreenOrientationOverride"""

    screen_orientation: ScreenOrientation | None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class SetUserAgentOverride(Command[EmptyResult], method="emulation.setUserAgentOverride"):
    """https://w3c.github.io/webdriver-bidi/#command-emulation-setUserAgentOverride"""

    user_agent: str | None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class SetViewportMetaOverride(Command[EmptyResult], method="emulation.setViewportMetaOverride"):
    """https://w3c.github.io/webdriver-bidi/#command-emulation-setViewportMetaOverride"""

    viewport_meta: Literal[True] | None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class SetScriptingEnabled(Command[EmptyResult], method="emulation.setScriptingEnabled"):
    """https://w3c.github.io/webdriver-bidi/#command-emulation-setScriptingEnabled"""

    enabled: Literal[False] | None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class SetScrollbarTypeOverride(Command[EmptyResult], method="emulation.setScrollbarTypeOverride"):
    """https://w3c.github.io/webdriver-bidi/#command-emulation-setScrollbarTypeOverride"""

    scrollbar_type: Literal["classic", "overlay"] | None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class SetTextLayoutModeOverride(Command[EmptyResult], method="emulation.setTextLayoutModeOverride"):
    """https://w3c.github.io/webdriver-bidi/#command-emulation-setTextLayoutModeOverride"""

    text_layout_mode: Literal["mobile"] | None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class SetTimezoneOverride(Command[EmptyResult], method="emulation.setTimezoneOverride"):
    """An IANA name or an offset like +01:00.

    https://w3c.github.io/webdriver-bidi/#command-emulation-setTimezoneOverride
    """

    timezone: str | None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class SetTouchOverride(Command[EmptyResult], method="emulation.setTouchOverride"):
    """https://w3c.github.io/webdriver-bidi/#command-emulation-setTouchOverride"""

    max_touch_points: int | None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None
