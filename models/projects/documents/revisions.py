"""Find, compare and restore revisions of documents."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import Field

from models.base import Schema
from models.fields import Id, MayOmit, Moment, QueryInteger
from models.projects.documents.documents import Note
from models.projects.documents.rows import (
    DOCUMENTS,
    DocumentRevisionRow,
    DocumentRow,
    document_with,
)
from models.projects.fields import Actor, ActorType, GetRevision, ListRevisions, Version
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import ProjectRow, require_active
from models.projects.versioning.comparison import DocumentDiff, compare_versions


class DocumentRevision(Schema):
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
    parent_field: ClassVar = "document_id"

    document_id: Id


class GetDocumentRevision(GetRevision):
    parent_field: ClassVar = "document_id"

    document_id: Id | None = None


class DiffDocumentRevisions(Schema):
    document_id: Id
    from_: Annotated[QueryInteger | None, Field(alias="from")] = None
    to: QueryInteger | None = None


class RestoreDocumentRevision(Schema):
    document_id: Id
    version: Version
    note: Note = None
    expected_version: MayOmit[Version] = None


class NewestRevision(NamedTuple):
    """The newest revision of a document: its id, and what its content is."""

    id: str
    sha256: str
    size: int


def newest_revisions(project: ProjectRow) -> dict[str, NewestRevision]:
    """Return the newest revision of each document, by the document's id."""
    query = (
        DocumentRow.select(
            DocumentRow.id,
            DocumentRevisionRow.id,
            DocumentRevisionRow.digest,
            DocumentRevisionRow.size,
        )
        .join(DocumentRevisionRow, on=DOCUMENTS.at_version(DocumentRow.version))
        .where(DocumentRow.project == project.id)
    )
    rows: Iterable[Any] = query.tuples()
    return {document_id: NewestRevision(*columns) for document_id, *columns in rows}


def diff_document_revisions(query: DiffDocumentRevisions) -> DocumentDiff:
    """Compare two versions: by default the published one, or 1, with the head."""
    head = document_with(query.document_id)
    from_ = head.published_version or 1 if query.from_ is None else query.from_
    to = head.version if query.to is None else query.to
    return compare_versions(DOCUMENTS, head, from_, to, DocumentDiff)


def restore_document_revision(
    request: RestoreDocumentRevision, now: datetime, actor: Actor
) -> DocumentRow:
    """Save a new, private version with the title, summary and content of an old one."""
    document = document_with(request.document_id)
    old = DOCUMENTS.revision_of(document, request.version)
    require_role(document.project, actor, "document-revisions:restore")
    DOCUMENTS.require_version(document, request.expected_version)
    require_active(document.project, document)
    note = request.note or f"Restored version {old.version}"
    values = {"title": old.title, "summary": old.summary}
    document.change(values | {"version": document.version + 1}, now)
    DOCUMENTS.save_revision(
        document, old.content, actor, summary=old.summary, note=note
    )
    record_activity(
        document.project,
        "document.revision-restored",
        document.id,
        actor,
        now,
        version=document.version,
        restoredVersion=old.version,
        note=note,
    )
    return document
