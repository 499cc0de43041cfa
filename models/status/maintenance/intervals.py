"""Split time spans at the maintenance windows of a service."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime

from models.base import epoch_ms, from_epoch_ms
from models.status.services.rows import ServiceRow
from models.storage.database import database

# [start, end)
Span = tuple[datetime, datetime]

_SELECT_WINDOWS = (
    "SELECT affected.service_id, starts_at, ends_at FROM maintenance"
    " JOIN affected ON affected.subject = maintenance.id"
    " WHERE affected.service_id {} AND written <> 'cancelled' AND removed_at IS NULL"
    " ORDER BY starts_at, ends_at"
)
_SELECT_OF_SERVICE = _SELECT_WINDOWS.format("= ?")
_SELECT_SINCE = _SELECT_WINDOWS.format("IS NOT NULL AND ends_at > ?")


def maintenance_spans(service: ServiceRow) -> list[Span]:
    """Return the service's windows that are not cancelled, sorted by start."""
    rows = database.execute_sql(_SELECT_OF_SERVICE, (service.number,))
    return [
        (from_epoch_ms(starts_at), from_epoch_ms(ends_at))
        for _, starts_at, ends_at in rows
    ]


def maintenance_spans_by_service(since: datetime) -> dict[int, list[Span]]:
    """Return the `maintenance_spans` of every service that end later, by its number."""
    spans: dict[int, list[Span]] = defaultdict(list)
    rows = database.execute_sql(_SELECT_SINCE, (epoch_ms(since),))
    for number, starts_at, ends_at in rows:
        spans[number].append((from_epoch_ms(starts_at), from_epoch_ms(ends_at)))
    return spans


def spans_outside(windows: Sequence[Span], span: Span) -> Iterator[Span]:
    """Yield the parts of a span outside the windows, which are sorted by start."""
    start, end = span
    for window_start, window_end in spans_inside(windows, span):
        if start < window_start:
            yield start, window_start
        start = window_end
    if start < end:
        yield start, end


def spans_inside(windows: Sequence[Span], span: Span) -> Iterator[Span]:
    """Yield the parts of a span inside the windows; overlaps are yielded once."""
    start, end = span
    for window_start, window_end in windows:
        first, last = max(start, window_start), min(end, window_end)
        if first < last:
            yield first, last
            start = last
