"""Find, compare and restore revisions of documents."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import Field

from models.base import Schema
from models.fields import ID, CreatedAt, Id, MayOmit, QueryInteger
from models.projects import descriptions
from models.projects.documents.documents import Note
from models.projects.documents.rows import (
    DOCUMENTS,
    DocumentRevisionRow,
    DocumentRow,
    document_with,
)
from models.projects.fields import (
    Actor,
    AuthorType,
    DocumentId,
    ExpectedVersion,
    GetRevision,
    ListRevisions,
    Version,
)
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import ProjectRow, require_active
from models.projects.versioning.comparison import DocumentDiff, compare_versions


class DocumentRevision(Schema):
    id: Annotated[Id, ID]
    document_id: DocumentId
    version: Annotated[int, descriptions.VERSION]
    title: Annotated[str, descriptions.TITLE]
    summary: Annotated[str | None, descriptions.SUMMARY]
    content: Annotated[str, descriptions.CONTENT]
    note: Annotated[str | None, descriptions.CHANGE_NOTE]
    author_id: Annotated[str, descriptions.AUTHOR_ID]
    author_type: AuthorType
    created_at: CreatedAt


class ListDocumentRevisions(ListRevisions):
    parent_field: ClassVar = "document_id"

    document_id: DocumentId


class GetDocumentRevision(GetRevision, example=("documentId", "version")):
    parent_field: ClassVar = "document_id"

    document_id: DocumentId | None = None


class DiffDocumentRevisions(Schema, example=("from", "to")):
    document_id: DocumentId
    from_: Annotated[QueryInteger | None, Field(alias="from")] = Field(
        default=None,
        description="The older version. Default: the published one.",
        examples=[2],
    )
    to: QueryInteger | None = Field(
        default=None,
        description="The newer version. Default: the latest.",
        examples=[3],
    )


class RestoreDocumentRevision(Schema):
    document_id: DocumentId
    version: Version = Field(description="The version to restore.", examples=[2])
    note: Annotated[Note, descriptions.CHANGE_NOTE] = None
    expected_version: MayOmit[ExpectedVersion] = None


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
        document,
        "document.revision-restored",
        actor,
        now,
        version=document.version,
        restoredVersion=old.version,
        note=note,
    )
    return document
