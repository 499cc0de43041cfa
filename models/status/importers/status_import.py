"""Import the services, incidents and maintenance windows of another status page."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from models import audit
from models.base import new_id
from models.changes import mark
from models.instants import next_instant
from models.status.importers.imported_rows import ImportedRow, imported_subjects
from models.status.importers.imported_status import (
    ImportedIncident,
    ImportedService,
    ImportedStatus,
    ImportedWindow,
)
from models.status.incidents.incidents import (
    IncidentRow,
    IncidentUpdateRow,
    record_severity,
)
from models.status.maintenance.windows import MaintenanceRow
from models.status.services.affected import set_affected_services
from models.status.services.catalogue import (
    StatusAddService,
    add_service,
    services_with_slugs,
)
from models.status.services.rows import ServiceRow
from models.storage.database import dry_run, writing
from models.storage.write_locks import WriteLock

ACTOR = "command line"
# The audit action of each type of item.
ACTIONS = {
    "service": "service.added",
    "incident": "incident.opened",
    "maintenance": "maintenance.scheduled",
}
NO_SERVICE = "It names no imported service; set one with --otherwise."
IN_FUTURE = "It has a time in the future."

Item = ImportedService | ImportedIncident | ImportedWindow
Subject = ServiceRow | IncidentRow | MaintenanceRow


@dataclass
class StatusImportReport:
    """What was imported, and how many items had been imported before, by type."""

    source: str
    added: dict[str, list[str]] = field(default_factory=dict)
    unchanged: dict[str, int] = field(default_factory=dict)
    # The slugs of existing services that were matched to imported ones.
    adopted: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def remarks(self) -> Iterator[str]:
        """Yield a line for each item that a person should check."""
        for slug in self.adopted:
            yield f"note: The service '{slug}' already exists and is used."
        for external_id, reason in self.left_out:
            yield f"left out: {external_id}: {reason}"

    def lines(self) -> Iterator[str]:
        """Yield a line for each item that was added, then the totals."""
        for type in ACTIONS:
            yield from (f"{type}: {title}" for title in self.added.get(type, []))
        added = sum(map(len, self.added.values()))
        unchanged = sum(self.unchanged.values())
        left_out = len(self.left_out)
        yield f"added {added}, unchanged {unchanged}, left out {left_out}"


def import_status_page(
    status: ImportedStatus,
    now: datetime,
    *,
    default_service: str | None = None,
    is_dry_run: bool = False,
    progress: Callable[[list[ImportedIncident]], Iterable[ImportedIncident]] = iter,
) -> StatusImportReport:
    """
    Add all items that were not imported before, in one transaction.

    Items that were imported before stay as they are. Incidents and windows without a
    service affect the `default_service`, a slug. `progress` iterates over the
    incidents and may show how far the import is. A dry run is rolled back.

    Raise ReferenceNotFound if the default service does not exist.
    """
    begin = dry_run if is_dry_run else writing
    with begin(WriteLock.STATUS):
        run = _StatusImport(status, next_instant("status", now))
        for service in status.services:
            run.import_service(service)
        if default_service is not None:
            (default,) = services_with_slugs([default_service])
            run.default_slugs = [default.slug]
        incidents = sorted(status.incidents, key=lambda item: item.started_at)
        for incident in progress(incidents):
            run.import_incident(incident)
        for window in sorted(status.windows, key=lambda item: item.starts_at):
            run.import_window(window)
        if run.report.added or run.report.adopted:
            mark("status")
            # The redirects from old paths are built with the docs.
            mark("docs")
    return run.report


class _StatusImport:
    """One run of an import; `default_slugs` are for items without a service."""

    def __init__(self, status: ImportedStatus, now: datetime) -> None:
        self.report = StatusImportReport(status.source, left_out=list(status.left_out))
        self.default_slugs: list[str] = []
        self._now = now
        self._imported = imported_subjects(status.source)
        self._display_order = ServiceRow.select().count()

    def import_service(self, item: ImportedService) -> None:
        if self._was_imported("service", item):
            return
        service = ServiceRow.get_or_none(ServiceRow.slug == item.slug)
        if service is not None:
            self.report.adopted.append(service.slug)
            self._record_origin("service", item, service.slug)
            return
        self._display_order += 1
        request = StatusAddService(
            slug=item.slug,
            name=item.name,
            description=item.description,
            hostname=item.hostname,
            group=item.group,
            display_order=min(self._display_order, 10_000),
        )
        service = add_service(request, self._now)
        self._record_added("service", item, service, service.slug, service.slug)

    def import_incident(self, item: ImportedIncident) -> None:
        if self._was_imported("incident", item):
            return
        times = [item.started_at, *(update.created_at for update in item.updates)]
        times += [item.resolved_at] if item.resolved_at else []
        slugs = self._affected_slugs(item, max(times))
        if not slugs:
            return
        incident = IncidentRow.create(
            id=new_id(min(times)),
            title=item.title,
            status=item.status,
            severity=item.severity,
            started_at=item.started_at,
            resolved_at=item.resolved_at,
            created_at=min(times),
            updated_at=max(times),
        )
        record_severity(incident, item.started_at)
        for update in item.updates:
            IncidentUpdateRow.create(
                id=new_id(update.created_at),
                incident=incident,
                status=update.status,
                body=update.body,
                created_at=update.created_at,
            )
        set_affected_services(incident.id, slugs)
        self._record_added("incident", item, incident, incident.id, incident.title)

    def import_window(self, item: ImportedWindow) -> None:
        if self._was_imported("maintenance", item):
            return
        updated_at = item.completed_at or item.cancelled_at or item.announced_at
        slugs = self._affected_slugs(item, updated_at)
        if not slugs:
            return
        window = MaintenanceRow.create(
            id=new_id(item.announced_at),
            title=item.title,
            description=item.description,
            starts_at=item.starts_at,
            ends_at=item.ends_at,
            written=item.written_status,
            is_notified=False,
            created_at=item.announced_at,
            updated_at=updated_at,
        )
        set_affected_services(window.id, slugs)
        self._record_added("maintenance", item, window, window.id, window.title)

    def _affected_slugs(
        self, item: ImportedIncident | ImportedWindow, latest: datetime
    ) -> list[str]:
        """Return the slugs of the services it affects; without any, leave it out."""
        subjects = (self._imported.get(("service", id)) for id in item.services)
        slugs = _existing_slugs(filter(None, subjects)) or self.default_slugs
        if latest > self._now:
            self.report.left_out.append((item.external_id, IN_FUTURE))
            return []
        if not slugs:
            self.report.left_out.append((item.external_id, NO_SERVICE))
        return slugs

    def _was_imported(self, type: str, item: Item) -> bool:
        """Return whether the item was imported before, and count it if so."""
        was_imported = (type, item.external_id) in self._imported
        if was_imported:
            self.report.unchanged[type] = self.report.unchanged.get(type, 0) + 1
        return was_imported

    def _record_added(
        self, type: str, item: Item, row: Subject, subject: str, title: str
    ) -> None:
        source, external_id = self.report.source, item.external_id
        audit.append(
            "status",
            actor=ACTOR,
            action=ACTIONS[type],
            target=row.audited,
            now=self._now,
            detail=f"imported from {source}, where it was {external_id}",
        )
        self._record_origin(type, item, subject)
        self.report.added.setdefault(type, []).append(title)

    def _record_origin(self, type: str, item: Item, subject: str) -> None:
        self._imported[type, item.external_id] = subject
        ImportedRow.create(
            source=self.report.source,
            type=type,
            old=item.external_id,
            subject=subject,
            address=item.path,
        )


def _existing_slugs(slugs: Iterable[str]) -> list[str]:
    """Return the slugs of services that exist; some may have been purged."""
    unique_slugs = list(dict.fromkeys(slugs))
    rows = ServiceRow.select(ServiceRow.slug).where(ServiceRow.slug.in_(unique_slugs))
    existing = {row.slug for row in rows}
    return [slug for slug in unique_slugs if slug in existing]
