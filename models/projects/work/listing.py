"""The register of work items: listed by what is asked of them."""

from functools import reduce
from typing import Annotated, Any, Literal

from peewee import SQL, fn
from pydantic import Field, model_validator

from models.fields import Id, Moment, QueryBoolean
from models.pagination import CursorQuery, Page, Sort, cursor_page
from models.projects.fields import (
    AccountOrMe,
    Actor,
    Archived,
    Commas,
    OfProject,
    Order,
    sorted_by,
)
from models.projects.projects.rows import ProjectRow, project_asked
from models.projects.search.ranking import ranked_page
from models.projects.search.search_query import match_expression, matching_numbers
from models.projects.search.text_index import IndexedTextRow
from models.projects.specifications.specifications import SpecificationStatus
from models.projects.work.filters import Narrowed, conditions
from models.projects.work.items import Bucket, Priority, WorkStatus, WorkType
from models.projects.work.links import SpecRelationship, with_ties
from models.projects.work.rows import RankField, WorkItemRow
from models.projects.work.selectivity import are_few, unindexed

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
    blocked: QueryBoolean | None = None
    ready: QueryBoolean | None = None
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


def work_items_listed(query: ListWorkItems, actor: Actor) -> Page[WorkItemRow]:
    """Return a page; without a project, none of an archived one unless asked."""
    narrowed = list(conditions(query, actor))
    match = match_expression(query.q) if query.q is not None else None
    if query.q is not None and match is None:
        return Page([], {"cursor": None})
    if match is not None and query.sort != "relevance":
        narrowed.append(_matching(match))
    of_project = _of_projects(query, is_few=any(each.is_few for each in narrowed))
    where = [*of_project, *(each.where for each in narrowed)]
    if match is not None and query.sort == "relevance":
        page = _by_relevance(match, query, where)
    else:
        page = cursor_page(_items(where), query, *_sorts(query))
    with_ties(page.items)
    return page


def _items(where: list[Any]) -> Any:
    return reduce(lambda query, each: query.where(each), where, WorkItemRow.select())


def _of_projects(query: ListWorkItems, *, is_few: bool) -> list[Any]:
    """Narrow to the project; where a few items are named, these are looked up."""
    project = project_asked(query)
    if project is not None:
        field = WorkItemRow.project
        return [(unindexed(field) if is_few else field) == project.id]
    if query.archived != "exclude":
        return []
    # Told by what is left out: the items then stay in the order of an index.
    archived = ProjectRow.select(ProjectRow.id).where(
        ProjectRow.archived_at.is_null(False)
    )
    return [WorkItemRow.project.not_in(archived)]


def _sorts(query: ListWorkItems) -> tuple[Sort, ...]:
    """Down is from the newest, the highest number, the most urgent, the nearest."""
    field = SORTS[query.sort]
    order = query.order
    if isinstance(field, RankField):
        order = "asc" if order == "desc" else "desc"
    return sorted_by(field, order, WorkItemRow.id)


def _matching(match: str) -> Narrowed:
    """What few items have is looked up; what has common words is noted once."""
    text, found = IndexedTextRow, matching_numbers(match)
    texts = text.select(text.entity_id).where(text.number.in_(found))
    if are_few(found):
        return Narrowed(WorkItemRow.id.in_(texts), is_few=True)
    return Narrowed(fn.EXISTS(texts.where(text.entity_id == WorkItemRow.id)))


def _by_relevance(
    match: str, query: ListWorkItems, where: list[Any]
) -> Page[WorkItemRow]:
    text, work = IndexedTextRow, WorkItemRow
    item = work.select(SQL("1")).where(work.id == text.entity_id, *where)
    numbers, cursor = ranked_page(match, query, [fn.EXISTS(item)], query.order)
    named = text.select(text.number, text.entity_id).where(text.number.in_(numbers))
    found = {each.number: each.entity_id for each in named}
    ids = [found[number] for number in numbers]
    items = {each.id: each for each in work.select().where(work.id.in_(ids))}
    return Page([items[id] for id in ids], {"cursor": cursor})
