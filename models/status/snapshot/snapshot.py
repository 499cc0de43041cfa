"""What the public is told: one service, all of them, and what comes next."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Annotated, TypeVar, cast

from pydantic import Field

from models.base import Schema
from models.fields import Moment
from models.status.incidents.incidents import IncidentRow, StatusIncident
from models.status.incidents.listing import incidents_since
from models.status.maintenance.windows import (
    MaintenanceRow,
    StatusMaintenance,
    maintenance_since,
)
from models.status.measurements.counts import (
    StatusUptimeSummary,
    counts_in,
    span_of,
    summary,
)
from models.status.measurements.measurements import readings_of
from models.status.services.catalogue import (
    ServiceRow,
    services_in_order,
    shown_service,
)
from models.status.state import (
    Imposed,
    Judgement,
    Overall,
    Reading,
    Severity,
    State,
    judge,
    next_change,
    overall_of,
)
from models.status.uptime.periods import Measured
from models.status.uptime.uptime import PERIODS, Counts, Period

HISTORY = timedelta(days=90)

Subject = TypeVar("Subject", IncidentRow, MaintenanceRow)


class StatusService(Schema):
    slug: str
    name: str
    description: str | None
    hostname: str | None
    group: str | None
    display_order: int
    state: State
    observed_at: Moment | None
    response_time_ms: int | None
    stale: bool
    active_incident_ids: list[str]
    active_maintenance_ids: list[str]


class StatusServiceList(Schema):
    overall: Overall
    checked_at: Moment | None
    stale: bool
    freshness_seconds: int
    services: list[StatusService]


class StatusServiceDetail(Schema):
    service: StatusService
    uptime: list[StatusUptimeSummary]
    incidents: list[StatusIncident]
    maintenance: list[StatusMaintenance]


class ListServices(Schema):
    group: Annotated[str | None, Field(max_length=64)] = None


class GetService(Schema):
    slug: str


@dataclass(frozen=True)
class StatusSnapshot:
    """All that the present is judged by, read once."""

    now: datetime
    freshness: timedelta
    services: list[ServiceRow]
    readings: dict[int, list[Reading]]
    incidents: list[IncidentRow]
    windows: list[MaintenanceRow]

    def judgement(self, service: ServiceRow) -> Judgement:
        return judge(
            self.readings[service.number],
            incidents=[
                Imposed(cast("Severity", each.severity), each.title)
                for each in self.incidents_of(service)
            ],
            windows=[each.title for each in self.windows_of(service)],
            now=self.now,
            freshness=self.freshness,
        )

    def incidents_of(self, service: ServiceRow) -> list[IncidentRow]:
        return self._active_incidents.get(service.number, [])

    def windows_of(self, service: ServiceRow) -> list[MaintenanceRow]:
        return self._active_windows.get(service.number, [])

    @cached_property
    def _active_incidents(self) -> dict[int, list[IncidentRow]]:
        return _by_service(i for i in self.incidents if i.is_active(self.now))

    @cached_property
    def _active_windows(self) -> dict[int, list[MaintenanceRow]]:
        return _by_service(w for w in self.windows if w.status == "active")

    def told(self, service: ServiceRow) -> StatusService:
        """Return the service as the public sees it; judged once for all who ask."""
        if service.number not in self._told:
            self._told[service.number] = self._seen(service)
        return self._told[service.number]

    @cached_property
    def _told(self) -> dict[int, StatusService]:
        return {}

    def _seen(self, service: ServiceRow) -> StatusService:
        newest = self._newest(service)
        return StatusService(
            slug=service.slug,
            name=service.name,
            description=service.description,
            hostname=service.hostname,
            group=service.group,
            display_order=service.display_order,
            state=self.judgement(service).state,
            observed_at=newest.observed_at if newest else None,
            response_time_ms=newest.response_time_ms if newest else None,
            stale=newest is None or not newest.is_fresh(self.now, self.freshness),
            active_incident_ids=[each.id for each in self.incidents_of(service)],
            active_maintenance_ids=[each.id for each in self.windows_of(service)],
        )

    def listed(self) -> StatusServiceList:
        """Return every service and the state of the whole."""
        told = [self.told(each) for each in self.services]
        checked_at = max(
            (each.observed_at for each in told if each.observed_at), default=None
        )
        stale = checked_at is None or self.now - checked_at > self.freshness
        return StatusServiceList(
            overall=overall_of([each.state for each in told], stale=stale),
            checked_at=checked_at,
            stale=stale,
            freshness_seconds=int(self.freshness.total_seconds()),
            services=told,
        )

    def next_change_at(self) -> datetime | None:
        """Return when a state can next change without a write."""
        starts = [each.started_at for each in self.incidents]
        by_clock = [each for each in self.windows if each.written == "scheduled"]
        edges = [at for each in by_clock for at in (each.starts_at, each.ends_at)]
        return next_change(
            readings=[each for found in self.readings.values() for each in found],
            boundaries=[*starts, *edges],
            now=self.now,
            freshness=self.freshness,
        )

    def _newest(self, service: ServiceRow) -> Reading | None:
        readings = self.readings[service.number]
        return max(readings, key=lambda each: each.observed_at, default=None)


def status_snapshot(
    now: datetime, freshness: timedelta, services: list[ServiceRow] | None = None
) -> StatusSnapshot:
    """Read the enabled services, or these, and all that can decide their states."""
    services = services_in_order() if services is None else services
    return StatusSnapshot(
        now=now,
        freshness=freshness,
        services=services,
        readings=readings_of(services),
        incidents=incidents_since(now),
        windows=maintenance_since(now, now),
    )


def service_detail(
    slug: str, now: datetime, freshness: timedelta, *, interval_seconds: int
) -> StatusServiceDetail:
    """Return a service with its uptimes and the incidents and windows of 90 days."""
    service, since = shown_service(slug), now - HISTORY
    return _detail(
        status_snapshot(now, freshness, [service]).told(service),
        {each: counts_in(service, span_of(each, now)) for each in PERIODS},
        incidents_since(since, service),
        maintenance_since(since, now, service),
        at=(now, interval_seconds),
    )


def details_on(
    seen: StatusSnapshot, measured: Mapping[str, Measured], interval_seconds: int
) -> dict[str, StatusServiceDetail]:
    """Return the same for all services at once, by slug."""
    since = seen.now - HISTORY
    incidents = _by_service(incidents_since(since))
    windows = _by_service(maintenance_since(since, seen.now))
    return {
        each.slug: _detail(
            seen.told(each),
            measured[each.slug].counts,
            incidents.get(each.number, []),
            windows.get(each.number, []),
            at=(measured[each.slug].now, interval_seconds),
        )
        for each in seen.services
    }


def _detail(
    service: StatusService,
    counts: Mapping[Period, Counts],
    incidents: list[IncidentRow],
    windows: list[MaintenanceRow],
    *,
    at: tuple[datetime, int],
) -> StatusServiceDetail:
    now, interval_seconds = at
    return StatusServiceDetail(
        service=service,
        uptime=[
            summary(service.slug, period, now, each, interval_seconds=interval_seconds)
            for period, each in counts.items()
        ],
        incidents=[StatusIncident.model_validate(each) for each in incidents],
        maintenance=[StatusMaintenance.model_validate(each) for each in windows],
    )


def _by_service(subjects: Iterable[Subject]) -> dict[int, list[Subject]]:
    """Sort what is active to the services it affects; a purged one has none."""
    found: dict[int, list[Subject]] = defaultdict(list)
    for subject in subjects:
        for each in subject.services:
            if each.service_id is not None:
                found[each.service_id].append(subject)
    return found
