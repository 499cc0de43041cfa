"""Open, update, list and resolve incidents, and post updates to their timelines."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, cast

from peewee import AutoField, ForeignKeyField, ModelSelect, TextField
from pydantic import Field
from pydantic.alias_generators import to_camel

from models.audit import AuditTarget
from models.base import Change, MomentField, Row, Schema, new_id
from models.errors import IncidentNotFound, ValidationFailed
from models.fields import (
    ID,
    RANGE_START,
    STATUS,
    CreatedAt,
    MayOmit,
    Moment,
    RangeEnd,
    UpdatedAt,
    format_moment,
)
from models.pagination import CursorQuery, Page, cursor_page, descending
from models.status import descriptions
from models.status.fields import (
    AffectedSlugs,
    Notify,
    StatusId,
    StatusTitle,
    require_valid_range,
)
from models.status.services.affected import (
    StatusAffectedService,
    load_services,
    not_removed,
    set_affected_services,
    subjects_affecting,
    subjects_with_slug,
    update_subject,
)
from models.status.services.rows import AffectedRow, ServiceRow
from models.status.state import (
    MAX_CLOCK_SKEW,
    IncidentStatus,
    Severity,
    worst_severity,
)

Body = Annotated[str, Field(min_length=1, max_length=4000)]

# What several fields mean.
ResolvedAt = Annotated[
    Moment,
    Field(
        description="When it was resolved; only with the status resolved.",
        examples=[None],
    ),
]
SEVERITY = Field(
    description="The severity: the state that the incident gives its services."
)
StartedAt = Annotated[Moment, Field(description="When the incident began.")]


class StatusIncident(Schema):
    id: Annotated[str, ID]
    title: Annotated[str, descriptions.TITLE]
    status: Annotated[IncidentStatus, STATUS]
    severity: Annotated[Severity, SEVERITY]
    started_at: StartedAt
    resolved_at: ResolvedAt | None
    created_at: CreatedAt
    updated_at: UpdatedAt
    services: Annotated[list[StatusAffectedService], descriptions.SERVICES]


class StatusIncidentUpdate(Schema):
    id: Annotated[str, ID]
    incident_id: Annotated[str, descriptions.INCIDENT_ID]
    status: IncidentStatus = Field(
        description="The status of the incident after the update."
    )
    body: Annotated[str, descriptions.BODY]
    created_at: CreatedAt


class StatusIncidentDetail(Schema):
    incident: StatusIncident = Field(description="The incident.")
    updates: list[StatusIncidentUpdate] = Field(
        description="The updates, oldest first."
    )


class StatusAddIncident(Schema):
    title: Annotated[StatusTitle, descriptions.TITLE]
    severity: Annotated[Severity, SEVERITY]
    status: Annotated[IncidentStatus, STATUS] = "investigating"
    started_at: MayOmit[Moment] = Field(
        default=None, description="When the incident began. Default: now."
    )
    services: AffectedSlugs
    body: Annotated[Body, descriptions.BODY]
    notify: Notify = True


class StatusUpdateIncident(Schema, example=("severity", "status")):
    id: Annotated[StatusId, ID]
    title: Annotated[MayOmit[StatusTitle], descriptions.TITLE] = None
    severity: Annotated[MayOmit[Severity], SEVERITY] = None
    status: Annotated[MayOmit[IncidentStatus], STATUS] = None
    services: MayOmit[AffectedSlugs] = None
    started_at: MayOmit[StartedAt] = None
    resolved_at: ResolvedAt | None = None
    notify: Notify = True


class StatusRemoveIncident(Schema):
    id: Annotated[StatusId, ID]


class RemovedIncident(Schema):
    id: Annotated[str, ID]
    removed_at: Moment = Field(description="When the incident was removed.")


class StatusAddIncidentUpdate(Schema, example=("status",)):
    incident_id: Annotated[StatusId, descriptions.INCIDENT_ID]
    status: MayOmit[IncidentStatus] = Field(
        default=None, description="The new status. Default: unchanged."
    )
    body: Annotated[Body, descriptions.BODY]
    notify: Notify = True


class ListIncidents(CursorQuery, example=("status",)):
    status: Annotated[Literal["active", "resolved"] | None, STATUS] = None
    slug: Annotated[str | None, descriptions.SERVICE_SLUG] = None
    from_: Annotated[Moment | None, Field(alias="from"), RANGE_START] = None
    to: RangeEnd | None = None


class GetIncident(Schema):
    id: Annotated[StatusId, ID]


class IncidentRow(Row):
    id = TextField(primary_key=True)
    title = TextField()
    status = TextField()
    severity = TextField()
    started_at = MomentField()
    resolved_at = MomentField(null=True)
    created_at = MomentField()
    updated_at = MomentField()
    # A removed incident is kept, but nothing that reads incidents finds it.
    removed_at = MomentField(null=True)

    class Meta:
        indexes = ((("started_at", "id"), False),)

    services: list[AffectedRow]

    @property
    def audited(self) -> AuditTarget:
        return AuditTarget("incident", self.id, self.title)

    def is_active(self, now: datetime) -> bool:
        """Return whether it has started and is not resolved; monitoring is active."""
        return self.status != "resolved" and self.started_at <= now


class IncidentSeverityRow(Row):
    """A severity of an incident, and when the incident got it."""

    incident_id: str

    number = AutoField()
    incident = ForeignKeyField(IncidentRow, on_delete="CASCADE")
    severity = TextField()
    starts_at = MomentField()


class SeveritySpan(NamedTuple):
    """The time in which an incident had a severity; without an end it still has it."""

    severity: Severity
    starts_at: datetime
    ends_at: datetime | None


class IncidentUpdateRow(Row):
    """An update in the timeline of an incident."""

    incident_id: str

    number = AutoField()
    id = TextField(unique=True)
    incident = ForeignKeyField(IncidentRow, on_delete="CASCADE")
    status = TextField()
    body = TextField()
    created_at = MomentField()
    # When its words were last corrected.
    edited_at = MomentField(null=True)
    # A removed update keeps its place in the timeline, without its words.
    removed_at = MomentField(null=True)

    class Meta:
        table_name = "entry"

    # The status of the incident before this update.
    previous_status: str

    @property
    def changed_at(self) -> datetime:
        """Return when it was removed, corrected or, failing that, posted."""
        return self.removed_at or self.edited_at or self.created_at

    @property
    def audited(self) -> AuditTarget:
        return self.incident.audited


def open_incident(
    request: StatusAddIncident, now: datetime, clock_at: datetime | None = None
) -> IncidentRow:
    """
    Open an incident; the body becomes the first update of its timeline.

    It starts at `clock_at`, the time on the clock if that differs from the instant of
    the change: an instant that is ahead of the clock would be a start in the future.
    """
    clock_at = clock_at or now
    started_at = request.started_at or clock_at
    resolved_at = clock_at if request.status == "resolved" else None
    require_valid_times(started_at, resolved_at, clock_at, pointer="/startedAt")
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
    record_severity(incident, started_at)
    set_affected_services(incident.id, request.services)
    _create_update(incident, request.status, request.body, now)
    return load_services([incident])[0]


def update_incident(
    request: StatusUpdateIncident, now: datetime, clock_at: datetime | None = None
) -> tuple[IncidentRow, dict[str, Change]]:
    """
    Update the fields that were sent; return the incident and what changed.

    Resolving and reopening the incident also sets and clears `resolved_at`. A new
    severity counts from `clock_at`, which is the time on the clock if that differs from
    the instant of the change.
    """
    clock_at = clock_at or now
    incident = incident_with_id(request.id)
    values = request.sent_fields()
    values.pop("id")
    values.pop("notify", None)
    slugs = values.pop("services", None)
    # An error points at the field that was sent.
    field = next((n for n in ("resolved_at", "started_at") if n in values), "status")
    values |= {"resolved_at": _new_resolved_at(incident, values, clock_at)}
    started_at = values.get("started_at", incident.started_at)
    pointer = f"/{to_camel(field)}"
    require_valid_times(started_at, values["resolved_at"], clock_at, pointer=pointer)
    changes = update_subject(incident, values, slugs, now)
    if "severity" in changes:
        record_severity(incident, clock_at)
    return load_services([incident])[0], changes


def remove_incident(request: StatusRemoveIncident, now: datetime) -> IncidentRow:
    """Remove an incident that should never have been; its updates are kept with it."""
    incident = incident_with_id(request.id)
    incident.removed_at = now
    incident.touch(now)
    return incident


def describe_removal(incident: IncidentRow) -> str:
    """Describe for the audit log what is no longer shown, besides the updates."""
    slugs = ", ".join(service.slug for service in incident.services)
    return (
        f"status: {incident.status}; severity: {incident.severity};"
        f" startedAt: {format_moment(incident.started_at)}; services: {slugs}"
    )


def add_incident_update(
    request: StatusAddIncidentUpdate, now: datetime, clock_at: datetime | None = None
) -> IncidentUpdateRow:
    """
    Post an update; its status, if it has one, becomes the incident's.

    `clock_at` is the time on the clock if it differs from the instant of the change.
    """
    clock_at = clock_at or now
    incident = incident_with_id(request.incident_id)
    status = request.status or incident.status
    resolved_at = _new_resolved_at(incident, {"status": status}, clock_at)
    require_valid_times(incident.started_at, resolved_at, clock_at, pointer="/status")
    previous_status = incident.status
    if not incident.change({"status": status, "resolved_at": resolved_at}, now):
        incident.touch(now)
    update = _create_update(incident, status, request.body, now)
    update.previous_status = previous_status
    return update


def list_incidents(query: ListIncidents, now: datetime) -> Page[IncidentRow]:
    """
    Return a page of incidents, newest first.

    `from` and `to` select the incidents that overlap that range.
    """
    require_valid_range(query.from_, query.to)
    rows = not_removed(IncidentRow)
    if query.status is not None:
        is_resolved = IncidentRow.status == "resolved"
        rows = rows.where(is_resolved if query.status == "resolved" else ~is_resolved)
    if query.slug is not None:
        rows = rows.where(IncidentRow.id.in_(subjects_with_slug(query.slug)))
    if query.to is not None:
        rows = rows.where(IncidentRow.started_at < query.to)
    if query.from_ is not None:
        ends_later = IncidentRow.resolved_at > query.from_
        if now > query.from_:
            ends_later |= IncidentRow.resolved_at.is_null()
        rows = rows.where(ends_later)
    page = cursor_page(
        rows, query, descending(IncidentRow.started_at), descending(IncidentRow.id)
    )
    return Page(load_services(page.items), page.meta)


def incidents_since(
    since: datetime, service: ServiceRow | None = None
) -> list[IncidentRow]:
    """Return incidents that are unresolved or were resolved since, newest first."""
    query = not_removed(IncidentRow).where(
        IncidentRow.resolved_at.is_null() | (IncidentRow.resolved_at > since)
    )
    if service is not None:
        query = query.where(IncidentRow.id.in_(subjects_affecting(service)))
    return _newest_first(query)


def incidents_with_ids(ids: Iterable[str]) -> list[IncidentRow]:
    """Return the incidents that have these ids, newest first."""
    return _newest_first(not_removed(IncidentRow).where(IncidentRow.id.in_(list(ids))))


def incident_with_id(id: str) -> IncidentRow:
    """Return the incident with its services; raise IncidentNotFound."""
    incident = not_removed(IncidentRow).where(IncidentRow.id == id).first()
    if incident is None:
        raise IncidentNotFound(f"No incident has the id '{id}'.")
    return load_services([incident])[0]


def incident_detail(id: str) -> StatusIncidentDetail:
    """Return the incident with its updates, oldest first; raise IncidentNotFound."""
    incident = incident_with_id(id)
    return StatusIncidentDetail.model_validate(
        {"incident": incident, "updates": updates_by_incident([incident])[id][::-1]}
    )


def updates_by_incident(
    incidents: Iterable[IncidentRow],
) -> dict[str, list[IncidentUpdateRow]]:
    """Return the updates of each incident, newest first, by the incident's id."""
    updates: dict[str, list[IncidentUpdateRow]] = {i.id: [] for i in incidents}
    rows = IncidentUpdateRow.select().where(
        IncidentUpdateRow.incident.in_(list(updates))
    )
    for row in rows.order_by(IncidentUpdateRow.number.desc()):
        updates[row.incident_id].append(row)
    return updates


