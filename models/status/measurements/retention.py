"""Compact measurements older than the retention into counters of their day."""

from datetime import datetime, timedelta
from typing import Any

from models.base import epoch_ms, from_epoch_ms
from models.instance import read_instance_value, set_instance_value
from models.status.maintenance.intervals import Span
from models.status.measurements.counts import counts_in
from models.status.measurements.measurements import MeasurementRow
from models.status.measurements.rollups import COMPACTED_UNTIL, DAY_MS, HourRow
from models.status.services.rows import ServiceRow
from models.storage.database import database, writing
from models.storage.write_locks import WriteLock

DAY = timedelta(days=1)
_SELECT_OLDEST = (
    "SELECT MIN(observed_at) FROM measurement WHERE service_id = ? AND observed_at < ?"
)
_UPSERT_DAY = (
    "INSERT INTO day (service_id, starts_at,"
    " operational, degraded, down, time_sum, time_count, excluded)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (service_id, starts_at) DO UPDATE SET"
    " operational = excluded.operational, degraded = excluded.degraded,"
    " down = excluded.down, time_sum = excluded.time_sum,"
    " time_count = excluded.time_count, excluded = excluded.excluded"
)


def compact_measurements(now: datetime, retention: timedelta) -> int:
    """
    Compact the UTC days that ended before the retention; return how many.

    The mark advances first, so that no more samples are accepted for these days.
    Then each day of each service is one transaction. A day is counted from its raw
    rows until it is compacted, so the job may be skipped, interrupted or repeated.
    What maintenance excludes from a compacted day can no longer change.
    """
    until, count = _advance_mark(now - retention), 0
    for service in list(ServiceRow.select()):
        while _compact_oldest_day(service, until):
            count += 1
    return count


def _compact_oldest_day(service: ServiceRow, until: int) -> bool:
    with writing(WriteLock.MEASUREMENTS | WriteLock.STATUS):
        row = database.execute_sql(_SELECT_OLDEST, (service.number, until)).fetchone()
        if row[0] is None:
            return False
        start = row[0] // DAY_MS * DAY_MS
        span = from_epoch_ms(start), from_epoch_ms(start) + DAY
        counts = counts_in(service, span)
        database.execute_sql(_UPSERT_DAY, (service.number, start, *counts))
        _delete_rows(MeasurementRow.observed_at, service, span)
        _delete_rows(HourRow.starts_at, service, span)
    return True


def _delete_rows(field: Any, service: ServiceRow, span: Span) -> None:
    row = field.model
    in_span = (field >= span[0]) & (field < span[1])
    row.delete().where(row.service == service.number, in_span).execute()


def _advance_mark(at: datetime) -> int:
    """Advance the mark to the start of the day; return it in milliseconds."""
    start_of_day = epoch_ms(at) // DAY_MS * DAY_MS
    with writing(WriteLock.MEASUREMENTS | WriteLock.STATUS):
        until = max(read_instance_value(COMPACTED_UNTIL) or 0, start_of_day)
        set_instance_value(COMPACTED_UNTIL, until)
    return until
