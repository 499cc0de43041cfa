"""A register of what is kept in versions: listed by what is asked of it."""

from typing import Any

from models.pagination import CursorQuery, Page, page_of
from models.projects.project import ProjectRow, project_asked
from models.projects.versioned import Head, Revision, Versioned
from models.projects.words import (
    Archived,
    Content,
    OfProject,
    Order,
    Search,
    sorted_by,
)
from models.words import Id, Moment


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
    kind: Versioned[Head, Revision], asked: ListVersioned, sort: Any, where: list[Any]
) -> Page[Head]:
    """Return a page; without a project, none of an archived one unless asked."""
    query = (
        kind.head.select(kind.head, kind.kept.size)
        .join(kind.kept, on=kind.at_version(kind.head.version))
        .objects()
    )
    for each in (*where, *_in_projects(kind.head, asked), *_when(kind.head, asked)):
        query = query.where(each)
    is_omitted = asked.content == "omit"
    page = page_of(
        query,
        asked,
        *sorted_by(sort, asked.order, kind.head.id),
        weight=lambda row: 0 if is_omitted else row.size,
    )
    ids = [] if is_omitted else [each.id for each in page.items]
    texts = kind.contents_of(ids, kind.head.version)
    for each in page.items:
        each.content = texts.get(each.id, "")
    return page


def _in_projects(head: Any, asked: ListVersioned) -> list[Any]:
    found: list[Any] = []
    if asked.archived != "include":
        found.append(head.archived_at.is_null(asked.archived != "only"))
    project = project_asked(asked)
    if project is not None:
        found.append(head.project == project.id)
    elif asked.archived == "exclude":
        is_active = ProjectRow.archived_at.is_null()
        found.append(
            head.project.in_(ProjectRow.select(ProjectRow.id).where(is_active))
        )
    return found


def _when(head: Any, asked: ListVersioned) -> list[Any]:
    found: list[Any] = []
    if asked.creator_id is not None:
        found.append(head.creator_id == asked.creator_id)
    if asked.updated_after is not None:
        found.append(head.updated_at >= asked.updated_after)
    if asked.updated_before is not None:
        found.append(head.updated_at < asked.updated_before)
    return found
