"""The register of work items: listed by what is asked of them."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from models.pagination import CursorQuery, Page, Sort, ascending, page_of
from models.projects.matching import RANK, match_of, matches
from models.projects.project import ProjectRow, project_asked
from models.projects.rarity import unindexed
from models.projects.specifications import SpecificationStatus
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
from models.projects.work_filters import Narrowed, among, conditions
from models.projects.work_item import RankField, WorkItemRow
from models.projects.work_items import Bucket, Priority, WorkStatus, WorkType
from models.words import Flag, Id, Moment

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
    narrowed = list(conditions(asked, by))
    match = match_of(asked.q) if asked.q is not None else None
    if asked.q is not None and match is None:
        return Page([], {"cursor": None})
    query, sorts = WorkItemRow.select(), _sorts(asked)
    if match is not None and asked.sort == "relevance":
        query, sorts = _ranked(match, asked)
    elif match is not None:
        narrowed.append(_matching(match))
    of_project = _of_projects(asked, is_few=any(each.is_few for each in narrowed))
    for condition in (*of_project, *(each.where for each in narrowed)):
        query = query.where(condition)
    page = page_of(query, asked, *sorts)
    with_ties(page.items)
    return page


def _of_projects(asked: ListWorkItems, *, is_few: bool) -> list[Any]:
    """Narrow to the project; where a few items are named, these are looked up."""
    project = project_asked(asked)
    if project is not None:
        field = WorkItemRow.project
        return [(unindexed(field) if is_few else field) == project.id]
    if asked.archived != "exclude":
        return []
    # Told by what is left out: the items then stay in the order of an index.
    archived = ProjectRow.select(ProjectRow.id).where(
        ProjectRow.archived_at.is_null(False)
    )
    return [WorkItemRow.project.not_in(archived)]


def _sorts(asked: ListWorkItems) -> tuple[Sort, ...]:
    """Down is from the newest, the highest number, the most urgent, the nearest."""
    if asked.sort == "relevance":
        return ()
    field = SORTS[asked.sort]
    order = asked.order
    if isinstance(field, RankField):
        order = "asc" if order == "desc" else "desc"
    return sorted_by(field, order, WorkItemRow.id)


def _matching(match: str) -> Narrowed:
    found = matches(match)
    texts = IndexedTextRow.select(IndexedTextRow.entity_id).join(
        found, on=(found.c.row == IndexedTextRow.number)
    )
    return among(texts, IndexedTextRow.entity_id)


def _ranked(match: str, asked: ListWorkItems) -> tuple[Any, tuple[Sort, ...]]:
    """The best come first, unless the order says else."""
    found = matches(match, RANK)
    query = (
        WorkItemRow.select(WorkItemRow, found.c.rank.alias("rank"))
        .join(IndexedTextRow, on=(IndexedTextRow.entity_id == WorkItemRow.id))
        .join(found, on=(found.c.row == IndexedTextRow.number))
        .objects()
    )
    best = Sort(found.c.rank, lambda row: row.rank, descending=asked.order == "asc")
    return query, (best, ascending(WorkItemRow.id))
