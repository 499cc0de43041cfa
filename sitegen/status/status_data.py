"""Read the data of the status pages, once for all pages of a build."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from typing import Any, TypeVar

from models.fields import format_moment
from models.locales import Locale
from models.response_headers import url_path
from models.status.incidents.incidents import (
    IncidentRow,
    IncidentUpdateRow,
    SeveritySpan,
    StatusIncident,
    StatusIncidentUpdate,
    all_incidents,
    severity_spans,
    shown_severity,
    updates_by_incident,
)
from models.status.maintenance.windows import (
    MaintenanceRow,
    StatusMaintenance,
    all_maintenance,
)
from models.status.reasons import reason_facts
from models.status.services.catalogue import services_in_display_order
from models.status.services.rows import ServiceRow
from models.status.snapshot.last_change import last_change_at, last_changes_by_service
from models.status.snapshot.snapshot import (
    StatusServiceDetail,
    StatusServiceList,
    StatusSnapshot,
    service_details,
    status_snapshot,
)
from models.status.state import ActiveIncident, Reason, Severity
from models.status.uptime.day_state import day_to_json
from models.status.uptime.hourly_history import HourlyHistory
from models.status.uptime.periods import (
    DAYS,
    ServiceUptime,
    hourly_histories,
    service_uptimes,
)
from models.status.uptime.summary import StatusUptimeSummary
from models.status.uptime.uptime import PERIODS, Counts
from sitegen.page import BuildContext
from sitegen.urls import incident_path, maintenance_path, service_path

T = TypeVar("T")

DAY = timedelta(days=1)
NO_COUNTS = Counts()


@dataclass(frozen=True)
class PublishedIncident:
    """An incident with its updates, newest first, as rows and as JSON."""

    row: IncidentRow
    updates: list[IncidentUpdateRow]
    severities: list[SeveritySpan]

    @cached_property
    def json(self) -> dict[str, Any]:
        return StatusIncident.model_validate(self.row).to_json()

    @cached_property
    def shown(self) -> dict[str, Any]:
        """The incident as pages show it, with the severity by which it is known."""
        return self.json | {"severity": shown_severity(self.row, self.severities)}

    @cached_property
    def updates_json(self) -> list[dict[str, Any]]:
        return [
            StatusIncidentUpdate.model_validate(update).to_json()
            for update in self.updates
        ]

    @cached_property
    def timeline(self) -> list[dict[str, Any]]:
        """The updates with the times of their corrections, as pages show them."""
        return [
            json
            | {
                "editedAt": update.edited_at and format_moment(update.edited_at),
                "isRemoved": update.removed_at is not None,
            }
            for json, update in zip(self.updates_json, self.updates, strict=True)
        ]


@dataclass(frozen=True)
class PublishedMaintenance:
    """A maintenance window, as a row and as JSON."""

    row: MaintenanceRow

    @cached_property
    def json(self) -> dict[str, Any]:
        return StatusMaintenance.model_validate(self.row).to_json()


@dataclass(frozen=True)
class StatusData:
    """The states, uptimes and days of all services, by slug in display order."""

    snapshot: StatusSnapshot
    service_list: StatusServiceList
    details: dict[str, StatusServiceDetail]
    uptimes: dict[str, ServiceUptime]
    days: dict[str, list[dict[str, Any]]]
    # The incidents that pages of services show, by their ids.
    severities: dict[str, list[SeveritySpan]]
    reasons: dict[str, Reason]
    locale: Locale

    @property
    def next_change_at(self) -> str | None:
        next_change_at = self.snapshot.next_change_at()
        return format_moment(next_change_at) if next_change_at else None

    def stale_at(self, slug: str | None = None) -> str | None:
        """Return when the page of a service, or of all, is out of date."""
        if slug is None:
            return stale_at(self.snapshot, self.snapshot.services)
        return stale_at(self.snapshot, [self._services_by_slug[slug]])

    def measured_part(self, slug: str, uptime: StatusUptimeSummary) -> str | None:
        """
        Return the part of the period that has data, such as "2 days of 90 days".

        If it is at least half of the period, or there is no percentage, return None.
        """
        measured = self.uptimes[slug].measured_time(uptime.period)
        if uptime.uptime_pct is None or 2 * measured >= PERIODS[uptime.period]:
            return None
        return self.locale.text(
            "uptime.measured-part",
            measured=self.locale.rough_duration(measured.total_seconds()),
            period=self.locale.period(uptime.period),
        )

    def latest_hours(self, slug: str) -> list[tuple[str, int | None]]:
        """Return the mean response times of the latest hours, oldest first."""
        return self._latest_hours[slug]

    @cached_property
    def _latest_hours(self) -> dict[str, list[tuple[str, int | None]]]:
        return {
            slug: [(format_moment(hour), each.average_ms) for hour, each in of.hours()]
            for slug, of in self.uptimes.items()
        }

    @cached_property
    def _services_by_slug(self) -> dict[str, ServiceRow]:
        return {service.slug: service for service in self.snapshot.services}


def stale_at(snapshot: StatusSnapshot, services: Iterable[ServiceRow]) -> str | None:
    """
    Return when a page of these services is out of date, None if it already is.

    That is when the first of the measurements that decide their states goes stale:
    from then on the page may show a state that the rule would not give.
    """
    fresh = [
        reading.observed_at
        for service in services
        for reading in snapshot.readings[service.number]
        if reading.is_fresh(snapshot.now, snapshot.freshness)
    ]
    return format_moment(min(fresh) + snapshot.freshness) if fresh else None


# Each of the following is read by `context.once_per_build(...)`.


def read_services(_: BuildContext) -> list[ServiceRow]:
    return services_in_display_order()


def read_snapshot(context: BuildContext) -> StatusSnapshot:
    """Read what decides the states, at the moment that the page describes."""
    freshness = context.settings.freshness
    now = last_change_at(context.now, freshness)
    return status_snapshot(now, freshness, context.once_per_build(read_services))


def read_service_list(context: BuildContext) -> StatusServiceList:
    """Return the states of all services."""
    return context.once_per_build(read_snapshot).service_list()


def read_incidents(_: BuildContext) -> list[IncidentRow]:
    """Read all incidents, newest first."""
    return all_incidents()


def read_published_incidents(context: BuildContext) -> dict[str, PublishedIncident]:
    """Read all incidents with their timelines, by id, newest first."""
    rows = context.once_per_build(read_incidents)
    updates, severities = updates_by_incident(rows), severity_spans(rows)
    return {
        row.id: PublishedIncident(row, updates[row.id], severities[row.id])
        for row in rows
    }


def read_maintenance(context: BuildContext) -> list[MaintenanceRow]:
    """Read all maintenance windows with their present status, newest first."""
    return all_maintenance(context.once_per_build(read_snapshot).now)


def read_published_maintenance(
    context: BuildContext,
) -> dict[str, PublishedMaintenance]:
    """Read all maintenance windows, by id, newest first."""
    return {
        row.id: PublishedMaintenance(row)
        for row in context.once_per_build(read_maintenance)
    }


def affected_services(
    context: BuildContext,
    subject: IncidentRow | MaintenanceRow,
    *,
    with_states: bool = False,
) -> list[dict[str, Any]]:
    """Return the services that an incident or a window affects, and their pages."""
    hrefs = context.once_per_build(_read_service_hrefs)
    states = context.once_per_build(_read_service_states) if with_states else {}
    return [
        {
            "name": affected.name,
            "href": hrefs.get(affected.service_id),
            "state": states.get(affected.service_id),
        }
        for affected in subject.services
    ]


def _read_service_states(context: BuildContext) -> dict[int | None, str]:
    """Read the state of each service, by the service's number."""
    snapshot = context.once_per_build(read_snapshot)
    return {
        service.number: snapshot.state_of(service).state
        for service in snapshot.services
    }


