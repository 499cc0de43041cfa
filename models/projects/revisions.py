"""Revisions of documents: each accepted save makes exactly one."""

from hashlib import sha256

from pydantic import model_validator

from models.base import Shape, new_id
from models.errors import RevisionNotFound
from models.pagination import CursorQuery, Page, ascending, descending, page_of
from models.projects.document import (
    DocumentRevisionRow,
    DocumentRow,
    document_with,
)
from models.projects.words import ActorType, By, Content, Order, exactly_one
from models.words import Digits, Id, Moment


class DocumentRevision(Shape):
    id: Id
    document_id: Id
    version: int
    title: str
    summary: str | None
    content: str
    note: str | None
    author_id: str
    author_type: ActorType
    created_at: Moment


class ListDocumentRevisions(CursorQuery):
    document_id: Id
    order: Order = "desc"
    content: Content = "include"


class GetDocumentRevision(Shape):
    id: Id | None = None
    document_id: Id | None = None
    version: Digits | None = None
    at: Moment | None = None

    @model_validator(mode="after")
    def _one(self) -> "GetDocumentRevision":
        exactly_one(self, "id", "document_id")
        if self.document_id is not None:
            exactly_one(self, "version", "at")
        elif self.version is not None or self.at is not None:
            raise ValueError("version and at go with documentId, not with id.")
        return self


def append_revision(
    document: DocumentRow, content: str, note: str | None, by: By
) -> DocumentRevisionRow:
    """Keep the head as a revision; its time is that of the save."""
    text = content.encode()
    return DocumentRevisionRow.create(
        id=new_id(document.updated_at),
        document=document.id,
        version=document.version,
        title=document.title,
        summary=document.summary,
        note=note,
        author_id=by.actor_id,
        author_type=by.actor_type,
        created_at=document.updated_at,
        size=len(text),
        digest=sha256(text).hexdigest(),
        content=content,
    )


def revision_of(document: DocumentRow, version: int) -> DocumentRevisionRow:
    revision = DocumentRevisionRow.get_or_none(
        DocumentRevisionRow.document == document.id,
        DocumentRevisionRow.version == version,
    )
    if revision is None:
        raise RevisionNotFound(f"The {document.noun} has no version {version}.")
    return revision


def revisions_listed(asked: ListDocumentRevisions) -> Page[DocumentRevisionRow]:
    document = document_with(asked.document_id)
    kept = DocumentRevisionRow
    columns = [each for each in kept._meta.sorted_fields if each.name != "content"]
    query = kept.select(*columns).where(kept.document == document.id)
    sort = ascending if asked.order == "asc" else descending
    is_omitted = asked.content == "omit"
    page = page_of(
        query,
        asked,
        sort(kept.version),
        weight=lambda row: 0 if is_omitted else row.size,
    )
    texts = {} if is_omitted else _texts(page.items)
    for each in page.items:
        each.content = texts.get(each.id, "")
    return page


def revision_got(asked: GetDocumentRevision) -> DocumentRevisionRow:
    """Return a revision by its id, its version, or the time it was in force."""
    if asked.id is not None:
        return _revision_with(asked.id)
    document = document_with(asked.document_id or "")
    if asked.version is not None:
        return revision_of(document, asked.version)
    revision = (
        DocumentRevisionRow.select()
        .where(
            DocumentRevisionRow.document == document.id,
            DocumentRevisionRow.created_at <= asked.at,
        )
        .order_by(DocumentRevisionRow.version.desc())
        .first()
    )
    if revision is None:
        raise RevisionNotFound(f"The {document.noun} did not exist at that time.")
    return revision


def _revision_with(id: str) -> DocumentRevisionRow:
    revision = DocumentRevisionRow.get_or_none(DocumentRevisionRow.id == id)
    if revision is None:
        raise RevisionNotFound(f"No revision has the id '{id}'.")
    return revision


def _texts(revisions: list[DocumentRevisionRow]) -> dict[str, str]:
    kept = DocumentRevisionRow
    query = kept.select(kept.id, kept.content)
    ids = [each.id for each in revisions]
    return {row.id: row.content for row in query.where(kept.id.in_(ids))}
