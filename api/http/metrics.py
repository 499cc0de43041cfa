"""Count requests and refusals for Prometheus, and serve /metrics."""

import os
import weakref
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import accumulate
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
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.registry import Collector
from werkzeug.wrappers import Response

from api.http.gauges import FaultCollector, ProcessesCollector, StateCollector
from api.http.problem_types import PROBLEM_TYPES
from models.runtime.faults import Fault
from models.runtime.reports import BuildProgress, Reports
from models.settings import Settings

# In seconds: from the time of a look-up to the longest that a write waits.
BUCKETS = (
    *(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)
_BUCKET_NAMES = [*map(str, BUCKETS), "+Inf"]
# The file of a process grows from here.
_FIRST_BYTES = 64 * 1024


class ProcessCounts:
    """
    What one process of a server counts, in a file in memory.

    Each number has a name of several words. A process that is started again continues
    those of the one that died.
    """

    def __init__(self, file: str) -> None:
        self._numbers = MmapedDict(file)
        weakref.finalize(self, self._numbers.close)
        self._lock = Lock()

    def record_response(self, operation: str, status: int, seconds: float) -> None:
        bucket = _BUCKET_NAMES[bisect_left(BUCKETS, seconds)]
        with self._lock:
            self._add(f"request\t{operation}\t{status}", 1)
            self._add(f"bucket\t{operation}\t{bucket}", 1)
            self._add(f"seconds\t{operation}", seconds)

    def record_refusal(self, kind: str) -> None:
        with self._lock:
            self._add(f"refusal\t{kind}", 1)

    def record_job(self, job: str, now: datetime) -> None:
        with self._lock:
            self._numbers.write_value(f"job\t{job}", now.timestamp(), 0.0)

    def _add(self, name: str, amount: float) -> None:
        number, _ = self._numbers.read_value(name)
        self._numbers.write_value(name, number + amount, 0.0)


class RequestCounts(Collector):
    """
    What the processes of a server have counted, each in a file that all can read.

    It is created before they are forked. The files are in memory: a full disk cannot
    stop a process that counts, and a server that is killed leaves nothing behind.
    """

    def __init__(self, processes: Sequence[str]) -> None:
        self._files: dict[str, str] = {}
        for name in processes:
            file = os.memfd_create(f"masthead-counts-{name}")
            os.ftruncate(file, _FIRST_BYTES)
            weakref.finalize(self, os.close, file)
            self._files[name] = f"/proc/self/fd/{file}"

    def open(self, process: str) -> ProcessCounts:
        """Return the counts of a process, which opens them once it has been forked."""
        return ProcessCounts(self._files[process])

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
        refusals = CounterMetricFamily(
            "masthead_refusals", "Requests rejected, by problem kind.", labels=["kind"]
        )
        jobs = GaugeMetricFamily(
            "masthead_job_last_success_timestamp_seconds",
            "Time at which a periodic job last completed.",
            labels=["job"],
        )
        totals = self._totals()
        for (kind, *labels), number in sorted(totals.items()):
            if kind == "request":
                requests.add_metric(labels, number)
            elif kind == "seconds":
                counts = (totals.get(("bucket", *labels, n), 0) for n in _BUCKET_NAMES)
                buckets = zip(_BUCKET_NAMES, accumulate(counts), strict=True)
                durations.add_metric(labels, [*buckets], number)
            elif kind == "job":
                jobs.add_metric(labels, number)
        for kind in PROBLEM_TYPES:
            refusals.add_metric([kind], totals.get(("refusal", kind), 0))
        yield from (requests, durations, refusals, jobs)

    def _totals(self) -> dict[tuple[str, ...], float]:
        """Return each number over all processes: the sum, or of times the latest."""
        totals: dict[tuple[str, ...], float] = defaultdict(float)
        for file in self._files.values():
            for name, number, _, _ in MmapedDict.read_all_values_from_file(file):
                words = tuple(name.split("\t"))
                total = totals[words]
                totals[words] = (
                    max(total, number) if words[0] == "job" else total + number
                )
        return totals


class Metrics:
    """
    The metrics of one server, to which the process named `process` adds `counts`.

    `reports` know which processes run. Nothing in them is private: they name
    operations, and services that are on the status page.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], datetime],
        build_progress: Callable[[], BuildProgress] = BuildProgress,
        publish_progress: Callable[[], BuildProgress] | None = None,
        all_counts: RequestCounts | None = None,
        process: str = "",
        reports: Reports | None = None,
    ) -> None:
        all_counts = all_counts or RequestCounts([process])
        self.counts = all_counts.open(process)
        self.registry = CollectorRegistry()
        self.registry.register(all_counts)
        state = StateCollector(settings, clock, build_progress, publish_progress)
        self.registry.register(state)
        if reports:
            self.registry.register(ProcessesCollector(reports))
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self.registry)

    def add_faults(self, list_faults: Callable[[], list[Fault]]) -> None:
        """Add the gauges of the faults that /readyz shows."""
        self.registry.register(FaultCollector(list_faults))


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
