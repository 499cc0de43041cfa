"""
Give each change in an area its instant, which is later than all before it.

Clients poll for what changed since the last time that they saw. A change must not carry
an earlier time than a change that was committed before it, even if another host wrote
that one, or a clock was set back.
"""

from datetime import datetime
from typing import Any

from models.base import epoch_ms, from_epoch_ms
from models.storage.database import database

# The last instant of each area, in milliseconds since 1970, is a value of the instance.
NAME_PREFIX = "changed-at-"
# The area whose lists are polled over projects that are written at the same time.
POLLED_AREA = "projects"
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
    is later. Instants grow in the order of commits among the writes that lock the same
    project, lineage of keys, or area (models/storage/write_locks.py). Writes in other
    projects may overlap with this one; `settled` filters what polls of all projects
    may see. Keys are not polled.
    """
    if area == POLLED_AREA:
        database.announce()
    values = NAME_PREFIX + area, epoch_ms(clock_at)
    return from_epoch_ms(database.advance(_ADVANCE, values))


def begin_poll() -> None:
    """
    Begin the snapshot of a read that polls all projects for changes.

    Inside it, `is_settled` and `is_settled_activity` hide changes while an earlier one
    is not committed yet.
    """
    database.begin_poll()


def is_settled(column: Any) -> list[Any]:
    """
    Return the conditions on a column of times for what a poll may see.

    A time that is later than every instant is of an import, and hides nothing.
    """
    settled = database.settled()
    if settled is None or settled.instant >= settled.latest:
        return []
    return [(column <= settled.instant) | (column > settled.latest)]


def is_settled_activity(number: Any, at: Any) -> list[Any]:
    """Return the conditions on the number and the time of activity, for a poll."""
    settled = database.settled()
    return [] if settled is None else [number <= settled.activity, *is_settled(at)]
