"""Limit the rates of keys across several servers, with token buckets in PostgreSQL."""

from itertools import count
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
# the same as `take_token` in rate_limits.py, for concurrent servers. A token costs ?2.
# Without one there is no row.
_NOW = "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000000)::bigint"
_TAKE = (
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
# Full buckets, which are equal to missing ones, are dropped after so many statements.
DROP_INTERVAL = 10_000


class DatabaseRateLimiter:
    """
    Token buckets that all servers of a database share.

    They use connections of their own, since the request's is reading a snapshot.
    """

    def __init__(self) -> None:
        self._statements = count(1)

    def take_token(self, name: str, now: int, rate: Rate) -> RateDecision:  # noqa: ARG002
        """Take a token by the clock of the database, ignoring `now`."""
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
        connections = database.extra_connections
        row = connections.fetch_one(statement, values)
        if next(self._statements) % DROP_INTERVAL == 0:
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
