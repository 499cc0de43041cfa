"""Counts of measurements: over any window, and by the parts of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Annotated, NamedTuple

from pydantic import Field

from models.base import MILLISECOND, Schema, epoch_ms
from models.fields import Moment
from models.status.maintenance.intervals import Span, inside, outside, windows_of
from models.status.measurements.rollups import COUNTED, DAY_MS, HOUR_MS, rolled_up_until
from models.status.services.catalogue import ServiceRow
from models.status.uptime.uptime import PERIODS, Counts, Period
from models.storage.database import database

# The number of a part, then the columns of Counts.
Row = tuple[int, ...]

# Parts of a span: its hours, or its UTC days.
HOURLY, DAILY = f"{{0}} / {HOUR_MS}", f"{{0}} / {DAY_MS}"

# The same question to raw rows, hours and days. The texts are fixed, since Peewee
# takes longer to say them than SQLite to answer.
_ADDED = "SUM(operational), SUM(degraded), SUM(down), SUM(time_sum), SUM(time_count)"
_ASKED = (
    "SELECT {part}, {columns} FROM {table}"
    " WHERE service_id = ? AND {at} >= ? AND {at} < ? GROUP BY 1"
)


# What returns the rows of a service between two times.
_Ask = Callable[[int, int, int], Iterable[Row]]


class _Sources(NamedTuple):
    """How each source is asked, for one way of parting."""

    raw: _Ask
    hours: _Ask
    days: _Ask


def _rows(text: str, number: int, start: int, end: int) -> Iterable[Row]:
    rows: Iterable[Row] = database.execute_sql(text, (number, start, end))
    return rows


def _days_of_hours(number: int, start: int, end: int) -> Iterator[Row]:
    found: Iterator[Row] = database.daily_sums(number, start, end)
    return found


def _sources(part: str) -> _Sources:
    tables = (
        ("measurement", "observed_at", f"{COUNTED}, 0"),
        ("hour", "starts_at", f"{_ADDED}, 0"),
        ("day", "starts_at", f"{_ADDED}, SUM(excluded)"),
    )
    texts = (
        _ASKED.format(part=part.format(at), columns=columns, table=table, at=at)
        for table, at, columns in tables
    )
    return _Sources(*(partial(_rows, text) for text in texts))


_SOURCES = {
    HOURLY: _sources(HOURLY),
    DAILY: _sources(DAILY)._replace(hours=_days_of_hours),
}


class StatusUptimeSummary(Schema):
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
    counts = counts_in(service, span_of(period, now))
    return summary(service.slug, period, now, counts, interval_seconds=interval_seconds)


def summary(
    slug: str, period: Period, now: datetime, counts: Counts, *, interval_seconds: int
) -> StatusUptimeSummary:
    return StatusUptimeSummary(
        slug=slug,
        period=period,
        from_=now - PERIODS[period],
        to=now,
        uptime_pct=counts.uptime_pct,
        samples=counts.samples,
        interval_seconds=interval_seconds,
        avg_response_time_ms=counts.average_ms,
    )


def span_of(period: Period, now: datetime) -> Span:
    """Return (now - period, now]: times are kept to the millisecond."""
    return now - PERIODS[period] + MILLISECOND, now + MILLISECOND


def counts_in(service: ServiceRow, span: Span) -> Counts:
    """Count the samples observed in [start, end), those in maintenance apart."""
    rows = rows_in(service.number, windows_of(service), span)
    return summed(columns for _, *columns in rows)


def rows_in(
    number: int, windows: Sequence[Span], span: Span, part: str = DAILY
) -> list[Row]:
    """Return the counts of the parts of [start, end); a part may come several times."""
    sources, until = _SOURCES[part], rolled_up_until()

    def read_rows(spans: Iterable[Span]) -> Iterator[Row]:
        asked = (each for span in spans for each in _split(span, until, sources))
        return chain.from_iterable(
            ask(number, start, end) for ask, start, end in asked if start < end
        )

    # A day whose raw rows are gone is counted whole, in the span that it starts in.
    days = sources.days(number, *map(epoch_ms, span))
    kept, cut = read_rows(outside(windows, span)), read_rows(inside(windows, span))
    return [*days, *kept, *map(_left_out, cut)]


def edge_in(number: int, windows: Sequence[Span], span: Span) -> Counts:
    """Count within an hour, where nothing but raw rows can tell."""
    kept, cut = (
        [row for each in parts for row in _raw_rows(number, each)]
        for parts in (outside(windows, span), inside(windows, span))
    )
    return summed(columns for _, *columns in [*kept, *map(_left_out, cut)])


def _raw_rows(number: int, span: Span) -> Iterator[Row]:
    yield from _SOURCES[DAILY].raw(number, *map(epoch_ms, span))


def _left_out(row: Row) -> Row:
    return row[0], 0, 0, 0, 0, 0, sum(row[1:4])


def summed(rows: Iterable[Sequence[int]]) -> Counts:
    return Counts(*map(sum, zip(*rows, strict=True)))


def _split(
    span: Span, until: int, sources: _Sources
) -> Iterator[tuple[_Ask, int, int]]:
    """Split a span into its whole hours, where they are counted, and its edges."""
    start, end = (epoch_ms(each) for each in span)
    first = -(-start // HOUR_MS) * HOUR_MS
    last = min(end // HOUR_MS * HOUR_MS, until)
    if first < last:
        yield sources.raw, start, first
        yield sources.hours, first, last
        yield sources.raw, last, end
    else:
        yield sources.raw, start, end
