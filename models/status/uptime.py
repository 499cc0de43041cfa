"""
Uptime: how a window of measurements becomes a percentage. Pure arithmetic.

uptimePct = 100 × (operational + degraded) / samples, floored to 3 decimals.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

Period = Literal["24h", "7d", "30d", "90d"]

PERIODS: dict[Period, timedelta] = {
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
    "90d": timedelta(days=90),
}


@dataclass(frozen=True)
class Counts:
    """Samples by what they said, and the response times of those not down."""

    operational: int = 0
    degraded: int = 0
    down: int = 0
    time_sum: int = 0
    time_count: int = 0

    @property
    def samples(self) -> int:
        return self.operational + self.degraded + self.down

    @property
    def uptime_pct(self) -> float | None:
        """Floored in whole numbers: 99.9996 must never be told as 100."""
        if not self.samples:
            return None
        return (self.operational + self.degraded) * 100_000 // self.samples / 1000

    @property
    def average_ms(self) -> int | None:
        """The mean response time, halves rounded up; null without any."""
        if not self.time_count:
            return None
        return (2 * self.time_sum + self.time_count) // (2 * self.time_count)


def total(counts: Iterable[Counts]) -> Counts:
    """Return the sum: counts of parts add up to the counts of the whole."""
    parts = list(counts)
    return Counts(
        operational=sum(each.operational for each in parts),
        degraded=sum(each.degraded for each in parts),
        down=sum(each.down for each in parts),
        time_sum=sum(each.time_sum for each in parts),
        time_count=sum(each.time_count for each in parts),
    )
