"""Revisions of documents: found, compared, taken back to."""

from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import Field

from models.base import Shape
from models.projects.activity import record_activity
from models.projects.comparison import DocumentDiff, compared
from models.projects.document import DOCUMENTS, DocumentRow, document_with
from models.projects.documents import Note
from models.projects.members import require_role
from models.projects.project import require_active
from models.projects.words import ActorType, By, GetRevision, ListRevisions, Version
from models.words import Digits, Id, MayOmit, Moment


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


class DiffDocumentRevisions(Shape):
    document_id: Id
    from_: Annotated[Digits | None, Field(alias="from")] = None
    to: Digits | None = None


class RestoreDocumentRevision(Shape):
    document_id: Id
    version: Version
    note: Note = None
    expected_version: MayOmit[Version] = None


def document_compared(asked: DiffDocumentRevisions) -> DocumentDiff:
    """Compare what the public reads, or the first version, with the head."""
    head = document_with(asked.document_id)
    from_ = head.published_version or 1 if asked.from_ is None else asked.from_
    to = head.version if asked.to is None else asked.to
    return compared(DOCUMENTS, head, from_, to, DocumentDiff)


def restore_document_revision(
    asked: RestoreDocumentRevision, now: datetime, by: By
) -> DocumentRow:
    """Append a version with the words of an old one; the public sees nothing yet."""
    document = document_with(asked.document_id)
    old = DOCUMENTS.revision_of(document, asked.version)
    require_role(document.project, by, "document-revisions:restore")
    DOCUMENTS.require_version(document, asked.expected_version)
    require_active(document.project, document)
    note = asked.note or f"Restored version {old.version}"
    words = {"title": old.title, "summary": old.summary}
    document.change(words | {"version": document.version + 1}, now)
    DOCUMENTS.keep(document, old.content, by, summary=old.summary, note=note)
    record_activity(
        document.project,
        "document.revision-restored",
        document.id,
        by,
        now,
        version=document.version,
        restoredVersion=old.version,
        note=note,
    )
    return document
