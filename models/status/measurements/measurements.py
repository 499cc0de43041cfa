"""Measurements: what probes say, kept as they said it."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Annotated

from peewee import CompositeKey, ForeignKeyField, IntegerField, TextField
from pydantic import Field, field_validator

from models.base import MomentField, Row, Schema, epoch_ms, from_epoch_ms
from models.errors import ValidationFailed
from models.fields import Moment, StatusSlug, WholeNumber, format_moment
from models.status.measurements.rollups import folded_until, recount
from models.status.services.catalogue import ServiceRow, numbers_by_slug
from models.status.state import CLOCK_SKEW, Measured, Reading
from models.storage.database import database


class StatusMeasurement(Schema):
    slug: StatusSlug
    status: Measured
    response_time_ms: Annotated[WholeNumber, Field(ge=0, le=600_000)] | None = None
    observed_at: Moment

    # The pattern of the slug, the only text, leaves no room for a NUL: to look for
    # one in a thousand members would cost a batch a tenth of its time.
    @field_validator("slug")
    @classmethod
    def _without_nul(cls, value: str) -> str:
        return value


class StatusRecordMeasurements(Schema):
    source: StatusSlug
    measurements: Annotated[
        list[StatusMeasurement], Field(min_length=1, max_length=200)
    ]


class RecordedMeasurements(Schema):
    recorded: int
    unknown: list[str]


class MeasurementRow(Row):
    """One sample; the key is the order in which they are read."""

    service = ForeignKeyField(ServiceRow, on_delete="CASCADE", index=False)
    observed_at = MomentField()
    source = TextField()
    status = TextField()
    response_time_ms = IntegerField(null=True)

    class Meta:
        primary_key = CompositeKey("service", "observed_at", "source")
        without_rowid = True


class ReadingRow(Row):
    """The newest sample of each source, so that the present is read at once."""

    service_id: int

    service = ForeignKeyField(ServiceRow, on_delete="CASCADE", index=False)
    source = TextField()
    observed_at = MomentField()
    status = TextField()
    response_time_ms = IntegerField(null=True)

    class Meta:
        primary_key = CompositeKey("service", "source")
        without_rowid = True


# A batch is up to 200 rows and Peewee builds its text anew each time: the two
# statements are fixed, so that the disk and not Python sets the pace.
_KEEP = (
    "INSERT INTO measurement"
    " (service_id, observed_at, source, status, response_time_ms)"
    " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
_SEE = (
    "INSERT INTO reading (service_id, observed_at, source, status, response_time_ms)"
    " VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (service_id, source) DO UPDATE SET"
    " observed_at = excluded.observed_at, status = excluded.status,"
    " response_time_ms = excluded.response_time_ms"
    " WHERE excluded.observed_at > reading.observed_at"
)
# Every reading is read to tell the present: rows of Peewee's would take longer
# than all the rest of it.
_SEEN = (
    "SELECT service_id, source, status, observed_at, response_time_ms FROM reading"
    " WHERE service_id BETWEEN ? AND ? ORDER BY service_id, source"
)

# What each service was last said to be by one source, while that is fresh.
_SAID = (
    "SELECT slug, status FROM service LEFT JOIN reading"
    " ON service_id = number AND source = ? AND observed_at >= ?"
)

_WHY_NOT = "older samples are not kept one by one."


def record_measurements(
    request: StatusRecordMeasurements, now: datetime, *, retention: timedelta
) -> tuple[RecordedMeasurements, bool]:
    """
    Keep a batch, whole or not at all; tell whether that changed anything.

    A sample that is there already counts as recorded and changes nothing.
    Slugs that name no service are returned; the rest is kept.
    """
    _require_times(request.measurements, now, retention)
    numbers = numbers_by_slug()
    rows = [
        (
            numbers[each.slug],
            epoch_ms(each.observed_at),
            request.source,
            each.status,
            each.response_time_ms,
        )
        for each in request.measurements
        if each.slug in numbers
    ]
    cursor = database.connection().cursor()
    cursor.executemany(_KEEP, rows)
    changed = cursor.rowcount > 0
    if changed:
        cursor.executemany(_SEE, rows)
        recount(((number, at) for number, at, *_ in rows), now)
    unknown = [each.slug for each in request.measurements if each.slug not in numbers]
    recorded = RecordedMeasurements(
        recorded=len(rows), unknown=list(dict.fromkeys(unknown))
    )
    return recorded, changed


def repeats_the_present(
    request: StatusRecordMeasurements, now: datetime, *, freshness: timedelta
) -> bool:
    """
    Tell whether a batch says of every service what its source says already.

    Then no state can change by it: of as many fresh sources as many are down. Asked
    before the batch is kept.
    """
    since = epoch_ms(now - freshness)
    said = dict(database.execute_sql(_SAID, (request.source, since)))
    return all(said.get(e.slug, e.status) == e.status for e in request.measurements)


def readings_of(services: Iterable[ServiceRow]) -> dict[int, list[Reading]]:
    """Return the newest sample of each source, by the service's number."""
    found: dict[int, list[Reading]] = {each.number: [] for each in services}
    rows = database.execute_sql(_SEEN, (min(found, default=0), max(found, default=0)))
    for number, source, status, observed_at, response_time_ms in rows:
        if number in found:
            found[number].append(
                Reading(source, status, from_epoch_ms(observed_at), response_time_ms)
            )
    return found


def _require_times(
    measurements: Iterable[StatusMeasurement], now: datetime, retention: timedelta
) -> None:
    latest, earliest = now + CLOCK_SKEW, max(now - retention, folded_until())
    errors = []
    for index, each in enumerate(measurements):
        problem = None
        if each.observed_at > latest:
            problem = "Must not be more than 60 s in the future."
        elif each.observed_at < earliest:
            problem = f"Must not be before {format_moment(earliest)}: {_WHY_NOT}"
        if problem:
            pointer = f"/measurements/{index}/observedAt"
            errors.append({"pointer": pointer, "code": "time", "detail": problem})
    if errors:
        first = errors[0]
        raise ValidationFailed(f"{first['pointer']}: {first['detail']}", *errors[:20])
