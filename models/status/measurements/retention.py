"""How long samples are kept one by one: then a day is folded into its counters."""

from datetime import datetime, timedelta
from typing import Any

from models.base import epoch_ms, from_epoch_ms
from models.instance import read_instance_value, set_instance_value
from models.status.maintenance.intervals import Span
from models.status.measurements.counts import counts_in
from models.status.measurements.measurements import MeasurementRow
from models.status.measurements.rollups import DAY_MS, FOLDED, HourRow
from models.status.services.catalogue import ServiceRow
from models.storage.database import database, writing

DAY = timedelta(days=1)
_OLDEST = (
    "SELECT MIN(observed_at) FROM measurement WHERE service_id = ? AND observed_at < ?"
)
_FOLD = (
    "INSERT INTO day (service_id, starts_at,"
    " operational, degraded, down, time_sum, time_count, excluded)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (service_id, starts_at) DO UPDATE SET"
    " operational = excluded.operational, degraded = excluded.degraded,"
    " down = excluded.down, time_sum = excluded.time_sum,"
    " time_count = excluded.time_count, excluded = excluded.excluded"
)


def prune(now: datetime, retention: timedelta) -> int:
    """
    Fold the UTC days that lie wholly beyond the retention; return how many.

    First the mark moves, so that no sample is taken for a day to be folded.
    Then each day of each service is a transaction of its own: until it is folded
    it is counted from its raw rows, so the job may be missed, interrupted or run
    twice. What a window leaves out of a folded day can no longer change.
    """
    until, count = _move_mark(now - retention), 0
    for service in list(ServiceRow.select()):
        while _fold_oldest(service, until):
            count += 1
    return count


def _fold_oldest(service: ServiceRow, until: int) -> bool:
    with writing():
        oldest = database.execute_sql(_OLDEST, (service.number, until)).fetchone()[0]
        if oldest is None:
            return False
        start = oldest // DAY_MS * DAY_MS
        span = from_epoch_ms(start), from_epoch_ms(start) + DAY
        counts = counts_in(service, span)
        database.execute_sql(_FOLD, (service.number, start, *counts))
        _forget(MeasurementRow.observed_at, service, span)
        _forget(HourRow.starts_at, service, span)
    return True


def _forget(field: Any, service: ServiceRow, span: Span) -> None:
    row = field.model
    within = (field >= span[0]) & (field < span[1])
    row.delete().where(row.service == service.number, within).execute()


def _move_mark(to: datetime) -> int:
    wanted = epoch_ms(to) // DAY_MS * DAY_MS
    with writing():
        until = max(read_instance_value(FOLDED) or 0, wanted)
        set_instance_value(FOLDED, until)
    return until
