"""Who purged which project and changed which global label, as it may be asked."""

from typing import Annotated, Any, Literal

from pydantic import Field

from models.audit import AuditRow
from models.base import Shape
from models.pagination import CursorQuery, Limit, Page, descending, page_of
from models.projects.words import Commas
from models.words import Moment

AdminAction = Literal["project.purged", "label.added", "label.updated", "label.removed"]
AdminTarget = Literal["project", "label"]


class ProjectsAdminAuditEvent(Shape):
    id: str
    actor: str
    action: AdminAction
    target_type: AdminTarget
    target_id: str
    target_label: str | None
    at: Moment
    detail: str | None


class ListProjectsAudit(CursorQuery):
    action: Commas[AdminAction] | None = None
    target_type: AdminTarget | None = None
    target_id: Annotated[str | None, Field(max_length=128)] = None
    actor: Annotated[str | None, Field(max_length=320)] = None
    from_: Annotated[Moment | None, Field(alias="from")] = None
    to: Moment | None = None
    limit: Limit = 50


def projects_audit_listed(asked: ListProjectsAudit) -> Page[Any]:
    """Return a page of the administrators' changes, newest first."""
    query = AuditRow.select().where(AuditRow.area == "projects")
    if asked.action is not None:
        query = query.where(AuditRow.action.in_(asked.action))
    for name in ("target_type", "target_id", "actor"):
        wanted = getattr(asked, name)
        if wanted is not None:
            query = query.where(getattr(AuditRow, name) == wanted)
    if asked.from_ is not None:
        query = query.where(AuditRow.at >= asked.from_)
    if asked.to is not None:
        query = query.where(AuditRow.at < asked.to)
    return page_of(query, asked, descending(AuditRow.number))
