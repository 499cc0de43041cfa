"""All that a project holds, thing by thing, in the shapes of its bundle."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from peewee import chunked

from models.base import Schema
from models.fields import format_moment
from models.projects.bundles.bundle import (
    BundledActivity,
    BundledComment,
    BundledDocument,
    BundledDocumentRevision,
    BundledLabel,
    BundledMilestone,
    BundledProject,
    BundledReference,
    BundledSpecification,
    BundledSpecificationRevision,
    BundledWorkItem,
    ProjectBundle,
)
from models.projects.discussion.rows import CommentRow, ExternalReferenceRow
from models.projects.documents.rows import (
    DOCUMENTS,
    DocumentRevisionRow,
    DocumentRow,
    FormerAddressRow,
)
from models.projects.members.members import ProjectMember
from models.projects.members.role_checks import MemberRow
from models.projects.planning.labels import Label
from models.projects.planning.rows import LabelRow, MilestoneRow
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow
from models.projects.specifications.rows import SPECIFICATIONS
from models.projects.versioning.versioned import AT_ONCE, Versioned
from models.projects.work.links import with_ties
from models.projects.work.relationships import WorkRelationship
from models.projects.work.rows import WorkItemRow, WorkLabelRow, WorkRelationshipRow

# Texts that are read together: each may have half a million characters.
TEXTS_AT_ONCE = 50


def projects_held() -> list[ProjectRow]:
    """Return every project, archived or not."""
    return list(ProjectRow.select().order_by(ProjectRow.slug))


def global_labels() -> Iterator[Schema]:
    query = LabelRow.select().where(LabelRow.project.is_null())
    return map(Label.model_validate, query.order_by(LabelRow.name).iterator())


def things_in(
    project: ProjectRow, *, with_activity: bool = True
) -> dict[str, Iterator[Schema]]:
    """
    Return what the project holds, by the members of its bundle.

    Each is read and poured one by one as it is asked for: a row takes more memory
    than a shape.
    """
    activity = _all(ActivityRow, project) if with_activity else ()
    specified = _revisions(SPECIFICATIONS, project)
    found: dict[str, tuple[type[Schema], Iterable[Any]]] = {
        "membership": (ProjectMember, _all(MemberRow, project)),
        "labels": (BundledLabel, _labels(project)),
        "milestones": (BundledMilestone, _all(MilestoneRow, project)),
        "work": (BundledWorkItem, _work(project)),
        "relationships": (WorkRelationship, _relationships(project)),
        "specifications": (BundledSpecification, _heads(SPECIFICATIONS, project)),
        "specification_revisions": (BundledSpecificationRevision, specified),
        "documents": (BundledDocument, _heads(DOCUMENTS, project)),
        "document_revisions": (BundledDocumentRevision, _revisions(DOCUMENTS, project)),
        "comments": (BundledComment, _all(CommentRow, project)),
        "references": (BundledReference, _all(ExternalReferenceRow, project)),
        "activity": (BundledActivity, activity),
    }
    return {n: map(shape.model_validate, rows) for n, (shape, rows) in found.items()}


def told_bundle(project: ProjectRow, now: datetime) -> Iterator[str]:
    """Yield the text of the project's bundle in pieces, however long it is."""
    head = {
        "format": "projects-bundle",
        "version": 1,
        "exportedAt": format_moment(now),
        "project": BundledProject.model_validate(project).to_json(),
    }
    yield json.dumps(head, ensure_ascii=False)[:-1]
    for name, things in things_in(project).items():
        yield f',\n"{ProjectBundle.model_fields[name].alias}": ['
        comma = "\n"
        for each in things:
            yield comma + each.model_dump_json(by_alias=True)
            comma = ",\n"
        yield "]"
    yield "}\n"


def documents_of(project: ProjectRow) -> Iterator[tuple[DocumentRow, set[str]]]:
    """Yield each document, without its text, and the collections it has left."""
    left: dict[str, set[str]] = {}
    for row in FormerAddressRow.select():
        left.setdefault(row.document_id, set()).add(row.collection)
    for document in _all(DocumentRow, project):
        yield document, left.get(document.id, set())


def revisions_of(
    project: ProjectRow,
) -> Iterator[tuple[DocumentRow, DocumentRevisionRow]]:
    """Yield every revision of every document, with the head that it is of."""
    heads = {each.id: each for each in _all(DocumentRow, project)}
    for revision in _revisions(DOCUMENTS, project):
        yield heads[revision.document_id], revision


def _all(row: Any, project: ProjectRow) -> Iterator[Any]:
    """Yield the project's rows in the order in which they came to be."""
    of_project = row.select().where(row.project == project.id)
    is_numbered = row in (MemberRow, WorkItemRow, ActivityRow)
    order = [row.number] if is_numbered else [row.created_at, row.id]
    yield from of_project.order_by(*order).iterator()


def _labels(project: ProjectRow) -> Iterator[LabelRow]:
    """Yield the project's labels, and of the global ones those that its items have."""
    used = (
        WorkLabelRow.select(WorkLabelRow.label)
        .join(WorkItemRow)
        .where(WorkItemRow.project == project.id)
    )
    is_global = LabelRow.project.is_null()
    ours = (LabelRow.project == project.id) | (is_global & LabelRow.id.in_(used))
    yield from LabelRow.select().where(ours).order_by(LabelRow.name, LabelRow.id)


def _work(project: ProjectRow) -> Iterator[WorkItemRow]:
    for some in chunked(_all(WorkItemRow, project), AT_ONCE):
        yield from with_ties(some)


def _relationships(project: ProjectRow) -> Iterator[WorkRelationshipRow]:
    """Yield those with an end in the project; import drops what has only one."""
    row: Any = WorkRelationshipRow
    ours = WorkItemRow.select(WorkItemRow.id).where(WorkItemRow.project == project.id)
    has_end = row.source.in_(ours) | row.target.in_(ours)
    yield from row.select().where(has_end).order_by(row.number).iterator()


def _revisions(kind: Versioned[Any, Any], project: ProjectRow) -> Iterator[Any]:
    """Yield the revisions of everything of the kind."""
    ours = kind.head.select(kind.head.id).where(kind.head.project == project.id)
    query = kind.kept.select().where(kind.of.in_(ours))
    yield from query.order_by(kind.of, kind.kept.version).iterator()


def _heads(kind: Versioned[Any, Any], project: ProjectRow) -> Iterator[Any]:
    """Yield the heads with the text of their newest revision."""
    for some in chunked(_all(kind.head, project), TEXTS_AT_ONCE):
        texts = kind.contents_of([each.id for each in some], kind.head.version)
        for head in some:
            head.content = texts[head.id]
            yield head
