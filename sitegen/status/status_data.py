"""Read the data of the status pages, once for all pages of a build."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from models.base import epoch_ms
from models.fields import format_moment
from models.site_addresses import url_path
from models.status.incidents.incidents import IncidentRow
from models.status.maintenance.intervals import Span, maintenance_spans_by_service
from models.status.maintenance.windows import (
    MaintenanceRow,
    MaintenanceStatus,
    maintenance_status,
)
from models.status.reasons import reason_facts
from models.status.services.catalogue import services_in_display_order
from models.status.services.rows import ServiceRow
from models.status.snapshot.event_index import (
    EventIndex,
    ServiceVersion,
    read_event_index,
    read_service_versions,
)
from models.status.snapshot.last_change import last_change_at, last_changes_by_service
from models.status.snapshot.snapshot import (
    StatusServiceList,
    StatusSnapshot,
    status_snapshot,
)
from models.status.state import ActiveIncident, Reason
from models.status.uptime.hourly_history import HourlyHistory
from models.status.uptime.periods import DAYS, hourly_histories
from sitegen.page import BuildContext
from sitegen.urls import incident_path, maintenance_path, service_path

DAY = timedelta(days=1)


class _Memory:
    """What the process remembers from build to build."""

    index = EventIndex()


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


def read_services(context: BuildContext) -> list[ServiceRow]:
    """Return the services in display order, those of the last build if none changed."""
    versions = context.once_per_build(_read_service_versions)
    return context.memoize(_services_of_versions, versions)


def _read_service_versions(_: BuildContext) -> list[ServiceVersion]:
    return read_service_versions()


def _services_of_versions(_: list[ServiceVersion]) -> list[ServiceRow]:
    return services_in_display_order()


def read_snapshot(context: BuildContext) -> StatusSnapshot:
    """Read what decides the states, at the moment that the page describes."""
    freshness = context.settings.freshness
    now = last_change_at(context.now, freshness)
    return status_snapshot(now, freshness, context.once_per_build(read_services))


def read_service_list(context: BuildContext) -> StatusServiceList:
    """Return the states of all services."""
    return context.once_per_build(read_snapshot).service_list()


def read_index(context: BuildContext) -> EventIndex:
    """Read when all incidents and windows were, and their versions."""
    memory = context.once_per_process(_Memory)
    services = context.once_per_build(_read_service_versions)
    memory.index = read_event_index(memory.index, services)
    return memory.index


def read_window_statuses(
    context: BuildContext,
) -> dict[str, MaintenanceStatus]:
    """Return the status of each window, by id, at the moment of the pages."""
    now = epoch_ms(context.once_per_build(read_snapshot).now)
    return {
        window.id: maintenance_status(
            window.written, window.starts_at, window.ends_at, now
        )
        for window in context.once_per_build(read_index).windows
    }


def affected_services(
    context: BuildContext,
    subject: IncidentRow | MaintenanceRow,
    *,
    with_states: bool = False,
) -> list[dict[str, Any]]:
    """Return the services that an incident or a window affects, and their pages."""
    hrefs = context.once_per_build(read_service_hrefs)
    states = context.once_per_build(read_service_states) if with_states else {}
    return [
        {
            "name": affected.name,
            "href": hrefs.get(affected.service_id),
            "state": states.get(affected.service_id),
        }
        for affected in subject.services
    ]


def read_service_states(context: BuildContext) -> dict[int | None, str]:
    """Read the state of each service, by the service's number."""
    snapshot = context.once_per_build(read_snapshot)
    return {
        service.number: snapshot.state_of(service).state
        for service in snapshot.services
    }


def read_service_hrefs(context: BuildContext) -> dict[int | None, str]:
    """Read the page of each service that has one, by the service's number."""
    return {
        service.number: url_path(service_path(service.slug))
        for service in context.once_per_build(read_services)
    }


def read_hourly_histories(context: BuildContext) -> dict[str, HourlyHistory]:
    """Read the completed hours of each service, by slug, in display order."""
    services = context.once_per_build(read_services)
    histories = hourly_histories(
        services,
        context.once_per_build(read_measured_until),
        context.once_per_build(read_maintenance_spans),
    )
    return {
        service.slug: history
        for service, history in zip(services, histories, strict=True)
    }


def read_measured_until(context: BuildContext) -> dict[int, datetime]:
    """Read the moment at which the figures of each service end, by its number."""
    index = context.once_per_build(read_index)
    return last_changes_by_service(context.now, context.settings.freshness, index)


def read_maintenance_spans(context: BuildContext) -> dict[int, list[Span]]:
    """Read the maintenance of each service that its figures exclude, by its number."""
    return maintenance_spans_by_service(context.now - (DAYS + 2) * DAY)


def reason_to_data(reason: Reason) -> dict[str, Any]:
    """Return the reason for a state as the templates show it."""
    subject, href = reason.subject, None
    if subject:
        is_incident = isinstance(subject, ActiveIncident)
        path = (incident_path if is_incident else maintenance_path)(subject.id)
        href = url_path(path)
    return reason_facts(reason) | {"href": href}
