"""
The list of services as it was last told, while nothing can have changed it.

To judge and tell hundreds of services takes many milliseconds, and tools ask for
the list again and again. It stays the same until a write marks the status area,
or until the next instant at which time alone changes a state: both are known.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from models.changes import marks
from models.status.snapshot.snapshot import StatusServiceList, status_snapshot
from models.storage.database import database


@dataclass(frozen=True)
class _Told:
    """A list, the facts it was made from, and the time for which it holds."""

    facts: tuple[str, int, timedelta]
    since: datetime
    until: datetime | None
    listed: StatusServiceList

    def holds(self, facts: tuple[str, int, timedelta], now: datetime) -> bool:
        in_time = self.since <= now and (self.until is None or now < self.until)
        return self.facts == facts and in_time


_last: _Told | None = None


def service_list(
    now: datetime, freshness: timedelta, group: str | None = None
) -> StatusServiceList:
    """Return the list; a group narrows the services, never the overall state."""
    listed = _listed(now, freshness)
    if group is None:
        return listed
    services = [each for each in listed.services if each.group == group]
    return listed.model_copy(update={"services": services})


def _listed(now: datetime, freshness: timedelta) -> StatusServiceList:
    global _last
    facts = (database.database, marks()["status"], freshness)
    if _last is None or not _last.holds(facts, now):
        seen = status_snapshot(now, freshness)
        _last = _Told(facts, now, seen.next_change_at(), seen.listed())
    return _last.listed
