"""Record the measurements of probes, and read the newest of each source."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Annotated

from peewee import CompositeKey, ForeignKeyField, IntegerField, TextField
from pydantic import BeforeValidator, Field, field_validator

from models.base import (
    MomentField,
    Row,
    Schema,
    canonical_json,
    epoch_ms,
    from_epoch_ms,
)
from models.errors import ValidationFailed
from models.fields import Moment, StatusSlug, format_moment, parse_whole_number
from models.status import descriptions
from models.status.measurements.rollups import compacted_until, recount_late_samples
from models.status.services.catalogue import service_numbers_by_slug
from models.status.services.rows import ServiceRow
from models.status.state import MAX_CLOCK_SKEW, MeasurementStatus, Reading
from models.storage.database import database

MAX_ERRORS = 20

# The bounds come first, so that pydantic checks them without calling Python.
ResponseTime = Annotated[
    int, Field(ge=0, le=600_000), BeforeValidator(parse_whole_number)
]


class StatusMeasurement(Schema, example=("responseTimeMs",)):
    slug: Annotated[StatusSlug, descriptions.SERVICE_SLUG]
    status: MeasurementStatus = Field(description="The state that was measured.")
    response_time_ms: ResponseTime | None = Field(
        default=None, description="The response time in milliseconds.", examples=[184]
    )
    observed_at: Moment = Field(description="When the measurement was made.")

    # Replaces the method of this name that checks every field for NUL, which would take
    # a fifth of the time. The slug is the only text, and its pattern allows no NUL.
    @field_validator("slug")
    @classmethod
    def _reject_nul(cls, value: str) -> str:
        return value


class StatusRecordMeasurements(Schema):
    source: Annotated[StatusSlug, descriptions.SOURCE]
    measurements: Annotated[
        list[StatusMeasurement], Field(min_length=1, max_length=200)
    ] = Field(description="The measurements.")

    def canonical_bytes(self) -> bytes:
        # Dumping the models takes ten times as long. Null is the same as omitted here.
        values = [
            (m.slug, m.status, m.response_time_ms, epoch_ms(m.observed_at))
            for m in self.measurements
        ]
        return canonical_json([self.source, values])


class RecordedMeasurements(Schema):
    recorded: int = Field(description="The number of measurements that were accepted.")
    unknown: list[str] = Field(
        description="Slugs of no service; their measurements were discarded.",
        examples=[[]],
    )


class MeasurementRow(Row):
    """One measurement; the key is in the order in which they are read."""

    service = ForeignKeyField(ServiceRow, on_delete="CASCADE", index=False)
    observed_at = MomentField()
    source = TextField()
    status = TextField()
    response_time_ms = IntegerField(null=True)

    class Meta:
        primary_key = CompositeKey("service", "observed_at", "source")
        without_rowid = True


class ReadingRow(Row):
    """The newest measurement of a service by one source."""

    service_id: int

    service = ForeignKeyField(ServiceRow, on_delete="CASCADE", index=False)
    source = TextField()
    observed_at = MomentField()
    status = TextField()
    response_time_ms = IntegerField(null=True)

    class Meta:
        primary_key = CompositeKey("service", "source")
        without_rowid = True


# The service's number, the time, the source, the status and the response time.
_MeasurementValues = tuple[int, int, str, str, int | None]
# The columns that differ between the keys of a batch: it has one source.
_KEY = itemgetter(0, 1)

# Fixed SQL, because Peewee would build the text of a batch of 200 rows each time.
_INSERT_MEASUREMENT = (
    "INSERT INTO measurement"
    " (service_id, observed_at, source, status, response_time_ms)"
    " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
_UPSERT_READING = (
    "INSERT INTO reading (service_id, observed_at, source, status, response_time_ms)"
    " VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (service_id, source) DO UPDATE SET"
    " observed_at = excluded.observed_at, status = excluded.status,"
    " response_time_ms = excluded.response_time_ms"
    " WHERE excluded.observed_at > reading.observed_at"
)
# Fixed SQL, because the rows of Peewee would take longer than computing the states.
_SELECT_READINGS = (
    "SELECT service_id, source, status, observed_at, response_time_ms FROM reading"
    " WHERE service_id BETWEEN ? AND ? ORDER BY service_id, source"
)
# Every service with its fresh reading by one source; NULL without one.
_SELECT_FRESH_STATUSES = (
    "SELECT slug, number, status FROM service LEFT JOIN reading"
    " ON service_id = number AND source = ? AND observed_at >= ?"
)


def record_measurements(
    request: StatusRecordMeasurements,
    now: datetime,
    *,
    retention: timedelta,
    numbers: Mapping[str, int] | None = None,
) -> tuple[RecordedMeasurements, bool]:
    """
    Store a batch, all or nothing; return the result and whether anything changed.

    A measurement that is already stored counts as recorded and changes nothing.
    Measurements of unknown slugs are not stored, and the slugs are returned. A time
    in the future or before the retention raises ValidationFailed. `numbers` are those
    of all services by slug, if the caller has read them.
    """
    _require_valid_times(request.measurements, now, retention)
    if numbers is None:
        numbers = service_numbers_by_slug()
    rows: list[_MeasurementValues] = [
        (
            numbers[m.slug],
            epoch_ms(m.observed_at),
            request.source,
            m.status,
            m.response_time_ms,
        )
        for m in request.measurements
        if m.slug in numbers
    ]
    cursor = database.connection().cursor()
    cursor.executemany(_INSERT_MEASUREMENT, rows)
    has_changed = cursor.rowcount > 0
    if has_changed:
        cursor.executemany(_UPSERT_READING, _newest_of_each_service(rows))
        recount_late_samples(map(_KEY, rows), now)
    unknown = [m.slug for m in request.measurements if m.slug not in numbers]
    recorded = RecordedMeasurements(
        recorded=len(rows), unknown=list(dict.fromkeys(unknown))
    )
    return recorded, has_changed


def fresh_statuses(
    source: str, now: datetime, *, freshness: timedelta
) -> tuple[dict[str, str | None], dict[str, int]]:
    """
    Return the status of the source's fresh reading by service, None without one, and
    the numbers of the services.
    """
    values = (source, epoch_ms(now - freshness))
    rows = database.connection().execute(_SELECT_FRESH_STATUSES, values).fetchall()
    statuses = {slug: status for slug, _, status in rows}
    return statuses, {slug: number for slug, number, _ in rows}


def repeats_current_readings(
    request: StatusRecordMeasurements, statuses: Mapping[str, str | None]
) -> bool:
    """
    Return whether the batch reports the status that each fresh reading already has.

    If so, the batch cannot change a state: the counts of fresh and of down sources
    stay the same. Must be called before the batch is stored.
    """
    return all(statuses.get(m.slug, m.status) == m.status for m in request.measurements)


def readings_by_service(services: Iterable[ServiceRow]) -> dict[int, list[Reading]]:
    """Return the newest reading of each source, by the service's number."""
    readings: dict[int, list[Reading]] = {service.number: [] for service in services}
    number_range = min(readings, default=0), max(readings, default=0)
    rows = database.execute_sql(_SELECT_READINGS, number_range)
    for number, source, status, observed_at, response_time_ms in rows:
        if number in readings:
            readings[number].append(
                Reading(source, status, from_epoch_ms(observed_at), response_time_ms)
            )
    return readings


