"""Memory of a page in Chromium, over the DevTools protocol."""

from dataclasses import dataclass

from bidi_server.bidi.errors import BidiError
from bidi_server.browser.pages.trace import devtools_session, send
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import ToolError


@dataclass(frozen=True, slots=True)
class Heap:
    """Memory and objects that a page keeps. Nodes of the DOM count outside of documents too."""

    used: float
    """Size of JavaScript objects, in bytes."""
    nodes: float
    listeners: float
    documents: float


async def measure_heap(tab: Tab, *, collect: bool) -> Heap:
    """Measure a tab's page, after garbage collection with ``collect``. Raises `NotSupportedError`, `ToolError`."""
    session = await devtools_session(tab, "Only Chromium tells the size of the heap.")
    try:
        if collect:
            await tab.ask(lambda: send(tab, session, "HeapProfiler.collectGarbage"))
        usage = await tab.ask(lambda: send(tab, session, "Runtime.getHeapUsage"))
        counters = await tab.ask(lambda: send(tab, session, "Memory.getDOMCounters"))
    except BidiError as error:
        raise ToolError(f"The heap can't be measured: {error.first_line.removesuffix('.')}.", "Try again.") from error

    def figure(value: object) -> float:
        return value if isinstance(value, int | float) else 0

    return Heap(
        figure(usage.get("usedSize")),
        figure(counters.get("nodes")),
        figure(counters.get("jsEventListeners")),
        figure(counters.get("documents")),
    )