def newest_updates(
    limit: int, service: ServiceRow | None = None
) -> list[IncidentUpdateRow]:
    """Return the newest updates of all incidents, or of those of a service."""
    query = IncidentUpdateRow.select().join(IncidentRow)
    query = query.where(IncidentRow.removed_at.is_null())
    if service is not None:
        query = query.where(IncidentRow.id.in_(subjects_affecting(service)))
    newest_first = IncidentUpdateRow.created_at.desc(), IncidentUpdateRow.id.desc()
    return list(query.order_by(*newest_first).limit(limit))


def record_severity(incident: IncidentRow, starts_at: datetime) -> None:
    """Add the present severity of the incident to its history."""
    IncidentSeverityRow.create(
        incident=incident, severity=incident.severity, starts_at=starts_at
    )


def severity_spans(
    incidents: Iterable[IncidentRow | StatusIncident],
) -> dict[str, list[SeveritySpan]]:
    """
    Return when each incident had which severity, oldest first, by its id.

    The spans cover the incident from its start to its end. What it got after its end,
    counts at its end; what it lost before its start, does not count.
    """
    by_id = {incident.id: incident for incident in incidents}
    rows: dict[str, list[IncidentSeverityRow]] = defaultdict(list)
    query = IncidentSeverityRow.select().where(
        IncidentSeverityRow.incident.in_(list(by_id))
    )
    for row in query.order_by(IncidentSeverityRow.number):
        rows[row.incident_id].append(row)
    return {id: _spans(incident, rows[id]) for id, incident in by_id.items()}


