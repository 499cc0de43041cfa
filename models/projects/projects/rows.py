"""A project as what all else belongs to: its row, its two names, its archive."""

from datetime import datetime
from typing import Any

from peewee import BooleanField, IntegerField, TextField

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
    # The highest number that a work item of it was given; none is given twice.
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
    """Return the project that has the id, or else the slug."""
    has = ProjectRow.id == id if id is not None else ProjectRow.slug == slug
    project = ProjectRow.get_or_none(has)
    if project is None:
        what = f"id '{id}'" if id is not None else f"slug '{slug}'"
        raise ProjectNotFound(f"No project has the {what}.")
    return project


def project_asked(asked: Any) -> ProjectRow | None:
    """Return the project that a question names, None where it is about all."""
    if asked.project_id is None and asked.project_slug is None:
        return None
    return project_with(asked.project_id, slug=asked.project_slug)


def require_active(project: ProjectRow, entity: Any = None) -> None:
    """Refuse to write in what is archived: the project, or the entity in it."""
    if project.archived_at is not None:
        raise ProjectArchived(
            f"The project '{project.slug}' is archived, so it is read-only."
        )
    if entity is not None and entity.archived_at is not None:
        raise Archived(f"The {entity.noun} is archived, so it is read-only.")


def require_updated_at(row: Any, expected: datetime | None) -> None:
    """Refuse to write over a change that the caller has not seen."""
    if expected is not None and expected != row.updated_at:
        current = format_moment(row.updated_at)
        raise VersionConflict(
            f"The {row.noun} was last changed at {current},"
            f" not at {format_moment(expected)}.",
            current=current,
        )
