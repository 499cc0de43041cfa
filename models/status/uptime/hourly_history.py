"""
Read the hours of a service that have ended.

Their counts change only when another hour ends, a sample comes late, or a maintenance
window changes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from models.base import epoch_ms, from_epoch_ms
from models.status.maintenance.intervals import Span, spans_inside, spans_outside
from models.status.measurements.counts import (
    DAILY,
    HOURLY,
    count_rows_in,
    counts_from_columns,
)
from models.status.measurements.rollups import (
    HOUR_MS,
    compacted_until,
    rolled_up_until,
)
from models.status.uptime.uptime import Counts, sum_counts
from models.storage.database import database

# The start of an hour in milliseconds, then the columns of Counts.
Hour = tuple[int, ...]

# Days are numbered from this one.
EPOCH_ORDINAL = date(1970, 1, 1).toordinal()

# How long each hour is shown on its own.
HOURLY_DETAIL = timedelta(days=1)


@dataclass(frozen=True)
class HourlyHistory:
    """
    A span of whole hours of one service, and the maintenance windows inside it.

    `revision` changes when late samples come in: equal histories have equal counts.
    """

    service: str
    number: int
    span: Span
    windows: tuple[Span, ...]
    revision: int

    def key(self) -> list[Any]:
        """Return a key for the counts, made of JSON values."""
        spans = [
            [epoch_ms(start), epoch_ms(end)]
            for start, end in (self.span, *self.windows)
        ]
        return [self.service, self.revision, *spans]

    def hours(self, since: datetime | None = None) -> list[Hour]:
        """Return the hours that have samples, all of them or those since a time."""
        span = since or self.span[0], self.span[1]
        rows = count_rows_in(self.number, self.windows, span, HOURLY)
        counts = _counts_by_number(rows)
        return [(hour * HOUR_MS, *counts[hour]) for hour in sorted(counts)]

    def days(self) -> dict[date, Counts]:
        """Return the UTC days that have samples; the last day may not have ended."""
        rows = count_rows_in(self.number, self.windows, self.span, DAILY)
        return {
            date.fromordinal(EPOCH_ORDINAL + day): counts
            for day, counts in _counts_by_number(rows).items()
            if counts.samples_with_excluded
        }

    def rest_of_day(self, hour: datetime) -> Counts:
        """Return the counts from an hour to the end of its UTC day."""
        midnight = datetime.combine(hour, time(), UTC) + timedelta(days=1)
        span = hour, min(midnight, self.span[1])
        rows = count_rows_in(self.number, self.windows, span)
        return counts_from_columns(columns for _, *columns in rows)

    def hours_as_text(self) -> tuple[str, list[str]]:
        """
        Return the same as `hours`, as comma-separated text.

        The first item has the times of all hours, the second the counts of each.
        """
        irregular = sorted(self._irregular_spans())
        parts = [
            (span, self._stored_hours_as_text(span))
            for span in spans_outside(irregular, self.span)
        ]
        for span in spans_inside(irregular, self.span):
            hours = replace(self, span=span).hours()
            times = ",".join(str(at) for at, *_ in hours)
            counts = [",".join(map(str, columns)) for _, *columns in hours]
            parts.append((span, (times, counts)))
        texts = [text for _, text in sorted(parts)]
        all_times = ",".join(times for times, _ in texts if times)
        return all_times, [line for _, counts in texts for line in counts]

    def _irregular_spans(self) -> Iterator[Span]:
        """Yield the spans whose hours are not each exactly one stored hour."""
        yield self.span[0], compacted_until()
        yield from_epoch_ms(rolled_up_until()), self.span[1]
        for start, end in self.windows:
            first, last = epoch_ms(start), epoch_ms(end)
            yield (
                from_epoch_ms(first // HOUR_MS * HOUR_MS),
                from_epoch_ms(-(-last // HOUR_MS) * HOUR_MS),
            )

    def _stored_hours_as_text(self, span: Span) -> tuple[str, list[str]]:
        times, counts = database.hours_as_text(self.number, *map(epoch_ms, span))
        return times, counts


@dataclass(frozen=True)
class HistoryCounts:
    """The counts of each day, of the rests of some days, and of the latest hours."""

    history: HourlyHistory
    hours_with_rest: tuple[datetime, ...]
    days: dict[date, Counts]
    rests_of_days: dict[datetime, Counts]
    hours: list[Hour]


def count_history(
    history: HourlyHistory, hours: tuple[datetime, ...], known: HistoryCounts | None
) -> HistoryCounts:
    """
    Return the counts of the history, with the rests of the days that begin then.

    Those that are `known` are returned if they are still valid, since counting takes a
    second for hundreds of services.
    """
    if known is not None and (known.history, known.hours_with_rest) == (history, hours):
        return known
    return HistoryCounts(
        history=history,
        hours_with_rest=hours,
        days=history.days(),
        rests_of_days={hour: history.rest_of_day(hour) for hour in hours},
        hours=history.hours(history.span[1] - HOURLY_DETAIL),
    )


def _counts_by_number(rows: Iterable[Hour]) -> dict[int, Counts]:
    """Add up the rows of each hour or day; nearly all have one row."""
    result: dict[int, Counts] = {}
    for number, *columns in rows:
        counts = Counts(*columns)
        if number in result:
            counts = sum_counts([result[number], counts])
        result[number] = counts
    return result
