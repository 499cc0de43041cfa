"""Count requests and refusals for Prometheus, and serve /metrics."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

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
    values,
)
from prometheus_client.multiprocess import MultiProcessCollector

from api.http.gauges import FaultCollector, ProcessesCollector, StateCollector
from api.http.problem_types import PROBLEM_TYPES
from models.runtime.build_progress import BuildProgress, Progress
from models.runtime.faults import Fault
from models.runtime.process_table import ProcessTable
from models.settings import Settings

# In seconds: from the time of a look-up to the longest that a write waits.
BUCKETS = (
    *(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)

# The creation time of each counter would double the number of samples.
prometheus_client.disable_created_metrics()


@dataclass(frozen=True)
class SharedMetrics:
    """
    Where the processes of a server count together.

    `folder` has one file for each process, named by `process`; prometheus_client finds
    it in the environment as PROMETHEUS_MULTIPROC_DIR. A process that is started again
    continues to count in the file of the one that died.
    """

    folder: str
    process: str
    table: ProcessTable


class Metrics:
    """
    The metrics of one server: of this process, or with `shared` of all its processes.

    Nothing in them is private: they name operations, and services that are on the
    status page.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], datetime],
        build_progress: Progress | None = None,
        publish_progress: Progress | None = None,
        *,
        shared: SharedMetrics | None = None,
    ) -> None:
        self._clock = clock
        self.registry = CollectorRegistry()
        registry = self.registry
        if shared:
            # The folder has the counters of this process, too.
            registry = CollectorRegistry()
            name = shared.process
            values.ValueClass = values.MultiProcessValue(lambda: name)
            MultiProcessCollector(self.registry, path=shared.folder)
        self._requests = Counter(
            "masthead_requests",
            "Requests served, by operation and status.",
            ["operation", "status"],
            registry=registry,
        )
        self._seconds = Histogram(
            "masthead_request_duration_seconds",
            "Time to process a request, by operation; sending the response excluded.",
            ["operation"],
            registry=registry,
            buckets=BUCKETS,
        )
        refusals = Counter(
            "masthead_refusals",
            "Requests rejected, by problem kind.",
            ["kind"],
            registry=registry,
        )
        self._jobs = Gauge(
            "masthead_job_last_success_timestamp_seconds",
            "Time at which a periodic job last completed.",
            ["job"],
            registry=registry,
            multiprocess_mode="max",
        )
        # Looking up the child of a metric by its labels costs more than counting.
        self._children: dict[tuple[str, int], tuple[Counter, Histogram]] = {}
        self._refusals = {kind: refusals.labels(kind) for kind in PROBLEM_TYPES}
        progress = build_progress or BuildProgress()
        state = StateCollector(settings, clock, progress, publish_progress)
        self.registry.register(state)
        if shared:
            self.registry.register(ProcessesCollector(shared.table))
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self.registry)

    def add_faults(self, list_faults: Callable[[], list[Fault]]) -> None:
        """Add the gauges of the faults that /readyz shows."""
        self.registry.register(FaultCollector(list_faults))

    def record_response(self, operation: str, status: int, seconds: float) -> None:
        children = self._children.get((operation, status))
        requests, durations = children or self._add_children(operation, status)
        requests.inc()
        durations.observe(seconds)

    def record_refusal(self, kind: str) -> None:
        self._refusals[kind].inc()

    def record_job(self, job: str) -> None:
        self._jobs.labels(job).set(self._clock().timestamp())

    def _add_children(self, operation: str, status: int) -> tuple[Counter, Histogram]:
        children = (
            self._requests.labels(operation, str(status)),
            self._seconds.labels(operation),
        )
        self._children[operation, status] = children
        return children


class _Exposition:
    """
    The metrics as text, which one thread at a time collects.

    Requests meanwhile get the text before, so that they hold no thread: they need no
    key, and collecting takes longer than most requests.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._lock = Lock()
        self._text = b""

    def text(self) -> bytes:
        if self._text and self._lock.locked():
            return self._text
        with self._lock:
            self._text = generate_latest(self._registry)
            return self._text


def register_metrics(app: Flask, metrics: Metrics) -> None:
    exposition = _Exposition(metrics.registry)

    @app.get("/metrics", endpoint="metrics", provide_automatic_options=False)
    def get_metrics() -> Response:
        response = Response(exposition.text())
        response.headers["Content-Type"] = CONTENT_TYPE_PLAIN_0_0_4
        return response
