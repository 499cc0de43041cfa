"""Collect the gauges of site, builder, services and disk when Prometheus scrapes."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from shutil import disk_usage

from prometheus_client import Metric, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from models.audit import AUDITED_AREAS, last_number
from models.base import from_epoch_ms
from models.changes import AREAS, behind, failed_pages, generation_with, marks
from models.errors import StorageBusy
from models.instance import LAST_BACKUP_AT, read_instance_value
from models.notifications.deliveries.deliveries import count_deliveries
from models.notifications.subscriptions.subscriptions import count_subscriptions
from models.runtime.faults import STATES as FAULT_STATES
from models.runtime.faults import Fault
from models.runtime.reports import BuildProgress, Reports
from models.settings import Settings
from models.status.snapshot.service_list_cache import service_list
from models.status.snapshot.snapshot import StatusServiceList
from models.status.state import STATES
from models.storage.database import database, reading

# The gauge of each file whose size the database engine reports.
SIZE_GAUGES = {
    "database": ("masthead_database_bytes", "Size of the database."),
    "log": (
        "masthead_database_wal_bytes",
        "Size of the write-ahead log (WAL); SQLite only.",
    ),
}


class StateCollector(Collector):
    """Gauges whose values come from the database, the disk and the builder."""

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], datetime],
        build_progress: Callable[[], BuildProgress],
        publish_progress: Callable[[], BuildProgress] | None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._build_progress = build_progress
        self._publish_progress = publish_progress if settings.publish else None

    def collect(self) -> Iterator[Metric]:
        """Yield all gauges; those of the database only while it can be read."""
        now = self._clock()
        yield from _progress_gauges(
            self._build_progress(),
            now,
            worker="builder",
            task="build",
            lag="How long the oldest pending change has been waiting to be built.",
        )
        if self._publish_progress:
            yield from _progress_gauges(
                self._publish_progress(),
                now,
                worker="publisher",
                task="publication",
                lag="How long the oldest unpublished build has been waiting.",
            )
        yield from self._disk_gauges()
        try:
            with reading():
                services = service_list(now, self._settings.freshness)
                gauges = [
                    *_site_gauges(),
                    *_service_gauges(services),
                    *_notification_gauges(),
                    *_database_gauges(),
                ]
        except StorageBusy:
            gauges = []
        yield _gauge(
            "masthead_database_readable",
            "1 while the database is readable; at 0, metrics read from it are absent.",
            float(bool(gauges)),
        )
        yield from gauges

    def _disk_gauges(self) -> Iterator[Metric]:
        folders = database.data_folders() | {"output": Path(self._settings.output)}
        disks = {
            name: disk_usage(path) for name, path in folders.items() if path.is_dir()
        }
        yield _labelled_gauge(
            "masthead_disk_free_bytes",
            "Free space on the disk of the database and of the output folder.",
            "of",
            {name: disk.free for name, disk in disks.items()},
        )
        yield _labelled_gauge(
            "masthead_disk_size_bytes",
            "Size of the disk of the database and of the output folder.",
            "of",
            {name: disk.total for name, disk in disks.items()},
        )


class FaultCollector(Collector):
    """The faults that /readyz shows, as gauges."""

    def __init__(self, list_faults: Callable[[], list[Fault]]) -> None:
        self._list_faults = list_faults

    def collect(self) -> Iterator[Metric]:
        faults = self._list_faults()
        yield _gauge(
            "masthead_ready",
            "1 while /readyz returns 200.",
            float(all(fault.is_harmless for fault in faults)),
        )
        current = {fault.state for fault in faults}
        yield _labelled_gauge(
            "masthead_state",
            "1 while the server is in this state of failure.",
            "state",
            {state: float(state in current) for state in FAULT_STATES},
        )


class ProcessesCollector(Collector):
    """The processes of the server: which run, their starts, memory and time."""

    def __init__(self, reports: Reports) -> None:
        self._reports = reports

    def collect(self) -> Iterator[Metric]:
        states = self._reports.states()
        usage = {n: _process_usage(state.pid) for n, state in states.items()}
        yield _labelled_gauge(
            "masthead_process_up",
            "1 while the process runs, 0 until it is started again.",
            "process",
            {name: float(state.pid > 0) for name, state in states.items()},
        )
        starts = CounterMetricFamily(
            "masthead_process_starts",
            "How often the process was started; above 1, it has died.",
            labels=["process"],
        )
        for name, state in states.items():
            starts.add_metric([name], state.starts)
        yield starts
        for name, help_text, counted in (
            (
                "masthead_process_resident_bytes",
                "Resident memory of the process; pages that processes share count in"
                " each.",
                "process_resident_memory_bytes",
            ),
            (
                "masthead_process_cpu_seconds",
                "Processor time of the process since its last start.",
                "process_cpu_seconds",
            ),
        ):
            values = {each: found[counted] for each, found in usage.items() if found}
            yield _labelled_gauge(name, help_text, "process", values)


def _process_usage(pid: int) -> dict[str, float]:
    """Return what the system counts for a process, by Prometheus' names for it."""
    metrics = ProcessCollector(pid=lambda: pid, registry=None).collect()
    return {metric.name: metric.samples[0].value for metric in metrics}


