"""
Count the measurements of a service over a span of time.

Whole hours that were rolled up are read from their counters, compacted days from
theirs, and everything else from raw rows.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import chain
from typing import NamedTuple

from models.base import MILLISECOND, epoch_ms, from_epoch_ms
from models.status.maintenance.intervals import (
    Span,
    maintenance_spans,
    spans_inside,
    spans_outside,
)
from models.status.measurements.rollups import (
    COUNT_COLUMNS,
    DAY_MS,
    HOUR_MS,
    rolled_up_until,
)
from models.status.services.rows import ServiceRow
from models.status.uptime.uptime import PERIODS, Counts, Period
from models.storage.database import database

# The number of an hour or a UTC day since 1970, then the columns of Counts.
CountRow = tuple[int, ...]

# The granularity of a count: an SQL expression for the number of the hour or day.
HOURLY, DAILY = f"{{0}} / {HOUR_MS}", f"{{0}} / {DAY_MS}"

# Fixed SQL, because Peewee takes longer to build the text than SQLite to run it.
_SELECT_COUNTS = (
    "SELECT {number}, {columns} FROM {table}"
    " WHERE service_id = ? AND {at} >= ? AND {at} < ? GROUP BY 1"
)
_SUMS = "SUM(operational), SUM(degraded), SUM(down), SUM(time_sum), SUM(time_count)"

_SELECT_FIRST = (
    "SELECT MIN(observed_at) FROM measurement"
    " WHERE service_id = ? AND observed_at >= ? AND observed_at < ?"
)

# Of every service, also of those without samples, so that each is one look-up.
_SELECT_SAMPLE_COUNTS = (
    "SELECT number, (SELECT COUNT(*) FROM measurement"
    " WHERE service_id = number AND observed_at >= ?) FROM service"
)

# Returns the counts of a service, by its number, in [start, end) in milliseconds.
_Query = Callable[[int, int, int], Iterable[CountRow]]


class _Queries(NamedTuple):
    """The queries of the three tables at one granularity."""

    raw: _Query
    hours: _Query
    days: _Query


def _execute(sql: str, number: int, start: int, end: int) -> Iterable[CountRow]:
    rows: Iterable[CountRow] = database.execute_sql(sql, (number, start, end))
    return rows


def _days_of_hours(number: int, start: int, end: int) -> Iterator[CountRow]:
    rows: Iterator[CountRow] = database.daily_sums(number, start, end)
    return rows


def _queries(granularity: str) -> _Queries:
    tables = (
        ("measurement", "observed_at", f"{COUNT_COLUMNS}, 0"),
        ("hour", "starts_at", f"{_SUMS}, 0"),
        ("day", "starts_at", f"{_SUMS}, SUM(excluded)"),
    )
    statements = (
        _SELECT_COUNTS.format(
            number=granularity.format(at), columns=columns, table=table, at=at
        )
        for table, at, columns in tables
    )
    return _Queries(*(partial(_execute, sql) for sql in statements))


_QUERIES = {
    HOURLY: _queries(HOURLY),
    DAILY: _queries(DAILY)._replace(hours=_days_of_hours),
}


def period_span(period: Period, now: datetime) -> Span:
    """Return (now - period, now] as a half-open span; times have milliseconds."""
    return now - PERIODS[period] + MILLISECOND, now + MILLISECOND


def counts_in(service: ServiceRow, span: Span) -> Counts:
    """Return the counts of [start, end)."""
    rows = count_rows_in(service.number, maintenance_spans(service), span)
    return counts_from_columns(columns for _, *columns in rows)


def count_rows_in(
    number: int, windows: Sequence[Span], span: Span, granularity: str = DAILY
) -> list[CountRow]:
    """Return the counts of [start, end) by hour or day, which may have several rows."""
    queries, until = _QUERIES[granularity], rolled_up_until()

    def rows_of(spans: Iterable[Span]) -> Iterator[CountRow]:
        parts = (part for span in spans for part in _split(span, until, queries))
        return chain.from_iterable(
            query(number, start, end) for query, start, end in parts if start < end
        )

    # A compacted day counts as a whole in the span in which it starts.
    days = queries.days(number, *map(epoch_ms, span))
    counted = rows_of(spans_outside(windows, span))
    excluded = rows_of(spans_inside(windows, span))
    return [*days, *counted, *map(_as_excluded, excluded)]


def raw_counts_in(number: int, windows: Sequence[Span], span: Span) -> Counts:
    """Return the counts of [start, end) from raw rows alone, for parts of an hour."""
    counted, excluded = (
        [
            row
            for span in spans
            for row in _QUERIES[DAILY].raw(number, *map(epoch_ms, span))
        ]
        for spans in (spans_outside(windows, span), spans_inside(windows, span))
    )
    rows = [*counted, *map(_as_excluded, excluded)]
    return counts_from_columns(columns for _, *columns in rows)


def first_raw_sample_at(number: int, span: Span) -> datetime | None:
    """Return the time of the first raw row of a service in [start, end)."""
    cursor = database.execute_sql(_SELECT_FIRST, (number, *map(epoch_ms, span)))
    (first,) = cursor.fetchone()
    return None if first is None else from_epoch_ms(first)


def sample_counts_since(start: datetime) -> dict[int, int]:
    """Return how many raw rows each service has since then, by its number."""
    return dict(database.execute_sql(_SELECT_SAMPLE_COUNTS, (epoch_ms(start),)))


def counts_from_columns(rows: Iterable[Sequence[int]]) -> Counts:
    """Add up rows that have the columns of Counts."""
    return Counts(*map(sum, zip(*rows, strict=True)))


def _as_excluded(row: CountRow) -> CountRow:
    return row[0], 0, 0, 0, 0, 0, sum(row[1:4])


def _split(
    span: Span, until: int, queries: _Queries
) -> Iterator[tuple[_Query, int, int]]:
    """Yield the query for each part of a span: its whole hours and its edges."""
    start, end = map(epoch_ms, span)
    first_hour = -(-start // HOUR_MS) * HOUR_MS
    last_hour = min(end // HOUR_MS * HOUR_MS, until)
    if first_hour < last_hour:
        yield queries.raw, start, first_hour
        yield queries.hours, first_hour, last_hour
        yield queries.raw, last_hour, end
    else:
        yield queries.raw, start, end
