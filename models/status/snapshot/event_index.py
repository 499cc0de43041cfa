"""
Index all incidents and maintenance windows: when they were, and what they affect.

Pages that show them are made again only if what they are made of has another version
here, so nothing else of a long history is read.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeVar

from models.storage.database import database

# Fixed SQL, because the rows of Peewee would take ten times as long.
_SELECT_INCIDENTS = (
    "SELECT id, started_at, resolved_at, updated_at FROM incident"
    " WHERE removed_at IS NULL ORDER BY started_at, id"
)
_SELECT_WINDOWS = (
    "SELECT id, starts_at, ends_at, written, updated_at FROM maintenance"
    " WHERE removed_at IS NULL ORDER BY starts_at, id"
)
_SELECT_AFFECTED = (
    "SELECT subject, service.number, updated_at FROM affected JOIN service"
    " ON service.number = service_id ORDER BY affected.number"
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


class IndexedWindow(NamedTuple):
    """A maintenance window; equal rows stand for equal windows, but for the clock."""

    id: str
    starts_at: int
    ends_at: int
    # The status that was written: scheduled, completed or cancelled.
    written: str
    updated_at: int
    services: tuple[ServiceVersion, ...]


@dataclass(frozen=True)
class EventIndex:
    """All incidents and windows that were not removed, oldest first."""

    incidents: list[IndexedIncident] = field(default_factory=list)
    windows: list[IndexedWindow] = field(default_factory=list)

    @cached_property
    def incidents_by_service(self) -> Mapping[int, list[IndexedIncident]]:
        """The incidents that affect each service, by its number."""
        return _by_service(self.incidents)

    @cached_property
    def windows_by_service(self) -> Mapping[int, list[IndexedWindow]]:
        return _by_service(self.windows)

    @cached_property
    def times_by_service(self) -> Mapping[int, list[int]]:
        """When events of each service began, ended or changed, in order."""
        times: dict[int, list[int]] = defaultdict(list)
        for number, incidents in self.incidents_by_service.items():
            for incident in incidents:
                times[number] += incident.started_at, incident.updated_at
        for number, windows in self.windows_by_service.items():
            for window in windows:
                times[number] += window.starts_at, window.ends_at, window.updated_at
        return {number: sorted(of_service) for number, of_service in times.items()}


def read_event_index(previous: EventIndex) -> EventIndex:
    """
    Return the index as it is now, the previous one if nothing has changed.

    Rows that did not change are those of before, so that whoever keeps some of both
    keeps them once.
    """
    services: dict[str, tuple[ServiceVersion, ...]] = {}
    versions: dict[tuple[int, int], ServiceVersion] = {}
    for subject, number, updated_at in database.execute_sql(_SELECT_AFFECTED):
        version = versions.get((number, updated_at))
        if version is None:
            version = ServiceVersion(number, updated_at)
            versions[version] = version
        services[subject] = (*services.get(subject, ()), version)
    incidents = {row.id: row for row in previous.incidents}
    windows = {row.id: row for row in previous.windows}
    index = EventIndex(
        [
            _known(incidents, IndexedIncident._make((*each, services.get(each[0], ()))))
            for each in database.execute_sql(_SELECT_INCIDENTS)
        ],
        [
            _known(windows, IndexedWindow._make((*each, services.get(each[0], ()))))
            for each in database.execute_sql(_SELECT_WINDOWS)
        ],
    )
    return previous if index == previous else index


def _known(rows: Mapping[str, T], row: T) -> T:
    """Return the row of before if it is equal."""
    known = rows.get(row.id)
    return known if known is not None and known == row else row


def _by_service(events: Iterable[T]) -> dict[int, list[T]]:
    groups: dict[int, list[T]] = defaultdict(list)
    for event in events:
        for service in event.services:
            groups[service.number].append(event)
    return groups
