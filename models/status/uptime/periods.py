"""
Compute the uptime of services over the four periods.

A period ends now, so it begins and ends within an hour. It is the sum of its whole
hours, which are cached, and of its two edges, which change with every measurement and
are shorter than an hour.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property, lru_cache
from typing import Any

from models.base import MILLISECOND, from_epoch_ms
from models.fields import format_moment
from models.status.maintenance.intervals import Span, spans_inside
from models.status.measurements.counts import (
    first_raw_sample_at,
    period_span,
    raw_counts_in,
)
from models.status.measurements.rollups import history_revisions
from models.status.services.rows import ServiceRow
from models.status.uptime.hourly_history import (
    HOURLY_DETAIL,
    HistoryCounts,
    HourlyHistory,
    count_history,
)
from models.status.uptime.uptime import (
    PERIODS,
    Counts,
    Period,
    coverage_pct,
    sum_counts,
)

DAYS = 90
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class ServiceUptime:
    """
    The counts of a service over its last days, as of `now`.

    `heads` are the counts of each period before its first whole hour, `tail` the
    counts of all periods after their last.
    """

    now: datetime
    history: HourlyHistory
    first_hours: dict[Period, datetime]
    history_counts: HistoryCounts
    heads: dict[Period, Counts]
    tail: Counts

    @property
    def last_hour_ends(self) -> datetime:
        return self.history.span[1]

    @cached_property
    def counts(self) -> dict[Period, Counts]:
        return {
            period: sum_counts(counts for _, counts in self._parts(period))
            for period in PERIODS
        }

    def days(self) -> dict[date, Counts]:
        """Return the UTC days that have samples, including today so far."""
        days = dict(self.history_counts.days)
        if self.tail.samples_with_excluded:
            today = self.now.date()
            days[today] = sum_counts([days.get(today, Counts()), self.tail])
        return days

    def hours(self) -> list[tuple[datetime, Counts]]:
        """Return the latest whole hours, with or without samples, oldest first."""
        counts = {
            from_epoch_ms(at): Counts(*columns)
            for at, *columns in self.history_counts.hours
        }
        first = self.last_hour_ends - HOURLY_DETAIL
        hours = (first + n * HOUR for n in range(HOURLY_DETAIL // HOUR))
        return [(hour, counts.get(hour, Counts())) for hour in hours]

    def coverage_pct(self, period: Period, interval_seconds: int) -> float:
        """Return the share of expected samples taken, maintenance included."""
        days = [(samples, length) for _, samples, length in self._days_of[period]]
        return coverage_pct(days, timedelta(seconds=interval_seconds))

    def measured_time(self, period: Period) -> timedelta:
        """
        Return how much of the period was measured, in days that have samples.

        If the service was first measured today or yesterday, it is the time since then.
        """
        lengths = (length for _, samples, length in self._days_of[period] if samples)
        time = sum(lengths, timedelta())
        first_day = min(self.history_counts.days, default=self.now.date())
        if first_day < self.now.date() - DAY:
            return time
        span = period_span(period, self.now)
        first = first_raw_sample_at(self.history.number, span)
        return min(time, self.now - first) if first else time

    def edges(self) -> list[dict[str, Any]]:
        """Return, as JSON, the counts of each period outside its whole hours."""
        return [
            {
                "period": period,
                "firstHour": format_moment(first_hour),
                "lastHourEnds": format_moment(self.last_hour_ends),
            }
            | counts_to_json(sum_counts([self.heads[period], self.tail]))
            for period, first_hour in self.first_hours.items()
        ]

    @cached_property
    def _days_of(self) -> dict[Period, list[tuple[date, int, timedelta]]]:
        """Return each period's UTC days: their samples, their length within it."""
        days_of = {}
        for period in PERIODS:
            samples: dict[date, int] = defaultdict(int)
            for day, counts in self._parts(period):
                samples[day] += counts.samples_with_excluded
            lengths = _days_of_span(*period_span(period, self.now))
            days_of[period] = [(day, samples[day], length) for day, length in lengths]
        return days_of

    def _parts(self, period: Period) -> Iterator[tuple[date, Counts]]:
        """Yield the parts that make up the period, each with its UTC day."""
        first_hour = self.first_hours[period]
        first_day = first_hour.date()
        yield (first_hour - MILLISECOND).date(), self.heads[period]
        yield first_day, self.history_counts.rests_of_days[first_hour]
        for day, counts in self.history_counts.days.items():
            if day > first_day:
                yield day, counts
        yield self.now.date(), self.tail


def counts_to_json(counts: Counts) -> dict[str, int]:
    return {
        "operational": counts.operational,
        "degraded": counts.degraded,
        "down": counts.down,
        "timeSum": counts.time_sum,
        "timeCount": counts.time_count,
        "excluded": counts.excluded,
    }


def hourly_histories(
    services: list[ServiceRow],
    as_of: Mapping[int, datetime],
    windows: Mapping[int, list[Span]],
) -> list[HourlyHistory]:
    """
    Return the hourly history of each service, in order.

    `as_of` has the time at which each history ends, and `windows` the maintenance of
    at least this time, by the service's number.
    """
    revisions = history_revisions()
    return [
        _hourly_history(
            service,
            as_of[service.number].astimezone(UTC),
            windows.get(service.number, []),
            revisions.get(service.number, 0),
        )
        for service in services
    ]


def service_uptime(
    now: datetime,
    history: HourlyHistory,
    windows: Sequence[Span],
    known: HistoryCounts | None = None,
) -> ServiceUptime:
    """
    Return the uptime as of `now`, at which the history ends.

    `known` are the counts of an earlier history, which this one may still have.
    """
    now = now.astimezone(UTC)
    first_hours = {
        period: _start_of_hour(now - length) + HOUR
        for period, length in PERIODS.items()
    }
    counts = count_history(history, tuple(first_hours.values()), known)
    heads = {
        period: raw_counts_in(
            history.number, windows, (period_span(period, now)[0], first_hour)
        )
        for period, first_hour in first_hours.items()
    }
    tail_span = history.span[1], now + MILLISECOND
    tail = raw_counts_in(history.number, windows, tail_span)
    return ServiceUptime(now, history, first_hours, counts, heads, tail)


def _hourly_history(
    service: ServiceRow, now: datetime, windows: list[Span], revision: int
) -> HourlyHistory:
    start = datetime.combine(now, time(), UTC) - DAYS * DAY
    span = start, _start_of_hour(now + MILLISECOND)
    return HourlyHistory(
        service=service.id,
        number=service.number,
        span=span,
        windows=tuple(spans_inside(windows, span)),
        revision=revision,
    )


@lru_cache(maxsize=64)
def _days_of_span(start: datetime, end: datetime) -> list[tuple[date, timedelta]]:
    """Return the UTC days of a span, and how much of each lies in it."""
    days = []
    while start < end:
        next_day = datetime.combine(start, time(), UTC) + DAY
        days.append((start.date(), min(next_day, end) - start))
        start = next_day
    return days


def _start_of_hour(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)
