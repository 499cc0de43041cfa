"""Schedule, update and list maintenance windows."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from peewee import BooleanField, ModelSelect, TextField
from pydantic import AfterValidator, Field

from models.audit import AuditTarget
from models.base import Change, MomentField, Row, Schema, new_id
from models.errors import MaintenanceNotFound, ValidationFailed
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
    null_if_empty,
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

Instant = TypeVar("Instant", datetime, int)
MaintenanceStatus = Literal["scheduled", "active", "completed", "cancelled"]
MaintenanceDescription = Annotated[
    Annotated[str, Field(max_length=4000)] | None, AfterValidator(null_if_empty)
]

# What several fields mean.
StartsAt = Annotated[
    Moment,
    Field(
        description="When the maintenance window begins.",
        examples=["2026-03-02T12:00:00.000Z"],
    ),
]
NOTICE = Field(
    description="The notice on the status page, as Markdown.",
    examples=["Writes are delayed by up to a minute."],
)
EndsAt = Annotated[
    Moment,
    Field(
        description="When the maintenance window ends.",
        examples=["2026-03-02T13:00:00.000Z"],
    ),
]
WORK_TITLE = Field(
    description="What will be done, on one line.", examples=["Database upgrade"]
)


class StatusMaintenance(Schema):
    id: Annotated[str, ID]
    title: Annotated[str, WORK_TITLE]
    description: Annotated[str | None, NOTICE]
    starts_at: StartsAt
    ends_at: EndsAt
    status: Annotated[MaintenanceStatus, STATUS]
    created_at: CreatedAt
    updated_at: UpdatedAt
    services: Annotated[list[StatusAffectedService], descriptions.SERVICES]


class StatusAddMaintenance(Schema):
    title: Annotated[StatusTitle, WORK_TITLE]
    description: Annotated[MaintenanceDescription, NOTICE] = None
    starts_at: StartsAt
    ends_at: EndsAt
    services: AffectedSlugs
    notify: Notify = True


class StatusUpdateMaintenance(Schema, example=("endsAt",)):
    id: Annotated[StatusId, ID]
    title: Annotated[MayOmit[StatusTitle], WORK_TITLE] = None
    description: Annotated[MaintenanceDescription, NOTICE] = None
    starts_at: MayOmit[StartsAt] = None
    ends_at: MayOmit[EndsAt] = None
    status: Annotated[
        MayOmit[Literal["scheduled", "completed", "cancelled"]], STATUS
    ] = None
    services: MayOmit[AffectedSlugs] = None
    notify: Notify = True


class StatusRemoveMaintenance(Schema):
    id: Annotated[StatusId, ID]


class RemovedMaintenance(Schema):
    id: Annotated[str, ID]
    removed_at: Moment = Field(description="When the window was removed.")


class ListMaintenance(CursorQuery):
    status: Annotated[MaintenanceStatus | None, STATUS] = None
    slug: Annotated[str | None, descriptions.SERVICE_SLUG] = None
    from_: Annotated[Moment | None, Field(alias="from"), RANGE_START] = None
    to: RangeEnd | None = None


class GetMaintenance(Schema):
    id: Annotated[StatusId, ID]


class MaintenanceRow(Row):
    id = TextField(primary_key=True)
    title = TextField()
    description = TextField(null=True)
    starts_at = MomentField()
    ends_at = MomentField()
    # The status that was written: scheduled, completed or cancelled.
    written = TextField()
    # Whether subscribers are notified when it starts and ends.
    is_notified = BooleanField(default=True)
    created_at = MomentField()
    updated_at = MomentField()
    # A removed window is kept, but nothing that reads windows finds it.
    removed_at = MomentField(null=True)

    class Meta:
        indexes = ((("starts_at", "id"), False),)

    services: list[AffectedRow]
    status: MaintenanceStatus

    @property
    def audited(self) -> AuditTarget:
        return AuditTarget("maintenance", self.id, self.title)

    def set_status_at(self, now: datetime) -> "MaintenanceRow":
        """Set the status that the window has at `now`; return the window."""
        self.status = maintenance_status(
            self.written, self.starts_at, self.ends_at, now
        )
        return self

    @property
    def status_changed_at(self) -> datetime:
        """Return when it took its status: by a write, or when it started or ended."""
        if self.written != "scheduled" or self.status == "scheduled":
            return self.updated_at
        return self.starts_at if self.status == "active" else self.ends_at


def maintenance_status(
    written: str, starts_at: Instant, ends_at: Instant, now: Instant
) -> MaintenanceStatus:
    """
    Return the status at `now`; all times may also be in milliseconds.

    A window that was completed or cancelled stays so. Any other is active in
    [starts_at, ends_at).
    """
    if written == "completed":
        return "completed"
    if written == "cancelled":
        return "cancelled"
    if now < starts_at:
        return "scheduled"
    return "active" if now < ends_at else "completed"


def schedule_maintenance(
    request: StatusAddMaintenance, now: datetime, clock_at: datetime | None = None
) -> MaintenanceRow:
    """Return the new window as it is at `clock_at`, which defaults to `now`."""
    _require_end_after_start(request.starts_at, request.ends_at)
    window = MaintenanceRow.create(
        id=new_id(now),
        title=request.title,
        description=request.description,
        starts_at=request.starts_at,
        ends_at=request.ends_at,
        written="scheduled",
        is_notified=request.notify,
        created_at=now,
        updated_at=now,
    )
    set_affected_services(window.id, request.services)
    return load_details([window], clock_at or now)[0]


def update_maintenance(
    request: StatusUpdateMaintenance, now: datetime, clock_at: datetime | None = None
) -> tuple[MaintenanceRow, dict[str, Change]]:
    """
    Update the fields that were sent; return the window and what changed.

    The status scheduled lets the window start and end by its times again. `clock_at`
    is the time on the clock if it differs from the instant of the change.
    """
    clock_at = clock_at or now
    window = maintenance_with_id(request.id, clock_at)
    former_status = window.status
    values = request.sent_fields()
    values.pop("id")
    values.pop("notify", None)
    slugs = values.pop("services", None)
    if "status" in values:
        values["written"] = values.pop("status")
    _require_end_after_start(
        values.get("starts_at", window.starts_at),
        values.get("ends_at", window.ends_at),
        pointer="/endsAt" if "ends_at" in values else "/startsAt",
    )
    changes = update_subject(window, values, slugs, now)
    if "written" in changes:
        changes["status"] = changes.pop("written")
    load_details([window], clock_at)
    is_started = (former_status, window.status) == ("scheduled", "active")
    # A change that starts the window in silence leaves the clock nothing to tell.
    is_notified = request.notify or (window.is_notified and not is_started)
    if changes and is_notified != window.is_notified:
        window.is_notified = is_notified
        window.save()
    return window, changes


def remove_maintenance(
    request: StatusRemoveMaintenance, now: datetime, clock_at: datetime
) -> MaintenanceRow:
    """Remove a window that should never have been, as it was at `clock_at`."""
    window = maintenance_with_id(request.id, clock_at)
    window.removed_at = now
    window.touch(now)
    return window


def describe_removal(window: MaintenanceRow) -> str:
    """Describe for the audit log what is no longer shown."""
    starts_at, ends_at = map(format_moment, (window.starts_at, window.ends_at))
    slugs = ", ".join(service.slug for service in window.services)
    # Quoted, the description cannot pass for the end of the detail.
    description = json.dumps(window.description, ensure_ascii=False)
    return (
        f"status: {window.status}; startsAt: {starts_at}; endsAt: {ends_at};"
        f" services: {slugs}; description: {description}"
    )


def list_maintenance(query: ListMaintenance, now: datetime) -> Page[MaintenanceRow]:
    """
    Return a page of windows, newest first.

    `from` and `to` select the windows that overlap that range.
    """
    require_valid_range(query.from_, query.to)
    rows = not_removed(MaintenanceRow)
    if query.status is not None:
        rows = rows.where(_has_status(query.status, now))
    if query.slug is not None:
        rows = rows.where(MaintenanceRow.id.in_(subjects_with_slug(query.slug)))
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
    return Page(load_details(page.items, now), page.meta)


def maintenance_since(
    since: datetime, now: datetime, service: ServiceRow | None = None
) -> list[MaintenanceRow]:
    """Return the windows that end or ended after `since`, newest first."""
    query = not_removed(MaintenanceRow).where(MaintenanceRow.ends_at > since)
    if service is not None:
        query = query.where(MaintenanceRow.id.in_(subjects_affecting(service)))
    return _newest_first(query, now)


def windows_with_ids(ids: Iterable[str], now: datetime) -> list[MaintenanceRow]:
    """Return the windows that have these ids, newest first."""
    return _newest_first(
        not_removed(MaintenanceRow).where(MaintenanceRow.id.in_(list(ids))), now
    )


def removed_windows(since: datetime) -> list[MaintenanceRow]:
    """Return the removed windows that end or ended after `since`, oldest first."""
    rows = MaintenanceRow.select().where(
        MaintenanceRow.removed_at.is_null(False), MaintenanceRow.ends_at > since
    )
    return load_services(list(rows.order_by(MaintenanceRow.id)))


def maintenance_with_id(id: str, now: datetime) -> MaintenanceRow:
    """Return the window with its services and status; raise MaintenanceNotFound."""
    window = not_removed(MaintenanceRow).where(MaintenanceRow.id == id).first()
    if window is None:
        raise MaintenanceNotFound(f"No maintenance window has the id '{id}'.")
    return load_details([window], now)[0]


def load_details(windows: list[MaintenanceRow], now: datetime) -> list[MaintenanceRow]:
    """Set the services and the status of each window; return the windows."""
    return [window.set_status_at(now) for window in load_services(windows)]


def _newest_first(
    query: "ModelSelect[MaintenanceRow]", now: datetime
) -> list[MaintenanceRow]:
    ordered = query.order_by(MaintenanceRow.starts_at.desc(), MaintenanceRow.id.desc())
    return load_details(list(ordered), now)


def _has_status(status: MaintenanceStatus, now: datetime) -> Any:
    """Return the rule of `maintenance_status` as an SQL condition."""
    is_scheduled = MaintenanceRow.written == "scheduled"
    if status == "cancelled":
        return MaintenanceRow.written == "cancelled"
    if status == "scheduled":
        return is_scheduled & (MaintenanceRow.starts_at > now)
    if status == "active":
        has_started = MaintenanceRow.starts_at <= now
        return is_scheduled & has_started & (MaintenanceRow.ends_at > now)
    has_ended = is_scheduled & (MaintenanceRow.ends_at <= now)
    return (MaintenanceRow.written == "completed") | has_ended


def _require_end_after_start(
    starts_at: datetime, ends_at: datetime, *, pointer: str = "/endsAt"
) -> None:
    """Raise ValidationFailed; `pointer` names the field of the request to correct."""
    if ends_at <= starts_at:
        detail = "endsAt must be later than startsAt."
        error = {"pointer": pointer, "code": "time", "detail": detail}
        raise ValidationFailed(detail, error)
