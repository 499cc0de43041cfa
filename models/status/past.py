"""
The hours of a service that are over: counted once and kept.

They stand still until the next hour is over, a sample comes late, or a window cuts
otherwise.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from models.base import milliseconds, moment
from models.database import database
from models.status.counters import HALVES, HOURLY, rows_in, summed
from models.status.cuts import Span
from models.status.hours import DAY_MS, HOUR_MS
from models.status.uptime import Counts

# A time in milliseconds, then the columns of Counts.
Hour = tuple[int, ...]

# Columns of counts by the number of their part.
_Parts = dict[int, list[Sequence[int]]]


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

    def hours(self) -> list[Hour]:
        """Return each hour that has samples."""
        found = self._parts(HOURLY, 0)
        return [
            (hour * HOUR_MS, *map(sum, zip(*found[hour], strict=True)))
            for hour in sorted(found)
        ]

    def halves(self, split: int) -> dict[datetime, Counts]:
        """Return the UTC days, each cut in two at this time of day, by their start."""
        return {
            moment(half // 2 * DAY_MS + half % 2 * split): summed(rows)
            for half, rows in self._parts(HALVES, split).items()
        }

    def _parts(self, part: str, split: int) -> _Parts:
        found: _Parts = defaultdict(list)
        rows = rows_in(self.number, self.windows, self.span, part=part, split=split)
        for at, *columns in rows:
            found[at].append(columns)
        return found


class Pasts:
    """The halves of every service's past, for as long as they hold."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Any, ...], dict[datetime, Counts]] = {}

    def halves(
        self, pasts: Iterable[Past], split: int
    ) -> dict[str, dict[datetime, Counts]]:
        """Return them by the service's id, and forget all that were not asked for."""
        store, before = str(database.database), self._kept
        keys = {past: (store, split, past) for past in pasts}
        self._kept = {
            key: before[key] if key in before else past.halves(split)
            for past, key in keys.items()
        }
        return {past.service: self._kept[key] for past, key in keys.items()}
