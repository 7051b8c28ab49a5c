"""Performance measures of a page."""

import json
from dataclasses import dataclass
from typing import cast

from bidi_server.browser.tab.tab import Tab


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
    answer = json.loads(str((await tab.ask(lambda: tab.main.call("measure"))).value))
    found = cast("dict[str, object]", answer)
    requests = tab.requests.all.since(tab.page_start.requests)
    milestones = cast("dict[str, float | None]", found["milestones"])
    return Performance(
        milestones={name: time for name, time in milestones.items() if time},
        tasks=cast("list[tuple[float, float]] | None", found["tasks"]),
        shift=cast("float | None", found["shift"]),
        requests=len(requests),
        transferred=sum(request.size for request in requests),
    )
