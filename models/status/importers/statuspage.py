"""Parse the documents of the Statuspage v2 API."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain
from typing import Any, TypeVar

from models.errors import ValidationFailed
from models.external_formats import (
    ExternalModel,
    ExternalMoment,
    OptionalExternalMoment,
    parse_json,
    validate_as,
)
from models.status.importers.html_to_markdown import html_to_markdown
from models.status.importers.imported_status import (
    ImportedStatus,
    clean_text,
    external_path,
    truncate,
    updates_with,
)
from models.status.state import Severity

DOCUMENTS = (
    "summary.json",
    "components.json",
    "incidents.json",
    "scheduled-maintenances.json",
)
STATUSES = {"investigating", "identified", "monitoring", "resolved"}
# A post-mortem is posted after an incident is resolved.
RESOLVED_STATUSES = {"resolved", "postmortem"}
SEVERITIES: dict[str, Severity] = {
    "none": "degraded",
    "minor": "degraded",
    "maintenance": "degraded",
    "major": "partial-outage",
    "critical": "major-outage",
}

T = TypeVar("T", bound=ExternalModel)
# Items are validated one by one, so that an invalid one is left out alone.
JsonItem = dict[str, Any]


class Component(ExternalModel):
    id: str
    name: str
    description: str | None = None
    position: int | None = None
    group: bool | None = False
    group_id: str | None = None


class ComponentReference(ExternalModel):
    """A component in an incident."""

    id: str | None = None
    group: bool | None = False


class AffectedComponent(ExternalModel):
    """A component in an update; without a code it stands for none."""

    code: str | None = None


class Update(ExternalModel):
    status: str
    body: str | None = None
    created_at: OptionalExternalMoment = None
    display_at: OptionalExternalMoment = None
    affected_components: list[AffectedComponent] | None = None


class Incident(ExternalModel):
    """An incident, or a scheduled maintenance, which has two more times."""

    id: str
    name: str
    status: str
    impact: str | None = None
    created_at: ExternalMoment
    started_at: OptionalExternalMoment = None
    resolved_at: OptionalExternalMoment = None
    scheduled_for: OptionalExternalMoment = None
    scheduled_until: OptionalExternalMoment = None
    incident_updates: list[Update] | None = None
    components: list[ComponentReference] | None = None

    @property
    def dated_updates(self) -> list[tuple[datetime, Update]]:
        """The updates with their times, oldest first; the API has the newest first."""
        updates = [
            (update.display_at or update.created_at or self.created_at, update)
            for update in reversed(self.incident_updates or [])
        ]
        return sorted(updates, key=lambda item: item[0])

    @property
    def component_ids(self) -> list[str]:
        """The ids of its components, or else of those that its updates name."""
        components = [c for c in self.components or [] if not c.group]
        own = [component.id for component in components if component.id]
        of_updates = [
            component.code
            for _, update in self.dated_updates
            for component in update.affected_components or []
            if component.code
        ]
        return list(dict.fromkeys(own or of_updates))


class StatuspageInfo(ExternalModel):
    id: str


class Document(ExternalModel):
    page: StatuspageInfo
    components: list[JsonItem] = []
    incidents: list[JsonItem] = []
    scheduled_maintenances: list[JsonItem] = []


def parse(files: Mapping[str, str]) -> ImportedStatus:
    """Parse the documents, in which an item may occur several times."""
    documents = [parse_json(Document, files[n], n) for n in DOCUMENTS if n in files]
    status = ImportedStatus(f"statuspage {documents[0].page.id}")
    components = _unique(status, Component, (d.components for d in documents))
    for component, group in _in_display_order(components):
        status.add_service(
            external_id=component.id,
            name=component.name,
            description=component.description,
            group=group,
        )
    for incident in _unique(status, Incident, (d.incidents for d in documents)):
        _add_incident(status, incident)
    windows = (document.scheduled_maintenances for document in documents)
    for window in _unique(status, Incident, windows):
        _add_window(status, window)
    return status


def _unique(
    status: ImportedStatus, schema: type[T], lists: Iterable[list[JsonItem]]
) -> list[T]:
    """Return each item of the lists once; leave out those that are not valid."""
    by_id: dict[str, JsonItem] = {}
    for item in chain.from_iterable(lists):
        by_id.setdefault(str(item.get("id")), item)
    items = []
    for id, item in by_id.items():
        name = str(item.get("name") or schema.__name__)
        try:
            items.append(validate_as(schema, item, name))
        except ValidationFailed as error:
            status.leave_out(id, str(error))
    return items


def _in_display_order(components: list[Component]) -> list[tuple[Component, str]]:
    """Return the components in the order of the page, with the names of groups."""
    groups = {component.id: component for component in components if component.group}

    def position(component: Component) -> tuple[int, int]:
        top = groups.get(component.group_id or "", component)
        return top.position or 0, component.position or 0

    in_order = sorted((c for c in components if not c.group), key=position)
    return [
        (c, groups[c.group_id].name if c.group_id in groups else "") for c in in_order
    ]


def _add_incident(status: ImportedStatus, incident: Incident) -> None:
    started_at = incident.started_at or incident.created_at
    is_resolved = incident.status in RESOLVED_STATUSES
    updates = incident.dated_updates
    resolutions = [at for at, update in updates if update.status in RESOLVED_STATUSES]
    last = [at for at, _ in updates[-1:]]
    resolved_at = incident.resolved_at or (resolutions or last or [started_at])[0]
    status.add_incident(
        **_common_values(incident),
        severity=SEVERITIES.get(incident.impact or "none", "degraded"),
        status="resolved" if is_resolved else incident.status,
        started_at=started_at,
        resolved_at=max(resolved_at, started_at) if is_resolved else None,
        updates=list(_updates(incident)),
    )


def _common_values(incident: Incident) -> dict[str, Any]:
    return {
        "external_id": incident.id,
        "path": external_path("incidents", incident.id),
        "title": incident.name,
        "services": incident.component_ids,
    }


def _updates(incident: Incident) -> Iterator[dict[str, Any]]:
    """Yield the timeline; an update without a body gets the name of its status."""
    status = "investigating"
    for at, update in incident.dated_updates:
        if update.status in RESOLVED_STATUSES:
            status = "resolved"
        elif update.status in STATUSES:
            status = update.status
        body = html_to_markdown(clean_text(update.body or ""))
        yield from updates_with(status, body or f"{status.capitalize()}.", at)


def _add_window(status: ImportedStatus, window: Incident) -> None:
    starts_at, ends_at = window.scheduled_for, window.scheduled_until
    if starts_at is None or ends_at is None or ends_at <= starts_at:
        status.leave_out(window.id, "Maintenance needs a start and a later end.")
        return
    texts = [
        html_to_markdown(clean_text(update.body))
        for _, update in window.dated_updates
        if update.body
    ]
    resolved_at = window.resolved_at if window.status == "completed" else None
    is_early = resolved_at is not None and resolved_at < ends_at
    status.add_window(
        **_common_values(window),
        description=truncate("\n\n".join(dict.fromkeys(texts))),
        starts_at=starts_at,
        ends_at=ends_at,
        completed_at=resolved_at if is_early else None,
        announced_at=window.created_at,
    )
