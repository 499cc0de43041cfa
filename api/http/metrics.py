"""Count requests and refusals for Prometheus, and serve /metrics."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from http import HTTPStatus
from itertools import accumulate
from operator import add
from threading import Lock

from flask import Flask
from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    GCCollector,
    Metric,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.registry import Collector
from werkzeug.wrappers import Response

from api.http.gauges import FaultCollector, ProcessesCollector, StateCollector
from api.http.problem_types import PROBLEM_TYPES
from models.runtime.build_progress import BuildProgress, Progress
from models.runtime.faults import Fault
from models.runtime.process_table import ProcessTable
from models.runtime.shared_numbers import SharedNumbers
from models.settings import Settings

# In seconds: from the time of a look-up to the longest that a write waits.
BUCKETS = (
    *(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)
_BUCKET_NAMES = [*map(str, BUCKETS), "+Inf"]
# The numbers of an operation: how often each status was returned, how many requests
# belong to each bucket, and their total time.
_STATUS_PLACES = {status.value: place for place, status in enumerate(HTTPStatus)}
_FIRST_BUCKET = len(_STATUS_PLACES)
_SECONDS = _FIRST_BUCKET + len(_BUCKET_NAMES)
# More than there are names of operations, and of jobs.
MAX_OPERATIONS, MAX_JOBS = 1024, 64
_KIND_PLACES = {kind: place for place, kind in enumerate(PROBLEM_TYPES)}
_REFUSALS = "refusals"


class RequestCounts(Collector):
    """
    What the processes of a server have counted, in memory that they share.

    It is created before they are forked.
    """

    def __init__(self, processes: Sequence[str]) -> None:
        self.requests = SharedNumbers(
            processes, rows=MAX_OPERATIONS, width=_SECONDS + 1
        )
        self.refusals = SharedNumbers(processes, rows=1, width=len(_KIND_PLACES))
        self.jobs = SharedNumbers(processes, rows=MAX_JOBS, width=1)

    def record_job(self, process: str, job: str, now: datetime) -> None:
        self.jobs.row(process, job)[0] = now.timestamp()

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of all processes together."""
        requests = CounterMetricFamily(
            "masthead_requests",
            "Requests served, by operation and status.",
            labels=["operation", "status"],
        )
        durations = HistogramMetricFamily(
            "masthead_request_duration_seconds",
            "Time to process a request, by operation; sending the response excluded.",
            labels=["operation"],
        )
        for operation, numbers in self.requests.combined(add).items():
            for status, place in _STATUS_PLACES.items():
                if count := numbers[place]:
                    requests.add_metric([operation, str(status)], count)
            counts = accumulate(numbers[_FIRST_BUCKET:_SECONDS])
            buckets = [*zip(_BUCKET_NAMES, counts, strict=True)]
            durations.add_metric([operation], buckets, numbers[_SECONDS])
        refusals = CounterMetricFamily(
            "masthead_refusals", "Requests rejected, by problem kind.", labels=["kind"]
        )
        none = [0.0] * len(_KIND_PLACES)
        counts_by_kind = self.refusals.combined(add).get(_REFUSALS, none)
        for kind, place in _KIND_PLACES.items():
            refusals.add_metric([kind], counts_by_kind[place])
        jobs = GaugeMetricFamily(
            "masthead_job_last_success_timestamp_seconds",
            "Time at which a periodic job last completed.",
            labels=["job"],
        )
        for job, (at,) in self.jobs.combined(max).items():
            jobs.add_metric([job], at)
        yield from (requests, durations, refusals, jobs)


class Metrics:
    """
    The metrics of one server, to which the process named `process` adds.

    `counts` are those of all its processes, `table` knows which run. Nothing in them is
    private: they name operations, and services that are on the status page.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], datetime],
        build_progress: Progress | None = None,
        publish_progress: Progress | None = None,
        *,
        counts: RequestCounts | None = None,
        process: str = "",
        table: ProcessTable | None = None,
    ) -> None:
        self._counts = counts or RequestCounts([process])
        self._process = process
        self._lock = Lock()
        # Finding a row by its name takes longer than counting.
        self._rows: dict[str, memoryview[float]] = {}
        self._refusals = self._counts.refusals.row(process, _REFUSALS)
        progress = build_progress or BuildProgress()
        self.registry = CollectorRegistry()
        self.registry.register(self._counts)
        state = StateCollector(settings, clock, progress, publish_progress)
        self.registry.register(state)
        if table:
            self.registry.register(ProcessesCollector(table))
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self.registry)

    def add_faults(self, list_faults: Callable[[], list[Fault]]) -> None:
        """Add the gauges of the faults that /readyz shows."""
        self.registry.register(FaultCollector(list_faults))

    def record_response(self, operation: str, status: int, seconds: float) -> None:
        row = self._rows.get(operation)
        if row is None:
            row = self._counts.requests.row(self._process, operation)
            self._rows[operation] = row
        bucket = _FIRST_BUCKET + bisect_left(BUCKETS, seconds)
        with self._lock:
            row[_STATUS_PLACES[status]] += 1
            row[bucket] += 1
            row[_SECONDS] += seconds

    def record_refusal(self, kind: str) -> None:
        with self._lock:
            self._refusals[_KIND_PLACES[kind]] += 1


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
