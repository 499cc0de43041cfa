"""Maintenance windows: announced, running by the clock, completed, cancelled."""

from datetime import datetime
from typing import Annotated, Any, Literal

from peewee import ModelSelect, TextField
from pydantic import AfterValidator, Field

from models.audit import AuditTarget
from models.base import Change, MomentField, Row, Schema, new_id
from models.errors import MaintenanceNotFound, ValidationFailed
from models.fields import MayOmit, Moment, null_if_empty
from models.pagination import CursorQuery, Page, cursor_page, descending
from models.status.incidents.incidents import IncidentTitle, StatusId
from models.status.incidents.listing import require_range
from models.status.services.affected import (
    AffectedRow,
    StatusAffectedService,
    affected_by,
    change_subject,
    set_affected,
    subjects_affecting,
    subjects_named,
)
from models.status.services.catalogue import ServiceRow, Services

MaintenanceStatus = Literal["scheduled", "active", "completed", "cancelled"]
MaintenanceText = Annotated[
    Annotated[str, Field(max_length=4000)] | None, AfterValidator(null_if_empty)
]


class StatusMaintenance(Schema):
    id: str
    title: str
    description: str | None
    starts_at: Moment
    ends_at: Moment
    status: MaintenanceStatus
    created_at: Moment
    updated_at: Moment
    services: list[StatusAffectedService]


class StatusAddMaintenance(Schema):
    title: IncidentTitle
    description: MaintenanceText = None
    starts_at: Moment
    ends_at: Moment
    services: Services


class StatusUpdateMaintenance(Schema):
    id: StatusId
    title: MayOmit[IncidentTitle] = None
    description: MaintenanceText = None
    starts_at: MayOmit[Moment] = None
    ends_at: MayOmit[Moment] = None
    status: MayOmit[Literal["scheduled", "completed", "cancelled"]] = None
    services: MayOmit[Services] = None


class ListMaintenance(CursorQuery):
    status: MaintenanceStatus | None = None
    slug: str | None = None
    from_: Annotated[Moment | None, Field(alias="from")] = None
    to: Moment | None = None


class GetMaintenance(Schema):
    id: StatusId


class MaintenanceRow(Row):
    id = TextField(primary_key=True)
    title = TextField()
    description = TextField(null=True)
    starts_at = MomentField()
    ends_at = MomentField()
    # scheduled leaves the window to the clock; completed and cancelled win.
    written = TextField()
    created_at = MomentField()
    updated_at = MomentField()

    class Meta:
        indexes = ((("starts_at", "id"), False),)

    services: list[AffectedRow]
    status: MaintenanceStatus

    @property
    def audited(self) -> AuditTarget:
        return AuditTarget("maintenance", self.id, self.title)

    def at(self, now: datetime) -> "MaintenanceRow":
        """Return the window with its status at `now`."""
        self.status = status_of(self.written, self.starts_at, self.ends_at, now)
        return self

    @property
    def turned_at(self) -> datetime:
        """When it came into its state: by the clock, or by hand."""
        if self.written != "scheduled" or self.status == "scheduled":
            return self.updated_at
        return self.starts_at if self.status == "active" else self.ends_at


def status_of(
    written: str, starts_at: datetime, ends_at: datetime, now: datetime
) -> MaintenanceStatus:
    """Active in [startsAt, endsAt), unless a person said completed or cancelled."""
    if written == "completed":
        return "completed"
    if written == "cancelled":
        return "cancelled"
    if now < starts_at:
        return "scheduled"
    return "active" if now < ends_at else "completed"


def schedule_maintenance(
    request: StatusAddMaintenance, now: datetime
) -> MaintenanceRow:
    _require_order(request.starts_at, request.ends_at)
    window = MaintenanceRow.create(
        id=new_id(now),
        title=request.title,
        description=request.description,
        starts_at=request.starts_at,
        ends_at=request.ends_at,
        written="scheduled",
        created_at=now,
        updated_at=now,
    )
    set_affected(window.id, request.services)
    return complete([window], now)[0]


