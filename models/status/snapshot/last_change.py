"""Find when what the status page shows last changed, and when time next changes it."""

from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from peewee import fn

from models.base import epoch_ms, from_epoch_ms
from models.status.incidents.incidents import IncidentRow
from models.status.maintenance.windows import MaintenanceRow
from models.status.measurements.measurements import ReadingRow
from models.status.services.rows import ServiceRow
from models.status.snapshot.event_index import (
    EventIndex,
    IndexedIncident,
    IndexedWindow,
)
from models.status.state import Reading

DAY = timedelta(days=1)

# The times at which the page changes are values of these columns, midnights, and the
# times at which readings go stale.
_COLUMNS = (
    ServiceRow.updated_at,
    IncidentRow.updated_at,
    IncidentRow.started_at,
    MaintenanceRow.updated_at,
    MaintenanceRow.starts_at,
    MaintenanceRow.ends_at,
    ReadingRow.observed_at,
)


def last_change_at(now: datetime, freshness: timedelta) -> datetime:
    """
    Return the latest time, not after `now`, at which the page changed.

    Builds use it as their time, so that every build until the next change writes the
    same bytes. The page changes at midnight UTC too, when the bars of the days move.
    """
    observed_at = ReadingRow.observed_at
    newest_stale = _extreme(fn.MAX, observed_at, observed_at < now - freshness)
    newest = (_extreme(fn.MAX, column, column <= now) for column in _COLUMNS)
    candidates = [_midnight(now), *newest, _stale_at(newest_stale, freshness)]
    return max(filter(None, candidates))


def last_changes_by_service(
    now: datetime, freshness: timedelta, index: EventIndex
) -> dict[int, datetime]:
    """
    Return `last_change_at` for the page of each service, by the service's number.

    Measurements of another service do not change it, so the page of the service need
    not be built again. The index has the incidents and windows that affect it.
    """
    services = ServiceRow.select(ServiceRow.number, ServiceRow.updated_at)
    updated: dict[int, datetime] = dict(services.tuples().iterator())
    candidates = {number: [_midnight(now)] for number in updated}
    service, observed_at = ReadingRow.service, ReadingRow.observed_at
    newest_stale = _newest(service, observed_at, observed_at < now - freshness)
    stale = {number: _stale_at(at, freshness) for number, at in newest_stale.items()}
    times: list[dict[int, Any]] = [
        updated,
        stale,
        _newest(service, observed_at, observed_at <= now),
    ]
    times.append(_newest_events(index, _midnight(now), now))
    for number, at in chain.from_iterable(by_number.items() for by_number in times):
        if number in candidates and at and at <= now:
            candidates[number].append(at)
    return {number: max(moments) for number, moments in candidates.items()}


def last_removal_at() -> datetime | None:
    """Return when an incident or a window was last removed."""
    columns = (IncidentRow.removed_at, MaintenanceRow.removed_at)
    moments = (column.model.select(fn.MAX(column)).scalar() for column in columns)
    return max(filter(None, moments), default=None)


def next_page_change(now: datetime, freshness: timedelta) -> datetime:
    """Return when `last_change_at` next changes without a write."""
    observed_at = ReadingRow.observed_at
    next_reading = _extreme(fn.MIN, observed_at, observed_at > now)
    candidates = [next_state_change(now, freshness), next_reading]
    return min(filter(None, candidates))


def next_state_change(now: datetime, freshness: timedelta) -> datetime:
    """
    Return when time alone may next change a state, or a day begins.

    That is not when the time of a reading comes: a reading counts once it is stored,
    and while measurements arrive, the newest is always later than the last build.
    """
    observed_at = ReadingRow.observed_at
    oldest_fresh = _extreme(fn.MIN, observed_at, observed_at >= now - freshness)
    upcoming = (
        _extreme(fn.MIN, column, column > now)
        for column in _COLUMNS
        if column is not observed_at
    )
    candidates = [_midnight(now) + DAY, *upcoming, _stale_at(oldest_fresh, freshness)]
    return min(filter(None, candidates))


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _stale_at(observed_at: datetime | None, freshness: timedelta) -> datetime | None:
    """Return when a reading observed at that time goes stale."""
    if observed_at is None:
        return None
    return Reading("", "operational", observed_at).stale_at(freshness)


def _newest(service: Any, column: Any, condition: Any) -> dict[int, datetime]:
    """Return the latest time in a column by the service of the row."""
    query = service.model.select(service, fn.MAX(column))
    return dict(query.where(condition).group_by(service).tuples())


def _newest_events(
    index: EventIndex, since: datetime, now: datetime
) -> dict[int, datetime]:
    """Return when an event of each service last began, ended or changed since then."""
    start, end = epoch_ms(since), epoch_ms(now)
    newest: dict[int, int] = {}
    events: list[IndexedIncident | IndexedWindow] = [*index.incidents, *index.windows]
    for event in events:
        times = [at for at in event.times() if at <= end]
        if times and max(times) >= start:
            for service in event.services:
                newest[service.number] = max(*times, newest.get(service.number, 0))
    return {number: from_epoch_ms(at) for number, at in newest.items()}


def _extreme(aggregate: Any, column: Any, condition: Any) -> datetime | None:
    """Return the minimum or maximum of a column in the rows of a condition."""
    value: datetime | None = (
        column.model.select(aggregate(column)).where(condition).scalar()
    )
    return value
