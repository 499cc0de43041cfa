"""
Count measurements by the hour, and by the day once their raw rows are gone.

An hour counts every sample, inside maintenance or not, so that editing a window
changes no counter. Readers leave maintenance out, and count raw rows in hours that a
window covers only in part.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from peewee import BigIntegerField, CompositeKey, ForeignKeyField, IntegerField

from models.base import MomentField, Row, epoch_ms, from_epoch_ms
from models.instance import (
    increment_instance_values,
    read_instance_value,
    read_instance_values,
    set_instance_value,
)
from models.status.services.rows import ServiceRow
from models.storage.database import database, writing
from models.storage.write_locks import WriteLock

HOUR = timedelta(hours=1)
HOUR_MS = 60 * 60 * 1000
DAY_MS = 24 * HOUR_MS

# Few, so that other writes do not wait long while a roll-up catches up.
HOURS_PER_TRANSACTION = 6

# Names of marks in the database.
ROLLED_UP_UNTIL = "rolled-up-until"
COMPACTED_UNTIL = "folded-until"
_REVISION_PREFIX = "past-revision-"


class HourRow(Row):
    """The samples of one hour, once `roll_up` has counted it."""

    service = ForeignKeyField(ServiceRow, on_delete="CASCADE", index=False)
    starts_at = MomentField()
    operational = IntegerField()
    degraded = IntegerField()
    down = IntegerField()
    time_sum = BigIntegerField()
    time_count = IntegerField()

    class Meta:
        primary_key = CompositeKey("service", "starts_at")
        without_rowid = True


class DayRow(Row):
    """
    The samples of one UTC day whose raw rows are gone.

    Samples taken during maintenance are only counted, in `excluded`.
    """

    service = ForeignKeyField(ServiceRow, on_delete="CASCADE", index=False)
    starts_at = MomentField()
    operational = IntegerField()
    degraded = IntegerField()
    down = IntegerField()
    time_sum = BigIntegerField()
    time_count = IntegerField()
    excluded = IntegerField()

    class Meta:
        primary_key = CompositeKey("service", "starts_at")
        without_rowid = True


# SQL that counts raw rows: the columns of Counts, in their order, except `excluded`.
# The response time of a sample that is down says nothing about the service.
COUNT_COLUMNS = (
    " COUNT(*) FILTER (WHERE status = 'operational'),"
    " COUNT(*) FILTER (WHERE status = 'degraded'),"
    " COUNT(*) FILTER (WHERE status = 'down'),"
    " COALESCE(SUM(response_time_ms) FILTER (WHERE status <> 'down'), 0),"
    " COUNT(response_time_ms) FILTER (WHERE status <> 'down')"
)
_UPSERT_HOUR = (
    "INSERT INTO hour (service_id, starts_at,"  # noqa: S608  our own text
    " operational, degraded, down, time_sum, time_count)"
    f" SELECT service_id, ?2, {COUNT_COLUMNS} FROM measurement"
    " WHERE service_id = ?1 AND observed_at >= ?2 AND observed_at < ?3"
    " GROUP BY service_id"
    " ON CONFLICT (service_id, starts_at) DO UPDATE SET"
    " operational = excluded.operational, degraded = excluded.degraded,"
    " down = excluded.down, time_sum = excluded.time_sum,"
    " time_count = excluded.time_count"
)


def rolled_up_until() -> int:
    """Return the hour, in milliseconds, before which every hour is counted."""
    return read_instance_value(ROLLED_UP_UNTIL) or 0


def compacted_until() -> datetime:
    """Return the day before which raw rows are replaced by the counters of a day."""
    return from_epoch_ms(read_instance_value(COMPACTED_UNTIL) or 0)


def roll_up(now: datetime) -> int:
    """
    Count the hours that have ended; return how many.

    Each transaction counts a few hours and advances the mark, so the job may be
    skipped, interrupted or repeated.
    """
    total, end = 0, _start_of_hour(epoch_ms(now))
    while count := _roll_up_next(end):
        total += count
    return total


def recount_late_samples(samples: Iterable[tuple[int, int]], now: datetime) -> None:
    """
    Count the hours again that late samples fell into, in their transaction.

    A sample is the number of its service and its time in milliseconds. It is late if
    its hour has ended or was counted already.
    """
    until = rolled_up_until()
    late_before = max(until, _start_of_hour(epoch_ms(now)))
    late_hours = {
        (number, _start_of_hour(at)) for number, at in samples if at < late_before
    }
    if not late_hours:
        return
    _count_hours((number, hour) for number, hour in sorted(late_hours) if hour < until)
    numbers = sorted({number for number, _ in late_hours})
    increment_instance_values(f"{_REVISION_PREFIX}{number}" for number in numbers)


def history_revisions() -> dict[int, int]:
    """
    Return, by service number, how often late samples came in.

    While a service's revision and windows stay the same, so do its past hours.
    """
    revisions = read_instance_values(_REVISION_PREFIX)
    return {
        int(name.removeprefix(_REVISION_PREFIX)): revision
        for name, revision in revisions.items()
    }


def _roll_up_next(end: int) -> int:
    with writing(WriteLock.MEASUREMENTS | WriteLock.STATUS):
        numbers = [row.number for row in ServiceRow.select(ServiceRow.number)]
        start = read_instance_value(ROLLED_UP_UNTIL)
        if start is None:
            start = _first_hour(numbers, end)
        stop = min(end, start + HOURS_PER_TRANSACTION * HOUR_MS)
        hours = range(start, stop, HOUR_MS)
        if hours:
            _count_hours((number, hour) for number in numbers for hour in hours)
            set_instance_value(ROLLED_UP_UNTIL, hours.stop)
    return len(hours)


def _first_hour(numbers: list[int], end: int) -> int:
    oldest = "SELECT MIN(observed_at) FROM measurement WHERE service_id = ?"
    times = [database.execute_sql(oldest, (n,)).fetchone()[0] for n in numbers]
    hours = (_start_of_hour(at) for at in times if at is not None)
    return min(hours, default=end - HOUR_MS)


def _count_hours(hours: Iterable[tuple[int, int]]) -> None:
    rows = [(number, start, start + HOUR_MS) for number, start in hours]
    database.connection().cursor().executemany(_UPSERT_HOUR, rows)


def _start_of_hour(at: int) -> int:
    return at - at % HOUR_MS
