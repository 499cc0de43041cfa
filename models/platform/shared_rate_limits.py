"""Token buckets in the database, drawn from by servers on several hosts."""

from threading import Lock
from typing import Any

from models.platform.rate_limits import SECOND, Buckets, Draw, OwnBuckets, Rate, draw
from models.storage.database import database
from models.storage.engines.engine import is_served

# By the clock of the database, since those of several hosts differ. What `draw` says
# of one number is said here of a row that many draw from at once; of a bucket that
# is empty no row comes back.
_NOW = "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000000)::bigint"
_DRAW = (
    f"WITH clock AS (SELECT {_NOW} AS now)"  # noqa: S608  our own text
    " INSERT INTO bucket AS b (name, full_at) SELECT ?1, now + ?2::bigint FROM clock"
    " ON CONFLICT (name) DO UPDATE SET full_at = ?2::bigint"
    " + LEAST(GREATEST(b.full_at, excluded.full_at - ?2), excluded.full_at - ?2 + ?3)"
    " WHERE b.full_at + ?2 <= excluded.full_at - ?2 + ?3::bigint"
    " RETURNING full_at, (SELECT now FROM clock)"
)
_LEFT = f"SELECT full_at, {_NOW} FROM bucket WHERE name = ?"  # noqa: S608
_FORGET = f"DELETE FROM bucket WHERE full_at < {_NOW}"  # noqa: S608
# A draw waits for no disk: should the server lose its power, the last are given back.
_HASTY = "SET synchronous_commit = off"
# After so many draws what is full is forgotten: it is the same as none.
FORGET_AFTER = 10_000


class SharedBuckets:
    """
    One row for each bucket: all servers of a database draw from the same.

    On a connection of its own, since whoever asks is reading a snapshot.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._connection: Any = None
        self._draws = 0

    def draw(self, name: str, now: int, rate: Rate) -> Draw:  # noqa: ARG002
        """Take a token by the clock of the database, whatever ours says."""
        each = round(SECOND / rate.refill)
        span = rate.capacity * each
        with self._lock:
            while (found := self._asked(_DRAW, (name, each, span))) is None:
                full_at, at = self._asked(_LEFT, (name,))
                left = draw(full_at, at, rate)
                # A moment later there may be one.
                if not left.allowed:
                    return left
        full_at, at = found
        # As it was before this draw, so that what is left is worked out in one place.
        return draw(full_at - each, at, rate)

    def _asked(self, statement: str, values: tuple[Any, ...]) -> Any:
        """Ask, on a new connection where the server has ended the old one."""
        self._draws += 1
        try:
            if self._connection is None:
                self._connection = database.aside()
                self._connection.execute(_HASTY)
            found = self._connection.execute(statement, values).fetchone()
            if self._draws % FORGET_AFTER == 0:
                self._connection.execute(_FORGET)
        except database.errors:
            was, self._connection = self._connection, None
            if was is None or not was.broken:
                raise
            return self._asked(statement, values)
        return found


def buckets_of(address: str) -> Buckets:
    """Return what the servers of a database draw from: of a file there is but one."""
    return SharedBuckets() if is_served(address) else OwnBuckets()
