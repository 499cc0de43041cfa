"""A register of what is kept in versions: listed by what is asked of it."""

from typing import Any

from models.fields import Id, Moment
from models.pagination import CursorQuery, Page, cursor_page
from models.projects.fields import (
    Archived,
    Content,
    OfProject,
    Order,
    Search,
    sorted_by,
)
from models.projects.projects.rows import ProjectRow, project_asked
from models.projects.versioning.versioned import Head, Revision, Versioned


class ListVersioned(OfProject, CursorQuery):
    """What may be asked of every register."""

    creator_id: Id | None = None
    archived: Archived = "exclude"
    updated_after: Moment | None = None
    updated_before: Moment | None = None
    q: Search | None = None
    content: Content = "include"
    order: Order | None = None


def registered(
    kind: Versioned[Head, Revision], query: ListVersioned, sort: Any, where: list[Any]
) -> Page[Head]:
    """Return a page; without a project, none of an archived one unless asked."""
    rows = (
        kind.head.select(kind.head, kind.kept.size)
        .join(kind.kept, on=kind.at_version(kind.head.version))
        .objects()
    )
    for each in (*where, *_in_projects(kind.head, query), *_when(kind.head, query)):
        rows = rows.where(each)
    is_omitted = query.content == "omit"
    page = cursor_page(
        rows,
        query,
        *sorted_by(sort, query.order, kind.head.id),
        weight=lambda row: 0 if is_omitted else row.size,
    )
    ids = [] if is_omitted else [each.id for each in page.items]
    texts = kind.contents_of(ids, kind.head.version)
    for each in page.items:
        each.content = texts.get(each.id, "")
    return page


def _in_projects(head: Any, query: ListVersioned) -> list[Any]:
    found: list[Any] = []
    if query.archived != "include":
        found.append(head.archived_at.is_null(query.archived != "only"))
    project = project_asked(query)
    if project is not None:
        found.append(head.project == project.id)
    elif query.archived == "exclude":
        is_active = ProjectRow.archived_at.is_null()
        found.append(
            head.project.in_(ProjectRow.select(ProjectRow.id).where(is_active))
        )
    return found


def _when(head: Any, query: ListVersioned) -> list[Any]:
    found: list[Any] = []
    if query.creator_id is not None:
        found.append(head.creator_id == query.creator_id)
    if query.updated_after is not None:
        found.append(head.updated_at >= query.updated_after)
    if query.updated_before is not None:
        found.append(head.updated_at < query.updated_before)
    return found
