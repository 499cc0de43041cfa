"""Everything that is kept of the status area, as an export tells it."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from peewee import chunked

from models.base import Schema, from_epoch_ms
from models.fields import Moment, format_moment
from models.status.incidents.incidents import (
    IncidentRow,
    StatusIncident,
    StatusIncidentUpdate,
    entries_of,
    with_services,
)
from models.status.maintenance.windows import (
    MaintenanceRow,
    StatusMaintenance,
    complete,
)
from models.status.measurements.rollups import COUNTED, HOUR_MS, rolled_up_until
from models.status.services.catalogue import ServiceRow, StatusAdminService
from models.status.state import Measured
from models.storage.database import database

# Rows of which the rest is looked up together.
AT_ONCE = 200

_SAMPLES = (
    "SELECT slug, observed_at, source, status, response_time_ms"
    " FROM {table} JOIN service ON service_id = number"
    " ORDER BY service_id, observed_at, source"
)
_COUNTERS = "operational, degraded, down, time_sum, time_count"
_DAYS = (
    f"SELECT slug, starts_at, {_COUNTERS}, excluded"  # noqa: S608  our own text
    " FROM day JOIN service ON service_id = number ORDER BY service_id, starts_at"
)
# What is counted already, then what is not counted yet.
_HOURS = (
    f"SELECT slug, starts_at, {_COUNTERS}"  # noqa: S608  our own text
    " FROM hour JOIN service ON service_id = number WHERE starts_at < ?1"
    f" UNION ALL SELECT slug, observed_at / {HOUR_MS} * {HOUR_MS}, {COUNTED}"
    " FROM measurement JOIN service ON service_id = number"
    " WHERE observed_at >= ?1 GROUP BY 1, 2 ORDER BY 1, 2"
)


class ExportedIncident(StatusIncident):
    """An incident with its timeline, oldest entry first."""

    updates: list[StatusIncidentUpdate]


class ExportedSample(Schema):
    slug: str
    observed_at: Moment
    source: str
    status: Measured
    response_time_ms: int | None


class ExportedHour(Schema):
    slug: str
    starts_at: Moment
    operational: int
    degraded: int
    down: int
    time_sum: int
    time_count: int


class ExportedDay(ExportedHour):
    excluded: int


def services_kept() -> Iterator[Schema]:
    rows = ServiceRow.select().order_by(ServiceRow.created_at, ServiceRow.id)
    return map(StatusAdminService.model_validate, rows.iterator())


def incidents_kept() -> Iterator[Schema]:
    """Yield the incidents with their timelines, a few at a time."""
    query = IncidentRow.select().order_by(IncidentRow.started_at, IncidentRow.id)
    for some in chunked(query.iterator(), AT_ONCE):
        entries = entries_of(some)
        for each in with_services(some):
            told = StatusIncident.model_validate(each).all_fields()
            timeline = entries[each.id][::-1]
            yield ExportedIncident.model_validate(told | {"updates": timeline})


def maintenance_kept(now: datetime) -> Iterator[Schema]:
    row = MaintenanceRow
    query = row.select().order_by(row.starts_at, row.id)
    for some in chunked(query.iterator(), AT_ONCE):
        yield from map(StatusMaintenance.model_validate, complete(some, now))


def hours_kept() -> Iterator[dict[str, Any]]:
    """Yield the counters of each hour, and what was measured since the last."""
    return _told(ExportedHour, _HOURS, rolled_up_until())


def days_kept() -> Iterator[dict[str, Any]]:
    """Yield the counters of the days whose samples are gone."""
    return _told(ExportedDay, _DAYS)


def readings_kept() -> Iterator[dict[str, Any]]:
    """Yield the newest sample of each source."""
    return _told(ExportedSample, _SAMPLES.format(table="reading"))


def measurements_kept() -> Iterator[dict[str, Any]]:
    return _told(ExportedSample, _SAMPLES.format(table="measurement"))


def _told(shape: type[Schema], statement: str, *given: int) -> Iterator[dict[str, Any]]:
    """
    Yield the rows as the shape would tell them: slug and time come first.

    There are millions: to pour each into the shape would take longer than the rest.
    """
    names = [str(each.alias) for each in shape.model_fields.values()]
    for slug, at, *rest in database.stream(statement, given):
        told = (slug, format_moment(from_epoch_ms(at)), *rest)
        yield dict(zip(names, told, strict=True))
