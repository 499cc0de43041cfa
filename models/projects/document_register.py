"""The register of documents."""

from typing import Any, Literal

from models.pagination import Page
from models.projects.document import DOCUMENTS, DocumentRow
from models.projects.documents import Collection, DocumentType, Section
from models.projects.register import ListVersioned, registered
from models.projects.words import Commas
from models.words import Flag


class ListDocuments(ListVersioned):
    type: Commas[DocumentType] | None = None
    collection: Commas[Collection | Literal["none"]] | None = None
    section: Section | None = None
    published: Flag | None = None
    stale: Flag | None = None
    sort: Literal["updatedAt", "createdAt", "title", "position"] = "updatedAt"


SORTS = {
    "updatedAt": DocumentRow.updated_at,
    "createdAt": DocumentRow.created_at,
    "title": DocumentRow.title,
    "position": DocumentRow.position,
}


def documents_listed(asked: ListDocuments) -> Page[DocumentRow]:
    where = [*_where(asked), *_released(asked)]
    return registered(DOCUMENTS, asked, SORTS[asked.sort], where)


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
    if asked.q is not None:
        found.append(
            DocumentRow.title.contains(asked.q)
            | DocumentRow.slug.contains(asked.q)
            | DocumentRow.summary.contains(asked.q)
        )
    return found


def _released(asked: ListDocuments) -> list[Any]:
    found: list[Any] = []
    if asked.published is not None:
        found.append(DocumentRow.published_version.is_null(not asked.published))
    if asked.stale is not None:
        is_stale = DocumentRow.published_version < DocumentRow.version
        is_fresh = DocumentRow.published_version.is_null() | (
            DocumentRow.published_version == DocumentRow.version
        )
        found.append(is_stale if asked.stale else is_fresh)
    return found
