"""Performance measures of a page."""

from dataclasses import dataclass

from bidi_server.browser.tab.tab import Tab
from bidi_server.page.api import Measures, Vitals


@dataclass(frozen=True, slots=True)
class Performance:
    """Measures of the page at this moment. Times are in milliseconds since its navigation began."""

    milestones: dict[str, float]
    tasks: list[tuple[float, float]] | None
    """Start and duration of tasks over 50 ms; None if the browser does not report them."""
    shift: float | None
    """Cumulative layout shift; None if the browser does not report it."""
    requests: int
    transferred: int
    """Bytes received over the network."""


async def measure(tab: Tab) -> Performance:
    """Measure the page."""
    found = await tab.ask(lambda: tab.main.ask(Measures, "measure"))
    requests = tab.requests.all.since(tab.page_start)
    return Performance(
        milestones={name: time for name, time in found.milestones.items() if time},
        tasks=found.tasks,
        shift=found.shift,
        requests=len(requests),
        transferred=sum(request.size for request in requests),
    )


async def vitals(tab: Tab) -> Vitals:
    """Return the web vitals of the page at this moment."""
    return await tab.ask(lambda: tab.main.ask(Vitals, "extra.vitals"))
