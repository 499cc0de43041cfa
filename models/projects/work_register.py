"""The register of work items: listed by what is asked of them."""

from typing import Annotated, Any, Literal

from peewee import SQL
from pydantic import Field, model_validator

from models.pagination import CursorQuery, Page, Sort, ascending, page_of
from models.projects.matching import match_of, ranked
from models.projects.project import ProjectRow, project_asked
from models.projects.text_index import IndexedTextRow
from models.projects.ties import SpecRelationship, with_ties
from models.projects.words import (
    AccountOrMe,
    Archived,
    By,
    Commas,
    OfProject,
    Order,
    sorted_by,
)
from models.projects.work_filters import conditions
from models.projects.work_item import RankField, WorkItemRow
from models.projects.work_items import Bucket, Priority, WorkStatus, WorkType
from models.words import Flag, Id, Moment

SpecificationStatus = Literal[
    "draft", "review", "approved", "implemented", "superseded"
]
WorkSort = Literal[
    "updatedAt", "createdAt", "number", "dueAt", "priority", "bucket", "relevance"
]


class ListWorkItems(OfProject, CursorQuery):
    type: Commas[WorkType] | None = None
    status: Commas[WorkStatus] | None = None
    priority: Commas[Priority] | None = None
    bucket: Commas[Bucket] | None = None
    assignee_id: Literal["none"] | AccountOrMe | None = None
    creator_id: Id | None = None
    label_id: Commas[Id] | None = None
    label_mode: Literal["all", "any"] = "all"
    milestone_id: Literal["none"] | Id | None = None
    specification_id: Id | None = None
    spec_relationship: SpecRelationship | None = None
    specification_status: Commas[SpecificationStatus] | None = None
    blocked: Flag | None = None
    ready: Flag | None = None
    due_after: Moment | None = None
    due_before: Moment | None = None
    created_after: Moment | None = None
    created_before: Moment | None = None
    updated_after: Moment | None = None
    updated_before: Moment | None = None
    completed_after: Moment | None = None
    completed_before: Moment | None = None
    archived: Archived = "exclude"
    q: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    sort: WorkSort = "updatedAt"
    order: Order = "desc"

    @model_validator(mode="after")
    def _ranks_what_is_sought(self) -> "ListWorkItems":
        if self.sort == "relevance" and self.q is None:
            raise ValueError("Sort by relevance goes with q.")
        return self


SORTS = {
    "updatedAt": WorkItemRow.updated_at,
    "createdAt": WorkItemRow.created_at,
    "number": WorkItemRow.number,
    "dueAt": WorkItemRow.due_at,
    "priority": WorkItemRow.priority,
    "bucket": WorkItemRow.bucket,
}


def work_items_listed(asked: ListWorkItems, by: By) -> Page[WorkItemRow]:
    """Return a page; without a project, none of an archived one unless asked."""
    query = WorkItemRow.select()
    project = project_asked(asked)
    if project is not None:
        query = query.where(WorkItemRow.project == project.id)
    elif asked.archived == "exclude":
        # Told by what is left out: the items then stay in the order of an index.
        archived = ProjectRow.select(ProjectRow.id).where(
            ProjectRow.archived_at.is_null(False)
        )
        query = query.where(WorkItemRow.project.not_in(archived))
    for condition in conditions(asked, by):
        query = query.where(condition)
    sorts = _sorts(asked)
    if asked.q is not None:
        query, sorts = _sought(query, asked, sorts)
    page = page_of(query, asked, *sorts)
    with_ties(page.items)
    return page


def _sorts(asked: ListWorkItems) -> tuple[Sort, ...]:
    """Down is from the newest, the highest number, the most urgent, the nearest."""
    if asked.sort == "relevance":
        return ()
    field = SORTS[asked.sort]
    order = asked.order
    if isinstance(field, RankField):
        order = "asc" if order == "desc" else "desc"
    return sorted_by(field, order, WorkItemRow.id)


def _sought(
    query: Any, asked: ListWorkItems, sorts: tuple[Sort, ...]
) -> tuple[Any, tuple[Sort, ...]]:
    """Narrow to the items with these words; by relevance the best come first."""
    match = match_of(asked.q or "")
    if match is None:
        return query.where(SQL("0")), sorts or (ascending(WorkItemRow.id),)
    found = ranked(match)
    on = found.c.row == IndexedTextRow.number
    if sorts:
        within = IndexedTextRow.select(IndexedTextRow.entity_id).join(found, on=on)
        return query.where(WorkItemRow.id.in_(within)), sorts
    joined = (
        query.select(WorkItemRow, found.c.rank.alias("rank"))
        .join(IndexedTextRow, on=(IndexedTextRow.entity_id == WorkItemRow.id))
        .join(found, on=on)
        .objects()
    )
    best = Sort(found.c.rank, lambda row: row.rank, descending=asked.order == "asc")
    return joined, (best, ascending(WorkItemRow.id))