def update_maintenance(
    request: StatusUpdateMaintenance, now: datetime
) -> tuple[MaintenanceRow, dict[str, Change]]:
    """Change what was sent and differs; scheduled puts it back under the clock."""
    window = maintenance_with(request.id, now)
    wanted = request.sent_fields()
    wanted.pop("id")
    slugs = wanted.pop("services", None)
    if "status" in wanted:
        wanted["written"] = wanted.pop("status")
    _require_order(
        wanted.get("starts_at", window.starts_at),
        wanted.get("ends_at", window.ends_at),
        sent="/endsAt" if "ends_at" in wanted else "/startsAt",
    )
    changes = change_subject(window, wanted, slugs, now)
    if "written" in changes:
        changes["status"] = changes.pop("written")
    return complete([window], now)[0], changes


def maintenance_with(id: str, now: datetime) -> MaintenanceRow:
    window = MaintenanceRow.get_or_none(MaintenanceRow.id == id)
    if window is None:
        raise MaintenanceNotFound(f"No maintenance window has the id '{id}'.")
    return complete([window], now)[0]


def maintenance_listed(query: ListMaintenance, now: datetime) -> Page[MaintenanceRow]:
    """Return a page, newest first; from and to select by overlap."""
    require_range(query.from_, query.to)
    rows = MaintenanceRow.select()
    if query.status is not None:
        rows = rows.where(_with_status(query.status, now))
    if query.slug is not None:
        rows = rows.where(MaintenanceRow.id.in_(subjects_named(query.slug)))
    if query.to is not None:
        rows = rows.where(MaintenanceRow.starts_at < query.to)
    if query.from_ is not None:
        rows = rows.where(MaintenanceRow.ends_at > query.from_)
    page = cursor_page(
        rows,
        query,
        descending(MaintenanceRow.starts_at),
        descending(MaintenanceRow.id),
    )
    return Page(complete(page.items, now), page.meta)


def maintenance_since(
    since: datetime, now: datetime, service: ServiceRow | None = None
) -> list[MaintenanceRow]:
    """Return what is coming, active, or has ended since, newest first."""
    query = MaintenanceRow.select().where(MaintenanceRow.ends_at > since)
    if service is not None:
        query = query.where(MaintenanceRow.id.in_(subjects_affecting(service)))
    return in_order(query, now)


def all_maintenance(now: datetime) -> list[MaintenanceRow]:
    return in_order(MaintenanceRow.select(), now)


def in_order(
    query: "ModelSelect[MaintenanceRow]", now: datetime
) -> list[MaintenanceRow]:
    newest = query.order_by(MaintenanceRow.starts_at.desc(), MaintenanceRow.id.desc())
    return complete(list(newest), now)


def complete(windows: list[MaintenanceRow], now: datetime) -> list[MaintenanceRow]:
    """Give each window its services and its status at `now`."""
    affected = affected_by(each.id for each in windows)
    for each in windows:
        each.services = affected[each.id]
        each.at(now)
    return windows


def _with_status(status: MaintenanceStatus, now: datetime) -> Any:
    """The rule of status_of, said in SQL."""
    by_clock = MaintenanceRow.written == "scheduled"
    if status == "cancelled":
        return MaintenanceRow.written == "cancelled"
    if status == "scheduled":
        return by_clock & (MaintenanceRow.starts_at > now)
    if status == "active":
        started = MaintenanceRow.starts_at <= now
        return by_clock & started & (MaintenanceRow.ends_at > now)
    ended = by_clock & (MaintenanceRow.ends_at <= now)
    return (MaintenanceRow.written == "completed") | ended


def _require_order(
    starts_at: datetime, ends_at: datetime, *, sent: str = "/endsAt"
) -> None:
    if ends_at <= starts_at:
        detail = "endsAt must be later than startsAt."
        error = {"pointer": sent, "code": "time", "detail": detail}
        raise ValidationFailed(f"{sent}: {detail}", error)
