"""Statuspage: the documents of its v2 API, saved or fetched."""

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
from models.status.importers.html_to_markdown import as_markdown
from models.status.importers.imported_status import (
    DESCRIPTION,
    GROUP,
    NAME,
    TITLE,
    Cargo,
    fitted,
    line,
    old_address,
    passages,
    plain,
)
from models.status.state import Severity

DOCUMENTS = (
    "summary.json",
    "components.json",
    "incidents.json",
    "scheduled-maintenances.json",
)
STATUSES = {"investigating", "identified", "monitoring", "resolved"}
# A post-mortem is told after an incident is resolved; it is no state of its own.
OVER = {"resolved", "postmortem"}
SEVERITIES: dict[str, Severity] = {
    "none": "degraded",
    "minor": "degraded",
    "maintenance": "degraded",
    "major": "partial-outage",
    "critical": "major-outage",
}

T = TypeVar("T", bound=ExternalModel)
# A thing as it is listed; only what becomes of it says whether it can be read.
Listed = dict[str, Any]


class Component(ExternalModel):
    id: str
    name: str
    description: str | None = None
    position: int | None = None
    group: bool | None = False
    group_id: str | None = None


class Named(ExternalModel):
    """A component as an incident names it."""

    id: str | None = None
    group: bool | None = False


class Affected(ExternalModel):
    """The same, as an update does; a bare name says that there is none."""

    code: str | None = None


class Update(ExternalModel):
    status: str
    body: str | None = None
    created_at: OptionalExternalMoment = None
    display_at: OptionalExternalMoment = None
    affected_components: list[Affected] | None = None


class Subject(ExternalModel):
    """An incident, or a maintenance, which is one with two times more."""

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
    components: list[Named] | None = None

    @property
    def told(self) -> list[tuple[datetime, Update]]:
        """The updates with their times, oldest first; they are listed newest first."""
        told = [
            (each.display_at or each.created_at or self.created_at, each)
            for each in reversed(self.incident_updates or [])
        ]
        return sorted(told, key=lambda each: each[0])

    @property
    def affected(self) -> list[str]:
        """The ids of the components, by themselves or as the updates name them."""
        named = [each for each in self.components or [] if not each.group]
        own = [each.id for each in named if each.id]
        codes = [
            each.code
            for _, update in self.told
            for each in update.affected_components or []
            if each.code
        ]
        return list(dict.fromkeys(own or codes))


class Page(ExternalModel):
    id: str


class Document(ExternalModel):
    page: Page
    components: list[Listed] = []
    incidents: list[Listed] = []
    scheduled_maintenances: list[Listed] = []


def cargo(files: Mapping[str, str]) -> Cargo:
    """Return what the documents hold; a thing that several tell is one thing."""
    documents = [parse_json(Document, files[n], n) for n in DOCUMENTS if n in files]
    found = Cargo(f"statuspage {documents[0].page.id}")
    components = _once(found, Component, (d.components for d in documents))
    for component, group in _in_order(components):
        found.add_service(
            old=component.id,
            name=line(component.name, NAME),
            description=line(component.description or "", DESCRIPTION) or None,
            group=line(group, GROUP) or None,
        )
    for incident in _once(found, Subject, (d.incidents for d in documents)):
        _add_incident(found, incident)
    windows = _once(found, Subject, (d.scheduled_maintenances for d in documents))
    for window in windows:
        _add_window(found, window)
    return found


def _once(found: Cargo, kind: type[T], lists: Iterable[list[Listed]]) -> list[T]:
    """Return what is listed, each thing once; what cannot be read is left out."""
    listed: dict[str, Listed] = {}
    for each in chain.from_iterable(lists):
        listed.setdefault(str(each.get("id")), each)
    things = []
    for id, each in listed.items():
        try:
            things.append(
                validate_as(kind, each, str(each.get("name") or kind.__name__))
            )
        except ValidationFailed as error:
            found.left_out.append((id, str(error)))
    return things


def _in_order(components: list[Component]) -> list[tuple[Component, str]]:
    """Return the components with the names of their groups, as the page has them."""
    groups = {each.id: each for each in components if each.group}

    def place(each: Component) -> tuple[int, int]:
        top = groups.get(each.group_id or "", each)
        return top.position or 0, each.position or 0

    return [
        (each, groups[each.group_id].name if each.group_id in groups else "")
        for each in sorted(components, key=place)
        if not each.group
    ]


def _add_incident(found: Cargo, incident: Subject) -> None:
    started = incident.started_at or incident.created_at
    is_over = incident.status in OVER
    ends = [at for at, update in incident.told if update.status in OVER]
    last = [at for at, _ in incident.told[-1:]]
    over = incident.resolved_at or (ends or last or [started])[0]
    found.add_incident(
        **_named(incident),
        severity=SEVERITIES.get(incident.impact or "none", "degraded"),
        status="resolved" if is_over else incident.status,
        started_at=started,
        resolved_at=max(over, started) if is_over else None,
        entries=list(_entries(incident)),
    )


def _named(subject: Subject) -> dict[str, Any]:
    return {
        "old": subject.id,
        "address": old_address("incidents", subject.id),
        "title": line(subject.name, TITLE),
        "services": subject.affected,
    }


def _entries(incident: Subject) -> Iterator[dict[str, Any]]:
    """Yield the timeline; an update without a word is its status, said."""
    status = "investigating"
    for at, update in incident.told:
        if update.status in OVER:
            status = "resolved"
        elif update.status in STATUSES:
            status = update.status
        body = as_markdown(plain(update.body or "")) or f"{status.capitalize()}."
        for part in passages(body):
            yield {"status": status, "body": part, "at": at}


def _add_window(found: Cargo, window: Subject) -> None:
    starts, ends = window.scheduled_for, window.scheduled_until
    if starts is None or ends is None or ends <= starts:
        why = "A maintenance needs a start, and an end that is later."
        found.left_out.append((window.id, why))
        return
    told = [as_markdown(plain(each.body)) for _, each in window.told if each.body]
    over = window.resolved_at if window.status == "completed" else None
    found.add_window(
        **_named(window),
        description=fitted("\n\n".join(dict.fromkeys(told))),
        starts_at=starts,
        ends_at=ends,
        completed_at=over if over is not None and over < ends else None,
        announced_at=window.created_at,
    )
