"""
Give each change in an area its instant, which is later than all before it.

Clients poll for what changed since the last time that they saw. A change must not carry
an earlier time than a change that was committed before it, even if another host wrote
that one, or a clock was set back.
"""

from datetime import datetime

from models.base import epoch_ms, from_epoch_ms
from models.storage.database import database

# The last instant of each area, in milliseconds since 1970, is a value of the instance.
NAME_PREFIX = "changed-at-"
# One statement, because every change runs it.
_ADVANCE = (
    "INSERT INTO instance (name, value) VALUES (?1, CAST(?2 AS TEXT))"
    " ON CONFLICT (name) DO UPDATE SET value = CAST(CASE"
    " WHEN CAST(instance.value AS BIGINT) < ?2 THEN ?2"
    " ELSE CAST(instance.value AS BIGINT) + 1 END AS TEXT)"
    " RETURNING value"
)


def next_instant(area: str, clock_at: datetime) -> datetime:
    """
    Return the instant of the change that the current write transaction makes.

    It is the time on the clock, or a millisecond after the area's last instant if that
    is later. Instants grow in the order of commits, because a write locks its area
    (models/storage/write_locks.py).
    """
    values = NAME_PREFIX + area, epoch_ms(clock_at)
    (instant,) = database.connection().execute(_ADVANCE, values).fetchone()
    return from_epoch_ms(int(instant))
