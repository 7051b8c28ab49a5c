"""Emulating a device, a person's settings and a place for the pages of a context.

https://w3c.github.io/webdriver-bidi/#module-emulation
"""

from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi import emulation as e
from bidi_server.bidi.errors import BidiError, UnknownCommandError, UnsupportedOperationError
from bidi_server.bidi.user_agent_client_hints import ClientHints, SetClientHintsOverride
from bidi_server.browser.contexts.conditions import Screen
from bidi_server.browser.contexts.emulation import Emulation
from bidi_server.browser.words import clip
from bidi_server.errors import InvalidParametersError, NotSupportedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bidi_server.bidi.wire import Command, Result
    from bidi_server.browser.contexts.context import Context

NO_ORIGIN = "https://bidi-server.invalid"
"""Origin that no page has, to find out whether the browser knows a permission before a page is open."""

TOUCH_POINTS = 5
"""Number of simultaneous touches on an emulated touch screen, as on phones."""


async def apply(context: "Context", emulation: Emulation) -> None:
    """Emulate all of it in a context, now and usually.

    Raises `NotSupportedError` if the browser does not support it, `InvalidParametersError` for invalid values.
    """
    for missing in await emulate(context, emulation):
        raise NotSupportedError(
            f"{context.browser.name} can't emulate {missing}.",
            "Leave it out, or use another browser or a newer version.",
        )
    context.usual = emulation


async def emulate(context: "Context", wanted: Emulation) -> list[str]:
    """Change what a context emulates, also in its open pages. Return the names of what the browser can't emulate.

    Raises `InvalidParametersError` for invalid values.
    """
    users, before = [context.user_context], context.emulation
    missing: list[str] = []
    now, last = _parts(wanted, users), _parts(before, users)
    if not context.conditions.complete:
        now, last = chain(now, _layout(wanted, users)), chain(last, _layout(before, users))
    for part, old in zip(now, last, strict=True):
        if part.command == old.command:
            continue
        try:
            await context.browser.connection.send(part.command)
        except (UnknownCommandError, UnsupportedOperationError):
            missing.append(part.name)
            kept = {name: getattr(before, name) for name in part.fields}
            wanted = replace(wanted, **kept)
        except BidiError as error:
            what = f"The {part.name} can't be emulated: {clip(error.first_line.removesuffix('.'))}."
            raise InvalidParametersError(what, "Check it.") from error
        else:
            applied = {name: getattr(wanted, name) for name in part.fields}
            context.emulation = replace(context.emulation, **applied)
    if context.conditions.complete and wanted.viewport is not None:
        screen = Screen(*wanted.viewport, wanted.pixel_ratio, wanted.mobile)
        await context.conditions.set_screen(screen)
    if context.conditions.complete:
        await context.conditions.set_media(wanted.media)
    elif wanted.media.type == "print":
        missing.append("print media")
        wanted = replace(wanted, media=replace(wanted.media, type=before.media.type))
    unknown = await _grant(context, wanted.granted)
    context.emulation = replace(wanted, granted=context.shared.granted)
    return [*filter(None, missing), *(f"the permission {clip(name)}" for name in unknown)]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of an emulation, and the command that sets it."""

    name: str
    """Name for people; "" for a part that nobody misses."""
    command: "Command[Result]"
    fields: tuple[str, ...]


def _parts(emulation: Emulation, users: list[str]) -> "Iterator[_Part]":
    """Yield every part of an emulation, with commands for user contexts."""
    agent = e.SetUserAgentOverride(user_agent=emulation.user_agent, user_contexts=users)
    yield _Part("user agent", agent, ("user_agent",))
    given = ClientHints(**asdict(emulation.hints)) if emulation.hints else None
    yield _Part("", SetClientHintsOverride(client_hints=given, user_contexts=users), ("hints",))
    yield _Part("locale", e.SetLocaleOverride(locale=emulation.locale, user_contexts=users), ("locale",))
    zone = e.SetTimezoneOverride(timezone=emulation.timezone, user_contexts=users)
    yield _Part("time zone", zone, ("timezone",))
    place = e.GeolocationCoordinates(**asdict(emulation.place)) if emulation.place else None
    position = e.SetGeolocationOverride(coordinates=place, user_contexts=users)
    yield _Part("geolocation", position, ("place",))
    size = bc.Viewport(width=emulation.viewport[0], height=emulation.viewport[1]) if emulation.viewport else None
    yield _Part("viewport", bc.SetViewport(viewport=size, user_contexts=users), ("viewport",))
    ratio = bc.SetViewport(device_pixel_ratio=emulation.pixel_ratio, user_contexts=users)
    yield _Part("pixel ratio", ratio, ("pixel_ratio",))
    points = e.SetTouchOverride(max_touch_points=TOUCH_POINTS if emulation.touch else None, user_contexts=users)
    yield _Part("touch", points, ("touch",))
    media = e.SetMediaFeaturesOverride(features=emulation.media.features(), user_contexts=users)
    yield _Part(", ".join(emulation.media.said()) or "media features", media, ("media",))


def _layout(emulation: Emulation, users: list[str]) -> "Iterator[_Part]":
    """Yield the parts of a phone's layout where BiDi alone is there for it."""
    layout = e.SetViewportMetaOverride(viewport_meta=emulation.mobile or None, user_contexts=users)
    yield _Part("mobile layout", layout, ("mobile",))
    bars = e.SetScrollbarTypeOverride(scrollbar_type="overlay" if emulation.mobile else None, user_contexts=users)
    yield _Part("", bars, ())


async def _grant(context: "Context", wanted: tuple[str, ...]) -> list[str]:
    """Grant permissions to the origins of the context, those visited later too. Return those the browser lacks."""
    shared, missing = context.shared, list[str]()
    before, shared.granted = shared.granted, wanted
    for name in dict.fromkeys([*wanted, *before]):
        for origin in (NO_ORIGIN, *sorted(shared.origins)):
            try:
                await context.browser.connection.send(shared.permission(name, origin))
            except BidiError:
                missing.append(name)
                break
    shared.granted = tuple(name for name in wanted if name not in missing)
    return missing
