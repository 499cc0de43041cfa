"""Counts of measurements: over any window, and day by day."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

from pydantic import Field

from models.base import MILLISECOND, Shape, milliseconds, moment
from models.database import database
from models.status.hours import COUNTED, HOUR_MS, rolled_up_until
from models.status.services import ServiceRow
from models.status.uptime import PERIODS, Counts, Period, total
from models.words import Moment

DAY = timedelta(days=1)
DAY_MS = 24 * HOUR_MS

Span = tuple[datetime, datetime]

# A UTC day's number, then the columns of Counts.
Row = tuple[int, ...]

# The same question to raw rows, hours and days. The texts are fixed, since Peewee
# takes longer to say them than SQLite to answer.
_WITHIN = "WHERE service_id = ? AND {0} >= ? AND {0} < ? GROUP BY 1"
_ADDED = "SUM(operational), SUM(degraded), SUM(down), SUM(time_sum), SUM(time_count)"
_ASKED = "SELECT {0} / {1}, {2} FROM {3} " + _WITHIN  # noqa: S608  our own texts
_RAW = _ASKED.format("observed_at", DAY_MS, COUNTED, "measurement")
_HOURS = _ASKED.format("starts_at", DAY_MS, _ADDED, "hour")
_DAYS = _ASKED.format("starts_at", DAY_MS, _ADDED, "day")
_EXCLUDED = (
    "SELECT COALESCE(SUM(excluded), 0) FROM day"
    " WHERE service_id = ? AND starts_at >= ? AND starts_at < ?"
)
_WINDOWS = (
    "SELECT starts_at, ends_at FROM maintenance"
    " JOIN affected ON affected.subject = maintenance.id"
    " WHERE affected.service_id = ? AND written <> 'cancelled' ORDER BY starts_at"
)


class StatusUptimeSummary(Shape):
    slug: str
    period: Period
    from_: Annotated[Moment, Field(alias="from")]
    to: Moment
    uptime_pct: float | None
    samples: int
    interval_seconds: int
    avg_response_time_ms: int | None


def uptime_of(
    service: ServiceRow, period: Period, now: datetime, *, interval_seconds: int
) -> StatusUptimeSummary:
    """
    Return the uptime of the window (now - period, now].

    Samples inside a maintenance window that names the service and was not
    cancelled are left out; gaps count neither way.
    """
    start = now - PERIODS[period]
    counts = counts_in(service, (start + MILLISECOND, now + MILLISECOND))
    return StatusUptimeSummary(
        slug=service.slug,
        period=period,
        from_=start,
        to=now,
        uptime_pct=counts.uptime_pct,
        samples=counts.samples,
        interval_seconds=interval_seconds,
        avg_response_time_ms=counts.average_ms,
    )


def counts_in(service: ServiceRow, span: Span) -> Counts:
    """Count the samples observed in [start, end) outside maintenance."""
    return _summed(_rows_in(service, span))


def excluded_in(service: ServiceRow, span: Span) -> int:
    """Count the samples observed in [start, end) that maintenance leaves out."""
    start, end = (milliseconds(each) for each in span)
    folded = database.execute_sql(_EXCLUDED, (service.number, start, end)).fetchone()
    everything = _summed(_rows_of(service, [span]))
    counted = _summed(_rows_of(service, outside(windows_of(service), span)))
    return int(folded[0]) + everything.samples - counted.samples


def days_of(service: ServiceRow, now: datetime, days: int) -> dict[date, Counts]:
    """Return the counts of the last UTC days, today included; days without none."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    found: dict[date, Counts] = {}
    for row in _rows_in(service, (today - (days - 1) * DAY, now + MILLISECOND)):
        day = moment(row[0] * DAY_MS).date()
        found[day] = total([found.get(day, Counts()), Counts(*row[1:])])
    return found


def windows_of(service: ServiceRow) -> list[Span]:
    """Return the spans of maintenance that leave samples of the service out."""
    rows = database.execute_sql(_WINDOWS, (service.number,))
    return [(moment(starts_at), moment(ends_at)) for starts_at, ends_at in rows]


def outside(windows: Sequence[Span], span: Span) -> Iterable[Span]:
    """Yield what is left of a span when the windows, sorted by start, are cut out."""
    start, end = span
    for window_start, window_end in windows:
        if window_start >= end:
            break
        if window_start > start:
            yield start, window_start
        start = max(start, window_end)
    if start < end:
        yield start, end


def _rows_in(service: ServiceRow, span: Span) -> Iterator[Row]:
    """Yield counts by day of what lies outside maintenance."""
    # A day whose raw rows are gone is counted whole, in the span that it starts in.
    start, end = (milliseconds(each) for each in span)
    yield from database.execute_sql(_DAYS, (service.number, start, end))
    yield from _rows_of(service, outside(windows_of(service), span))


def _rows_of(service: ServiceRow, spans: Iterable[Span]) -> Iterator[Row]:
    """Yield counts by day of what is kept by the hour or raw."""
    until = rolled_up_until()
    for span in spans:
        for statement, start, end in _sources(span, until):
            if start < end:
                yield from database.execute_sql(statement, (service.number, start, end))


def _sources(span: Span, until: int) -> Iterator[tuple[str, int, int]]:
    """Split a span into its whole hours, where they are counted, and its edges."""
    start, end = (milliseconds(each) for each in span)
    first = -(-start // HOUR_MS) * HOUR_MS
    last = min(end // HOUR_MS * HOUR_MS, until)
    if first < last:
        yield _RAW, start, first
        yield _HOURS, first, last
        yield _RAW, last, end
    else:
        yield _RAW, start, end


def _summed(rows: Iterable[Row]) -> Counts:
    _, *columns = [sum(column) for column in zip(*rows, strict=True)] or [0]
    return Counts(*columns)
