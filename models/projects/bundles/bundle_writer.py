"""Write the bundle of a project piece by piece, without holding it in memory."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from peewee import chunked

from models.base import Schema
from models.fields import format_moment
from models.projects.bundles.bundle import (
    BundledActivity,
    BundledAlias,
    BundledComment,
    BundledDocument,
    BundledDocumentRevision,
    BundledFile,
    BundledLabel,
    BundledMilestone,
    BundledProject,
    BundledReference,
    BundledSpecification,
    BundledSpecificationRevision,
    BundledWorkItem,
    PinnedFile,
    ProjectBundle,
)
from models.projects.bundles.bundled_files import (
    files_of,
    pinned_files_of,
    serialize_contents,
)
from models.projects.discussion.rows import CommentRow, ExternalReferenceRow
from models.projects.documents.linking.aliases import aliases_of
from models.projects.documents.paths import page_address
from models.projects.documents.rows import (
    DOCUMENTS,
    DocumentRevisionRow,
    DocumentRow,
)
from models.projects.members.members import ProjectMember
from models.projects.members.rows import MemberRow
from models.projects.planning.labels import Label
from models.projects.planning.rows import LabelRow, MilestoneRow
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow
from models.projects.specifications.rows import SPECIFICATIONS
from models.projects.versioning.versioned import BATCH_SIZE, Versioned
from models.projects.work.links import load_links
from models.projects.work.relationships import WorkRelationship
from models.projects.work.rows import WorkItemRow, WorkLabelRow, WorkRelationshipRow

# Heads or revisions whose contents are read together; each content may have half a
# million characters.
CONTENT_BATCH_SIZE = 8


def all_projects() -> list[ProjectRow]:
    """Return all projects, archived or not, by slug."""
    return list(ProjectRow.select().order_by(ProjectRow.slug))


def global_labels() -> Iterator[Schema]:
    query = LabelRow.select().where(LabelRow.project.is_null())
    return map(Label.model_validate, query.order_by(LabelRow.name).iterator())


def _bundle_contents(
    project: ProjectRow, *, with_activity: bool, with_files: bool
) -> dict[str, Iterator[Schema]]:
    """
    Return iterators over the content of a project, by field of its bundle.

    Rows are read and validated one by one, since a row takes more memory than its
    schema.
    """
    activity = _rows(ActivityRow, project) if with_activity else ()
    files = files_of(project) if with_files else ()
    pinned_files = pinned_files_of(project) if with_files else ()
    sources: dict[str, tuple[type[Schema], Iterable[Any]]] = {
        "membership": (ProjectMember, _rows(MemberRow, project)),
        "labels": (BundledLabel, _labels(project)),
        "milestones": (BundledMilestone, _rows(MilestoneRow, project)),
        "work": (BundledWorkItem, _work(project)),
        "relationships": (WorkRelationship, _relationships(project)),
        "specifications": (BundledSpecification, _heads(SPECIFICATIONS, project)),
        "specification_revisions": (
            BundledSpecificationRevision,
            _revisions(SPECIFICATIONS, project),
        ),
        "documents": (BundledDocument, _heads(DOCUMENTS, project)),
        "document_revisions": (BundledDocumentRevision, _revisions(DOCUMENTS, project)),
        "aliases": (BundledAlias, _aliases(project)),
        "files": (BundledFile, files),
        "pinned_files": (PinnedFile, pinned_files),
        "comments": (BundledComment, _rows(CommentRow, project)),
        "references": (BundledReference, _rows(ExternalReferenceRow, project)),
        "activity": (BundledActivity, activity),
    }
    return {
        name: map(schema.model_validate, rows)
        for name, (schema, rows) in sources.items()
    }


def serialize_bundle(
    project: ProjectRow,
    now: datetime,
    *,
    with_activity: bool = True,
    with_files: bool = True,
) -> Iterator[str]:
    """Yield the JSON of a project's bundle in pieces."""
    header = {
        "format": "projects-bundle",
        "version": 1,
        "exportedAt": format_moment(now),
        "project": BundledProject.model_validate(project).to_json(),
    }
    yield json.dumps(header, ensure_ascii=False)[:-1]
    contents = _bundle_contents(
        project, with_activity=with_activity, with_files=with_files
    )
    for name, entities in contents.items():
        yield f',\n"{ProjectBundle.model_fields[name].alias}": ['
        separator = "\n"
        for entity in entities:
            yield separator + entity.model_dump_json(by_alias=True)
            separator = ",\n"
        yield "]"
    yield ',\n"fileContents": ['
    if with_files:
        yield from serialize_contents(project)
    yield "]}\n"


