"""What Prometheus reads: what was counted, and how things stand when it asks."""

from collections.abc import Callable
from datetime import datetime

import prometheus_client
from flask import Flask, Response
from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

from api.http.gauges import Standing, States
from api.http.problem_types import KINDS
from models.runtime.build_progress import BuildProgress
from models.runtime.faults import Fault
from models.settings import Settings

# From what a look-up takes to what a write waits at most, in seconds.
BUCKETS = (
    *(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)

# A time beside each counter, which doubles their number and which nobody asked for.
prometheus_client.disable_created_metrics()


class Metrics:
    """
    Counts, and knows whom to ask for the rest.

    Nothing in it is private: it names operations, services that are on the page, and
    numbers.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], datetime],
        progress: BuildProgress | None = None,
        publishing: BuildProgress | None = None,
    ) -> None:
        self._clock = clock
        self.registry = registry = CollectorRegistry()
        self._requests = Counter(
            "masthead_requests",
            "Requests answered, by operation and status.",
            ["operation", "status"],
            registry=registry,
        )
        self._seconds = Histogram(
            "masthead_request_duration_seconds",
            "From the first look at a request to its answer, by operation.",
            ["operation"],
            registry=registry,
            buckets=BUCKETS,
        )
        refusals = Counter(
            "masthead_refusals",
            "Requests refused, by the kind of their problem.",
            ["kind"],
            registry=registry,
        )
        self._jobs = Gauge(
            "masthead_job_last_success_timestamp_seconds",
            "When a job of the clock last came to its end.",
            ["job"],
            registry=registry,
        )
        # Each child is bound once: to look it up costs more than to count.
        self._bound: dict[tuple[str, int], tuple[Counter, Histogram]] = {}
        self._refusals = {kind: refusals.labels(kind) for kind in KINDS}
        registry.register(
            Standing(settings, clock, progress or BuildProgress(), publishing)
        )
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=registry)

    def watch(self, wrong: Callable[[], list[Fault]]) -> None:
        """Tell by what `wrong` returns in which states the service is."""
        self.registry.register(States(wrong))

    def answered(self, operation: str, status: int, seconds: float) -> None:
        bound = self._bound.get((operation, status)) or self._bind(operation, status)
        bound[0].inc()
        bound[1].observe(seconds)

    def refused(self, kind: str) -> None:
        self._refusals[kind].inc()

    def job_done(self, job: str) -> None:
        self._jobs.labels(job).set(self._clock().timestamp())

    def _bind(self, operation: str, status: int) -> tuple[Counter, Histogram]:
        bound = (
            self._requests.labels(operation, str(status)),
            self._seconds.labels(operation),
        )
        self._bound[operation, status] = bound
        return bound


def register_metrics(app: Flask, metrics: Metrics) -> None:
    @app.get("/metrics", endpoint="metrics", provide_automatic_options=False)
    def told() -> Response:
        response = Response(generate_latest(metrics.registry))
        response.headers["Content-Type"] = CONTENT_TYPE_PLAIN_0_0_4
        response.headers["Cache-Control"] = "no-store"
        return response
