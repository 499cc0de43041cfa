"""Purge projects, and preview how many rows a purge would remove."""

from datetime import datetime
from typing import Annotated, Any

from peewee import ModelSelect
from pydantic import Field

from models.base import Schema
from models.errors import BuiltinProject, ConfirmationMismatch, NotArchived
from models.fields import ID, Id, Slug
from models.idempotency import delete_responses_about
from models.projects import descriptions
from models.projects.discussion.rows import CommentRow, ExternalReferenceRow
from models.projects.document_imports.rows import DocumentImportRow
from models.projects.documents.rows import (
    DocumentAliasRow,
    DocumentRevisionRow,
    DocumentRow,
)
from models.projects.fields import Actor
from models.projects.files.contents import content_digests, delete_unused_contents
from models.projects.files.rows import FileRow
from models.projects.members.rows import MemberRow
from models.projects.planning.rows import LabelRow, MilestoneRow
from models.projects.projects.activity import ActivityRow
from models.projects.projects.outside_links import remove_outside_links
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

# The tables with a column `project`, by the names under which they are counted.
PROJECT_TABLES: dict[str, Any] = {
    "members": MemberRow,
    "work": WorkItemRow,
    "labels": LabelRow,
    "milestones": MilestoneRow,
    "specifications": SpecificationRow,
    "documents": DocumentRow,
    "files": FileRow,
    "documentImports": DocumentImportRow,
    "comments": CommentRow,
    "externalReferences": ExternalReferenceRow,
    "activity": ActivityRow,
}

# The tables whose rows belong to entities of the project, by the foreign keys to
# them: a row goes with either of its ends, even if the other is in another project.
DEPENDENT_TABLES: dict[str, tuple[Any, ...]] = {
    "workRelationships": (WorkRelationshipRow.source, WorkRelationshipRow.target),
    "workLabels": (WorkLabelRow.work, WorkLabelRow.label),
    "workAssignees": (WorkAssigneeRow.work,),
    "workSpecifications": (
        WorkSpecificationRow.work,
        WorkSpecificationRow.specification,
    ),
    "specificationRevisions": (SpecificationRevisionRow.specification,),
    "documentRevisions": (DocumentRevisionRow.document,),
    "documentAliases": (DocumentAliasRow.document,),
}


class PurgeProject(Schema):
    id: Annotated[Id, ID]
    confirm: str = Field(
        description="The slug of the project, as a confirmation.", examples=["harbour"]
    )


class PreviewPurge(Schema):
    id: Annotated[Id, ID]


class PurgeResult(Schema):
    id: Id = Field(description="The ID of the project.")
    slug: Annotated[Slug, descriptions.SLUG]
    deleted: Counts = Field(
        description="The number of deleted objects of each type.",
        examples=[{"work": 12, "documents": 3}],
    )


def purge_project(
    request: PurgeProject, now: datetime, actor: Actor
) -> tuple[ProjectRow, Counts]:
    """
    Delete an archived project with all its contents; return it and the counts.

    Work items of other projects that lose a link get a new updated_at and a record.
    None of its texts remains in the search index, in stored responses, or in the
    free pages and the write-ahead log of the database.
    """
    project = _purgeable_project(request.id)
    if project.archived_at is None:
        raise NotArchived(
            f"The {project.noun} is not archived. Archive it before you purge it."
        )
    if request.confirm != project.slug:
        raise ConfirmationMismatch("confirm must be the slug of the project.")
    counts = count_project_rows(project)
    remove_outside_links(project, now, actor)
    digests = content_digests(project)
    # Foreign keys with ON DELETE CASCADE remove the contents.
    project.delete_instance()
    # Other projects may have files with the same bytes.
    delete_unused_contents(digests)
    delete_responses_about(project.id)
    rebuild_index()
    truncate_wal_after_commit()
    return project, counts


def preview_purge(query: PreviewPurge) -> PurgeResult:
    """Return what a purge would delete now."""
    project = _purgeable_project(query.id)
    counts = count_project_rows(project)
    return PurgeResult(id=project.id, slug=project.slug, deleted=counts)


def count_project_rows(project: ProjectRow) -> Counts:
    """Count the rows of the project by kind: those that a purge deletes."""
    counts = {"project": 1}
    for kind, table in PROJECT_TABLES.items():
        counts[kind] = table.select().where(table.project == project.id).count()
    for kind, (column, *others) in DEPENDENT_TABLES.items():
        is_dependent = column.in_(_referenced_ids(column, project))
        for other in others:
            is_dependent |= other.in_(_referenced_ids(other, project))
        counts[kind] = column.model.select().where(is_dependent).count()
    return counts


def _referenced_ids(column: Any, project: ProjectRow) -> "ModelSelect[Any]":
    """Select the ids in the project that the foreign key may reference."""
    table = column.rel_model
    return table.select(table.id).where(table.project == project.id)


def _purgeable_project(id: str) -> ProjectRow:
    project = project_with(id)
    if project.builtin:
        raise BuiltinProject(f"The {project.noun} is built in, so it cannot be purged.")
    return project
