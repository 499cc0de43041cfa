"""How things stand: the site, the builder, services, files, found out when asked."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from shutil import disk_usage

from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from models.audit import AUDITED_AREAS, last_number
from models.base import from_epoch_ms
from models.changes import AREAS, behind, failed_pages, generation_with, marks
from models.errors import StorageBusy
from models.instance import LAST_BACKUP_AT, read_instance_value
from models.runtime.build_progress import BuildProgress
from models.runtime.faults import STATES as FAULTS
from models.runtime.faults import Fault
from models.settings import Settings
from models.status.snapshot.service_list_cache import service_list
from models.status.snapshot.snapshot import StatusServiceList
from models.status.state import STATES
from models.storage.database import database, reading

Labelled = dict[str, float]

SIZES = {
    "database": ("masthead_database_bytes", "Size of the database."),
    "log": (
        "masthead_database_wal_bytes",
        "Size of the log of writes beside the database, where it is a file.",
    ),
}


class Standing(Collector):
    """Gauges whose values are in the database, on the disk or with the builder."""

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], datetime],
        progress: BuildProgress,
        publishing: BuildProgress | None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._progress = progress
        self._publishing = publishing if settings.publish else None

    def collect(self) -> Iterator[Metric]:
        """Without a database that can be read, tell the rest."""
        now = self._clock()
        waiting = "change has been waiting for the site"
        yield from _doing(self._progress, now, "builder", "build", waiting)
        if self._publishing:
            waiting = "build has been waiting to be published"
            about = "publisher", "publication", waiting
            yield from _doing(self._publishing, now, *about)
        yield from self._files()
        try:
            with reading():
                listed = service_list(now, self._settings.freshness)
                found = [*_site(), *_services(listed), *_kept()]
        except StorageBusy:
            found = []
        yield _gauge(
            "masthead_database_readable",
            "1 while the database can be read; at 0 what is read from it is left out.",
            float(bool(found)),
        )
        yield from found

    def _files(self) -> Iterator[Metric]:
        used = database.data_folders() | {"output": Path(self._settings.output)}
        disks = {of: disk_usage(path) for of, path in used.items() if path.is_dir()}
        yield _gauges(
            "masthead_disk_free_bytes",
            "Free space on the disk of the database and of the site.",
            "of",
            {of: disk.free for of, disk in disks.items()},
        )
        yield _gauges(
            "masthead_disk_size_bytes",
            "Size of the disk of the database and of the site.",
            "of",
            {of: disk.total for of, disk in disks.items()},
        )


class States(Collector):
    """What /readyz says, as numbers."""

    def __init__(self, wrong: Callable[[], list[Fault]]) -> None:
        self._wrong = wrong

    def collect(self) -> Iterator[Metric]:
        found = self._wrong()
        yield _gauge(
            "masthead_ready",
            "1 while /readyz says ready.",
            float(all(each.is_harmless for each in found)),
        )
        states = {each.state for each in found}
        yield _gauges(
            "masthead_state",
            "1 while the service is in this state of what can be wrong.",
            "state",
            {state: float(state in states) for state in FAULTS},
        )


def _doing(
    progress: BuildProgress, now: datetime, doer: str, deed: str, waiting: str
) -> Iterator[Metric]:
    """Tell how who builds, or publishes what was built, gets on."""
    yield _gauge(
        f"masthead_{doer}_lag_seconds",
        f"For how long the oldest {waiting}.",
        progress.lag(now),
    )
    told = f"{deed.capitalize()}s, by how they ended."
    ended = CounterMetricFamily(f"masthead_{deed}s", told, labels=["result"])
    ended.add_metric(["done"], progress.done)
    ended.add_metric(["broken"], progress.broken)
    yield ended
    if progress.last_at:
        yield _gauge(
            f"masthead_{deed}_last_timestamp_seconds",
            f"When the last {deed} that came to its end began.",
            progress.last_at.timestamp(),
        )
        yield _gauge(
            f"masthead_{deed}_last_duration_seconds",
            f"How long the last {deed} took.",
            progress.last_seconds,
        )


def _site() -> Iterator[Metric]:
    waiting, marked = behind(), marks()
    yield _gauges(
        "masthead_area_behind",
        "1 while the area of the site was written to and not built.",
        "area",
        {area: float(area in waiting) for area in AREAS},
    )
    yield _gauge(
        "masthead_site_generation",
        "The generation of the site that is live.",
        generation_with({}),
    )
    yield _gauge(
        "masthead_site_generation_wanted",
        "The generation that the last change asked for.",
        max(marked.values()),
    )
    yield _gauge(
        "masthead_pages_failed",
        "Pages that could not be made and stand as they were.",
        len(failed_pages()),
    )


def _services(listed: StatusServiceList) -> Iterator[Metric]:
    """Of services that are on the page, no others: anyone may read this."""
    yield _gauges(
        "masthead_services",
        "Services on the page, by state.",
        "state",
        {state: sum(s.state == state for s in listed.services) for state in STATES},
    )
    yield _gauges(
        "masthead_service_stale",
        "1 while the service has no measurement within the freshness.",
        "service",
        {each.slug: float(each.stale) for each in listed.services},
    )
    yield _gauges(
        "masthead_service_observed_timestamp_seconds",
        "When the service was last measured; left out before the first time.",
        "service",
        {
            each.slug: each.observed_at.timestamp()
            for each in listed.services
            if each.observed_at
        },
    )


def _kept() -> Iterator[Metric]:
    sizes = database.bytes_used()
    yield _gauges(
        "masthead_audit_newest_record",
        "Number of the newest record of each audit; it never falls.",
        "area",
        {area: last_number(area) for area in AUDITED_AREAS},
    )
    for of, (name, told) in SIZES.items():
        if of in sizes:
            yield _gauge(name, told, sizes[of])
    backed_up = read_instance_value(LAST_BACKUP_AT)
    if backed_up is not None:
        yield _gauge(
            "masthead_backup_last_timestamp_seconds",
            "When the command backup last wrote a copy; left out before the first.",
            from_epoch_ms(backed_up).timestamp(),
        )


def _gauge(name: str, help: str, value: float) -> Metric:
    return GaugeMetricFamily(name, help, value=value)


def _gauges(name: str, help: str, label: str, values: Labelled) -> Metric:
    family = GaugeMetricFamily(name, help, labels=[label])
    for of, value in values.items():
        family.add_metric([of], value)
    return family
