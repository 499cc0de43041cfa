"""List work items, sorted by a field or by the relevance of their text."""

from functools import reduce
from typing import Any

from peewee import SQL, fn

from models.pagination import Page, Sort, cursor_page
from models.projects.fields import Actor, sort_keys
from models.projects.projects.rows import archived_projects, requested_project
from models.projects.search.ranking import ranked_page
from models.projects.search.search_query import match_expression, matching_numbers
from models.projects.search.text_index import IndexedTextRow
from models.projects.work.filters import (
    Filter,
    ListWorkItems,
    is_selective,
    without_index,
    work_item_filters,
)
from models.projects.work.links import load_links
from models.projects.work.rows import WorkItemRow


def list_work_items(query: ListWorkItems, actor: Actor) -> Page[WorkItemRow]:
    """
    Return a page of work items with their links.

    Without a project, leave out the items of archived projects unless the query
    includes archived items.
    """
    filters = list(work_item_filters(query, actor))
    match = match_expression(query.q) if query.q is not None else None
    if query.q is not None and match is None:
        return Page([], {"cursor": None})
    is_by_relevance = query.sort == "relevance"
    if match is not None and not is_by_relevance:
        filters.append(_text_filter(match))
    has_selective = any(filter.is_selective for filter in filters)
    conditions = [
        *_project_conditions(query, has_selective=has_selective),
        *(filter.condition for filter in filters),
    ]
    if match is not None and is_by_relevance:
        page = _page_by_relevance(match, query, conditions)
    else:
        rows = reduce(
            lambda rows, condition: rows.where(condition),
            conditions,
            WorkItemRow.select(),
        )
        page = cursor_page(rows, query, *_sort_keys(query))
    load_links(page.items)
    return page


def _project_conditions(query: ListWorkItems, *, has_selective: bool) -> list[Any]:
    """Restrict the items to the project, without its index if another is selective."""
    project = requested_project(query)
    if project is not None:
        field = WorkItemRow.project
        return [(without_index(field) if has_selective else field) == project.id]
    if query.archived != "exclude":
        return []
    # NOT IN the archived projects, not IN the active ones: the items then stay in the
    # order of a sort index.
    return [WorkItemRow.project.not_in(archived_projects())]


def _sort_keys(query: ListWorkItems) -> tuple[Sort, ...]:
    order = query.order
    if query.sort in ("priority", "bucket"):
        # The most urgent and the nearest have the lowest rank, but are the highest.
        order = "asc" if order == "desc" else "desc"
    return sort_keys(WorkItemRow, query.sort, order)


def _text_filter(match: str) -> Filter:
    """Restrict the items to those whose text matching_numbers."""
    text, numbers = IndexedTextRow, matching_numbers(match)
    texts = text.select(text.entity_id).where(text.number.in_(numbers))
    if is_selective(numbers):
        return Filter(WorkItemRow.id.in_(texts), is_selective=True)
    return Filter(fn.EXISTS(texts.where(text.entity_id == WorkItemRow.id)))


def _page_by_relevance(
    match: str, query: ListWorkItems, conditions: list[Any]
) -> Page[WorkItemRow]:
    text, work = IndexedTextRow, WorkItemRow
    is_included = fn.EXISTS(
        work.select(SQL("1")).where(work.id == text.entity_id, *conditions)
    )
    numbers, meta = ranked_page(match, query, [is_included], query.order)
    texts = text.select(text.number, text.entity_id).where(text.number.in_(numbers))
    ids_by_number = {row.number: row.entity_id for row in texts}
    ids = [ids_by_number[number] for number in numbers]
    items = {item.id: item for item in work.select().where(work.id.in_(ids))}
    return Page([items[id] for id in ids], meta)
