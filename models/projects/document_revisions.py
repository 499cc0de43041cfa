"""Revisions of documents: listed, found."""

from typing import ClassVar

from models.base import Shape
from models.projects.words import ActorType, GetRevision, ListRevisions
from models.words import Id, Moment


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


class ListDocumentRevisions(ListRevisions):
    of: ClassVar = "document_id"

    document_id: Id


class GetDocumentRevision(GetRevision):
    of: ClassVar = "document_id"

    document_id: Id | None = None
