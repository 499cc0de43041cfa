"""The instant that the page tells of: the last at which anything shown changed."""

from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from peewee import fn

from models.status.incidents.incidents import IncidentRow
from models.status.maintenance.windows import MaintenanceRow
from models.status.measurements.measurements import ReadingRow
from models.status.services.affected import AffectedRow
from models.status.services.catalogue import ServiceRow
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
    observed = ReadingRow.observed_at
    gone = _found(fn.MAX, observed, observed < now - freshness)
    written = (_found(fn.MAX, each, each <= now) for each in _COLUMNS)
    return max(filter(None, [_midnight(now), *written, _stale(gone, freshness)]))


def told_at_each(now: datetime, freshness: timedelta) -> dict[int, datetime]:
    """
    Return the same for the page of each service, by its number.

    What another service says does not move it, so its figures stand where they
    stood, and its page need not be made again.
    """
    own = {each.number: each.updated_at for each in ServiceRow.select()}
    found = {number: [_midnight(now)] for number in own}
    observed = ReadingRow.observed_at
    gone = _newest(ReadingRow.service, observed, observed < now - freshness)
    stale = {number: _stale(at, freshness) for number, at in gone.items()}
    written = [_newest(ReadingRow.service, observed, observed <= now)]
    for column in _COLUMNS:
        if column.model in (IncidentRow, MaintenanceRow):
            written.append(_newest(AffectedRow.service, column, column <= now))
    for number, at in chain.from_iterable(e.items() for e in (own, stale, *written)):
        if number in found and at and at <= now:
            found[number].append(at)
    return {number: max(moments) for number, moments in found.items()}


def next_told(now: datetime, freshness: timedelta) -> datetime:
    """Return when time alone next changes what `told_at` returns."""
    observed = ReadingRow.observed_at
    going = _found(fn.MIN, observed, observed >= now - freshness)
    coming = (_found(fn.MIN, each, each > now) for each in _COLUMNS)
    return min(filter(None, [_midnight(now) + DAY, *coming, _stale(going, freshness)]))


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _stale(observed_at: datetime | None, freshness: timedelta) -> datetime | None:
    """Return when a reading of that time goes stale."""
    if observed_at is None:
        return None
    return Reading("", "operational", observed_at).stale_from(freshness)


def _newest(service: Any, column: Any, condition: Any) -> dict[int, datetime]:
    """Return the latest time in a column by the service that it is about."""
    newest = service.model.select(service, fn.MAX(column))
    if service.model is not column.model:
        newest = newest.join(column.model, on=AffectedRow.subject == column.model.id)
    return dict(newest.where(condition).group_by(service).tuples())


def _found(extreme: Any, column: Any, condition: Any) -> datetime | None:
    found: datetime | None = (
        column.model.select(extreme(column)).where(condition).scalar()
    )
    return found
