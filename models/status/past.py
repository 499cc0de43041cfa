"""
The hours of a service that are over: counted once and kept.

They stand still until the next hour is over, a sample comes late, or a window cuts
otherwise.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from models.base import milliseconds, moment
from models.database import database
from models.status.counters import HOURLY, rows_in, summed
from models.status.cuts import Span
from models.status.hours import DAY_MS, HOUR_MS
from models.status.uptime import Counts

# A time in milliseconds, then the columns of Counts.
Hour = tuple[int, ...]

# For how long every hour is shown by itself.
LATEST = timedelta(days=1)


@dataclass(frozen=True)
class Shown:
    """The halves of days, and the latest hours one by one."""

    halves: dict[datetime, Counts]
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
        spans = [list(map(milliseconds, each)) for each in (self.span, *self.windows)]
        return [self.service, self.revision, *spans]

    def hours(self, since: datetime | None = None) -> list[Hour]:
        """Return each hour that has samples, all of them or since a time."""
        span = since or self.span[0], self.span[1]
        rows = rows_in(self.number, self.windows, span, part=HOURLY)
        # Where no window cuts each hour is told in one row, and there are thousands.
        if len({row[0] for row in rows}) < len(rows):
            found = sorted(_by_part(rows).items())
            rows = [(at, *map(sum, zip(*parts, strict=True))) for at, parts in found]
        return [(at * HOUR_MS, *columns) for at, *columns in rows]

    def halves(self, split: int) -> dict[datetime, Counts]:
        """Return the UTC days, each cut in two at this time of day, by their start."""
        rows = rows_in(self.number, self.windows, self.span, split=split)
        return {
            moment(half // 2 * DAY_MS + half % 2 * split): summed(parts)
            for half, parts in _by_part(rows).items()
        }


def _by_part(rows: Iterable[Hour]) -> dict[int, list[Sequence[int]]]:
    found: dict[int, list[Sequence[int]]] = defaultdict(list)
    for at, *columns in rows:
        found[at].append(columns)
    return found


class Pasts:
    """What pages show of the past of every service, for as long as it holds."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Any, ...], Shown] = {}

    def shown(self, splits: Mapping[Past, int]) -> list[Shown]:
        """
        Return it in order, and forget all that was not asked for.

        Each past comes with the time of day at which its days are cut in two.
        """
        store, before = str(database.database), self._kept
        self._kept = {
            (key := (store, split, past)): before.get(key) or _shown(past, split)
            for past, split in splits.items()
        }
        return list(self._kept.values())


def _shown(past: Past, split: int) -> Shown:
    return Shown(past.halves(split), past.hours(past.span[1] - LATEST))
