"""
The four periods of a service, from its whole hours and the edges beside them.

A period ends now and so begins and ends within an hour: its edges move with every
measurement, and are less than an hour long.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property, lru_cache
from typing import Any

from models.base import MILLISECOND, from_epoch_ms
from models.fields import format_moment
from models.status.maintenance.intervals import Span, inside, windows_by_service
from models.status.measurements.counts import edge_in, span_of
from models.status.measurements.rollups import past_revisions
from models.status.services.catalogue import ServiceRow
from models.status.uptime.hourly_history import LATEST, Past, Pasts, Shown
from models.status.uptime.uptime import PERIODS, Counts, Period, coverage_pct, total

DAYS = 90
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)

# One for the process: counting the past of hundreds of services takes a second.
_kept = Pasts()


@dataclass(frozen=True)
class Measured:
    """
    All that was measured of a service in its last days.

    The heads are what a period has before its first whole hour, the tail what all
    have after the last.
    """

    now: datetime
    past: Past
    first_hours: dict[Period, datetime]
    shown: Shown
    heads: dict[Period, Counts]
    tail: Counts

    @property
    def last_hour_ends(self) -> datetime:
        return self.past.span[1]

    @cached_property
    def counts(self) -> dict[Period, Counts]:
        return {p: total(counts for _, counts in self._parts(p)) for p in PERIODS}

    def days(self) -> dict[date, Counts]:
        """Return the UTC days on which anything was measured, today as it is so far."""
        found = dict(self.shown.days)
        if self.tail.seen:
            today = self.now.date()
            found[today] = total([found.get(today, Counts()), self.tail])
        return found

    def hours(self) -> list[tuple[datetime, Counts]]:
        """Return each of the latest hours, oldest first, also those without samples."""
        found = {
            from_epoch_ms(at): Counts(*columns) for at, *columns in self.shown.hours
        }
        first = self.last_hour_ends - LATEST
        hours = (first + n * HOUR for n in range(LATEST // HOUR))
        return [(hour, found.get(hour, Counts())) for hour in hours]

    def coverage_pct(self, period: Period, interval_seconds: int) -> float:
        """Say how much of a period was looked at, maintenance included."""
        seen: dict[date, int] = defaultdict(int)
        for day, counts in self._parts(period):
            seen[day] += counts.seen
        lengths = _lengths(*span_of(period, self.now))
        parts = [(seen[day], length) for day, length in lengths]
        return coverage_pct(parts, timedelta(seconds=interval_seconds))

    def edges(self) -> list[dict[str, Any]]:
        """Tell what each period has beside its whole hours."""
        return [
            {
                "period": period,
                "firstHour": format_moment(first_hour),
                "lastHourEnds": format_moment(self.last_hour_ends),
            }
            | told_counts(total([self.heads[period], self.tail]))
            for period, first_hour in self.first_hours.items()
        ]

    def _parts(self, period: Period) -> Iterator[tuple[date, Counts]]:
        """Yield what the period is made of, each part with the UTC day it lies in."""
        first = self.first_hours[period]
        first_day = first.date()
        yield (first - MILLISECOND).date(), self.heads[period]
        yield first_day, self.shown.rests[first]
        yield from (each for each in self.shown.days.items() if each[0] > first_day)
        yield self.now.date(), self.tail


def told_counts(counts: Counts) -> dict[str, int]:
    """Return the counts in the words of the published counters."""
    return {
        "operational": counts.operational,
        "degraded": counts.degraded,
        "down": counts.down,
        "timeSum": counts.time_sum,
        "timeCount": counts.time_count,
        "excluded": counts.excluded,
    }


def pasts(services: list[ServiceRow], until: Mapping[int, datetime]) -> list[Past]:
    """Return the whole hours of each service, in order, until its own instant."""
    windows, revisions = windows_by_service(), past_revisions()
    return [
        _past_at(
            until[each.number].astimezone(UTC),
            each,
            windows.get(each.number, []),
            revisions,
        )
        for each in services
    ]


def measured(
    services: list[ServiceRow], until: Mapping[int, datetime], known: list[Past]
) -> dict[str, Measured]:
    """Return what was measured of each service, by slug, from its past and since."""
    windows = windows_by_service()
    nows = [until[each.number].astimezone(UTC) for each in services]
    firsts = [_first_hours(now) for now in nows]
    asked = {
        past: tuple(each.values()) for past, each in zip(known, firsts, strict=True)
    }
    shown = zip(services, nows, known, _kept.shown(asked), strict=True)
    return {
        each.slug: _measured(past, now, windows.get(each.number, []), own)
        for each, now, past, own in shown
    }


def _measured(past: Past, now: datetime, cut: list[Span], shown: Shown) -> Measured:
    first_hours = _first_hours(now)
    heads = {
        period: edge_in(past.number, cut, (span_of(period, now)[0], first))
        for period, first in first_hours.items()
    }
    tail = edge_in(past.number, cut, (past.span[1], now + MILLISECOND))
    return Measured(now, past, first_hours, shown, heads, tail)


def _past_at(
    now: datetime, service: ServiceRow, cut: list[Span], revisions: dict[int, int]
) -> Past:
    span = datetime.combine(now, time(), UTC) - DAYS * DAY, _hour(now + MILLISECOND)
    return Past(
        service=service.id,
        number=service.number,
        span=span,
        windows=tuple(inside(cut, span)),
        revision=revisions.get(service.number, 0),
    )


def _first_hours(now: datetime) -> dict[Period, datetime]:
    return {period: _hour(now - length) + HOUR for period, length in PERIODS.items()}


@lru_cache(maxsize=64)
def _lengths(start: datetime, end: datetime) -> list[tuple[date, timedelta]]:
    """Return the UTC days of a span, and how much of each lies in it."""
    found = []
    while start < end:
        next_day = datetime.combine(start, time(), UTC) + DAY
        found.append((start.date(), min(next_day, end) - start))
        start = next_day
    return found


def _hour(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)
