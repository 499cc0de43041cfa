"""List the audit log of projects: purged projects and changed global labels."""

from typing import Annotated, Any, Literal

from pydantic import Field

from models.audit import AuditRow
from models.base import Schema
from models.fields import Moment
from models.pagination import CursorQuery, Limit, Page, cursor_page, descending
from models.projects.fields import CommaSeparated

AdminAction = Literal["project.purged", "label.added", "label.updated", "label.removed"]
AdminTarget = Literal["project", "label"]


class ProjectsAdminAuditEvent(Schema):
    id: str
    actor: str
    action: AdminAction
    target_type: AdminTarget
    target_id: str
    target_label: str | None
    at: Moment
    detail: str | None


class ListProjectsAudit(CursorQuery):
    action: CommaSeparated[AdminAction] | None = None
    target_type: AdminTarget | None = None
    target_id: Annotated[str | None, Field(max_length=128)] = None
    actor: Annotated[str | None, Field(max_length=320)] = None
    from_: Annotated[Moment | None, Field(alias="from")] = None
    to: Moment | None = None
    limit: Limit = 50


def list_projects_audit(query: ListProjectsAudit) -> Page[Any]:
    """Return a page of audit events, newest first; from is inclusive, to exclusive."""
    rows = AuditRow.select().where(AuditRow.area == "projects")
    if query.action is not None:
        rows = rows.where(AuditRow.action.in_(query.action))
    for name in ("target_type", "target_id", "actor"):
        value = getattr(query, name)
        if value is not None:
            rows = rows.where(getattr(AuditRow, name) == value)
    if query.from_ is not None:
        rows = rows.where(AuditRow.at >= query.from_)
    if query.to is not None:
        rows = rows.where(AuditRow.at < query.to)
    return cursor_page(rows, query, descending(AuditRow.number))
