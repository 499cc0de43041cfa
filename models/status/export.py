"""Export the data of the status area, one item at a time."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from peewee import chunked

from models.base import Schema, from_epoch_ms
from models.fields import Moment, format_moment
from models.status.incidents.corrections import (
    StatusIncidentUpdateVersion,
    histories,
)
from models.status.incidents.incidents import (
    IncidentRow,
    IncidentUpdateRow,
    StatusIncident,
    StatusIncidentUpdate,
    severity_spans,
    updates_by_incident,
)
from models.status.incidents.templates import IncidentTemplate, list_templates
from models.status.maintenance.windows import (
    MaintenanceRow,
    StatusMaintenance,
    load_details,
)
from models.status.measurements.rollups import (
    COUNT_COLUMNS,
    HOUR_MS,
    rolled_up_until,
)
from models.status.measurements.sources import SourceKeyRow, StatusSourceKey
from models.status.services.affected import load_services
from models.status.services.catalogue import StatusAdminService
from models.status.services.rows import ServiceRow
from models.status.state import MeasurementStatus, Severity
from models.storage.database import database

# Incidents or windows whose services and updates are read together.
BATCH_SIZE = 200

_SELECT_SAMPLES = (
    "SELECT slug, observed_at, source, status, response_time_ms"
    " FROM {table} JOIN service ON service_id = number"
    " ORDER BY service_id, observed_at, source"
)
_COUNTERS = "operational, degraded, down, time_sum, time_count"
_SELECT_DAYS = (
    f"SELECT slug, starts_at, {_COUNTERS}, excluded"  # noqa: S608  our own text
    " FROM day JOIN service ON service_id = number ORDER BY service_id, starts_at"
)
# The hours that were rolled up, then those that are counted now.
_SELECT_HOURS = (
    f"SELECT slug, starts_at, {_COUNTERS}"  # noqa: S608  our own text
    " FROM hour JOIN service ON service_id = number WHERE starts_at < ?1"
    f" UNION ALL SELECT slug, observed_at / {HOUR_MS} * {HOUR_MS}, {COUNT_COLUMNS}"
    " FROM measurement JOIN service ON service_id = number"
    " WHERE observed_at >= ?1 GROUP BY 1, 2 ORDER BY 1, 2"
)


class ExportedSourceKey(StatusSourceKey):
    """A key that sends measurements for a source."""

    source: str


class ExportedIncidentUpdate(StatusIncidentUpdate):
    """An update with all its versions; a removed one has other words than those."""

    edited_at: Moment | None
    removed_at: Moment | None
    versions: list[StatusIncidentUpdateVersion]


class ExportedSeverity(Schema):
    """The time in which an incident had a severity; without an end it still has it."""

    severity: Severity
    starts_at: Moment
    ends_at: Moment | None


class ExportedIncident(StatusIncident):
    """An incident with its severities and its updates, oldest first."""

    removed_at: Moment | None
    severities: list[ExportedSeverity]
    updates: list[ExportedIncidentUpdate]


class ExportedMaintenance(StatusMaintenance):
    removed_at: Moment | None


class ExportedSample(Schema):
    slug: str
    observed_at: Moment
    source: str
    status: MeasurementStatus
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


def exported_services() -> Iterator[Schema]:
    rows = ServiceRow.select().order_by(ServiceRow.created_at, ServiceRow.id)
    return map(StatusAdminService.model_validate, rows.iterator())


def exported_incidents() -> Iterator[Schema]:
    query = IncidentRow.select().order_by(IncidentRow.started_at, IncidentRow.id)
    for batch in chunked(query.iterator(), BATCH_SIZE):
        updates, severities = updates_by_incident(batch), severity_spans(batch)
        for row in load_services(batch):
            incident = StatusIncident.model_validate(row).all_fields()
            yield ExportedIncident.model_validate(
                incident
                | {
                    "removed_at": row.removed_at,
                    "severities": severities[row.id],
                    "updates": list(_exported_updates(updates[row.id][::-1])),
                }
            )


def _exported_updates(
    updates: list[IncidentUpdateRow],
) -> Iterator[ExportedIncidentUpdate]:
    for update, history in zip(updates, histories(updates), strict=True):
        fields = StatusIncidentUpdate.model_validate(update).all_fields()
        times = {name: getattr(update, name) for name in ("edited_at", "removed_at")}
        yield ExportedIncidentUpdate(**fields, **times, versions=history.versions)


def exported_incident_templates() -> Iterator[Schema]:
    return map(IncidentTemplate.model_validate, list_templates())


def exported_maintenance(now: datetime) -> Iterator[Schema]:
    query = MaintenanceRow.select().order_by(
        MaintenanceRow.starts_at, MaintenanceRow.id
    )
    for batch in chunked(query.iterator(), BATCH_SIZE):
        yield from map(ExportedMaintenance.model_validate, load_details(batch, now))


def exported_hours() -> Iterator[dict[str, Any]]:
    """Yield the counters of every hour, including those not rolled up yet."""
    return _rows_as_json(ExportedHour, _SELECT_HOURS, rolled_up_until())


def exported_days() -> Iterator[dict[str, Any]]:
    """Yield the counters of the days that were compacted."""
    return _rows_as_json(ExportedDay, _SELECT_DAYS)


def exported_readings() -> Iterator[dict[str, Any]]:
    """Yield the newest measurement of each source."""
    return _rows_as_json(ExportedSample, _SELECT_SAMPLES.format(table="reading"))


def exported_measurements() -> Iterator[dict[str, Any]]:
    return _rows_as_json(ExportedSample, _SELECT_SAMPLES.format(table="measurement"))


def _rows_as_json(
    schema: type[Schema], statement: str, *parameters: int
) -> Iterator[dict[str, Any]]:
    """
    Yield the rows as JSON; their first columns are a slug and a time.

    There are millions of them, and validating each would take most of the time.
    """
    names = [str(field.alias) for field in schema.model_fields.values()]
    for slug, at, *rest in database.stream(statement, parameters):
        values = (slug, format_moment(from_epoch_ms(at)), *rest)
        yield dict(zip(names, values, strict=True))


def exported_source_keys() -> Iterator[ExportedSourceKey]:
    """Yield the keys of each source, the owner first."""
    order = (SourceKeyRow.source, SourceKeyRow.first_used_at, SourceKeyRow.lineage)
    for row in SourceKeyRow.select().order_by(*order).iterator():
        yield ExportedSourceKey(
            source=row.source,
            id=row.key_id,
            prefix=row.key_prefix,
            first_used_at=row.first_used_at,
            last_used_at=row.last_used_at,
        )
