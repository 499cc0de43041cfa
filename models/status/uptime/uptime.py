"""
Compute uptime percentages from counts of measurements.

uptimePct = 100 × (operational + degraded) / samples, floored to 3 decimals. The
functions are pure arithmetic.
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
    Samples by status, and the response times of those that are not down.

    Samples taken during maintenance are only counted, in `excluded`. `time_sum` is
    in milliseconds, over `time_count` samples.
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
    def samples_with_excluded(self) -> int:
        return self.samples + self.excluded

    @property
    def uptime_pct(self) -> float | None:
        """Return the percentage, floored so that 99.9996 is never shown as 100."""
        if not self.samples:
            return None
        scale, up = 10**DECIMALS, self.operational + self.degraded
        return 100 * scale * up // self.samples / scale

    @property
    def average_ms(self) -> int | None:
        """Return the mean response time, with halves rounded up."""
        if not self.time_count:
            return None
        return (2 * self.time_sum + self.time_count) // (2 * self.time_count)


def sum_counts(counts: Iterable[Counts]) -> Counts:
    """Add the counts field by field."""
    return Counts(*map(sum, zip(*counts, strict=True)))


def coverage_pct(days: Iterable[tuple[int, timedelta]], interval: timedelta) -> float:
    """
    Return the share of expected samples that were taken, floored to 1 decimal.

    Each day is its number of samples and how much of it lies in the period. One
    probe is expected to measure once per interval. A day counts at most its expected
    samples, so that many probes on one day do not make up for a gap on another.
    """
    parts = [(samples, length // interval) for samples, length in days]
    expected = sum(expected for _, expected in parts)
    taken = sum(min(samples, expected) for samples, expected in parts)
    return taken * 1000 // expected / 10 if expected else 100.0
