"""The register of documents: listed by what is asked of them."""

from typing import Any, Literal

from peewee import ModelSelect

from models.pagination import CursorQuery, Page, page_of
from models.projects.document import (
    DocumentRevisionRow,
    DocumentRow,
    at_version,
    contents_of,
)
from models.projects.documents import Collection, DocumentType, Section
from models.projects.project import ProjectRow, project_asked
from models.projects.words import (
    Archived,
    Commas,
    Content,
    OfProject,
    Order,
    Search,
    sorted_by,
)
from models.words import Flag, Id, Moment


class ListDocuments(OfProject, CursorQuery):
    type: Commas[DocumentType] | None = None
    collection: Commas[Collection | Literal["none"]] | None = None
    section: Section | None = None
    published: Flag | None = None
    stale: Flag | None = None
    creator_id: Id | None = None
    archived: Archived = "exclude"
    updated_after: Moment | None = None
    updated_before: Moment | None = None
    q: Search | None = None
    content: Content = "include"
    sort: Literal["updatedAt", "createdAt", "title", "position"] = "updatedAt"
    order: Order | None = None


SORTS = {
    "updatedAt": DocumentRow.updated_at,
    "createdAt": DocumentRow.created_at,
    "title": DocumentRow.title,
    "position": DocumentRow.position,
}


def documents_listed(asked: ListDocuments) -> Page[DocumentRow]:
    """Return a page; without a project, none of an archived one unless asked."""
    query = (
        DocumentRow.select(DocumentRow, DocumentRevisionRow.size)
        .join(DocumentRevisionRow, on=at_version(DocumentRow.version))
        .objects()
    )
    for each in (*_where(asked), *_when(asked)):
        query = query.where(each)
    is_omitted = asked.content == "omit"
    page = page_of(
        _in_projects(query, asked),
        asked,
        *sorted_by(SORTS[asked.sort], asked.order, DocumentRow.id),
        weight=lambda row: 0 if is_omitted else row.size,
    )
    ids = [] if is_omitted else [each.id for each in page.items]
    texts = contents_of(ids, DocumentRow.version)
    for each in page.items:
        each.content = texts.get(each.id, "")
    return page


def _in_projects(
    query: "ModelSelect[DocumentRow]", asked: ListDocuments
) -> "ModelSelect[DocumentRow]":
    if asked.archived != "include":
        is_archived = DocumentRow.archived_at.is_null(asked.archived != "only")
        query = query.where(is_archived)
    project = project_asked(asked)
    if project is not None:
        return query.where(DocumentRow.project == project.id)
    if asked.archived == "exclude":
        active = ProjectRow.select(ProjectRow.id).where(
            ProjectRow.archived_at.is_null()
        )
        return query.where(DocumentRow.project.in_(active))
    return query


def _where(asked: ListDocuments) -> list[Any]:
    found: list[Any] = []
    if asked.type is not None:
        found.append(DocumentRow.type.in_(asked.type))
    if asked.collection is not None:
        placed = DocumentRow.collection.in_(asked.collection)
        nowhere = DocumentRow.collection.is_null()
        found.append(placed | nowhere if "none" in asked.collection else placed)
    if asked.section is not None:
        found.append(DocumentRow.section == asked.section)
    if asked.creator_id is not None:
        found.append(DocumentRow.creator_id == asked.creator_id)
    if asked.q is not None:
        found.append(
            DocumentRow.title.contains(asked.q)
            | DocumentRow.slug.contains(asked.q)
            | DocumentRow.summary.contains(asked.q)
        )
    return found


def _when(asked: ListDocuments) -> list[Any]:
    found: list[Any] = []
    if asked.published is not None:
        found.append(DocumentRow.published_version.is_null(not asked.published))
    if asked.stale is not None:
        is_stale = DocumentRow.published_version < DocumentRow.version
        is_fresh = DocumentRow.published_version.is_null() | (
            DocumentRow.published_version == DocumentRow.version
        )
        found.append(is_stale if asked.stale else is_fresh)
    if asked.updated_after is not None:
        found.append(DocumentRow.updated_at >= asked.updated_after)
    if asked.updated_before is not None:
        found.append(DocumentRow.updated_at < asked.updated_before)
    return found
