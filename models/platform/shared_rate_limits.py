"""
Limit the rates of keys across several servers, with token buckets in PostgreSQL.

A process draws several tokens at once for a key that it sees often, so that most
requests need no round trip.
"""

import time
from dataclasses import dataclass
from threading import Lock
from typing import Any

from models.platform.rate_limits import (
    SECOND,
    Rate,
    RateDecision,
    RateLimiter,
    take_token,
)
from models.platform.shared_memory_rate_limits import SharedMemoryRateLimiter
from models.storage.database import database
from models.storage.engines.engine import is_postgresql

# By the clock of the database, since those of several hosts differ. The statement does
# the same as `take_token` in rate_limits.py, for concurrent servers and for several
# tokens, which cost ?2. It returns no row if the bucket does not have them.
_NOW = "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000000)::bigint"
_DRAW = (
    f"WITH clock AS (SELECT {_NOW} AS now)"  # noqa: S608  no user input
    " INSERT INTO rate_limit AS b (name, full_at)"
    " SELECT ?1, now + ?2::bigint FROM clock"
    " ON CONFLICT (name) DO UPDATE SET full_at = ?2::bigint"
    " + LEAST(GREATEST(b.full_at, excluded.full_at - ?2), excluded.full_at - ?2 + ?3)"
    " WHERE b.full_at + ?2 <= excluded.full_at - ?2 + ?3::bigint"
    " RETURNING full_at, (SELECT now FROM clock)"
)
_READ = f"SELECT full_at, {_NOW} FROM rate_limit WHERE name = ?"  # noqa: S608
_DROP_FULL = f"DELETE FROM rate_limit WHERE full_at < {_NOW}"  # noqa: S608
# Full buckets, which are equal to missing ones, are dropped after so many draws.
DROP_INTERVAL = 10_000

# The share of the capacity that one process may have drawn; a small bucket is exact.
LOT_SHARE = 0.1
MIN_CAPACITY_FOR_LOTS = 100
# Tokens that were not used for so long are lost.
LOT_LIFETIME = SECOND
MAX_LOTS = 10_000


@dataclass
class _Lot:
    """
    The tokens of a bucket that this process has drawn and not used.

    The lot was drawn at the time `at` of the database, at `drawn_at` of this process,
    and left the bucket full at `full_at`.
    """

    rate: Rate
    tokens: int = 0
    size: int = 0
    full_at: int = 0
    at: int = 0
    drawn_at: int = 0
    is_drawing: bool = False

    def is_valid(self, now: int, rate: Rate) -> bool:
        return self.rate == rate and now - self.drawn_at < LOT_LIFETIME

    def take(self, now: int) -> RateDecision:
        """Take one of the tokens, as if it were still in the bucket."""
        interval = round(SECOND / self.rate.refill)
        full_at = self.full_at - self.tokens * interval
        self.tokens -= 1
        return take_token(full_at, self.at + now - self.drawn_at, self.rate)

    def next_size(self, now: int, rate: Rate) -> int:
        """Return how many to draw: twice as many as were just used up, else one."""
        if self.is_drawing or rate.capacity < MIN_CAPACITY_FOR_LOTS:
            return 1
        most = int(rate.capacity * LOT_SHARE)
        return min(most, 2 * self.size) if self.is_valid(now, rate) else 1


class DatabaseRateLimiter:
    """
    Token buckets that all servers of a database share.

    They use connections of their own, since the request's is reading a snapshot. No
    thread waits for the round trip of another.
    """

    def __init__(self) -> None:
        self._lots: dict[str, _Lot] = {}
        self._draws = 0
        # Never held during a statement.
        self._lock = Lock()

    def take_token(self, name: str, now: int, rate: Rate) -> RateDecision:  # noqa: ARG002
        """Take a token by the clock of the database, ignoring `now`."""
        at = time.monotonic_ns()
        with self._lock:
            lot = self._lot(name, rate)
            if lot.tokens and lot.is_valid(at, rate):
                return lot.take(at)
            size = lot.next_size(at, rate)
            is_lot = size > 1 or not lot.is_drawing
            lot.is_drawing = lot.is_drawing or is_lot
        try:
            return self._draw(name, lot, size, rate, is_lot=is_lot)
        finally:
            if is_lot:
                lot.is_drawing = False

    def _draw(
        self, name: str, lot: _Lot, size: int, rate: Rate, *, is_lot: bool
    ) -> RateDecision:
        """Draw a lot and take a token from it, or draw one if there are not so many."""
        interval = round(SECOND / rate.refill)
        span = rate.capacity * interval
        drawn_at = time.monotonic_ns()
        while (row := self._query(_DRAW, (name, size * interval, span))) is None:
            if size > 1:
                size = 1
                continue
            full_at, at = self._query(_READ, (name,))
            decision = take_token(full_at, at, rate)
            # A token may have been added since the first statement.
            if not decision.allowed:
                return decision
        full_at, at = row
        drawn = _Lot(rate, size, size, full_at, at, drawn_at)
        # The decision is computed in one place, from the bucket before this request.
        decision = drawn.take(drawn_at)
        if is_lot:
            with self._lock:
                vars(lot).update(vars(drawn))
        return decision

    def _lot(self, name: str, rate: Rate) -> _Lot:
        """Return the lot of the name; forget all lots if there are too many."""
        if len(self._lots) > MAX_LOTS:
            self._lots.clear()
        return self._lots.setdefault(name, _Lot(rate))

    def _query(self, statement: str, values: tuple[Any, ...]) -> Any:
        connections = database.extra_connections
        row = connections.fetch_one(statement, values)
        self._draws += 1
        if self._draws % DROP_INTERVAL == 0:
            connections.execute(_DROP_FULL)
        return row


def rate_limiter_for(address: str) -> RateLimiter:
    """
    Return the rate limiter for all processes of all servers of this database.

    It must be created before the processes of a server are forked.
    """
    if is_postgresql(address):
        return DatabaseRateLimiter()
    return SharedMemoryRateLimiter()
