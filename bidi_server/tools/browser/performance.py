"""Performance of pages: ``--caps perf``."""

from collections.abc import Iterator, Mapping

from bidi_server.browser.pages.performance import vitals
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import address, clip, describe
from bidi_server.page.api import BusyTimes, Interaction, LargestPaint, Shifts, Vitals
from bidi_server.tools.base import TabTool
from bidi_server.tools.outcome import Outcome

_RATED: Mapping[str, tuple[float, float]] = {
    "LCP": (2500, 4000),
    "CLS": (0.1, 0.25),
    "INP": (200, 500),
    "FCP": (1800, 3000),
    "TTFB": (800, 1800),
}
"""Maximum values that are good, and that need improvement; times in milliseconds: https://web.dev/articles/vitals."""

_LACKS = {
    "largest-contentful-paint": "the largest contentful paint",
    "layout-shift": "layout shifts",
    "event": "slow interactions",
    "longtask": "long animation frames and long tasks",
}
"""Words for types of entries that a browser does not report."""


class BrowserVitals(TabTool):
    """Measure the page's web vitals so far, with their causes: LCP, CLS, INP, FCP, TTFB, long frames, what blocks."""

    capabilities = ("perf",)
    read_only = True

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        found = await vitals(tab)
        out.say(*_vitals(found))
        lacks = [_LACKS[name] for name in found.lacks]
        lacks += [] if found.blocking is not None else ["render-blocking requests"]
        if lacks:
            out.say(f"This browser does not report {', '.join(lacks)}.")


def _vitals(found: Vitals) -> Iterator[str]:
    yield from _largest(found.largest)
    yield from _shifts(found.shifts)
    yield from _interaction(found.interaction, reported="event" not in found.lacks)
    if found.first_paint is not None:
        yield _rated("FCP", found.first_paint)
    yield _rated("TTFB", found.first_byte)
    for request in found.blocking or ():
        yield (
            f"Render-blocking: {address(request.url)}, {_ms(request.duration)} from {_ms(request.time)}, "
            f"{request.size} bytes"
        )
    yield from _busy(found.busy)


def _rated(name: str, value: float) -> str:
    good, fair = _RATED[name]
    grade = "good" if value <= good else "needs improvement" if value <= fair else "poor"
    return f"{name}: {f'{value:.3f}' if name == 'CLS' else _ms(value)}, {grade}"


def _ms(time: float) -> str:
    return f"{time:.0f} ms"


def _parts(names: str, times: tuple[float, ...]) -> str:
    return ", ".join(f"{name} {_ms(time)}" for name, time in zip(names.split(", "), times, strict=True))


def _element(element: Mapping[str, object] | None) -> str:
    return describe(element) if element is not None else "an element that is gone"


def _largest(found: LargestPaint | None) -> Iterator[str]:
    if found is None:
        return
    url = f" {address(found.url)}" if found.url else ""
    yield f"{_rated('LCP', found.time)}: {_element(found.element)}{url}"
    yield f"  {_parts('TTFB, load delay, load time, render delay', found.parts)}"


def _shifts(found: Shifts | None) -> Iterator[str]:
    if found is None:
        return
    yield _rated("CLS", found.sum)
    for shift in found.largest:
        moved = [
            f"{_element(source.element)} from {_box(source.before)} to {_box(source.after)}" for source in shift.sources
        ]
        yield f"  {shift.value:.3f} at {_ms(shift.time)}: {'; '.join(moved) or 'nothing that is still there'}"


def _box(box: tuple[int, int, int, int]) -> str:
    x, y, width, height = box
    return f"{x},{y} {width}x{height}"


def _interaction(found: Interaction | None, *, reported: bool) -> Iterator[str]:
    if found is None:
        if reported:
            yield "INP: no interaction took 104 ms or longer"
        return
    yield f"{_rated('INP', found.duration)}: {clip(found.event)} on {_element(found.element)} at {_ms(found.time)}"
    yield f"  {_parts('input delay, processing, presentation delay', found.parts)}"


def _busy(found: BusyTimes) -> Iterator[str]:
    if found.count:
        kind = "animation frames" if found.tells == "long-animation-frame" else "tasks"
        yield f"Long {kind}: {found.count}"
    for each in found.longest:
        scripts = [
            f"{clip(script.invoker)} {_ms(script.duration)}"
            + (f" ({_ms(script.layout)} in forced layouts)" if script.layout >= 1 else "")
            + (f" in {address(script.url)}" if script.url and script.url != script.invoker else "")
            for script in each.scripts
        ]
        by = f": {'; '.join(scripts)}" if scripts else ""
        yield f"  {_ms(each.duration)} at {_ms(each.time)}, blocking {_ms(each.blocking)}{by}"
