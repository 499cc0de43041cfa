"""Read incidents and maintenance windows as pages show them, only those asked for."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, TypeVar

from models.fields import format_moment
from models.status.incidents.incidents import (
    IncidentRow,
    IncidentUpdateRow,
    SeveritySpan,
    StatusIncident,
    StatusIncidentUpdate,
    incidents_with_ids,
    severity_spans,
    shown_severity,
    updates_by_incident,
)
from models.status.maintenance.windows import (
    MaintenanceRow,
    StatusMaintenance,
    windows_with_ids,
)
from models.status.snapshot.event_index import IndexedIncident, IndexedWindow

# How many are read with one statement.
BATCH_SIZE = 500
# About how many are listed in one file, which is written again when one changes.
EVENTS_OF_FILE = 64

T = TypeVar("T", bound=IndexedIncident | IndexedWindow)


@dataclass(frozen=True)
class _Batch:
    """Incidents whose updates and severities are read together once one is asked."""

    rows: list[IncidentRow]

    @cached_property
    def updates(self) -> dict[str, list[IncidentUpdateRow]]:
        return updates_by_incident(self.rows)

    @cached_property
    def severities(self) -> dict[str, list[SeveritySpan]]:
        return severity_spans(self.rows)


@dataclass(frozen=True)
class PublishedIncident:
    """An incident with its updates, newest first, as rows and as JSON."""

    row: IncidentRow
    _batch: _Batch

    @property
    def updates(self) -> list[IncidentUpdateRow]:
        return self._batch.updates[self.row.id]

    @property
    def severities(self) -> list[SeveritySpan]:
        return self._batch.severities[self.row.id]

    @cached_property
    def json(self) -> dict[str, Any]:
        return StatusIncident.model_validate(self.row).to_json()

    @cached_property
    def shown(self) -> dict[str, Any]:
        """The incident as pages show it, with the severity by which it is known."""
        return self.json | {"severity": shown_severity(self.row, self.severities)}

    @cached_property
    def updates_json(self) -> list[dict[str, Any]]:
        return [
            StatusIncidentUpdate.model_validate(update).to_json()
            for update in self.updates
        ]

    @cached_property
    def timeline(self) -> list[dict[str, Any]]:
        """The updates with the times of their corrections, as pages show them."""
        return [
            json
            | {
                "editedAt": update.edited_at and format_moment(update.edited_at),
                "isRemoved": update.removed_at is not None,
            }
            for json, update in zip(self.updates_json, self.updates, strict=True)
        ]


@dataclass(frozen=True)
class PublishedMaintenance:
    """A maintenance window, as a row and as JSON."""

    row: MaintenanceRow

    @cached_property
    def json(self) -> dict[str, Any]:
        return StatusMaintenance.model_validate(self.row).to_json()


def _batches(ids: Iterable[str]) -> list[list[str]]:
    """Return each id once, as many together as one statement reads."""
    unique = list(dict.fromkeys(ids))
    starts = range(0, len(unique), BATCH_SIZE)
    return [unique[start : start + BATCH_SIZE] for start in starts]


def windows_by_id(ids: Iterable[str], now: datetime) -> dict[str, MaintenanceRow]:
    """Read the windows with the status that they have at `now`, newest first."""
    rows = [row for each in _batches(ids) for row in windows_with_ids(each, now)]
    rows.sort(key=lambda row: (row.starts_at, row.id), reverse=True)
    return {row.id: row for row in rows}


def published_incidents(ids: Iterable[str]) -> dict[str, PublishedIncident]:
    """Read the incidents with their timelines, by id, newest first."""
    published = []
    for each in _batches(ids):
        batch = _Batch(incidents_with_ids(each))
        published += [PublishedIncident(row, batch) for row in batch.rows]
    published.sort(key=lambda each: (each.row.started_at, each.row.id), reverse=True)
    return {each.row.id: each for each in published}


def read_incidents(incidents: list[IndexedIncident]) -> list[PublishedIncident]:
    """Read the incidents, newest first; they are the same while the index is."""
    return list(published_incidents(incident.id for incident in incidents).values())


def published_windows(
    ids: Iterable[str], now: datetime
) -> dict[str, PublishedMaintenance]:
    """Read the windows with the status that they have at `now`, by id, newest first."""
    rows = windows_by_id(ids, now)
    return {id: PublishedMaintenance(row) for id, row in rows.items()}


@dataclass(frozen=True)
class EventChunk(Generic[T]):
    """Some incidents or windows, oldest first, and their neighbours."""

    events: list[T]
    before: T | None
    after: T | None

    @property
    def id(self) -> str:
        return self.events[0].id


def chunks(
    events: Sequence[T], size: int, *, splits_newest: bool = False
) -> Iterator[EventChunk[T]]:
    """
    Divide events into chunks of about this size, a power of two up to 256.

    A chunk begins with an event whose id says so. So an event that is new or removed
    changes its own chunk, and at most the neighbours of this. The newest chunk, which
    changes most, may be split into its events.
    """
    starts = chunk_starts([event.id for event in events], size)
    if splits_newest and starts:
        starts += range(starts[-1] + 1, len(events))
    for start, end in pairwise([*starts, len(events)]):
        before = events[start - 1] if start else None
        after = events[end] if end < len(events) else None
        yield EventChunk(list(events[start:end]), before, after)


def chunk_starts(ids: Sequence[str], size: int) -> list[int]:
    """Return where each chunk begins among the ids of the events."""
    return [n for n, id in enumerate(ids) if n == 0 or int(id[-2:], 16) % size == 0]


def files_of_list(events: Sequence[T]) -> tuple[list[EventChunk[T]], list[T]]:
    """Divide events into the files of a list: the older ones, and the newest events."""
    older, newest = list(chunks(events, EVENTS_OF_FILE)), list[T]()
    while older and len(newest) < EVENTS_OF_FILE:
        newest = older.pop().events + newest
    return older, newest
