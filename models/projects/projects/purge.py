"""Purging a project: all of it goes, and is counted."""

from typing import Any

from peewee import ModelSelect

from models.base import Schema
from models.errors import BuiltinProject, ConfirmationMismatch, NotArchived
from models.fields import Id, Slug
from models.idempotency import delete_responses_about
from models.projects.discussion.rows import CommentRow, ExternalReferenceRow
from models.projects.documents.rows import DocumentRevisionRow, DocumentRow
from models.projects.members.role_checks import MemberRow
from models.projects.planning.rows import LabelRow, MilestoneRow
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow, project_with
from models.projects.search.text_index import rebuild_index
from models.projects.specifications.rows import (
    SpecificationRevisionRow,
    SpecificationRow,
)
from models.projects.work.rows import (
    WorkAssigneeRow,
    WorkItemRow,
    WorkLabelRow,
    WorkRelationshipRow,
    WorkSpecificationRow,
)
from models.storage.database import truncate_wal_after_commit

Counts = dict[str, int]

# What a project holds, by the names under which it is counted: each has a
# column that names its project.
OF_PROJECT: dict[str, Any] = {
    "members": MemberRow,
    "work": WorkItemRow,
    "labels": LabelRow,
    "milestones": MilestoneRow,
    "specifications": SpecificationRow,
    "documents": DocumentRow,
    "comments": CommentRow,
    "externalReferences": ExternalReferenceRow,
    "activity": ActivityRow,
}

# What goes with something of the project, wherever its other end is: the columns
# that name what it goes with.
OF_THINGS: dict[str, tuple[Any, ...]] = {
    "workRelationships": (WorkRelationshipRow.source, WorkRelationshipRow.target),
    "workLabels": (WorkLabelRow.work, WorkLabelRow.label),
    "workAssignees": (WorkAssigneeRow.work,),
    "workSpecifications": (
        WorkSpecificationRow.work,
        WorkSpecificationRow.specification,
    ),
    "specificationRevisions": (SpecificationRevisionRow.specification,),
    "documentRevisions": (DocumentRevisionRow.document,),
}


class PurgeProject(Schema):
    id: Id
    confirm: str


class PreviewPurge(Schema):
    id: Id


class PurgeResult(Schema):
    id: Id
    slug: Slug
    deleted: Counts


def purge_project(request: PurgeProject) -> tuple[ProjectRow, Counts]:
    """
    Remove an archived project and all it holds; return it with the counts.

    Nothing of its words stays: not in search, not in answers kept for repeats,
    not in the free pages or the log of the database.
    """
    project = _ordinary(request.id)
    if project.archived_at is None:
        raise NotArchived(
            f"The {project.noun} is not archived. Archive it, then purge it."
        )
    if request.confirm != project.slug:
        raise ConfirmationMismatch("confirm is not the slug of the project.")
    counts = held_by(project)
    # All that belongs to it goes by the cascades of the database.
    project.delete_instance()
    delete_responses_about(project.id)
    rebuild_index()
    truncate_wal_after_commit()
    return project, counts


def purge_previewed(query: PreviewPurge) -> PurgeResult:
    """Return what a purge would remove now."""
    project = _ordinary(query.id)
    return PurgeResult(id=project.id, slug=project.slug, deleted=held_by(project))


def held_by(project: ProjectRow) -> Counts:
    """Count what a purge of the project removes, by kind."""
    counts = {"project": 1}
    for kind, row in OF_PROJECT.items():
        counts[kind] = row.select().where(row.project == project.id).count()
    for kind, columns in OF_THINGS.items():
        goes = columns[0].in_(_things(columns[0], project))
        for other in columns[1:]:
            goes |= other.in_(_things(other, project))
        counts[kind] = columns[0].model.select().where(goes).count()
    return counts


def _things(column: Any, project: ProjectRow) -> "ModelSelect[Any]":
    """Return the ids of the things of the project that the column may name."""
    thing = column.rel_model
    return thing.select(thing.id).where(thing.project == project.id)


def _ordinary(id: str) -> ProjectRow:
    project = project_with(id)
    if project.builtin:
        raise BuiltinProject(f"The {project.noun} is built in, so it cannot be purged.")
    return project
