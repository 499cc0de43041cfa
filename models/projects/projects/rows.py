"""Store projects, find them, and refuse to change what is archived or outdated."""

from datetime import datetime
from typing import Any

from peewee import BooleanField, IntegerField, ModelSelect, TextField

from models.audit import AuditTarget
from models.base import MomentField, Row
from models.errors import (
    Archived,
    ProjectArchived,
    ProjectNotFound,
    VersionConflict,
)
from models.fields import format_moment


class ProjectRow(Row):
    id = TextField(primary_key=True)
    slug = TextField(unique=True)
    name = TextField()
    description = TextField(null=True)
    status = TextField()
    owner_id = TextField()
    builtin = BooleanField()
    # The highest number of a work item so far; numbers are not reused.
    last_number = IntegerField(default=0)
    created_at = MomentField()
    updated_at = MomentField()
    archived_at = MomentField(null=True)

    @property
    def noun(self) -> str:
        return f"project '{self.slug}'"

    @property
    def audited(self) -> AuditTarget:
        return AuditTarget("project", self.id, self.slug)


def project_with(id: str | None = None, *, slug: str | None = None) -> ProjectRow:
    """Return the project with the id or, if that is None, with the slug."""
    condition = ProjectRow.id == id if id is not None else ProjectRow.slug == slug
    project = ProjectRow.get_or_none(condition)
    if project is None:
        name = f"id '{id}'" if id is not None else f"slug '{slug}'"
        raise ProjectNotFound(f"No project has the {name}.")
    return project


def requested_project(query: Any) -> ProjectRow | None:
    """Return the project of a ProjectQuery, or None if it is about all projects."""
    if query.project_id is None and query.project_slug is None:
        return None
    return project_with(query.project_id, slug=query.project_slug)


def archived_projects() -> "ModelSelect[Any]":
    """Return a query for the ids of archived projects."""
    archived = ProjectRow.archived_at.is_null(False)
    return ProjectRow.select(ProjectRow.id).where(archived)


def filter_by_project(
    rows: "ModelSelect[Any]", model: Any, query: Any, *, is_named: bool = False
) -> "ModelSelect[Any]":
    """
    Restrict the rows to the requested project or, without one, to active projects.

    Rows of archived projects stay if the query's `archived` includes archived
    entities, or if the query `is_named`: it names the one entity that it is about.
    """
    project = requested_project(query)
    if project is not None:
        return rows.where(model.project == project.id)
    if is_named or getattr(query, "archived", "exclude") != "exclude":
        return rows
    is_active = model.project.not_in(archived_projects())
    return rows.where(model.project.is_null() | is_active)


def filter_by_history(
    rows: "ModelSelect[Any]", model: Any, query: Any
) -> "ModelSelect[Any]":
    """Restrict the rows by whether they are archived, and when they were updated."""
    if query.archived != "include":
        rows = rows.where(model.archived_at.is_null(query.archived != "only"))
    if query.updated_after is not None:
        rows = rows.where(model.updated_at >= query.updated_after)
    if getattr(query, "updated_before", None) is not None:
        rows = rows.where(model.updated_at < query.updated_before)
    return rows


def require_active(project: ProjectRow, entity: Any = None) -> None:
    """Raise an error if the project is archived, or the entity in it."""
    if project.archived_at is not None:
        raise ProjectArchived(
            f"The project '{project.slug}' is archived, so it is read-only."
        )
    if entity is not None and entity.archived_at is not None:
        raise Archived(f"The {entity.noun} is archived, so it is read-only.")


def require_updated_at(row: Any, expected: datetime | None) -> None:
    """Raise VersionConflict if the row has changed since the expected time."""
    if expected is not None and expected != row.updated_at:
        current = format_moment(row.updated_at)
        raise VersionConflict(
            f"The {row.noun} was last changed at {current},"
            f" not at {format_moment(expected)}.",
            current=current,
        )