def _read_service_hrefs(context: BuildContext) -> dict[int | None, str]:
    """Read the page of each service that has one, by the service's number."""
    return {
        service.number: url_path(service_path(service.slug))
        for service in context.once_per_build(read_services)
    }


def read_hourly_histories(context: BuildContext) -> dict[str, HourlyHistory]:
    """Read the completed hours of each service, by slug, in display order."""
    services = context.once_per_build(read_services)
    histories = hourly_histories(services, context.once_per_build(_read_measured_until))
    return {
        service.slug: history
        for service, history in zip(services, histories, strict=True)
    }


def _read_measured_until(context: BuildContext) -> dict[int, datetime]:
    """Read the moment at which the figures of each service end, by its number."""
    return last_changes_by_service(context.now, context.settings.freshness)


def read_status_data(context: BuildContext) -> StatusData:
    snapshot = context.once_per_build(read_snapshot)
    histories = list(context.once_per_build(read_hourly_histories).values())
    measured_until = context.once_per_build(_read_measured_until)
    uptimes = service_uptimes(snapshot.services, measured_until, histories)
    interval_seconds = context.settings.probe_interval_seconds
    details = service_details(snapshot, uptimes, interval_seconds)
    severities = severity_spans(
        incident for detail in details.values() for incident in detail.incidents
    )
    return StatusData(
        snapshot=snapshot,
        service_list=context.once_per_build(read_service_list),
        details=details,
        uptimes=uptimes,
        days={
            slug: _days(detail, severities, uptimes[slug].days(), snapshot.now)
            for slug, detail in details.items()
        },
        severities=severities,
        reasons={
            service.slug: snapshot.state_of(service).reason
            for service in snapshot.services
        },
        locale=context.theme.locale,
    )


def reason_to_data(reason: Reason) -> dict[str, Any]:
    """Return the reason for a state as the templates show it."""
    subject, href = reason.subject, None
    if subject:
        is_incident = isinstance(subject, ActiveIncident)
        path = (incident_path if is_incident else maintenance_path)(subject.id)
        href = url_path(path)
    return reason_facts(reason) | {"href": href}


def _days(
    detail: StatusServiceDetail,
    severities: dict[str, list[SeveritySpan]],
    counts: dict[date, Counts],
    now: datetime,
) -> list[dict[str, Any]]:
    """Return the last days, oldest first, with what was measured and declared."""
    incidents = [
        ((incident, span.severity), span.starts_at, span.ends_at or now)
        for incident in detail.incidents
        for span in severities[incident.id]
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
    incidents: Sequence[tuple[StatusIncident, Severity]],
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