def severity_at(spans: list[SeveritySpan], at: datetime) -> Severity:
    """Return the severity at a time, which may be before the first span."""
    begun = [span.severity for span in spans if span.starts_at <= at]
    return begun[-1] if begun else spans[0].severity


def shown_severity(
    incident: IncidentRow | StatusIncident, spans: list[SeveritySpan]
) -> Severity:
    """Return the present severity, or, once it is resolved, the worst it ever had."""
    if incident.resolved_at is None:
        return spans[-1].severity
    return worst_severity([span.severity for span in spans])


def _spans(
    incident: IncidentRow | StatusIncident, rows: list[IncidentSeverityRow]
) -> list[SeveritySpan]:
    start, end = incident.started_at, incident.resolved_at
    last = len(rows) - 1
    counted = [
        row
        for index, row in enumerate(rows)
        if index == last or rows[index + 1].starts_at >= start
    ]
    starts = [max(start, row.starts_at) for row in counted]
    starts = [start, *(min(at, end) if end else at for at in starts[1:])]
    return [
        SeveritySpan(cast("Severity", row.severity), *span)
        for row, *span in zip(counted, starts, [*starts[1:], end], strict=True)
    ]


def _newest_first(query: "ModelSelect[IncidentRow]") -> list[IncidentRow]:
    ordered = query.order_by(IncidentRow.started_at.desc(), IncidentRow.id.desc())
    return load_services(list(ordered))


