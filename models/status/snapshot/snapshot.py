"""Read everything that decides the current states, and present it to the public."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Annotated, TypeVar, cast

from pydantic import Field

from models.base import Schema
from models.fields import Moment
from models.status import descriptions
from models.status.incidents.incidents import (
    IncidentRow,
    StatusIncident,
    incidents_since,
)
from models.status.maintenance.windows import (
    MaintenanceRow,
    StatusMaintenance,
    maintenance_since,
)
from models.status.measurements.counts import counts_in, period_span
from models.status.measurements.measurements import readings_by_service
from models.status.services.catalogue import enabled_service, services_in_display_order
from models.status.services.rows import ServiceRow
from models.status.state import (
    ActiveIncident,
    ActiveMaintenance,
    Overall,
    Reading,
    ServiceState,
    Severity,
    State,
    next_change,
    overall_state,
    service_state,
    worst_first,
)
from models.status.uptime.summary import StatusUptimeSummary, summarize_counts
from models.status.uptime.uptime import PERIODS, Counts, Period

# How far back incidents and maintenance windows are shown.
HISTORY = timedelta(days=90)

Subject = TypeVar("Subject", IncidentRow, MaintenanceRow)

# What several fields mean.
IsStale = Annotated[bool, Field(description="Whether there is no recent measurement.")]


class StatusService(Schema):
    slug: Annotated[str, descriptions.SERVICE_SLUG]
    name: Annotated[str, descriptions.SERVICE_NAME]
    description: Annotated[str | None, descriptions.SERVICE_DESCRIPTION]
    hostname: Annotated[str | None, descriptions.HOSTNAME]
    group: Annotated[str | None, descriptions.GROUP]
    display_order: Annotated[int, descriptions.DISPLAY_ORDER]
    state: State = Field(description="The state of the service.")
    observed_at: Moment | None = Field(description="When the measurement was made.")
    response_time_ms: int | None = Field(
        description="The response time in milliseconds.", examples=[184]
    )
    stale: IsStale
    active_incident_ids: list[str] = Field(
        description="The IDs of the unresolved incidents.", examples=[[]]
    )
    active_maintenance_ids: list[str] = Field(
        description="The IDs of the maintenance windows in progress.", examples=[[]]
    )


class StatusServiceList(Schema):
    overall: Overall = Field(description="The overall status.")
    checked_at: Moment | None = Field(
        description="When the latest measurement was made."
    )
    stale: IsStale
    freshness_seconds: int = Field(
        description="The number of seconds after which a measurement becomes stale.",
        examples=[300],
    )
    services: Annotated[list[StatusService], descriptions.SERVICES]


class StatusServiceDetail(Schema):
    service: StatusService = Field(description="The service.")
    uptime: list[StatusUptimeSummary] = Field(
        description="The uptime of the service in each period."
    )
    incidents: list[StatusIncident] = Field(
        description="The incidents of the last 90 days, newest first."
    )
    maintenance: list[StatusMaintenance] = Field(
        description="Maintenance windows: the last 90 days' and the scheduled ones."
    )


class ListServices(Schema):
    group: Annotated[str | None, Field(max_length=64), descriptions.GROUP] = None


class GetService(Schema):
    slug: Annotated[str, descriptions.SERVICE_SLUG]


@dataclass(frozen=True)
class StatusSnapshot:
    """Everything that decides the states at `now`, read once."""

    now: datetime
    freshness: timedelta
    services: list[ServiceRow]
    readings: dict[int, list[Reading]]
    incidents: list[IncidentRow]
    windows: list[MaintenanceRow]

    def state_of(self, service: ServiceRow) -> ServiceState:
        """Return the state of the service and the reason for it; computed once."""
        if service.number not in self._states:
            self._states[service.number] = self._compute_state(service)
        return self._states[service.number]

    @cached_property
    def _states(self) -> dict[int, ServiceState]:
        return {}

    def _compute_state(self, service: ServiceRow) -> ServiceState:
        return service_state(
            self.readings[service.number],
            incidents=[
                ActiveIncident(cast("Severity", row.severity), row.title, row.id)
                for row in self.active_incidents(service)
            ],
            maintenance=[
                ActiveMaintenance(row.title, row.id)
                for row in self.active_windows(service)
            ],
            now=self.now,
            freshness=self.freshness,
        )

    def active_incidents(self, service: ServiceRow) -> list[IncidentRow]:
        return self._active_incidents_by_service.get(service.number, [])

    def active_windows(self, service: ServiceRow) -> list[MaintenanceRow]:
        return self._active_windows_by_service.get(service.number, [])

    @property
    def all_active_incidents(self) -> list[IncidentRow]:
        """The active incidents, the most severe first, and of these the newest."""
        active = [row for row in self.incidents if row.is_active(self.now)]
        return worst_first(active, lambda row: row.severity)

    @cached_property
    def _active_incidents_by_service(self) -> dict[int, list[IncidentRow]]:
        return _by_service(i for i in self.incidents if i.is_active(self.now))

    @cached_property
    def _active_windows_by_service(self) -> dict[int, list[MaintenanceRow]]:
        return _by_service(w for w in self.windows if w.status == "active")

    def service_status(self, service: ServiceRow) -> StatusService:
        """Return the service as the public sees it; computed once."""
        if service.number not in self._service_statuses:
            status = self._compute_service_status(service)
            self._service_statuses[service.number] = status
        return self._service_statuses[service.number]

    @cached_property
    def _service_statuses(self) -> dict[int, StatusService]:
        return {}

    def _compute_service_status(self, service: ServiceRow) -> StatusService:
        readings = self.readings[service.number]
        newest = max(readings, key=lambda each: each.observed_at, default=None)
        return StatusService(
            slug=service.slug,
            name=service.name,
            description=service.description,
            hostname=service.hostname,
            group=service.group,
            display_order=service.display_order,
            state=self.state_of(service).state,
            observed_at=newest.observed_at if newest else None,
            response_time_ms=newest.response_time_ms if newest else None,
            stale=newest is None or not newest.is_fresh(self.now, self.freshness),
            active_incident_ids=[i.id for i in self.active_incidents(service)],
            active_maintenance_ids=[w.id for w in self.active_windows(service)],
        )

    def service_list(self) -> StatusServiceList:
        """Return all services and the overall state."""
        services = [self.service_status(service) for service in self.services]
        checked_at = max(
            (service.observed_at for service in services if service.observed_at),
            default=None,
        )
        stale = checked_at is None or self.now - checked_at > self.freshness
        return StatusServiceList(
            overall=overall_state([s.state for s in services], stale=stale),
            checked_at=checked_at,
            stale=stale,
            freshness_seconds=int(self.freshness.total_seconds()),
            services=services,
        )

    def next_change_at(self) -> datetime | None:
        """Return when a state can next change without a write."""
        scheduled = [window for window in self.windows if window.written == "scheduled"]
        return next_change(
            readings=[r for readings in self.readings.values() for r in readings],
            boundaries=[
                *(incident.started_at for incident in self.incidents),
                *(window.starts_at for window in scheduled),
                *(window.ends_at for window in scheduled),
            ],
            now=self.now,
            freshness=self.freshness,
        )


def status_snapshot(
    now: datetime, freshness: timedelta, services: list[ServiceRow] | None = None
) -> StatusSnapshot:
    """Read what decides the states of these services, or of all enabled ones."""
    services = services_in_display_order() if services is None else services
    return StatusSnapshot(
        now=now,
        freshness=freshness,
        services=services,
        readings=readings_by_service(services),
        incidents=incidents_since(now),
        windows=maintenance_since(now, now),
    )


def service_detail(
    slug: str, now: datetime, freshness: timedelta, *, interval_seconds: int
) -> StatusServiceDetail:
    """
    Return a service with its uptime, and its incidents and windows of the HISTORY.

    Raise ServiceNotFound if it is unknown or disabled.
    """
    service, since = enabled_service(slug), now - HISTORY
    return describe_service(
        status_snapshot(now, freshness, [service]).service_status(service),
        {period: counts_in(service, period_span(period, now)) for period in PERIODS},
        incidents_since(since, service),
        maintenance_since(since, now, service),
        now=now,
        interval_seconds=interval_seconds,
    )


def describe_service(
    service: StatusService,
    counts: Mapping[Period, Counts],
    incidents: list[IncidentRow],
    windows: list[MaintenanceRow],
    *,
    now: datetime,
    interval_seconds: int,
) -> StatusServiceDetail:
    """Return a service with its uptime in periods that end now, and its events."""
    return StatusServiceDetail(
        service=service,
        uptime=[
            summarize_counts(
                service.slug,
                period,
                now,
                counts[period],
                interval_seconds=interval_seconds,
            )
            for period in counts
        ],
        incidents=[StatusIncident.model_validate(row) for row in incidents],
        maintenance=[StatusMaintenance.model_validate(row) for row in windows],
    )


def _by_service(subjects: Iterable[Subject]) -> dict[int, list[Subject]]:
    """Group subjects by the number of each service they affect, if it still exists."""
    groups: dict[int, list[Subject]] = defaultdict(list)
    for subject in subjects:
        for affected in subject.services:
            if affected.service_id is not None:
                groups[affected.service_id].append(subject)
    return groups
