"""List the audit log of the status area."""

from typing import Annotated, Any, Literal

from pydantic import Field

from models.audit import AuditRow
from models.base import Schema
from models.fields import Moment
from models.pagination import OffsetQuery, Page, offset_page

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
    id: str
    actor: str
    action: StatusAction
    target_type: TargetType
    target_id: str
    target_label: str | None
    at: Moment
    detail: str | None


class ListStatusAudit(OffsetQuery):
    target_type: TargetType | None = None
    target_id: Annotated[str | None, Field(max_length=128)] = None
    actor: Annotated[str | None, Field(max_length=320)] = None
    action: StatusAction | None = None


def list_status_audit(query: ListStatusAudit) -> Page[Any]:
    """Return a page of the audit log, newest first."""
    rows = AuditRow.select().where(AuditRow.area == "status")
    for name in ("target_type", "target_id", "actor", "action"):
        value = getattr(query, name)
        if value is not None:
            rows = rows.where(getattr(AuditRow, name) == value)
    return offset_page(rows.order_by(AuditRow.number.desc()), query)