def _progress_gauges(
    progress: BuildProgress, now: datetime, *, worker: str, task: str, lag: str
) -> Iterator[Metric]:
    """Yield the metrics of the builder or the publisher."""
    yield _gauge(f"masthead_{worker}_lag_seconds", lag, progress.lag(now))
    finished = CounterMetricFamily(
        f"masthead_{task}s", f"{task.capitalize()}s, by result.", labels=["result"]
    )
    finished.add_metric(["done"], progress.done)
    finished.add_metric(["broken"], progress.broken)
    yield finished
    if progress.last_at:
        yield _gauge(
            f"masthead_{task}_last_timestamp_seconds",
            f"Start time of the last completed {task}.",
            progress.last_at.timestamp(),
        )
        yield _gauge(
            f"masthead_{task}_last_duration_seconds",
            f"Duration of the last completed {task}.",
            progress.last_seconds,
        )


def _site_gauges() -> Iterator[Metric]:
    outdated, marked = behind(), marks()
    yield _labelled_gauge(
        "masthead_area_behind",
        "1 while the area has changes that are not on the site yet.",
        "area",
        {area: float(area in outdated) for area in AREAS},
    )
    yield _gauge(
        "masthead_site_generation",
        "Generation of the live site.",
        generation_with({}),
    )
    yield _gauge(
        "masthead_site_generation_wanted",
        "Generation requested by the last change.",
        max(marked.values()),
    )
    yield _gauge(
        "masthead_pages_failed",
        "Pages that could not be rendered and keep their previous version.",
        len(failed_pages()),
    )


def _service_gauges(status: StatusServiceList) -> Iterator[Metric]:
    """Yield gauges of the services on the status page only: /metrics needs no key."""
    services = status.services
    yield _labelled_gauge(
        "masthead_services",
        "Number of services on the status page in each state.",
        "state",
        {state: sum(s.state == state for s in services) for state in STATES},
    )
    yield _labelled_gauge(
        "masthead_service_stale",
        "1 while the service has no measurement within MASTHEAD_FRESHNESS_SECONDS.",
        "service",
        {service.slug: float(service.stale) for service in services},
    )
    yield _labelled_gauge(
        "masthead_service_observed_timestamp_seconds",
        "Time of the last measurement; absent before the first one.",
        "service",
        {
            service.slug: service.observed_at.timestamp()
            for service in services
            if service.observed_at
        },
    )


def _notification_gauges() -> Iterator[Metric]:
    subscriptions = GaugeMetricFamily(
        "masthead_subscriptions",
        "Number of subscriptions over each channel in each state.",
        labels=["channel", "state"],
    )
    for labels, count in count_subscriptions().items():
        subscriptions.add_metric(labels, count)
    yield subscriptions
    yield _labelled_gauge(
        "masthead_deliveries",
        "Number of deliveries of the last 30 days with each status.",
        "status",
        dict(count_deliveries()),
    )


def _database_gauges() -> Iterator[Metric]:
    sizes = database.bytes_used()
    yield _labelled_gauge(
        "masthead_audit_newest_record",
        "Number of the latest record in each audit log; it never decreases.",
        "area",
        {area: last_number(area) for area in AUDITED_AREAS},
    )
    for file, (name, help_text) in SIZE_GAUGES.items():
        if file in sizes:
            yield _gauge(name, help_text, sizes[file])
    backed_up = read_instance_value(LAST_BACKUP_AT)
    if backed_up is not None:
        yield _gauge(
            "masthead_backup_last_timestamp_seconds",
            "Time of the last copy written by backup; absent before the first one.",
            from_epoch_ms(backed_up).timestamp(),
        )


def _gauge(name: str, help_text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, help_text, value=value)


def _labelled_gauge(
    name: str, help_text: str, label: str, values: dict[str, float]
) -> Metric:
    """Return a gauge with one value for each value of its label."""
    family = GaugeMetricFamily(name, help_text, labels=[label])
    for label_value, value in values.items():
        family.add_metric([label_value], value)
    return family
