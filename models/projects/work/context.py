"""A work item with all that one needs to begin: its context in one answer."""

from typing import Any

from models.base import Schema
from models.fields import Id, QueryBoolean
from models.projects.discussion.comments import Comment
from models.projects.discussion.references import ExternalReference
from models.projects.discussion.rows import CommentRow, ExternalReferenceRow
from models.projects.planning.labels import Label
from models.projects.planning.milestones import Milestone
from models.projects.planning.rows import LabelRow
from models.projects.projects.activity import ActivityRow, ProjectActivity
from models.projects.projects.projects import Project
from models.projects.specifications.rows import SPECIFICATIONS, SpecificationRow
from models.projects.specifications.specifications import Specification
from models.projects.work.blockers import WAITING, open_blockers
from models.projects.work.items import WorkItem, WorkStatus
from models.projects.work.links import SpecRelationship, with_ties
from models.projects.work.relationships import WorkRelationship
from models.projects.work.rows import WorkItemRow, WorkRelationshipRow, work_item_with

# So much of what was said and done is told; the lists have the rest.
LAST = 20


class GetWorkContext(Schema):
    id: Id
    with_content: QueryBoolean = False


class LinkedSpecification(Schema):
    relationship: SpecRelationship
    specification: Specification


class OpenBlocker(Schema):
    id: Id
    project_id: Id
    number: int
    title: str
    status: WorkStatus


class WorkContext(Schema):
    work: WorkItem
    project: Project
    milestone: Milestone | None
    labels: list[Label]
    specifications: list[LinkedSpecification]
    relationships: list[WorkRelationship]
    open_blockers: list[OpenBlocker]
    ready: bool
    references: list[ExternalReference]
    comments: list[Comment]
    activity: list[ProjectActivity]


def context_of(query: GetWorkContext) -> dict[str, Any]:
    """Return the item with what it hangs on, what hangs on it, and what was said."""
    [item] = with_ties([work_item_with(query.id)])
    blockers = open_blockers(item)
    is_waiting = item.status in WAITING and item.archived_at is None
    return {
        "work": item,
        "project": item.project,
        "milestone": item.milestone,
        "labels": _by_id(LabelRow, item.label_ids),
        "specifications": _specifications(item, with_content=query.with_content),
        "relationships": _relationships(item),
        "open_blockers": blockers,
        "ready": is_waiting and not blockers,
        "references": _of(item, ExternalReferenceRow, ExternalReferenceRow.id.asc()),
        "comments": _of(item, CommentRow, CommentRow.id.desc(), LAST)[::-1],
        "activity": _of(item, ActivityRow, ActivityRow.number.desc(), LAST),
    }


def _by_id(row: Any, ids: list[str]) -> list[Any]:
    """Return the rows in the order of the ids."""
    found = {each.id: each for each in row.select().where(row.id.in_(ids))}
    return [found[id] for id in ids]


def _specifications(item: WorkItemRow, *, with_content: bool) -> list[dict[str, Any]]:
    ids = list(dict.fromkeys(link.specification_id for link in item.specifications))
    rows = {row.id: row for row in _by_id(SpecificationRow, ids)}
    texts = {}
    if with_content:
        texts = SPECIFICATIONS.contents_of(ids, SpecificationRow.version)
    for id, row in rows.items():
        row.content = texts.get(id, "")
    return [
        {
            "relationship": link.relationship,
            "specification": rows[link.specification_id],
        }
        for link in item.specifications
    ]


def _relationships(item: WorkItemRow) -> list[WorkRelationshipRow]:
    row = WorkRelationshipRow
    of_item = (row.source == item.id) | (row.target == item.id)
    return list(row.select().where(of_item).order_by(row.number))


def _of(item: WorkItemRow, row: Any, order: Any, most: int | None = None) -> list[Any]:
    about = (row.entity_type == "work") & (row.entity_id == item.id)
    return list(row.select().where(about).order_by(order).limit(most))
