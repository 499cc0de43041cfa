"""Statuspage: the documents of its v2 API, saved or fetched."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeVar

from models.foreign import Foreign, ForeignMoment, read
from models.status.moving.cargo import (
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

T = TypeVar("T", "Component", "Subject")


class Component(Foreign):
    id: str
    name: str
    description: str | None = None
    position: int | None = None
    group: bool | None = False
    group_id: str | None = None


class Affected(Foreign):
    code: str | None = None


class Update(Foreign):
    status: str
    body: str | None = None
    created_at: ForeignMoment
    display_at: ForeignMoment | None = None
    affected_components: list[Affected] | None = None

    @property
    def at(self) -> datetime:
        return self.display_at or self.created_at


class Subject(Foreign):
    """An incident, or a maintenance, which is one with two times more."""

    id: str
    name: str
    status: str
    impact: str | None = None
    created_at: ForeignMoment
    started_at: ForeignMoment | None = None
    resolved_at: ForeignMoment | None = None
    scheduled_for: ForeignMoment | None = None
    scheduled_until: ForeignMoment | None = None
    incident_updates: list[Update] = []
    components: list[Component] | None = None

    @property
    def told(self) -> list[Update]:
        """The updates, oldest first; they are listed newest first."""
        oldest_first = self.incident_updates[::-1]
        return sorted(oldest_first, key=lambda each: each.at)

    @property
    def affected(self) -> list[str]:
        """The ids of the components, by themselves or as the updates name them."""
        own = [each.id for each in self.components or [] if not each.group]
        codes = [
            each.code
            for update in self.told
            for each in update.affected_components or []
            if each.code
        ]
        return list(dict.fromkeys(own or codes))


class Page(Foreign):
    id: str


class Document(Foreign):
    page: Page
    components: list[Component] = []
    incidents: list[Subject] = []
    scheduled_maintenances: list[Subject] = []


def cargo(files: Mapping[str, str]) -> Cargo:
    """Return what the documents hold; a thing that several tell is one thing."""
    documents = [read(Document, files[n], n) for n in DOCUMENTS if n in files]
    found = Cargo(f"statuspage {documents[0].page.id}")
    for component, group in _in_order(_once(d.components for d in documents)):
        found.add_service(
            old=component.id,
            name=line(component.name, NAME),
            description=line(component.description or "", DESCRIPTION) or None,
            group=line(group, GROUP) or None,
        )
    for incident in _once(d.incidents for d in documents):
        _add_incident(found, incident)
    for window in _once(d.scheduled_maintenances for d in documents):
        _add_window(found, window)
    return found


def _once(lists: Iterable[list[T]]) -> list[T]:
    found: dict[str, T] = {}
    for listed in lists:
        for each in listed:
            found.setdefault(each.id, each)
    return list(found.values())


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
    ends = [each.at for each in incident.told if each.status in OVER]
    last = [each.at for each in incident.told[-1:]]
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
    for update in incident.told:
        if update.status in OVER:
            status = "resolved"
        elif update.status in STATUSES:
            status = update.status
        for part in passages(update.body or f"{status.capitalize()}."):
            yield {"status": status, "body": part, "at": update.at}


def _add_window(found: Cargo, window: Subject) -> None:
    starts, ends = window.scheduled_for, window.scheduled_until
    if starts is None or ends is None or ends <= starts:
        why = "A maintenance needs a start, and an end that is later."
        found.left_out.append((window.id, why))
        return
    told = [plain(each.body) for each in window.told if each.body]
    over = window.resolved_at if window.status == "completed" else None
    found.add_window(
        **_named(window),
        description=fitted("\n\n".join(dict.fromkeys(told))),
        starts_at=starts,
        ends_at=ends,
        completed_at=over if over is not None and over < ends else None,
        announced_at=window.created_at,
    )
