"""Comparison of pages with pictures of them: ``--caps testing``."""

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import trio
from pydantic import Field

from bidi_server.browser.actions.coordinates import hit_at
from bidi_server.browser.actions.scroll import viewport_of
from bidi_server.browser.actions.target import Target
from bidi_server.browser.disk import read
from bidi_server.browser.files.budget import FileBudget
from bidi_server.browser.files.image_file import MAX_FILE
from bidi_server.browser.files.outputs import Outputs, timestamp
from bidi_server.browser.files.picture import scaled
from bidi_server.browser.files.picture_difference import Difference, Region, compare, mark
from bidi_server.browser.pages.capture import Shot
from bidi_server.browser.pages.stillness import still_screenshot
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import clip
from bidi_server.errors import InvalidParametersError, ToolError
from bidi_server.tools.base import SessionTool
from bidi_server.tools.outcome import Outcome, Picture

_MOST_REGIONS = 3
"""Maximum number of regions that an answer names."""

_NAME = re.compile(r"\w(?:[\w .-]{0,98}[\w-])?")
"""Matches the name of a baseline. It has no separators and neither begins nor ends with a dot or a space."""


class BrowserVerifyScreenshot(SessionTool):
    """Compare a picture of the viewport, an element or the full page with its baseline; the first call writes that."""

    capabilities = ("testing",)

    name: str
    """Name of the baseline; each engine and size of the viewport has its own."""
    ref: str | None = None
    """Only this element."""
    selector: str | None = None
    element: str | None = None
    full_page: bool = False
    mask: list[str] | None = None
    """Refs or selectors of what may change, to cover."""
    threshold: Annotated[float, Field(ge=0, le=1)] = 0
    """Share of the pixels that may differ, such as 0.01."""
    update: bool = False
    """Replace the baseline."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        name = _checked(self.name)
        target = Target.parse(self.ref, self.selector, self.element) if self.ref or self.selector else None
        if target and self.full_page:
            raise InvalidParametersError("fullPage does not go with an element.", "Leave one of them out.")
        masks = [Target.of(each) for each in self.mask or ()]
        context = await session.context()
        tab = await context.tab()
        size = await tab.ask(lambda: viewport_of(tab))
        engine = context.browser.quirks.engine
        # Not limited by --output-max-size: baselines are written to be read again. What replaces one is said below.
        baselines = Outputs(session.config.baseline_dir, FileBudget(None), overwrite=True)
        file = f"{name}-{engine}-{size.width}x{size.height}.png"
        path = await baselines.place(file)
        shot = await still_screenshot(tab, target=target, full_page=self.full_page, masks=masks)
        out.say(shot.note)
        expected = await _baseline(path)
        if expected is None:
            out.baselines.append(await baselines.save(shot.data, file))
            out.say(f"There was no baseline: the picture of the {shot.of} is it from now on: {path}")
            return
        replaces = self.update or session.config.update_baselines
        difference = None
        try:
            difference = await compare(expected, shot.data)
        except InvalidParametersError as error:
            if not replaces:
                raise ToolError(f"The baseline {path} can't be used. {error.message}", _REPLACE) from error
        if difference is not None and _is_accepted(difference, self.threshold if not replaces else 0):
            out.say(f"The {shot.of} looks like the baseline{_few(difference)}: {path}")
        elif replaces:
            out.baselines.append(await baselines.save(shot.data, file))
            out.say(f"The picture of the {shot.of} has replaced the baseline{_few(difference)}: {path}")
        elif difference is not None:
            sheet = await self._show(session, out, expected, shot, difference)
            where = await self._regions(tab, difference, is_element=target is not None)
            raise ToolError(f"{self._count(shot, difference)}: {path}. {where}All three pictures: {sheet}.", _REPLACE)

    async def _show(self, session: Session, out: Outcome, expected: bytes, shot: Shot, difference: Difference) -> Path:
        """Write the picture of the difference, answer with its surroundings, and return its path."""
        sheet = await mark(expected, shot.data, difference)
        path = await session.outputs.save(sheet, f"{self.name}-difference-{timestamp()}.png")
        out.files.append(path)
        if session.config.image_responses != "omit":
            part = await mark(expected, shot.data, difference, cut=True)
            out.pictures.append(Picture(await scaled(part), "image/jpeg"))
        return path

    def _count(self, shot: Shot, difference: Difference) -> str:
        share = _amount(difference)
        allowed = f", and {self.threshold:.2%} may" if self.threshold else ""
        if difference.expected != difference.actual:
            (width, height), (was_width, was_height) = difference.actual, difference.expected
            sizes = f"is {width}x{height} and the baseline {was_width}x{was_height}"
            return f"The {shot.of} {sizes}; {share} differ{allowed}"
        return f"{share} of the {shot.of} differ from the baseline{allowed}"

    async def _regions(self, tab: Tab, difference: Difference, *, is_element: bool) -> str:
        """Return the largest regions in words, with the elements there if the picture is not one of an element."""
        shown = difference.regions[:_MOST_REGIONS]
        elements = [""] * len(shown) if is_element else await _elements(tab, shown, full_page=self.full_page)
        parts = [
            f"{each.x},{each.y} {each.width}x{each.height} ({_pixels(each.pixels)}{f', {element}' if element else ''})"
            for each, element in zip(shown, elements, strict=True)
        ]
        more = len(difference.regions) - len(shown)
        rest = f" and {more} smaller" if more else ""
        return f"Regions: {'; '.join(parts)}{rest}. " if parts else ""


_REPLACE = "If the page is right, pass update: true."


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidParametersError(
            f"{clip(name)!r} is not a name for a baseline.",
            "Use up to 100 letters, digits, spaces, dots, dashes and underscores, with a letter or digit first.",
        )
    return name


async def _baseline(path: Path) -> bytes | None:
    """Return the content of a baseline; None if there is none."""
    try:
        return await trio.to_thread.run_sync(read, path, MAX_FILE)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ToolError(f"The baseline {path} can't be read: {error.strerror}.", "Check --baseline-dir.") from error


def _is_accepted(difference: Difference, threshold: float) -> bool:
    return difference.expected == difference.actual and difference.share <= threshold


def _amount(difference: Difference) -> str:
    share = f"{difference.share:.2%}" if difference.share >= 0.0001 else "less than 0.01%"
    return f"{_pixels(difference.pixels)} ({share})"


def _pixels(number: int) -> str:
    return f"{number} pixel{'s' if number > 1 else ''}"


def _few(difference: Difference | None) -> str:
    if difference is None or not difference.pixels:
        return ""
    return f", from which {_amount(difference)} differ"


async def _elements(tab: Tab, regions: Sequence[Region], *, full_page: bool) -> list[str]:
    """Return descriptions of the elements in the middle of regions; "" for what the viewport does not show."""
    view = await tab.ask(lambda: viewport_of(tab))
    left, top = (view.scroll_x, view.scroll_y) if full_page else (0, 0)
    found: list[str] = []
    for each in regions:
        x, y = each.x + each.width // 2 - left, each.y + each.height // 2 - top
        element = ""
        if 0 <= x < view.width and 0 <= y < view.height:
            with suppress(ToolError):  # the difference itself is worth an answer
                element = await tab.ask(lambda point=(x, y): hit_at(tab.main, point))
        found.append(element)
    return found
