"""Compute the next change of each state that the clock alone will cause."""

from collections.abc import Collection, Iterable
from copy import copy
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from models.fields import format_moment
from models.status.incidents.incidents import IncidentRow
from models.status.maintenance.windows import MaintenanceRow
from models.status.services.rows import ServiceRow
from models.status.snapshot.snapshot import StatusSnapshot
from models.status.state import MAX_CLOCK_SKEW, overall_state, worst_state
from sitegen.page import BuildContext
from sitegen.status.status_data import read_snapshot


class UpcomingChange(NamedTuple):
    """A state, and the moment at which it begins."""

    at: str
    state: str


class UpcomingChanges:
    """The next change of each service, by slug, and of the overall status."""

    def __init__(self, context: BuildContext) -> None:
        self._snapshot = context.once_per_build(read_snapshot)
        self._boundaries = _next_boundaries(self._snapshot)
        self._snapshots_at = {
            moment: _snapshot_at(self._snapshot, moment)
            for moment in self._boundaries.values()
        }

    @cached_property
    def overall(self) -> UpcomingChange | None:
        moment = min(self._boundaries.values(), default=None)
        if moment is None:
            return None
        present = _overall(self._snapshot)
        upcoming = _overall(self._snapshots_at[moment])
        if upcoming == present:
            return None
        return UpcomingChange(format_moment(moment), upcoming)

    def of_group(self, slugs: Collection[str]) -> UpcomingChange | None:
        """Return the next change of the worst state of these services."""
        if not self._boundaries:
            return None
        services = [each for each in self._snapshot.services if each.slug in slugs]
        moments = [
            self._boundaries[each.number]
            for each in services
            if each.number in self._boundaries
        ]
        moment = min(moments, default=None)
        if moment is None:
            return None
        upcoming = _worst(self._snapshots_at[moment], services)
        if upcoming == _worst(self._snapshot, services):
            return None
        return UpcomingChange(format_moment(moment), upcoming)

    @cached_property
    def by_service(self) -> dict[str, UpcomingChange]:
        changes = {}
        for service in self._snapshot.services:
            moment = self._boundaries.get(service.number)
            if moment is None:
                continue
            upcoming = self._snapshots_at[moment].state_of(service).state
            if upcoming != self._snapshot.state_of(service).state:
                changes[service.slug] = UpcomingChange(format_moment(moment), upcoming)
        return changes


def _overall(snapshot: StatusSnapshot) -> str:
    states = [snapshot.state_of(service).state for service in snapshot.services]
    return overall_state(states, stale=False)


def _worst(snapshot: StatusSnapshot, services: Iterable[ServiceRow]) -> str:
    return worst_state([snapshot.state_of(service).state for service in services])


def _next_boundaries(snapshot: StatusSnapshot) -> dict[int, datetime]:
    """
    Return when a window or an incident next begins or ends, by service number.

    Later boundaries than those at which the page goes stale are left out.
    """
    boundaries: dict[int, datetime] = {}
    horizon = snapshot.now + snapshot.freshness + MAX_CLOCK_SKEW
    numbers = {service.number for service in snapshot.services}
    subjects: list[IncidentRow | MaintenanceRow] = [
        *snapshot.incidents,
        *snapshot.windows,
    ]
    for subject in subjects:
        upcoming = [
            moment for moment in _edges(subject) if snapshot.now < moment <= horizon
        ]
        if not upcoming:
            continue
        affected = [service.service_id for service in subject.services]
        for number in numbers.intersection(affected):
            earliest = boundaries.get(number, upcoming[0])
            boundaries[number] = min(earliest, *upcoming)
    return boundaries


def _edges(subject: IncidentRow | MaintenanceRow) -> list[datetime]:
    if isinstance(subject, IncidentRow):
        return [subject.started_at]
    by_clock = subject.written == "scheduled"
    return [subject.starts_at, subject.ends_at] if by_clock else []


def _snapshot_at(snapshot: StatusSnapshot, moment: datetime) -> StatusSnapshot:
    """Return what is known now, with the windows as they are at that moment."""
    windows = [copy(window).set_status_at(moment) for window in snapshot.windows]
    return replace(snapshot, now=moment, windows=windows)
