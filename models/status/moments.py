"""The instant that the page tells of: the last at which anything shown changed."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from peewee import fn

from models.status.incidents import IncidentRow
from models.status.maintenance import MaintenanceRow
from models.status.measurements import ReadingRow
from models.status.services import ServiceRow
from models.status.state import Reading

DAY = timedelta(days=1)

# The past that no clock of a caller can be behind: every instant below is one of
# these columns, or follows from a reading by the freshness.
_COLUMNS = (
    ServiceRow.updated_at,
    IncidentRow.updated_at,
    IncidentRow.started_at,
    MaintenanceRow.updated_at,
    MaintenanceRow.starts_at,
    MaintenanceRow.ends_at,
    ReadingRow.observed_at,
)


def told_at(now: datetime, freshness: timedelta) -> datetime:
    """
    Return the latest instant, not after `now`, at which the page changed.

    A build at any time until the next change tells of the same instant, so it
    writes the same bytes: rolling windows end there and not at the build's clock.
    Midnight UTC is one of the instants, since the day bars move then.
    """
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return max([midnight, *_written(now), *_gone_stale(now, freshness)])


def next_told(now: datetime, freshness: timedelta) -> datetime:
    """Return when time alone next changes what `told_at` returns."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return min([midnight + DAY, *_coming(now), *_going_stale(now, freshness)])


def _coming(now: datetime) -> Iterator[datetime]:
    for column in _COLUMNS:
        found = _earliest(column, column > now)
        if found is not None:
            yield found


def _going_stale(now: datetime, freshness: timedelta) -> Iterator[datetime]:
    fresh = ReadingRow.observed_at >= now - freshness
    going = _earliest(ReadingRow.observed_at, fresh)
    if going is not None:
        yield Reading("", "operational", going).stale_from(freshness)


def _written(now: datetime) -> Iterator[datetime]:
    for column in _COLUMNS:
        found = _latest(column, column <= now)
        if found is not None:
            yield found


def _gone_stale(now: datetime, freshness: timedelta) -> Iterator[datetime]:
    """The newest reading that is stale by now went stale at some instant."""
    gone = _latest(ReadingRow.observed_at, ReadingRow.observed_at < now - freshness)
    if gone is not None:
        newest = Reading("", "operational", gone)
        yield newest.stale_from(freshness)


def _earliest(column: Any, condition: Any) -> datetime | None:
    found: datetime | None = (
        column.model.select(fn.MIN(column)).where(condition).scalar()
    )
    return found


def _latest(column: Any, condition: Any) -> datetime | None:
    found: datetime | None = (
        column.model.select(fn.MAX(column)).where(condition).scalar()
    )
    return found
