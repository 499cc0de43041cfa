"""What maintenance cuts out of a span of time."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime

from models.base import from_epoch_ms
from models.status.services.catalogue import ServiceRow
from models.storage.database import database

# From, up to and without.
Span = tuple[datetime, datetime]

_WINDOWS = (
    "SELECT affected.service_id, starts_at, ends_at FROM maintenance"
    " JOIN affected ON affected.subject = maintenance.id"
    " WHERE affected.service_id {} AND written <> 'cancelled'"
    " ORDER BY starts_at, ends_at"
)
_OF_ONE, _OF_ALL = _WINDOWS.format("= ?"), _WINDOWS.format("IS NOT NULL")


def windows_of(service: ServiceRow) -> list[Span]:
    """Return the spans of maintenance that leave samples of the service out."""
    rows = database.execute_sql(_OF_ONE, (service.number,))
    return [
        (from_epoch_ms(starts_at), from_epoch_ms(ends_at))
        for _, starts_at, ends_at in rows
    ]


def windows_by_service() -> dict[int, list[Span]]:
    """Return the same of every service, by its number."""
    found: dict[int, list[Span]] = defaultdict(list)
    for number, starts_at, ends_at in database.execute_sql(_OF_ALL):
        found[number].append((from_epoch_ms(starts_at), from_epoch_ms(ends_at)))
    return found


def outside(windows: Sequence[Span], span: Span) -> Iterator[Span]:
    """Yield what is left of a span when the windows, sorted by start, are cut out."""
    start, end = span
    for first, last in inside(windows, span):
        if start < first:
            yield start, first
        start = last
    if start < end:
        yield start, end


def inside(windows: Sequence[Span], span: Span) -> Iterator[Span]:
    """Yield what the windows, sorted by start, cut out of a span, each part once."""
    start, end = span
    for window_start, window_end in windows:
        first, last = max(start, window_start), min(end, window_end)
        if first < last:
            yield first, last
            start = last
