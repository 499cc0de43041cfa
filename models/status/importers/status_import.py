"""Bringing in what another status page held: its past as it was, all of it or none."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from models import audit
from models.base import new_id
from models.changes import mark
from models.status.importers.imported_status import (
    Cargo,
    MovingIncident,
    MovingService,
    MovingWindow,
)
from models.status.importers.origins import MovedRow, came_from
from models.status.incidents.incidents import EntryRow, IncidentRow
from models.status.maintenance.windows import MaintenanceRow
from models.status.services.affected import set_affected
from models.status.services.catalogue import (
    ServiceRow,
    StatusAddService,
    add_service,
    services_named,
)
from models.storage.database import dry_run, writing

ACTOR = "command line"
ACTIONS = {
    "service": "service.added",
    "incident": "incident.opened",
    "maintenance": "maintenance.scheduled",
}
NOBODY = "It names no service that came along; --otherwise gives it one."
AHEAD = "It tells of a time that is yet to come."


@dataclass
class ArrivalReport:
    """By the kind of thing: what came, and how many were here already."""

    source: str
    added: dict[str, list[str]] = field(default_factory=dict)
    unchanged: dict[str, int] = field(default_factory=dict)
    # The services that were here under their slugs, and were taken for those.
    adopted: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def remarks(self) -> Iterator[str]:
        """Yield a line for each thing that a person should look at."""
        for slug in self.adopted:
            yield f"note: The service '{slug}' was here already, and is taken for it."
        for old, why in self.left_out:
            yield f"left out: {old}: {why}"

    def lines(self) -> Iterator[str]:
        """Yield what came, then how much that is."""
        for type in ACTIONS:
            yield from (f"{type}: {title}" for title in self.added.get(type, []))
        added = sum(map(len, self.added.values()))
        unchanged = sum(self.unchanged.values())
        left_out = len(self.left_out)
        yield f"added {added}, unchanged {unchanged}, left out {left_out}"


def bring_in(
    cargo: Cargo,
    now: datetime,
    *,
    otherwise: str | None = None,
    is_trial: bool = False,
    progress: Callable[[list[MovingIncident]], Iterable[MovingIncident]] = iter,
) -> ArrivalReport:
    """
    Add what is not here yet; what came before stays as it is now.

    An incident or a window that names no service is given the one called
    `otherwise`. A trial keeps nothing. `progress` goes through the incidents and may
    show how far it is.
    """
    with dry_run() if is_trial else writing():
        arrival = _Arrival(cargo, now)
        for service in cargo.services:
            arrival.take_service(service)
        if otherwise is not None:
            arrival.otherwise = [each.slug for each in services_named([otherwise])]
        incidents = sorted(cargo.incidents, key=lambda each: each.started_at)
        for incident in progress(incidents):
            arrival.take_incident(incident)
        for window in sorted(cargo.windows, key=lambda each: each.starts_at):
            arrival.take_window(window)
        if arrival.report.added or arrival.report.adopted:
            mark("status")
            # The rules for hosts stand with the docs.
            mark("docs")
    return arrival.report


class _Arrival:
    def __init__(self, cargo: Cargo, now: datetime) -> None:
        self.now = now
        self.report = ArrivalReport(cargo.source, left_out=list(cargo.left_out))
        self.otherwise: list[str] = []
        self._known = came_from(cargo.source)
        self._order = ServiceRow.select().count()

    def take_service(self, moving: MovingService) -> None:
        if self._is_known("service", moving.old):
            return
        service = ServiceRow.get_or_none(ServiceRow.slug == moving.slug)
        if service is not None:
            self.report.adopted.append(service.slug)
            self._keep("service", moving, service.slug)
            return
        given = moving.all_fields()
        wanted = {name: given[name] for name in given if name not in ("old", "address")}
        self._order += 1
        order = min(self._order, 10_000)
        service = add_service(StatusAddService(display_order=order, **wanted), self.now)
        self._audit(ACTIONS["service"], service, moving.old)
        self._keep("service", moving, service.slug)
        self.report.added.setdefault("service", []).append(service.slug)

    def take_incident(self, moving: MovingIncident) -> None:
        if self._is_known("incident", moving.old):
            return
        times = [moving.started_at, *(each.at for each in moving.entries)]
        times += [moving.resolved_at] if moving.resolved_at else []
        slugs = self._affected(moving, max(times))
        if not slugs:
            return
        incident = IncidentRow.create(
            id=new_id(min(times)),
            title=moving.title,
            status=moving.status,
            severity=moving.severity,
            started_at=moving.started_at,
            resolved_at=moving.resolved_at,
            created_at=min(times),
            updated_at=max(times),
        )
        for entry in moving.entries:
            EntryRow.create(
                id=new_id(entry.at),
                incident=incident,
                status=entry.status,
                body=entry.body,
                created_at=entry.at,
            )
        self._settle("incident", moving, incident, slugs)

    def take_window(self, moving: MovingWindow) -> None:
        if self._is_known("maintenance", moving.old):
            return
        latest = moving.completed_at or moving.cancelled_at or moving.announced_at
        slugs = self._affected(moving, latest)
        if not slugs:
            return
        window = MaintenanceRow.create(
            id=new_id(moving.announced_at),
            title=moving.title,
            description=moving.description,
            starts_at=moving.starts_at,
            ends_at=moving.ends_at,
            written=moving.written,
            created_at=moving.announced_at,
            updated_at=latest,
        )
        self._settle("maintenance", moving, window, slugs)

    def _affected(self, moving: Any, latest: datetime) -> list[str]:
        """Return the services that it affects; without one it is left out."""
        named = (self._known.get(("service", each)) for each in moving.services)
        slugs = _present(filter(None, named)) or self.otherwise
        if latest > self.now:
            self.report.left_out.append((moving.old, AHEAD))
            return []
        if not slugs:
            self.report.left_out.append((moving.old, NOBODY))
        return slugs

    def _settle(self, type: str, moving: Any, row: Any, slugs: list[str]) -> None:
        set_affected(row.id, slugs)
        self._audit(ACTIONS[type], row, moving.old)
        self._keep(type, moving, row.id)
        self.report.added.setdefault(type, []).append(row.title)

    def _is_known(self, type: str, old: str) -> bool:
        is_known = (type, old) in self._known
        if is_known:
            self.report.unchanged[type] = self.report.unchanged.get(type, 0) + 1
        return is_known

    def _keep(self, type: str, moving: Any, subject: str) -> None:
        self._known[type, moving.old] = subject
        MovedRow.create(
            source=self.report.source,
            type=type,
            old=moving.old,
            subject=subject,
            address=moving.address,
        )

    def _audit(self, action: str, row: Any, old: str) -> None:
        audit.append(
            "status",
            actor=ACTOR,
            action=action,
            target=row.audited,
            now=self.now,
            detail=f"moved in from {self.report.source}, where it was {old}",
        )


def _present(slugs: Iterable[str]) -> list[str]:
    """Return those that are in the catalogue still; what was purged stays away."""
    wanted = list(dict.fromkeys(slugs))
    rows = ServiceRow.select(ServiceRow.slug).where(ServiceRow.slug.in_(wanted))
    found = {row.slug for row in rows}
    return [each for each in wanted if each in found]
