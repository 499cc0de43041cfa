"""List versioned entities: documents or specifications."""

from typing import Annotated, Any

from pydantic import Field

from models.fields import Id
from models.instants import is_settled
from models.pagination import CursorQuery, Page, cursor_page
from models.projects import descriptions
from models.projects.fields import (
    ArchivedFilter,
    ContentOption,
    Order,
    ProjectQuery,
    SearchText,
    UpdatedAfter,
    UpdatedBefore,
    sort_keys,
)
from models.projects.projects.rows import ProjectRow, requested_project
from models.projects.versioning.versioned import Head, Revision, Versioned


class ListVersioned(ProjectQuery, CursorQuery):
    """The filters that both lists share."""

    creator_id: Annotated[Id | None, descriptions.CREATOR_ID] = None
    archived: Annotated[ArchivedFilter, descriptions.ARCHIVED] = "exclude"
    updated_after: UpdatedAfter | None = None
    updated_before: UpdatedBefore | None = None
    q: Annotated[SearchText | None, descriptions.WORDS] = None
    content: ContentOption = Field(
        default="include", description="Whether to include the content."
    )
    order: Order | None = None


def list_versioned(
    kind: Versioned[Head, Revision],
    query: ListVersioned,
    sort: Any,
    conditions: list[Any],
) -> Page[Head]:
    """
    Return a page of heads, with their contents unless they are omitted.

    Without a project, archived projects are left out unless `archived` includes them.
    """
    head = kind.head_model
    rows = (
        head.select(head, kind.revision_model.size)
        .join(kind.revision_model, on=kind.at_version(head.version))
        .objects()
    )
    shared = (*_archive_conditions(head, query), *_update_conditions(head, query))
    for condition in (*conditions, *shared):
        rows = rows.where(condition)
    is_omitted = query.content == "omit"
    page = cursor_page(
        rows,
        query,
        *sort_keys(sort, query.order, head.id),
        weight=lambda row: 0 if is_omitted else row.size,
    )
    ids = [] if is_omitted else [row.id for row in page.items]
    contents = kind.contents_of(ids, head.version)
    for row in page.items:
        row.content = contents.get(row.id, "")
    return page


def _archive_conditions(head: Any, query: ListVersioned) -> list[Any]:
    conditions: list[Any] = []
    if query.archived != "include":
        conditions.append(head.archived_at.is_null(query.archived != "only"))
    project = requested_project(query)
    if project is not None:
        conditions.append(head.project == project.id)
    elif query.archived == "exclude":
        is_active = ProjectRow.archived_at.is_null()
        active = ProjectRow.select(ProjectRow.id).where(is_active)
        conditions.append(head.project.in_(active))
    return conditions


def _update_conditions(head: Any, query: ListVersioned) -> list[Any]:
    conditions: list[Any] = []
    if query.creator_id is not None:
        conditions.append(head.creator_id == query.creator_id)
    if query.updated_after is not None:
        conditions.append(head.updated_at >= query.updated_after)
        conditions.extend(is_settled(head.updated_at))
    if query.updated_before is not None:
        conditions.append(head.updated_at < query.updated_before)
    return conditions
