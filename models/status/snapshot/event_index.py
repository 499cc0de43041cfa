"""
Index all incidents and maintenance windows: when they were, and what they affect.

Pages that show them are made again only if what they are made of has another version
here, so nothing else of a long history is read.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple, TypeVar

from models.storage.database import database

# Fixed SQL, because the rows of Peewee would take ten times as long. The parameter is
# the version since which rows are read.
_SELECT_SERVICES = "SELECT number, updated_at FROM service ORDER BY number"
_SELECT_INCIDENTS = (
    "SELECT id, started_at, resolved_at, updated_at FROM incident"
    " WHERE removed_at IS NULL AND updated_at >= {0}"
)
_SELECT_WINDOWS = (
    "SELECT id, starts_at, ends_at, written, updated_at FROM maintenance"
    " WHERE removed_at IS NULL AND updated_at >= {0}"
)
_SELECT_INCIDENT_IDS = (
    "SELECT id FROM incident WHERE removed_at IS NULL ORDER BY started_at, id"
)
_SELECT_WINDOW_IDS = (
    "SELECT id FROM maintenance WHERE removed_at IS NULL ORDER BY starts_at, id"
)
_SELECT_AFFECTED = (
    "SELECT subject, service_id FROM affected WHERE service_id IS NOT NULL"
    " AND subject IN (SELECT id FROM incident WHERE updated_at >= {0}"
    " UNION ALL SELECT id FROM maintenance WHERE updated_at >= {0}) ORDER BY number"
)
# Of the rows that were not removed, how many there are, and the sum of their versions.
_SELECT_SUMS = (
    "SELECT count(*), coalesce(sum(updated_at), 0) FROM incident"
    " WHERE removed_at IS NULL UNION ALL"
    " SELECT count(*), coalesce(sum(updated_at), 0) FROM maintenance"
    " WHERE removed_at IS NULL"
)

T = TypeVar("T", bound="IndexedIncident | IndexedWindow")


class ServiceVersion(NamedTuple):
    """A service as an incident or a window names it: every change has another time."""

    number: int
    updated_at: int


class IndexedIncident(NamedTuple):
    """
    An incident; times are in milliseconds.

    `updated_at` increases with every change of the incident, of its severities and of
    its updates, so equal rows stand for equal incidents.
    """

    id: str
    started_at: int
    resolved_at: int | None
    updated_at: int
    services: tuple[ServiceVersion, ...]

    def times(self) -> tuple[int, ...]:
        return self.started_at, self.updated_at


class IndexedWindow(NamedTuple):
    """A maintenance window; equal rows stand for equal windows, but for the clock."""

    id: str
    starts_at: int
    ends_at: int
    # The status that was written: scheduled, completed or cancelled.
    written: str
    updated_at: int
    services: tuple[ServiceVersion, ...]

    def times(self) -> tuple[int, ...]:
        return self.starts_at, self.ends_at, self.updated_at


@dataclass(frozen=True)
class EventIndex:
    """All incidents and windows that were not removed, oldest first."""

    incidents: list[IndexedIncident] = field(default_factory=list)
    windows: list[IndexedWindow] = field(default_factory=list)
    services: list[ServiceVersion] = field(default_factory=list)

    @cached_property
    def incidents_by_service(self) -> Mapping[int, list[IndexedIncident]]:
        """The incidents that affect each service, by its number."""
        return _by_service(self.incidents)

    @cached_property
    def windows_by_service(self) -> Mapping[int, list[IndexedWindow]]:
        return _by_service(self.windows)

    def since(self, at: int) -> "EventIndex":
        """Return the incidents and windows that had not ended at this time."""
        return EventIndex(
            [
                each
                for each in self.incidents
                if each.resolved_at is None or each.resolved_at > at
            ],
            [each for each in self.windows if each.ends_at > at],
            self.services,
        )


def read_service_versions() -> list[ServiceVersion]:
    return list(map(ServiceVersion._make, database.execute_sql(_SELECT_SERVICES)))


def read_event_ids() -> tuple[list[str], list[str]]:
    """Return the ids of the incidents and of the windows, in the order of the index."""
    incidents, windows = (
        [id for (id,) in database.execute_sql(sql)]
        for sql in (_SELECT_INCIDENT_IDS, _SELECT_WINDOW_IDS)
    )
    return incidents, windows


def read_event_index(
    previous: EventIndex, services: list[ServiceVersion]
) -> EventIndex:
    """
    Return the index as it is now, the previous one if nothing has changed.

    Only rows with a newer version are read, if those and the previous rows are all
    that the tables have by now. Rows that did not change are the previous objects.
    """
    if services == previous.services:
        versions = [row.updated_at for row in previous.incidents]
        versions += [row.updated_at for row in previous.windows]
        index = _index_since(max(versions, default=0), previous)
        sums = [tuple(map(int, row)) for row in database.execute_sql(_SELECT_SUMS)]
        if sums == [_sum(index.incidents), _sum(index.windows)]:
            return previous if index == previous else index
    return _index_since(0, EventIndex(services=services))


def _index_since(version: int, previous: EventIndex) -> EventIndex:
    """Return the index with the rows that have this version or a newer one."""
    services = {service.number: service for service in previous.services}
    affected: dict[str, tuple[ServiceVersion, ...]] = {}
    for subject, number in database.execute_sql(_SELECT_AFFECTED.format(version)):
        affected[subject] = (*affected.get(subject, ()), services[number])
    incidents = [
        IndexedIncident._make((*row, affected.get(row[0], ())))
        for row in database.execute_sql(_SELECT_INCIDENTS.format(version))
    ]
    windows = [
        IndexedWindow._make((*row, affected.get(row[0], ())))
        for row in database.execute_sql(_SELECT_WINDOWS.format(version))
    ]
    return EventIndex(
        _merge(previous.incidents, incidents),
        _merge(previous.windows, windows),
        previous.services,
    )


def _merge(known: list[T], read: list[T]) -> list[T]:
    """Return the rows by their start, the known object of each that is unchanged."""
    changed = {row.id: row for row in read}
    rows = [row for row in known if changed.get(row.id, row) == row]
    unchanged = {row.id for row in rows if row.id in changed}
    rows += [row for row in read if row.id not in unchanged]
    rows.sort(key=itemgetter(1, 0))
    return rows


def _sum(rows: list[T]) -> tuple[int, int]:
    return len(rows), sum(row.updated_at for row in rows)


def _by_service(events: Iterable[T]) -> dict[int, list[T]]:
    groups: dict[int, list[T]] = defaultdict(list)
    for event in events:
        for service in event.services:
            groups[service.number].append(event)
    return groups
