"""
Cache the list of services and their states while nothing can have changed it.

Computing the states of hundreds of services takes many milliseconds, and monitoring
tools poll the list. It stays the same until a write marks the status area, or until
the next time at which a state can change without a write. Both are known.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from models.changes import marks
from models.status.snapshot.snapshot import StatusServiceList, status_snapshot
from models.storage.database import database

# The database, its mark of the status area, and the freshness.
_Key = tuple[str, int, timedelta]


@dataclass(frozen=True)
class _CachedList:
    """A list that is valid for its key in [since, until)."""

    key: _Key
    since: datetime
    until: datetime | None
    service_list: StatusServiceList

    def is_valid(self, key: _Key, now: datetime) -> bool:
        in_time = self.since <= now and (self.until is None or now < self.until)
        return self.key == key and in_time


_cached: _CachedList | None = None


def service_list(
    now: datetime, freshness: timedelta, group: str | None = None
) -> StatusServiceList:
    """Return the list; a group narrows the services but not the overall state."""
    full_list = _full_list(now, freshness)
    if group is None:
        return full_list
    services = [service for service in full_list.services if service.group == group]
    return full_list.model_copy(update={"services": services})


def _full_list(now: datetime, freshness: timedelta) -> StatusServiceList:
    global _cached
    key = (database.database, marks()["status"], freshness)
    if _cached is None or not _cached.is_valid(key, now):
        snapshot = status_snapshot(now, freshness)
        until = snapshot.next_change_at()
        _cached = _CachedList(key, now, until, snapshot.service_list())
    return _cached.service_list
