"""Return a work item with everything that one needs to start working on it."""

from typing import Annotated, Any

from pydantic import Field

from models.base import Schema
from models.fields import ID, STATUS, Id, QueryBoolean
from models.projects import descriptions
from models.projects.discussion.comments import Comment
from models.projects.discussion.references import ExternalReference
from models.projects.discussion.rows import CommentRow, ExternalReferenceRow
from models.projects.fields import ProjectId
from models.projects.planning.labels import Label
from models.projects.planning.milestones import Milestone
from models.projects.planning.rows import LabelRow
from models.projects.projects.activity import ActivityRow, ProjectActivity
from models.projects.projects.projects import Project
from models.projects.specifications.rows import SPECIFICATIONS, SpecificationRow
from models.projects.specifications.specifications import Specification
from models.projects.work.blockers import NOT_STARTED_STATUSES, open_blockers
from models.projects.work.items import WorkItem, WorkStatus
from models.projects.work.links import SpecRelationship, load_links
from models.projects.work.relationships import WorkRelationship
from models.projects.work.rows import WorkItemRow, WorkRelationshipRow, work_item_with

# How many of the latest comments and activity records are included.
MAX_LATEST = 20


class GetWorkContext(Schema):
    id: Annotated[Id, ID]
    with_content: QueryBoolean = Field(
        default=False,
        description="Whether to include the content of specifications.",
        examples=[True],
    )


class LinkedSpecification(Schema):
    relationship: Annotated[SpecRelationship, descriptions.RELATIONSHIP]
    specification: Specification = Field(description="The specification.")


class OpenBlocker(Schema):
    id: Annotated[Id, ID]
    project_id: ProjectId
    number: Annotated[int, descriptions.NUMBER]
    title: Annotated[str, descriptions.TITLE]
    status: Annotated[WorkStatus, STATUS]


class WorkContext(Schema):
    work: Annotated[WorkItem, descriptions.WORK]
    project: Annotated[Project, descriptions.PROJECT]
    milestone: Milestone | None = Field(description="The milestone.")
    labels: list[Label] = Field(description="The labels.")
    specifications: Annotated[
        list[LinkedSpecification], descriptions.LINKED_SPECIFICATIONS
    ]
    relationships: list[WorkRelationship] = Field(
        description="The relationships of the work item."
    )
    open_blockers: list[OpenBlocker] = Field(
        description="The open work items that block it."
    )
    ready: bool = Field(
        description="Whether work can begin: it is waiting, and nothing blocks it."
    )
    references: list[ExternalReference] = Field(description="The external references.")
    comments: list[Comment] = Field(description="The comments.")
    activity: list[ProjectActivity] = Field(description="The latest activity.")


def work_context(query: GetWorkContext) -> dict[str, Any]:
    """Return the fields of WorkContext."""
    [item] = load_links([work_item_with(query.id)])
    blockers = open_blockers(item)
    is_waiting = item.status in NOT_STARTED_STATUSES and item.archived_at is None
    references = ExternalReferenceRow
    comments = _attached(item, CommentRow, CommentRow.id.desc(), MAX_LATEST)
    return {
        "work": item,
        "project": item.project,
        "milestone": item.milestone,
        "labels": _rows_by_id(LabelRow, item.label_ids),
        "specifications": _specifications(item, with_content=query.with_content),
        "relationships": _relationships(item),
        "open_blockers": blockers,
        "ready": is_waiting and not blockers,
        "references": _attached(item, references, references.id.asc()),
        "comments": comments[::-1],
        "activity": _attached(item, ActivityRow, ActivityRow.number.desc(), MAX_LATEST),
    }


def _rows_by_id(model: Any, ids: list[str]) -> list[Any]:
    """Return the rows in the order of the ids."""
    rows = {row.id: row for row in model.select().where(model.id.in_(ids))}
    return [rows[id] for id in ids]


def _specifications(item: WorkItemRow, *, with_content: bool) -> list[dict[str, Any]]:
    ids = list(dict.fromkeys(link.specification_id for link in item.specifications))
    rows = {row.id: row for row in _rows_by_id(SpecificationRow, ids)}
    contents = {}
    if with_content:
        contents = SPECIFICATIONS.contents_of(ids, SpecificationRow.version)
    for id, row in rows.items():
        row.content = contents.get(id, "")
    return [
        {
            "relationship": link.relationship,
            "specification": rows[link.specification_id],
        }
        for link in item.specifications
    ]


def _relationships(item: WorkItemRow) -> list[WorkRelationshipRow]:
    row = WorkRelationshipRow
    is_end = (row.source == item.id) | (row.target == item.id)
    return list(row.select().where(is_end).order_by(row.number))


def _attached(
    item: WorkItemRow, model: Any, order: Any, limit: int | None = None
) -> list[Any]:
    """Return the model's rows that are attached to the item."""
    is_attached = (model.entity_type == "work") & (model.entity_id == item.id)
    return list(model.select().where(is_attached).order_by(order).limit(limit))