def _newest_of_each_service(
    rows: Iterable[_MeasurementValues],
) -> Iterable[_MeasurementValues]:
    """Return the rows of the newest times, of several at one time the first."""
    newest: dict[int, _MeasurementValues] = {}
    for row in rows:
        number, at, *_ = row
        if number not in newest or at > newest[number][1]:
            newest[number] = row
    return newest.values()


def _require_valid_times(
    measurements: Sequence[StatusMeasurement], now: datetime, retention: timedelta
) -> None:
    latest, earliest = now + MAX_CLOCK_SKEW, max(now - retention, compacted_until())
    times = [measurement.observed_at for measurement in measurements]
    if earliest <= min(times) and max(times) <= latest:
        return
    errors = []
    for index, measurement in enumerate(measurements):
        detail = None
        if measurement.observed_at > latest:
            detail = "Must not be more than 60 s in the future."
        elif measurement.observed_at < earliest:
            detail = (
                f"Must not be before {format_moment(earliest)}: older measurements"
                " are no longer accepted."
            )
        if detail:
            pointer = f"/measurements/{index}/observedAt"
            errors.append({"pointer": pointer, "code": "time", "detail": detail})
    if errors:
        first = errors[0]
        message = f"{first['pointer']}: {first['detail']}"
        raise ValidationFailed(message, *errors[:MAX_ERRORS])
