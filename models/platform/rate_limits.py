"""
Limit the rate of each key with a token bucket (the generic cell rate algorithm).

A bucket is one number: the time, in nanoseconds since 1970, at which it is full again.
Integers make a burst of the capacity exact.
"""

from threading import Lock
from typing import NamedTuple, Protocol

SECOND = 1_000_000_000


class Rate(NamedTuple):
    """A burst of `capacity` requests, and `refill` requests per second."""

    capacity: int
    refill: float


def exceeds(rate: Rate, limit: Rate) -> bool:
    """Return whether the rate has a larger burst or a faster refill than the limit."""
    return rate.capacity > limit.capacity or rate.refill > limit.refill


class RateDecision(NamedTuple):
    """Whether a request is allowed, the tokens that remain, and times in seconds."""

    allowed: bool
    full_at: int
    remaining: int
    full_in: int
    retry_after: int


def take_token(full_at: int | None, now: int, rate: Rate) -> RateDecision:
    """
    Take one token at `now`, if there is one.

    After the clock was set back, a caller is locked out for no longer than it takes to
    fill the bucket.
    """
    interval = round(SECOND / rate.refill)
    span = rate.capacity * interval
    start = min(max(full_at or now, now), now + span)
    missing = start + interval - now - span
    if missing > 0:
        return RateDecision(False, start, 0, _seconds(start - now), _seconds(missing))
    after = start + interval
    return RateDecision(True, after, -missing // interval, _seconds(after - now), 0)


def _seconds(time: int) -> int:
    """Return whole seconds, rounded up, so that nobody retries too early."""
    return -(-time // SECOND)


class RateLimiter(Protocol):
    """The token buckets of all keys, by name."""

    def take_token(self, name: str, now: int, rate: Rate) -> RateDecision:
        """Take one token at `now`, in nanoseconds, if there is one."""


class MemoryRateLimiter:
    """Token buckets in the memory of a single server."""

    def __init__(self, max_buckets: int = 10_000) -> None:
        self._full_at: dict[str, int] = {}
        self._now = 0
        self._lock = Lock()
        self._max_buckets = max_buckets

    def take_token(self, name: str, now: int, rate: Rate) -> RateDecision:
        with self._lock:
            self._adjust_to_clock(now)
            decision = take_token(self._full_at.get(name), now, rate)
            self._full_at[name] = decision.full_at
            if len(self._full_at) > self._max_buckets:
                # A missing bucket counts as full.
                buckets = self._full_at.items()
                self._full_at = {name: at for name, at in buckets if at > now}
        return decision

    def _adjust_to_clock(self, now: int) -> None:
        """Move the buckets back if the clock was set back by more than a second."""
        back = self._now - now
        if back > SECOND:
            self._full_at = {name: at - back for name, at in self._full_at.items()}
        if not 0 <= back <= SECOND:
            self._now = now
