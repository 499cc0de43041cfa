"""
Limit the rate of each key with a token bucket (the generic cell rate algorithm).

A bucket is one number: the time, in nanoseconds, at which it is full again. Integers
make a burst of the capacity exact. The processes of a server share their buckets in
memory; the servers of a PostgreSQL share them in the database.
"""

import hashlib
import mmap
import struct
import time
from collections.abc import Callable
from itertools import count
from threading import Lock
from typing import Any, NamedTuple, Protocol

from models.runtime.byte_locks import ByteLocks
from models.storage.database import database, independent_reads
from models.storage.engines.engine import is_postgresql

SECOND = 1_000_000_000

# By the clock of the database, since those of several hosts differ. The statement does
# the same as `take_token`, for concurrent servers. A token costs ?2.
# Without one there is no row. The commit does not wait for the disk: tokens may be lost
# with the last moments before a power failure.
_NOW = "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000000)::bigint"
_TAKE = (
    f"WITH clock AS (SELECT {_NOW} AS now,"  # noqa: S608  no user input
    " set_config('synchronous_commit', 'off', true))"
    " INSERT INTO rate_limit AS b (name, full_at)"
    " SELECT ?1, now + ?2::bigint FROM clock"
    " ON CONFLICT (name) DO UPDATE SET full_at = ?2::bigint"
    " + LEAST(GREATEST(b.full_at, excluded.full_at - ?2), excluded.full_at - ?2 + ?3)"
    " WHERE b.full_at + ?2 <= excluded.full_at - ?2 + ?3::bigint"
    " RETURNING full_at, (SELECT now FROM clock)"
)
_READ = f"SELECT (SELECT full_at FROM rate_limit WHERE name = ?), {_NOW}"  # noqa: S608
_DROP_FULL = f"DELETE FROM rate_limit WHERE full_at < {_NOW}"  # noqa: S608
# Full buckets, which are equal to missing ones, are dropped after so many statements.
DROP_INTERVAL = 10_000
# A bucket: the digest of its name, and the time at which it is full again.
_BUCKET = struct.Struct("<Qq")
# A name may be in any bucket of its group, which one lock protects.
GROUP_BUCKETS = 8
GROUPS = 2048
_GROUP_BYTES = GROUP_BUCKETS * _BUCKET.size


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

    def take_token(self, name: str, rate: Rate) -> RateDecision:
        """Take one token, if there is one."""


def rate_limiter_for(address: str) -> RateLimiter:
    """
    Return the rate limiter for all processes of all servers of this database.

    It must be created before the processes of a server are forked.
    """
    return DatabaseRateLimiter() if is_postgresql(address) else MemoryRateLimiter()


class MemoryRateLimiter:
    """
    Token buckets in memory that all processes of a server have mapped.

    It is created before the processes are forked. A process that is killed while it
    holds the lock of a bucket blocks nobody.
    """

    def __init__(self, clock: Callable[[], int] = time.monotonic_ns) -> None:
        # A steady clock is the same in all processes, and is never set back.
        self._clock = clock
        self._memory = mmap.mmap(-1, GROUPS * _GROUP_BYTES)
        self._locks = ByteLocks()
        # Threads of one process do not exclude each other with these.
        self._thread_lock = Lock()

    def take_token(self, name: str, rate: Rate) -> RateDecision:
        digest = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest())
        group = digest % GROUPS
        with self._thread_lock:
            self._locks.acquire(group)
            try:
                return self._take(digest, group, self._clock(), rate)
            finally:
                self._locks.release(group)

    def _take(self, digest: int, group: int, now: int, rate: Rate) -> RateDecision:
        """Take a token from the bucket of the name, or from a full one in its place."""
        start = group * _GROUP_BYTES
        buckets = _BUCKET.iter_unpack(self._memory[start : start + _GROUP_BYTES])
        fullest_at, place, fullest = None, 0, 0
        for position, (name, full_at) in enumerate(buckets):
            if name == digest:
                fullest_at, place = full_at, position
                break
            # A bucket that is full, or was never used, is the same as none.
            if position == 0 or full_at < fullest:
                place, fullest = position, full_at
        decision = take_token(fullest_at, now, rate)
        at = start + place * _BUCKET.size
        _BUCKET.pack_into(self._memory, at, digest, decision.full_at)
        return decision


class DatabaseRateLimiter:
    """Token buckets that all servers of a database share."""

    def __init__(self) -> None:
        self._statements = count(1)

    def take_token(self, name: str, rate: Rate) -> RateDecision:
        interval = round(SECOND / rate.refill)
        span = rate.capacity * interval
        while (row := self._query(_TAKE, (name, interval, span))) is None:
            full_at, at = self._query(_READ, (name,))
            decision = take_token(full_at, at, rate)
            # A token may have been added since the first statement.
            if not decision.allowed:
                return decision
        full_at, at = row
        # The decision is computed in one place, from the bucket before this request.
        return take_token(full_at - interval, at, rate)

    def _query(self, statement: str, values: tuple[Any, ...]) -> Any:
        with independent_reads():
            if database.has_transaction():
                raise RuntimeError("A write that takes a token would not be durable.")
            if next(self._statements) % DROP_INTERVAL == 0:
                database.execute_sql(_DROP_FULL)
            return database.fetch_one(statement, values)
