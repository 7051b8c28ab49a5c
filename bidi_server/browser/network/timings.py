"""The phases of a request, and times as text."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bidi_server.bidi.network import FetchTimingInfo
    from bidi_server.browser.network.requests import Request


def phases(request: "Request") -> dict[str, float]:
    """Return the duration of each phase of a request, in milliseconds, by its name in HAR, without skipped phases.

    Without ``ssl``, which is part of ``connect``, they add up to the duration of the request.
    http://www.softwareishard.com/blog/har-12-spec/#timings
    """
    total = (request.duration or 0) * 1000
    timings = request.sent.timings if request.sent is not None else None
    if timings is None:
        return {"wait": total}
    found = {
        "dns": _between(timings.dns_start, timings.dns_end),
        "connect": _between(timings.connect_start, timings.connect_end),
        "ssl": _between(timings.tls_start, timings.connect_end),
        "wait": _between(timings.request_start, timings.response_start),
    }
    known = {name: time for name, time in found.items() if time is not None}
    blocked = _blocked(timings)
    used = sum(time for name, time in known.items() if name != "ssl")
    blocked = min(blocked, max(0.0, total - used))
    receive = max(0.0, total - used - blocked)
    return {**({"blocked": blocked} if blocked else {}), **known, "receive": receive}


def clock(seconds: float) -> str:
    """Format a time, in seconds since the epoch, as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _blocked(timings: "FetchTimingInfo") -> float:
    """Return the milliseconds spent waiting for a connection."""
    # Chromium's times are relative to the start of the request, Firefox's to the epoch; so is `request_time`.
    starts = [start for start in (timings.dns_start, timings.connect_start, timings.request_start) if start]
    return max(0.0, min(starts) - timings.request_time) if starts else 0.0


def _between(start: float, end: float) -> float | None:
    return max(0.0, end - start) if start and end else None
