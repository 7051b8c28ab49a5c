"""Emulation of devices, settings and places: ``--caps emulate``."""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from bidi_server.browser.actions.action import Action
from bidi_server.browser.contexts.context import Context
from bidi_server.browser.contexts.devices import emulation_of
from bidi_server.browser.contexts.emulate import emulate
from bidi_server.browser.contexts.emulation import Emulation, Place
from bidi_server.browser.sessions.session import Session
from bidi_server.config import Viewport
from bidi_server.errors import InvalidParametersError, NotSupportedError
from bidi_server.tools.base import SessionTool, pair_of
from bidi_server.tools.outcome import Outcome

_MEDIA = ("color_scheme", "reduced_motion", "contrast", "forced_colors")
_PLAIN = ("viewport", "pixel_ratio", "mobile", "touch", "user_agent", "locale", "timezone")


class BrowserEmulate(SessionTool):
    """Change what the context's pages see of the device, the person's settings and the place; open pages too."""

    capabilities = ("emulate",)

    device: str | None = None
    """Size, pixel ratio, touch, layout and user agent: iPhone 16, Pixel 9, iPad Mini landscape, Desktop …"""
    viewport: Viewport | None = None
    """WIDTHxHEIGHT in CSS pixels."""
    pixel_ratio: Annotated[float, Field(gt=0, le=10)] | None = None
    mobile: bool | None = None
    """Lay pages out as on a phone."""
    touch: bool | None = None
    user_agent: Annotated[str, Field(min_length=1)] | None = None
    color_scheme: Literal["light", "dark"] | None = None
    reduced_motion: Literal["no-preference", "reduce"] | None = None
    contrast: Literal["no-preference", "more", "less"] | None = None
    forced_colors: Literal["none", "active"] | None = None
    media: Literal["screen", "print"] | None = None
    """To see the page as it is printed."""
    locale: str | None = None
    """de-DE"""
    timezone: str | None = None
    """Europe/Berlin"""
    latitude: Annotated[float, Field(ge=-90, le=90)] | None = None
    """Of the position, which pages may ask for then."""
    longitude: Annotated[float, Field(ge=-180, le=180)] | None = None
    accuracy: Annotated[float, Field(ge=0)] = 10
    """Metres."""
    permissions: list[str] | None = None
    """To grant to every page, in place of those granted before: notifications, geolocation, clipboard-read …"""
    cpu_slowdown: Annotated[float, Field(ge=1, le=100)] | None = None
    """Factor; 1 is the real speed."""
    reset: bool = False
    """Undo all that was emulated before."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        context = await session.context()
        wanted = self._wanted(context)
        if not self.model_fields_set - {"session", "tab"}:
            raise InvalidParametersError("There is nothing to emulate.", "Pass what should change, or reset: true.")
        missing: list[str] = []

        async def change() -> None:
            missing.extend(await emulate(context, wanted))
            if self.reset:
                await context.clock.reset(tab)
            factor = 1 if self.reset and self.cpu_slowdown is None else self.cpu_slowdown
            if factor is not None and context.conditions.complete:
                await context.conditions.set_slowdown(factor)
            elif factor not in (None, 1):
                missing.append("a slow processor")

        before = context.emulation.said()
        tab = await context.tab()
        await out.settle(tab, Action(change))
        now = context.emulation.said()
        told = [each for each in now if self.reset or each not in before]
        if self.cpu_slowdown is not None and context.conditions.complete:
            told.append(f"a processor {self.cpu_slowdown:g} times slower")
        if missing:
            lacks = f"{context.browser.name} can't emulate {', '.join(missing)}."
            if not told:
                raise NotSupportedError(lacks, "Use another browser or a newer version.")
            out.say(lacks)
        out.say(f"Emulated: {', '.join(told) or 'as before'}.")

    def _wanted(self, context: Context) -> Emulation:
        """Return what is to be emulated: the usual or the present, then the device, then the other parameters."""
        wanted = context.usual if self.reset else context.emulation
        if self.device is not None:
            device = emulation_of(self.device)
            wanted = replace(
                wanted,
                user_agent=device.user_agent,
                hints=device.hints,
                viewport=device.viewport,
                pixel_ratio=device.pixel_ratio,
                mobile=device.mobile,
                touch=device.touch,
            )
        position = pair_of(self.latitude, self.longitude, "latitude and longitude")
        granted = wanted.granted if self.permissions is None else tuple(dict.fromkeys(self.permissions))
        if position is not None:
            wanted = replace(wanted, place=Place(*position, self.accuracy))
            granted = tuple(dict.fromkeys([*granted, "geolocation"]))
        media: dict[str, object] = {} if self.media is None else {"type": self.media}
        media |= {name: value for name in _MEDIA if (value := getattr(self, name)) is not None}
        plain = {name: value for name in _PLAIN if (value := getattr(self, name)) is not None}
        return replace(wanted, granted=granted, media=replace(wanted.media, **media), **plain)
