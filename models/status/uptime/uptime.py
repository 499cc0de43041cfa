"""
Uptime: how a window of measurements becomes a percentage. Pure arithmetic.

uptimePct = 100 × (operational + degraded) / samples, floored to 3 decimals.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Literal, NamedTuple

Period = Literal["24h", "7d", "30d", "90d"]

DECIMALS = 3

PERIODS: dict[Period, timedelta] = {
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
    "90d": timedelta(days=90),
}


class Counts(NamedTuple):
    """
    Samples by what they said, and the response times of those not down.

    Those that maintenance leaves out are only counted, in `excluded`.
    """

    operational: int = 0
    degraded: int = 0
    down: int = 0
    time_sum: int = 0
    time_count: int = 0
    excluded: int = 0

    @property
    def samples(self) -> int:
        return self.operational + self.degraded + self.down

    @property
    def seen(self) -> int:
        """How many there were, maintenance or not."""
        return self.samples + self.excluded

    @property
    def uptime_pct(self) -> float | None:
        """Floored in whole numbers: 99.9996 must never be told as 100."""
        if not self.samples:
            return None
        fine, up = 10**DECIMALS, self.operational + self.degraded
        return 100 * fine * up // self.samples / fine

    @property
    def average_ms(self) -> int | None:
        """The mean response time, halves rounded up; null without any."""
        if not self.time_count:
            return None
        return (2 * self.time_sum + self.time_count) // (2 * self.time_count)


def total(counts: Iterable[Counts]) -> Counts:
    """Return the sum: counts of parts add up to the counts of the whole."""
    return Counts(*map(sum, zip(*counts, strict=True)))


def coverage_pct(days: Iterable[tuple[int, timedelta]], interval: timedelta) -> float:
    """
    Return the share of the samples expected of one probe, floored to 1 decimal.

    Each day is told as its samples and how much of it lies in the period. None
    counts for more than its full number: many probes on one day do not make up for
    silence on another.
    """
    parts = list(days)
    expected = sum(length // interval for _, length in parts)
    seen = sum(min(samples, length // interval) for samples, length in parts)
    return seen * 1000 // expected / 10 if expected else 100.0
