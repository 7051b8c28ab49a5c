"""Metrics of the server for Prometheus.

https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from bidi_server.browser.sessions.registry import Sessions

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
"""Bucket bounds of the histogram of call durations, in seconds."""


class Metrics:
    """The metrics of one server."""

    def __init__(self, sessions: Sessions) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._calls = Counter(
            "bidi_calls", "Calls of tools, by what came of them.", ["tool", "outcome"], registry=self._registry
        )
        self._seconds = Histogram(
            "bidi_call_seconds", "How long calls took.", ["tool"], buckets=SECONDS, registry=self._registry
        )
        Gauge("bidi_sessions", "Sessions that are open.", registry=self._registry).set_function(lambda: len(sessions))
        Gauge("bidi_browsers", "Browsers that run.", registry=self._registry).set_function(
            lambda: len(sessions.browsers.running)
        )
        self._registry.register(_Browsers(sessions))

    def called(self, tool: str, outcome: str, seconds: float) -> None:
        """Count a call."""
        self._calls.labels(tool, outcome).inc()
        self._seconds.labels(tool).observe(seconds)

    def text(self) -> bytes:
        """Return the metrics in the text exposition format."""
        return generate_latest(self._registry)


class _Browsers(Collector):
    def __init__(self, sessions: Sessions) -> None:
        self._browsers = sessions.browsers

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yield the counters that the browser pool keeps."""
        yield CounterMetricFamily("bidi_browser_starts", "Browsers started.", self._browsers.started)
        yield CounterMetricFamily("bidi_browser_losses", "Browsers that ended by themselves.", self._browsers.lost)
