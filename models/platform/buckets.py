"""
Token buckets, kept as one number each (the generic cell rate algorithm).

The number is the instant, in seconds, at which the bucket is full again.
"""

from dataclasses import dataclass
from math import ceil
from threading import Lock


@dataclass(frozen=True)
class Rate:
    """`capacity` requests at once, `refill` requests a second."""

    capacity: int
    refill: float


@dataclass(frozen=True)
class Draw:
    """What came of one request: allowed or not, and what is left."""

    allowed: bool
    full_at: float
    remaining: int
    retry_after: int


def draw(full_at: float | None, now: float, rate: Rate) -> Draw:
    """
    Take one token at `now`, if there is one.

    A clock that was set back never locks a caller out for longer than it takes
    to fill the bucket.
    """
    each = 1 / rate.refill
    span = rate.capacity * each
    start = min(max(full_at if full_at is not None else now, now), now + span)
    after = start + each
    # A billionth of a second is the rounding of the sums, not somebody's patience.
    if after - now > span + 1e-9:
        return Draw(False, start, 0, max(1, ceil(after - now - span)))
    return Draw(True, after, int((span - (after - now)) * rate.refill + 1e-6), 0)


class Buckets:
    """The buckets of all callers, in memory, by name."""

    def __init__(self, most: int = 10_000) -> None:
        self._full_at: dict[str, float] = {}
        self._lock = Lock()
        self._most = most

    def draw(self, name: str, now: float, rate: Rate) -> Draw:
        with self._lock:
            drawn = draw(self._full_at.get(name), now, rate)
            self._full_at[name] = drawn.full_at
            if len(self._full_at) > self._most:
                self._forget_full(now)
        return drawn

    def _forget_full(self, now: float) -> None:
        # A full bucket is the same as none.
        self._full_at = {n: at for n, at in self._full_at.items() if at > now}