def documents_with_aliases(
    project: ProjectRow,
) -> Iterator[tuple[DocumentRow, list[str]]]:
    """Yield the heads of all documents with the addresses that redirect to them."""
    aliases = aliases_of(project)
    for document in _rows(DocumentRow, project):
        own = page_address(document.collection, document.path)
        addresses = [row.address for row in aliases.get(document.id, ())]
        yield document, [address for address in addresses if address != own]


def document_revisions(
    project: ProjectRow,
) -> Iterator[tuple[DocumentRow, DocumentRevisionRow]]:
    """Yield every revision of every document, with its head."""
    heads = {head.id: head for head in _rows(DocumentRow, project)}
    for revision in _revisions(DOCUMENTS, project):
        yield heads[revision.document_id], revision


def _rows(model: Any, project: ProjectRow) -> Iterator[Any]:
    """Yield the project's rows in the order of their creation."""
    rows = model.select().where(model.project == project.id)
    is_numbered = model in (MemberRow, WorkItemRow, ActivityRow)
    order = [model.number] if is_numbered else [model.created_at, model.id]
    yield from rows.order_by(*order).iterator()


def _aliases(project: ProjectRow) -> Iterator[Any]:
    for rows in aliases_of(project).values():
        yield from rows


def _labels(project: ProjectRow) -> Iterator[LabelRow]:
    """Yield the labels of the project, and the global labels of its work items."""
    used = (
        WorkLabelRow.select(WorkLabelRow.label)
        .join(WorkItemRow)
        .where(WorkItemRow.project == project.id)
    )
    is_global = LabelRow.project.is_null()
    is_included = (LabelRow.project == project.id) | (is_global & LabelRow.id.in_(used))
    yield from LabelRow.select().where(is_included).order_by(LabelRow.name, LabelRow.id)


def _work(project: ProjectRow) -> Iterator[WorkItemRow]:
    for batch in chunked(_rows(WorkItemRow, project), BATCH_SIZE):
        yield from load_links(batch)


def _relationships(project: ProjectRow) -> Iterator[WorkRelationshipRow]:
    """Yield the relationships with at least one end in the project."""
    row: Any = WorkRelationshipRow
    items = WorkItemRow.select(WorkItemRow.id).where(WorkItemRow.project == project.id)
    has_end = row.source.in_(items) | row.target.in_(items)
    yield from row.select().where(has_end).order_by(row.number).iterator()


def _revisions(kind: Versioned[Any, Any], project: ProjectRow) -> Iterator[Any]:
    """
    Yield all revisions of a kind, by head and version.

    Their contents are read in batches: PostgreSQL would send those of all rows at once.
    """
    heads, model = kind.head_model, kind.revision_model
    columns = [c for c in model._meta.sorted_fields if c.name != "content"]
    ids = heads.select(heads.id).where(heads.project == project.id)
    query = model.select(*columns).where(kind.head_column.in_(ids))
    rows = query.order_by(kind.head_column, model.version).iterator()
    for batch in chunked(rows, CONTENT_BATCH_SIZE):
        in_batch = model.id.in_([revision.id for revision in batch])
        contents = dict(model.select(model.id, model.content).where(in_batch).tuples())
        for revision in batch:
            revision.content = contents[revision.id]
            yield revision


def _heads(kind: Versioned[Any, Any], project: ProjectRow) -> Iterator[Any]:
    """Yield the heads of a kind with their contents."""
    model = kind.head_model
    for batch in chunked(_rows(model, project), CONTENT_BATCH_SIZE):
        contents = kind.contents_of([head.id for head in batch], model.version)
        for head in batch:
            head.content = contents[head.id]
            yield head
