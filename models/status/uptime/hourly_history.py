"""
The hours of a service that are over: counted once and kept.

They stand still until the next hour is over, a sample comes late, or a window cuts
otherwise.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from models.base import epoch_ms, from_epoch_ms
from models.status.maintenance.intervals import Span, inside, outside
from models.status.measurements.counts import DAILY, HOURLY, rows_in, summed
from models.status.measurements.rollups import HOUR_MS, folded_until, rolled_up_until
from models.status.uptime.uptime import Counts, total
from models.storage.database import database

# A time in milliseconds, then the columns of Counts.
Hour = tuple[int, ...]

# The number of the day from which times are counted.
FIRST_DAY = date(1970, 1, 1).toordinal()

# For how long every hour is shown by itself.
LATEST = timedelta(days=1)


@dataclass(frozen=True)
class Shown:
    """The days, what some have from an hour on, and the latest hours one by one."""

    days: dict[date, Counts]
    rests: dict[datetime, Counts]
    hours: list[Hour]


@dataclass(frozen=True)
class Past:
    """
    Whole hours of one service, and what of them maintenance leaves out.

    `revision` stands for the samples: equal pasts tell equal hours.
    """

    service: str
    number: int
    span: Span
    windows: tuple[Span, ...]
    revision: int

    def key(self) -> list[Any]:
        """Return what names these hours, in words that JSON has."""
        spans = [list(map(epoch_ms, each)) for each in (self.span, *self.windows)]
        return [self.service, self.revision, *spans]

    def hours(self, since: datetime | None = None) -> list[Hour]:
        """Return each hour that has samples, all of them or since a time."""
        span = since or self.span[0], self.span[1]
        rows = rows_in(self.number, self.windows, span, part=HOURLY)
        return [(at * HOUR_MS, *counts) for at, counts in sorted(_parts(rows).items())]

    def days(self) -> dict[date, Counts]:
        """Return each UTC day that has samples; the last may not be over."""
        rows = rows_in(self.number, self.windows, self.span, part=DAILY)
        return {
            date.fromordinal(FIRST_DAY + day): counts
            for day, counts in _parts(rows).items()
            if counts.seen
        }

    def rest_of_day(self, at: datetime) -> Counts:
        """Return what its UTC day has from this hour on."""
        midnight = datetime.combine(at, time(), UTC) + timedelta(days=1)
        span = at, min(midnight, self.span[1])
        rows = rows_in(self.number, self.windows, span)
        return summed(columns for _, *columns in rows)

    def lines(self) -> tuple[str, list[str]]:
        """Return the same as text: all times, and the counts of each; with commas."""
        uneven = sorted(self._uneven())
        found = [(each, self._as_text(each)) for each in outside(uneven, self.span)]
        for start, end in inside(uneven, self.span):
            rows = replace(self, span=(start, end)).hours()
            times = ",".join(str(at) for at, *_ in rows)
            counts = [",".join(map(str, columns)) for _, *columns in rows]
            found.append(((start, end), (times, counts)))
        parts = [part for _, part in sorted(found)]
        times = ",".join(part for part, _ in parts if part)
        return times, [line for _, lines in parts for line in lines]

    def _uneven(self) -> Iterator[Span]:
        """Yield where not every hour has one row of its own that tells all of it."""
        yield self.span[0], folded_until()
        yield from_epoch_ms(rolled_up_until()), self.span[1]
        for start, end in self.windows:
            first, last = epoch_ms(start), epoch_ms(end)
            yield (
                from_epoch_ms(first // HOUR_MS * HOUR_MS),
                from_epoch_ms(-(-last // HOUR_MS) * HOUR_MS),
            )

    def _as_text(self, span: Span) -> tuple[str, list[str]]:
        times, counts = database.hours_as_text(self.number, *map(epoch_ms, span))
        return times, counts


def _parts(rows: Iterable[Hour]) -> dict[int, Counts]:
    """Add up the rows of each part; nearly all have one."""
    found: dict[int, Counts] = {}
    for at, *columns in rows:
        counts = Counts(*columns)
        found[at] = total([found[at], counts]) if at in found else counts
    return found


class Pasts:
    """What pages show of the past of every service, for as long as it holds."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Any, ...], Shown] = {}

    def shown(self, firsts: Mapping[Past, Iterable[datetime]]) -> list[Shown]:
        """
        Return it in order, and forget all that was not asked for.

        Each past comes with the hours from which on the rest of a day is asked.
        """
        store, before = database.database, self._kept
        self._kept = {
            (key := (store, *hours, past)): before.get(key) or _shown(past, hours)
            for past, hours in firsts.items()
        }
        return list(self._kept.values())


def _shown(past: Past, firsts: Iterable[datetime]) -> Shown:
    rests = {each: past.rest_of_day(each) for each in firsts}
    return Shown(past.days(), rests, past.hours(past.span[1] - LATEST))
