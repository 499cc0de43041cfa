"""Exporting a project: all of it as one object, which import takes in again."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from peewee import fn

from models.base import Shape
from models.errors import PayloadTooLarge
from models.projects.activity import ActivityRow
from models.projects.bundle import (
    MOST_BYTES,
    BundledActivity,
    BundledComment,
    BundledDocument,
    BundledDocumentRevision,
    BundledLabel,
    BundledMilestone,
    BundledReference,
    BundledSpecification,
    BundledSpecificationRevision,
    BundledWorkItem,
    ProjectBundle,
)
from models.projects.comment import CommentRow
from models.projects.document import DOCUMENTS, DocumentRevisionRow
from models.projects.label import LabelRow
from models.projects.members import MemberRow, require_role
from models.projects.membership import ProjectMember
from models.projects.milestone import MilestoneRow
from models.projects.project import ProjectRow, project_with
from models.projects.reference import ExternalReferenceRow
from models.projects.relationships import WorkRelationship
from models.projects.specification import SPECIFICATIONS, SpecificationRevisionRow
from models.projects.ties import with_ties
from models.projects.versioned import AT_ONCE, Versioned
from models.projects.words import By
from models.projects.work_item import WorkItemRow, WorkLabelRow, WorkRelationshipRow
from models.words import Flag, Id

# Room for the slug, the name and the owner that an import says beside the bundle.
ASIDE = 4096
# No row is told in fewer bytes, whatever is in it: its ids and its members' names.
LEAST_OF_ROW = 150

# Where long texts stand, and the column that leads to their project.
TEXTS: tuple[tuple[Any, Any], ...] = (
    (WorkItemRow.description, WorkItemRow.project),
    (CommentRow.content, CommentRow.project),
    (SpecificationRevisionRow.content, SpecificationRevisionRow.specification),
    (DocumentRevisionRow.content, DocumentRevisionRow.document),
)
ACTIVITY: tuple[Any, Any] = (ActivityRow.metadata, ActivityRow.project)


class ExportProject(Shape):
    id: Id
    activity: Flag = True


def project_exported(asked: ExportProject, now: datetime, by: By) -> ProjectBundle:
    """Return all of the project, archived or not; refuse what import would not take."""
    project = project_with(asked.id)
    require_role(project, by, "projects:export")
    most = MOST_BYTES - ASIDE
    texts = (*TEXTS, ACTIVITY) if asked.activity else TEXTS
    if _least_bytes(project, texts) > most:
        raise _too_large()
    bundle = ProjectBundle.model_validate(
        {
            "format": "projects-bundle",
            "version": 1,
            "exported_at": now,
            "project": project,
            "activity": _activity(project) if asked.activity else [],
            **_held(project),
        }
    )
    if len(bundle.model_dump_json(by_alias=True).encode()) > most:
        raise _too_large()
    return bundle


def _held(project: ProjectRow) -> dict[str, list[Any]]:
    specified = _poured(BundledSpecificationRevision, _kept(SPECIFICATIONS, project))
    documented = _poured(BundledDocumentRevision, _kept(DOCUMENTS, project))
    specifications = _heads(SPECIFICATIONS, project, specified)
    documents = _heads(DOCUMENTS, project, documented)
    return {
        "membership": _poured(ProjectMember, _all(MemberRow, project)),
        "labels": _poured(BundledLabel, _labels(project)),
        "milestones": _poured(BundledMilestone, _all(MilestoneRow, project)),
        "work": _poured(BundledWorkItem, _work(project)),
        "relationships": _poured(WorkRelationship, _relationships(project)),
        "specifications": _poured(BundledSpecification, specifications),
        "specification_revisions": specified,
        "documents": _poured(BundledDocument, documents),
        "document_revisions": documented,
        "comments": _poured(BundledComment, _all(CommentRow, project)),
        "references": _poured(BundledReference, _all(ExternalReferenceRow, project)),
    }


def _poured(shape: type[Shape], rows: Iterable[Any]) -> list[Any]:
    """Return the rows as shapes, one by one: a row takes more memory than those."""
    return [shape.model_validate(row) for row in rows]


def _activity(project: ProjectRow) -> list[Any]:
    return _poured(BundledActivity, _all(ActivityRow, project))


def _all(row: Any, project: ProjectRow) -> Iterator[Any]:
    """Yield the project's rows in the order in which they came to be."""
    of_project = row.select().where(row.project == project.id)
    is_numbered = row in (MemberRow, WorkItemRow, ActivityRow)
    order = [row.number] if is_numbered else [row.created_at, row.id]
    return iter(of_project.order_by(*order).iterator())


def _labels(project: ProjectRow) -> Iterable[LabelRow]:
    """Return the project's labels, and of the global ones those that its items have."""
    used = (
        WorkLabelRow.select(WorkLabelRow.label)
        .join(WorkItemRow)
        .where(WorkItemRow.project == project.id)
    )
    is_global = LabelRow.project.is_null()
    ours = (LabelRow.project == project.id) | (is_global & LabelRow.id.in_(used))
    return LabelRow.select().where(ours).order_by(LabelRow.name, LabelRow.id)


def _work(project: ProjectRow) -> Iterator[WorkItemRow]:
    items = _all(WorkItemRow, project)
    while some := list(islice(items, AT_ONCE)):
        yield from with_ties(some)


def _relationships(project: ProjectRow) -> Iterable[WorkRelationshipRow]:
    """Return those with an end in the project; import drops what has only one."""
    row: Any = WorkRelationshipRow
    ours = WorkItemRow.select(WorkItemRow.id).where(WorkItemRow.project == project.id)
    has_end = row.source.in_(ours) | row.target.in_(ours)
    return iter(row.select().where(has_end).order_by(row.number).iterator())


def _kept(kind: Versioned[Any, Any], project: ProjectRow) -> Iterator[Any]:
    """Yield the revisions of everything of the kind."""
    ours = kind.head.select(kind.head.id).where(kind.head.project == project.id)
    query = kind.kept.select().where(kind.of.in_(ours))
    return iter(query.order_by(kind.of, kind.kept.version).iterator())


def _heads(
    kind: Versioned[Any, Any], project: ProjectRow, revisions: list[Any]
) -> Iterator[Any]:
    """Yield the heads with the text of their newest revision."""
    name = f"{kind.noun}_id"
    texts = {(getattr(each, name), each.version): each.content for each in revisions}
    for head in _all(kind.head, project):
        head.content = texts[head.id, head.version]
        yield head


def _least_bytes(project: ProjectRow, texts: Iterable[tuple[Any, Any]]) -> int:
    """Return what the bundle has at least, before anything long is read."""
    total = 0
    for text, of in texts:
        length = fn.COALESCE(fn.SUM(fn.LENGTH(text)), 0) + fn.COUNT() * LEAST_OF_ROW
        holder = of.rel_model
        ours = holder.select(holder.id).where(_is_of(holder, project))
        total += text.model.select(length).where(of.in_(ours)).scalar()
    return total


def _is_of(holder: Any, project: ProjectRow) -> Any:
    key = holder.id if holder is ProjectRow else holder.project
    return key == project.id


def _too_large() -> PayloadTooLarge:
    most = MOST_BYTES - ASIDE
    return PayloadTooLarge(
        f"The bundle would have more than {most} bytes. Without the activity it may"
        " be small enough.",
        limitBytes=most,
    )
