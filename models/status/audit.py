"""List the audit log of the status area."""

from typing import Annotated, Any, Literal

from pydantic import Field

from models.audit import AuditRow
from models.base import Schema
from models.fields import (
    ACTION,
    ACTOR,
    ID,
    TARGET_ID,
    TARGET_TYPE,
    ChangedAt,
    ChangeDetail,
)
from models.pagination import OffsetQuery, Page, filter_rows, offset_page

StatusAction = Literal[
    "service.added",
    "service.updated",
    "service.removed",
    "service.purged",
    "incident.opened",
    "incident.updated",
    "incident.update-posted",
    "incident.update-corrected",
    "incident.update-removed",
    "incident.removed",
    "incident-template.added",
    "incident-template.updated",
    "incident-template.removed",
    "maintenance.scheduled",
    "maintenance.updated",
    "maintenance.removed",
    "source.transferred",
    "subscription.added",
    "subscription.updated",
    "subscription.removed",
    "subscription.secret-rotated",
    "subscription.tested",
    "deliveries.replayed",
]
TargetType = Literal[
    "service",
    "incident",
    "incident-template",
    "maintenance",
    "source",
    "subscription",
]


class StatusAuditEvent(Schema):
    id: Annotated[str, ID]
    actor: Annotated[str, ACTOR]
    action: Annotated[StatusAction, ACTION]
    target_type: Annotated[TargetType, TARGET_TYPE]
    target_id: Annotated[str, TARGET_ID]
    target_label: str | None = Field(
        description="The name or title of the object at that time.",
        examples=["Errors on the API"],
    )
    at: ChangedAt
    detail: ChangeDetail | None


class ListStatusAudit(OffsetQuery):
    target_type: Annotated[TargetType | None, TARGET_TYPE] = None
    target_id: Annotated[str | None, Field(max_length=128), TARGET_ID] = None
    actor: Annotated[str | None, Field(max_length=320), ACTOR] = None
    action: Annotated[StatusAction | None, ACTION] = None


def list_status_audit(query: ListStatusAudit) -> Page[Any]:
    """Return a page of the audit log, newest first."""
    rows = AuditRow.select().where(AuditRow.area == "status")
    names = ("target_type", "target_id", "actor", "action")
    rows = filter_rows(rows, AuditRow, query, *names)
    return offset_page(rows.order_by(AuditRow.number.desc()), query)
