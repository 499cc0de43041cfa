"""Incidents: opened, updated, told in a timeline, resolved."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal

from peewee import AutoField, ForeignKeyField, TextField
from pydantic import Field
from pydantic.alias_generators import to_camel

from models.audit import AuditTarget
from models.base import Change, MomentField, Row, Schema, new_id
from models.errors import IncidentNotFound, ValidationFailed
from models.fields import TRIMMED, MayOmit, Moment, SingleLine
from models.status.services.affected import (
    AffectedRow,
    StatusAffectedService,
    affected_by,
    change_subject,
    set_affected,
)
from models.status.services.catalogue import Services
from models.status.state import CLOCK_SKEW, Severity

IncidentStatus = Literal["investigating", "identified", "monitoring", "resolved"]
IncidentTitle = Annotated[str, TRIMMED, Field(min_length=1, max_length=160), SingleLine]
Body = Annotated[str, Field(min_length=1, max_length=4000)]
StatusId = Annotated[str, Field(min_length=1, max_length=64)]


class StatusIncident(Schema):
    id: str
    title: str
    status: IncidentStatus
    severity: Severity
    started_at: Moment
    resolved_at: Moment | None
    created_at: Moment
    updated_at: Moment
    services: list[StatusAffectedService]


class StatusIncidentUpdate(Schema):
    id: str
    incident_id: str
    status: IncidentStatus
    body: str
    created_at: Moment


class StatusIncidentDetail(Schema):
    incident: StatusIncident
    updates: list[StatusIncidentUpdate]


class StatusAddIncident(Schema):
    title: IncidentTitle
    severity: Severity
    status: IncidentStatus = "investigating"
    started_at: MayOmit[Moment] = None
    services: Services
    body: Body


class StatusUpdateIncident(Schema):
    id: StatusId
    title: MayOmit[IncidentTitle] = None
    severity: MayOmit[Severity] = None
    status: MayOmit[IncidentStatus] = None
    services: MayOmit[Services] = None
    started_at: MayOmit[Moment] = None
    resolved_at: Moment | None = None


class StatusAddIncidentUpdate(Schema):
    incident_id: StatusId
    status: MayOmit[IncidentStatus] = None
    body: Body


class GetIncident(Schema):
    id: StatusId


class IncidentRow(Row):
    id = TextField(primary_key=True)
    title = TextField()
    status = TextField()
    severity = TextField()
    started_at = MomentField()
    resolved_at = MomentField(null=True)
    created_at = MomentField()
    updated_at = MomentField()

    class Meta:
        indexes = ((("started_at", "id"), False),)

    services: list[AffectedRow]

    @property
    def audited(self) -> AuditTarget:
        return AuditTarget("incident", self.id, self.title)

    def is_active(self, now: datetime) -> bool:
        """Monitoring still counts; one dated ahead does not yet."""
        return self.status != "resolved" and self.started_at <= now


class EntryRow(Row):
    """An entry of an incident's timeline."""

    incident_id: str

    number = AutoField()
    id = TextField(unique=True)
    incident = ForeignKeyField(IncidentRow, on_delete="CASCADE")
    status = TextField()
    body = TextField()
    created_at = MomentField()

    @property
    def audited(self) -> AuditTarget:
        return self.incident.audited


def open_incident(request: StatusAddIncident, now: datetime) -> IncidentRow:
    """Open an incident; its body becomes the first entry of its timeline."""
    started_at = request.started_at or now
    resolved_at = now if request.status == "resolved" else None
    _require_order(started_at, resolved_at, now, sent="/startedAt")
    incident = IncidentRow.create(
        id=new_id(now),
        title=request.title,
        status=request.status,
        severity=request.severity,
        started_at=started_at,
        resolved_at=resolved_at,
        created_at=now,
        updated_at=now,
    )
    set_affected(incident.id, request.services)
    _tell(incident, request.status, request.body, now)
    return with_services([incident])[0]


def update_incident(
    request: StatusUpdateIncident, now: datetime
) -> tuple[IncidentRow, dict[str, Change]]:
    """Change what was sent and differs; resolving and reopening set resolvedAt."""
    incident = incident_with(request.id)
    wanted = request.sent_fields()
    wanted.pop("id")
    slugs = wanted.pop("services", None)
    sent = next((n for n in ("resolved_at", "started_at") if n in wanted), "status")
    wanted |= {"resolved_at": _resolved_at(incident, wanted, now)}
    started_at = wanted.get("started_at", incident.started_at)
    _require_order(started_at, wanted["resolved_at"], now, sent="/" + to_camel(sent))
    changes = change_subject(incident, wanted, slugs, now)
    return with_services([incident])[0], changes


def add_entry(request: StatusAddIncidentUpdate, now: datetime) -> EntryRow:
    """Append to the timeline; without a status the incident keeps its own."""
    incident = incident_with(request.incident_id)
    status = request.status or incident.status
    resolved_at = _resolved_at(incident, {"status": status}, now)
    _require_order(incident.started_at, resolved_at, now, sent="/status")
    if not incident.change({"status": status, "resolved_at": resolved_at}, now):
        incident.touch(now)
    return _tell(incident, status, request.body, now)


def incident_with(id: str) -> IncidentRow:
    incident = IncidentRow.get_or_none(IncidentRow.id == id)
    if incident is None:
        raise IncidentNotFound(f"No incident has the id '{id}'.")
    return with_services([incident])[0]


def incident_detail(id: str) -> StatusIncidentDetail:
    """Return an incident with its timeline, oldest entry first."""
    incident = incident_with(id)
    return StatusIncidentDetail.model_validate(
        {"incident": incident, "updates": entries_of([incident])[id][::-1]}
    )


def with_services(incidents: list[IncidentRow]) -> list[IncidentRow]:
    affected = affected_by(each.id for each in incidents)
    for each in incidents:
        each.services = affected[each.id]
    return incidents


def _resolved_at(
    incident: IncidentRow, wanted: dict[str, Any], now: datetime
) -> datetime | None:
    """Return the time of resolution that follows from the wanted changes."""
    resolved = wanted.get("status", incident.status) == "resolved"
    if "resolved_at" in wanted:
        if resolved != (wanted["resolved_at"] is not None):
            raise _wrong(
                "/resolvedAt",
                "Goes with the status resolved alone: send both or neither.",
            )
        return wanted["resolved_at"]
    return (incident.resolved_at or now) if resolved else None


def _require_order(
    started_at: datetime, resolved_at: datetime | None, now: datetime, *, sent: str
) -> None:
    """`sent` points at the member of the request that is to be corrected."""
    if resolved_at is not None and resolved_at < started_at:
        raise _wrong(sent, "resolvedAt must not be before startedAt.")
    if resolved_at is not None and resolved_at > now + CLOCK_SKEW:
        raise _wrong(sent, "resolvedAt must not be in the future.")


def _wrong(pointer: str, detail: str) -> ValidationFailed:
    error = {"pointer": pointer, "code": "time", "detail": detail}
    return ValidationFailed(f"{pointer}: {detail}", error)


def _tell(incident: IncidentRow, status: str, body: str, now: datetime) -> EntryRow:
    return EntryRow.create(
        id=new_id(now), incident=incident, status=status, body=body, created_at=now
    )


def entries_of(incidents: Iterable[IncidentRow]) -> dict[str, list[EntryRow]]:
    """Return the timelines, newest entry first, by incident."""
    found: dict[str, list[EntryRow]] = {each.id: [] for each in incidents}
    query = EntryRow.select().where(EntryRow.incident.in_(list(found)))
    for row in query.order_by(EntryRow.number.desc()):
        found[row.incident_id].append(row)
    return found
