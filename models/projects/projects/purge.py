"""Purge projects, and preview how many rows a purge would remove."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any

from peewee import ModelSelect, chunked
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
from models.projects.projects.rows import ProjectRow, project_with
from models.projects.search.text_index import rebuild_index
from models.projects.specifications.rows import (
    SpecificationRevisionRow,
    SpecificationRow,
)
from models.projects.work.items import save_changes
from models.projects.work.links import load_links
from models.projects.work.relationships import Edge, record_removal
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
# Items whose links are loaded at a time, far below SQLite's limit of variables.
BATCH_SIZE = 500


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
    _remove_specification_links(project, now, actor)
    _remove_relationships(project, now, actor)
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


def _remove_specification_links(
    project: ProjectRow, now: datetime, actor: Actor
) -> None:
    """Remove the links of other projects' work items to its specifications."""
    specification, link = SpecificationRow, WorkSpecificationRow
    own = specification.select(specification.id).where(
        specification.project == project.id
    )
    purged_ids = {row.id for row in own}
    linked = link.select(link.work).where(link.specification.in_(own))
    is_outside = WorkItemRow.project != project.id
    items = list(_items_with_projects(is_outside, WorkItemRow.id.in_(linked)))
    for batch in chunked(items, BATCH_SIZE):
        for item in load_links(batch):
            remaining = [
                link
                for link in item.specifications
                if link.specification_id not in purged_ids
            ]
            values = {"specifications": remaining}
            save_changes(item, values, now, actor, purgedProjectId=project.id)


def _remove_relationships(project: ProjectRow, now: datetime, actor: Actor) -> None:
    """Remove the relationships of other projects' work items with its own."""
    row = WorkRelationshipRow
    own = WorkItemRow.select(WorkItemRow.id).where(WorkItemRow.project == project.id)
    is_crossing = (row.source.in_(own) & row.target.not_in(own)) | (
        row.source.not_in(own) & row.target.in_(own)
    )
    sources = row.select(row.source).where(is_crossing)
    targets = row.select(row.target).where(is_crossing)
    is_end = WorkItemRow.id.in_(sources) | WorkItemRow.id.in_(targets)
    items = {item.id: item for item in _items_with_projects(is_end)}
    for crossing in row.select().where(is_crossing).order_by(row.number):
        source, target = items[crossing.source_id], items[crossing.target_id]
        edge = Edge(source, target, crossing.relationship)
        outside = target if source.project_id == project.id else source
        record_removal(edge, outside, now, actor, purgedProjectId=project.id)
    row.delete().where(is_crossing).execute()
    for item in items.values():
        if item.project_id != project.id:
            item.touch(now)


def _items_with_projects(*conditions: Any) -> Iterable[WorkItemRow]:
    rows = WorkItemRow.select(WorkItemRow, ProjectRow).join(ProjectRow)
    items: Iterable[WorkItemRow] = rows.where(*conditions).order_by(WorkItemRow.id)
    return items
