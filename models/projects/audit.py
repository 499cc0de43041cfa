"""List the audit log of projects: purged projects and changed global labels."""

from typing import Annotated, Any, Literal

from pydantic import Field

from models.audit import AuditRow
from models.base import Schema
from models.fields import (
    ACTOR,
    ID,
    LIMIT,
    RANGE_START,
    TARGET_ID,
    TARGET_TYPE,
    ChangedAt,
    ChangeDetail,
    Moment,
    RangeEnd,
)
from models.pagination import (
    CursorQuery,
    Limit,
    Page,
    cursor_page,
    descending,
    filter_rows,
)
from models.projects import descriptions
from models.projects.fields import CommaSeparated

AdminAction = Literal["project.purged", "label.added", "label.updated", "label.removed"]
AdminTarget = Literal["project", "label"]


class ProjectsAdminAuditEvent(Schema):
    id: Annotated[str, ID]
    actor: Annotated[str, ACTOR]
    action: AdminAction = Field(
        description="The action that was recorded.", examples=["label.added"]
    )
    target_type: Annotated[AdminTarget, TARGET_TYPE]
    target_id: Annotated[str, TARGET_ID]
    target_label: str | None = Field(
        description="The name at that time.", examples=["security"]
    )
    at: ChangedAt
    detail: ChangeDetail | None


class ListProjectsAudit(CursorQuery):
    action: Annotated[CommaSeparated[AdminAction] | None, descriptions.ACTION] = None
    target_type: Annotated[AdminTarget | None, TARGET_TYPE] = None
    target_id: Annotated[str | None, Field(max_length=128), TARGET_ID] = None
    actor: Annotated[str | None, Field(max_length=320), ACTOR] = None
    from_: Annotated[Moment | None, Field(alias="from"), RANGE_START] = None
    to: RangeEnd | None = None
    limit: Annotated[Limit, LIMIT] = 50


def list_projects_audit(query: ListProjectsAudit) -> Page[Any]:
    """Return a page of audit events, newest first; from is inclusive, to exclusive."""
    rows = AuditRow.select().where(AuditRow.area == "projects")
    names = ("action", "target_type", "target_id", "actor")
    rows = filter_rows(rows, AuditRow, query, *names)
    if query.from_ is not None:
        rows = rows.where(AuditRow.at >= query.from_)
    if query.to is not None:
        rows = rows.where(AuditRow.at < query.to)
    return cursor_page(rows, query, descending(AuditRow.number))
