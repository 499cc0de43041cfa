"""Know what decides the pages of each service, and read the rest of changed ones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple, TypeVar

from models.base import MILLISECOND, epoch_ms
from models.fields import format_moment
from models.site_addresses import url_path
from models.status.incidents.incidents import IncidentRow
from models.status.maintenance.intervals import Span, spans_inside
from models.status.maintenance.windows import MaintenanceStatus, StatusMaintenance
from models.status.measurements.counts import sample_counts_since
from models.status.snapshot.event_index import IndexedIncident, IndexedWindow
from models.status.snapshot.snapshot import (
    HISTORY,
    StatusService,
    StatusServiceDetail,
    describe_service,
)
from models.status.state import Reason, Severity
from models.status.uptime.day_state import day_to_json
from models.status.uptime.hourly_history import HistoryCounts, HourlyHistory
from models.status.uptime.periods import DAYS, ServiceUptime, service_uptime
from models.status.uptime.summary import StatusUptimeSummary
from models.status.uptime.uptime import PERIODS, Counts
from sitegen.page import BuildContext
from sitegen.status.published import (
    PublishedIncident,
    published_incidents,
    windows_by_id,
)
from sitegen.status.status_data import (
    read_hourly_histories,
    read_index,
    read_maintenance_spans,
    read_measured_until,
    read_snapshot,
    read_window_statuses,
    stale_at,
)
from sitegen.status.upcoming_changes import UpcomingChange, UpcomingChanges
from sitegen.urls import incident_path, maintenance_path

T = TypeVar("T")

# How many services a reader holds, of which each takes 50 KB.
MAX_HELD = 64
DAY = timedelta(days=1)
NO_COUNTS = Counts()


class ServiceFacts(NamedTuple):
    """
    What decides what the site shows of a service: equal facts give equal pages.

    Versions stand for what takes long to read: those of incidents and windows, and for
    measurements the hourly history and how many there are after it.
    """

    number: int
    status: StatusService
    reason: Reason
    stale_at: str | None
    upcoming_change: UpcomingChange | None
    # The time as of which uptimes are computed.
    as_of: datetime
    history: HourlyHistory
    sample_count: int
    maintenance: tuple[Span, ...]
    # Those of the HISTORY and later, newest first.
    incidents: tuple[IndexedIncident, ...]
    windows: tuple[tuple[IndexedWindow, MaintenanceStatus], ...]


class _Memory:
    """What the process remembers of services from build to build."""

    def __init__(self) -> None:
        self.facts: dict[str, ServiceFacts] = {}
        self.counts: dict[int, HistoryCounts] = {}


def read_service_facts(context: BuildContext) -> Mapping[str, ServiceFacts]:
    """
    Read what decides the pages of each service, by slug, in display order.

    Facts that did not change are the object of the last build.
    """
    memory = context.once_per_process(_Memory)
    known, facts = memory.facts, _read_facts(context)
    memory.facts = {
        slug: known[slug] if known.get(slug) == each else each
        for slug, each in facts.items()
    }
    numbers = {each.number for each in facts.values()}
    memory.counts = {
        number: counts for number, counts in memory.counts.items() if number in numbers
    }
    return memory.facts


def _read_facts(context: BuildContext) -> dict[str, ServiceFacts]:
    snapshot = context.once_per_build(read_snapshot)
    measured_until = context.once_per_build(read_measured_until)
    histories = context.once_per_build(read_hourly_histories)
    spans = context.once_per_build(read_maintenance_spans)
    # Figures end on this day, at the earliest at its beginning.
    index = context.once_per_build(read_index).since(
        epoch_ms(context.now - HISTORY - DAY)
    )
    changes = context.once_per_build(UpcomingChanges).by_service
    statuses = context.once_per_build(read_window_statuses)
    ends = {history.span[1] for history in histories.values()}
    sample_counts = {end: sample_counts_since(end) for end in ends}
    facts = {}
    for service in snapshot.services:
        number, history = service.number, histories[service.slug]
        as_of = measured_until[number]
        since, counted = (
            epoch_ms(as_of - HISTORY),
            (history.span[0], as_of + MILLISECOND),
        )
        facts[service.slug] = ServiceFacts(
            number=number,
            status=snapshot.service_status(service),
            reason=snapshot.state_of(service).reason,
            stale_at=stale_at(snapshot, [service]),
            upcoming_change=changes.get(service.slug),
            as_of=as_of,
            history=history,
            sample_count=sample_counts[history.span[1]][number],
            maintenance=tuple(spans_inside(spans.get(number, ()), counted)),
            incidents=tuple(
                incident
                for incident in reversed(index.incidents_by_service.get(number, ()))
                if incident.resolved_at is None or incident.resolved_at > since
            ),
            windows=tuple(
                (window, statuses[window.id])
                for window in reversed(index.windows_by_service.get(number, ()))
                if window.ends_at > since
            ),
        )
    return facts


@dataclass(frozen=True)
class ServiceData:
    """What the pages of a service show."""

    facts: ServiceFacts
    detail: StatusServiceDetail
    uptime: ServiceUptime
    # The last days, oldest first, with what was measured and declared.
    days: list[dict[str, Any]]
    incidents: Sequence[PublishedIncident]

    def measured_part(
        self, context: BuildContext, uptime: StatusUptimeSummary
    ) -> str | None:
        """
        Return the part of the period that has data, such as "2 days of 90 days".

        If it is at least half of the period, or there is no percentage, return None.
        """
        measured = self.uptime.measured_time(uptime.period)
        if uptime.uptime_pct is None or 2 * measured >= PERIODS[uptime.period]:
            return None
        locale = context.theme.locale
        return locale.text(
            "uptime.measured-part",
            measured=locale.rough_duration(measured.total_seconds()),
            period=locale.period(uptime.period),
        )

    def latest_hours(self) -> list[tuple[str, int | None]]:
        """Return the mean response times of the latest hours, oldest first."""
        hours = self.uptime.hours()
        return [(format_moment(hour), counts.average_ms) for hour, counts in hours]


class ServiceReader:
    """Reads what the pages of services show, for several services at once."""

    def __init__(self, context: BuildContext) -> None:
        # Without the context, which keeps this reader: such a cycle would keep all that
        # a build has read until garbage is collected.
        self._now = context.once_per_build(read_snapshot).now
        self._interval_seconds = context.settings.probe_interval_seconds
        self._facts = context.once_per_build(read_service_facts)
        self._memory = context.once_per_process(_Memory)
        self._spans = context.once_per_build(read_maintenance_spans)
        self._data: dict[str, ServiceData] = {}

    def data_of(self, slug: str) -> ServiceData:
        if slug not in self._data:
            self._load([slug])
        return self._data[slug]

    def data_of_each(self, slugs: Sequence[str]) -> Iterator[tuple[str, ServiceData]]:
        """Yield several services, read in less time than one after the other."""
        for start in range(0, len(slugs), MAX_HELD):
            batch = slugs[start : start + MAX_HELD]
            self._load(batch)
            yield from [(slug, self._data[slug]) for slug in batch]

    def _load(self, slugs: Sequence[str]) -> None:
        """Read the services, at most MAX_HELD, and drop others if there is no room."""
        if len(self._data) + len(slugs) > MAX_HELD:
            self._data.clear()
        facts = {slug: self._facts[slug] for slug in slugs if slug not in self._data}
        incidents = published_incidents(
            incident.id for each in facts.values() for incident in each.incidents
        )
        windows = windows_by_id(
            (window.id for each in facts.values() for window, _ in each.windows),
            self._now,
        )
        for slug, each in facts.items():
            uptime = service_uptime(
                each.as_of,
                each.history,
                self._spans.get(each.number, ()),
                self._memory.counts.get(each.number),
            )
            self._memory.counts[each.number] = uptime.history_counts
            detail = describe_service(
                each.status,
                uptime.counts,
                [incidents[incident.id].row for incident in each.incidents],
                [windows[window.id] for window, _ in each.windows],
                now=uptime.now,
                interval_seconds=self._interval_seconds,
            )
            shown = [incidents[incident.id] for incident in each.incidents]
            days = _days(detail, shown, uptime.days(), each.as_of)
            self._data[slug] = ServiceData(each, detail, uptime, days, shown)


def _days(
    detail: StatusServiceDetail,
    published: Iterable[PublishedIncident],
    counts: dict[date, Counts],
    now: datetime,
) -> list[dict[str, Any]]:
    """Return the last days, oldest first, with what was measured and declared."""
    incidents = [
        ((incident.row, span.severity), span.starts_at, span.ends_at or now)
        for incident in published
        for span in incident.severities
    ]
    windows = [
        (window, window.starts_at, window.ends_at)
        for window in detail.maintenance
        if window.status != "cancelled"
    ]
    today = now.astimezone(UTC).date()
    return [
        _day(
            day,
            counts.get(day, NO_COUNTS),
            _values_on(day, incidents, now),
            _values_on(day, windows, now),
        )
        for day in (today - days_ago * DAY for days_ago in reversed(range(DAYS)))
    ]


def _day(
    day: date,
    counts: Counts,
    incidents: Sequence[tuple[IncidentRow, Severity]],
    windows: Sequence[StatusMaintenance],
) -> dict[str, Any]:
    """Return a day with the addresses and titles of its events."""
    severities = [severity for _, severity in incidents]
    events = [(url_path(incident_path(each.id)), each.title) for each, _ in incidents]
    events += [(url_path(maintenance_path(each.id)), each.title) for each in windows]
    data = day_to_json(day, counts, severities, in_maintenance=bool(windows))
    # An incident with several severities on this day is one event.
    data["events"] = tuple(dict.fromkeys(events))
    return data


def _values_on(
    day: date, spans: Iterable[tuple[T, datetime, datetime]], now: datetime
) -> Sequence[T]:
    """Return the values of the spans (value, start, end) that overlap the day."""
    if not spans:
        return ()
    midnight = datetime.combine(day, time(), UTC)
    return [
        value
        for value, start, end in spans
        if start <= now
        and (midnight <= start < midnight + DAY or start < midnight < end)
    ]