def _create_update(
    incident: IncidentRow, status: str, body: str, now: datetime
) -> IncidentUpdateRow:
    return IncidentUpdateRow.create(
        id=new_id(now), incident=incident, status=status, body=body, created_at=now
    )


def _new_resolved_at(
    incident: IncidentRow, values: dict[str, Any], clock_at: datetime
) -> datetime | None:
    """Return the resolution time that follows from the new values."""
    is_resolved = values.get("status", incident.status) == "resolved"
    if "resolved_at" in values:
        if is_resolved != (values["resolved_at"] is not None):
            raise _time_error(
                "/resolvedAt",
                "resolvedAt is set if, and only if, the status is resolved. Send a time"
                " for a resolved incident, and null or nothing for any other.",
            )
        return values["resolved_at"]
    return (incident.resolved_at or clock_at) if is_resolved else None


def require_valid_times(
    started_at: datetime,
    resolved_at: datetime | None,
    clock_at: datetime,
    *,
    pointer: str,
) -> None:
    """Raise ValidationFailed; `pointer` names the field of the request to correct."""
    if resolved_at is not None and resolved_at < started_at:
        raise _time_error(pointer, "resolvedAt must not be before startedAt.")
    if resolved_at is not None and resolved_at > clock_at + MAX_CLOCK_SKEW:
        raise _time_error(pointer, "resolvedAt must not be in the future.")


def _time_error(pointer: str, detail: str) -> ValidationFailed:
    error = {"pointer": pointer, "code": "time", "detail": detail}
    return ValidationFailed(detail, error)
