"""
Token buckets, kept as one number each (the generic cell rate algorithm).

The number is the instant, in nanoseconds, at which the bucket is full again.
Whole numbers, so that a burst of the capacity is neither a token more nor less.
"""

from threading import Lock
from typing import NamedTuple, Protocol

SECOND = 1_000_000_000


class Rate(NamedTuple):
    """`capacity` requests at once, `refill` requests a second."""

    capacity: int
    refill: float


class Draw(NamedTuple):
    """What came of one request: allowed or not, and what is left; in seconds."""

    allowed: bool
    full_at: int
    remaining: int
    full_in: int
    retry_after: int


def draw(full_at: int | None, now: int, rate: Rate) -> Draw:
    """
    Take one token at `now`, if there is one.

    A clock that was set back never locks a caller out for longer than it takes
    to fill the bucket.
    """
    each = round(SECOND / rate.refill)
    span = rate.capacity * each
    start = min(max(full_at or now, now), now + span)
    missing = start + each - now - span
    if missing > 0:
        return Draw(False, start, 0, _seconds(start - now), _seconds(missing))
    after = start + each
    return Draw(True, after, -missing // each, _seconds(after - now), 0)


def _seconds(time: int) -> int:
    """Return whole seconds, rounded up: nobody is told to come back too early."""
    return -(-time // SECOND)


class Buckets(Protocol):
    """The buckets of all callers, by name."""

    def draw(self, name: str, now: int, rate: Rate) -> Draw:
        """Take one token at `now`, in nanoseconds, if there is one."""


class OwnBuckets:
    """The buckets of the one server that there is, in its memory."""

    def __init__(self, most: int = 10_000) -> None:
        self._full_at: dict[str, int] = {}
        self._now = 0
        self._lock = Lock()
        self._most = most

    def draw(self, name: str, now: int, rate: Rate) -> Draw:
        with self._lock:
            self._follow(now)
            drawn = draw(self._full_at.get(name), now, rate)
            self._full_at[name] = drawn.full_at
            if len(self._full_at) > self._most:
                self._forget_full(now)
        return drawn

    def _follow(self, now: int) -> None:
        """Set the buckets back with the clock; threads may be a moment apart."""
        back = self._now - now
        if back > SECOND:
            self._full_at = {n: at - back for n, at in self._full_at.items()}
        if not 0 <= back <= SECOND:
            self._now = now

    def _forget_full(self, now: int) -> None:
        # A full bucket is the same as none.
        self._full_at = {n: at for n, at in self._full_at.items() if at > now}
