"""
Counters of measurements: by the hour while raw rows are kept, by the day for ever.

An hour counts every sample, inside maintenance or not, so that an edited window
changes no counter: whoever asks cuts the windows out and reads raw rows for the
hours that a window only touches.
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
from models.status.services.catalogue import ServiceRow
from models.storage.database import database, writing

HOUR = timedelta(hours=1)
HOUR_MS = 60 * 60 * 1000
DAY_MS = 24 * HOUR_MS

# Hours in a transaction that catches up: few, so that no write waits for long.
AT_ONCE = 6

_ROLLED_UP = "rolled-up-until"
FOLDED = "folded-until"
_REVISION = "past-revision-"


class HourRow(Row):
    """The samples of one hour, once `roll_up` has passed it."""

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

    Those inside maintenance are only counted, in `excluded`.
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


# How raw rows are counted, wherever they are: the columns of Counts, in order.
# The time of a sample that is down says nothing of the service.
COUNTED = (
    " COUNT(*) FILTER (WHERE status = 'operational'),"
    " COUNT(*) FILTER (WHERE status = 'degraded'),"
    " COUNT(*) FILTER (WHERE status = 'down'),"
    " COALESCE(SUM(response_time_ms) FILTER (WHERE status <> 'down'), 0),"
    " COUNT(response_time_ms) FILTER (WHERE status <> 'down')"
)
_RECOUNT = (
    "INSERT INTO hour (service_id, starts_at,"  # noqa: S608  our own text
    " operational, degraded, down, time_sum, time_count)"
    f" SELECT service_id, ?2, {COUNTED} FROM measurement"
    " WHERE service_id = ?1 AND observed_at >= ?2 AND observed_at < ?3"
    " GROUP BY service_id"
    " ON CONFLICT (service_id, starts_at) DO UPDATE SET"
    " operational = excluded.operational, degraded = excluded.degraded,"
    " down = excluded.down, time_sum = excluded.time_sum,"
    " time_count = excluded.time_count"
)


def rolled_up_until() -> int:
    """Return, in milliseconds, the hour before which every hour has its counters."""
    return read_instance_value(_ROLLED_UP) or 0


def folded_until() -> datetime:
    """Return the day before which raw rows give way to the counters of their day."""
    return from_epoch_ms(read_instance_value(FOLDED) or 0)


def recount(samples: Iterable[tuple[int, int]], now: datetime) -> None:
    """
    Count anew the hours that late samples fell into, inside their transaction.

    A sample is a service's number and a time in milliseconds. One whose hour is
    not over is not late.
    """
    until, this_hour = rolled_up_until(), _hour(epoch_ms(now))
    late = {(number, _hour(at)) for number, at in samples if at < max(until, this_hour)}
    _recount((number, hour) for number, hour in late if hour < until)
    increment_instance_values(
        f"{_REVISION}{each}" for each in {number for number, _ in late}
    )


def past_revisions() -> dict[int, int]:
    """
    Return, by service, how often samples came into hours that were over.

    While it stands, and the windows do, those hours tell the same.
    """
    found = read_instance_values(_REVISION)
    return {int(name.removeprefix(_REVISION)): value for name, value in found.items()}


def roll_up(now: datetime) -> int:
    """
    Count the hours that are over, and return how many.

    A few at a time make a transaction, and the mark moves with them, so the job
    may be missed, interrupted or run twice.
    """
    total, end = 0, _hour(epoch_ms(now))
    while count := _roll_up_next(end):
        total += count
    return total


def _roll_up_next(end: int) -> int:
    with writing():
        numbers = [row.number for row in ServiceRow.select(ServiceRow.number)]
        start = read_instance_value(_ROLLED_UP)
        if start is None:
            start = _first_hour(numbers, end)
        hours = range(start, min(end, start + AT_ONCE * HOUR_MS), HOUR_MS)
        if hours:
            _recount((number, hour) for number in numbers for hour in hours)
            set_instance_value(_ROLLED_UP, hours.stop)
    return len(hours)


def _first_hour(numbers: list[int], end: int) -> int:
    oldest = "SELECT MIN(observed_at) FROM measurement WHERE service_id = ?"
    found = [database.execute_sql(oldest, (each,)).fetchone()[0] for each in numbers]
    return min((_hour(at) for at in found if at is not None), default=end - HOUR_MS)


def _recount(hours: Iterable[tuple[int, int]]) -> None:
    rows = [(number, start, start + HOUR_MS) for number, start in hours]
    database.connection().cursor().executemany(_RECOUNT, rows)


def _hour(at: int) -> int:
    return at - at % HOUR_MS
