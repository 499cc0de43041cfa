"""Operations on the revisions of documents."""

from api.operation import MIB, Call, operation
from api.projects import VERSIONED_CHANGE
from models.errors import DocumentNotFound, RevisionNotFound
from models.pagination import Page
from models.projects.documents import revisions
from models.projects.documents.documents import Document
from models.projects.documents.revisions import (
    DiffDocumentRevisions,
    DocumentRevision,
    GetDocumentRevision,
    ListDocumentRevisions,
    RestoreDocumentRevision,
)
from models.projects.documents.rows import DOCUMENTS, DocumentRevisionRow, DocumentRow
from models.projects.versioning.comparison import DocumentDiff


@operation(
    "GET /projects/v1/document-revisions/list",
    response=list[DocumentRevision],
    errors=(DocumentNotFound,),
)
def list_document_revisions(
    call: Call, query: ListDocumentRevisions
) -> Page[DocumentRevisionRow]:
    """
    List the revisions of a document, newest first.

    With content=omit the content fields are empty. A page also ends at 4 MiB of
    content.
    """
    return DOCUMENTS.list_revisions(query)


@operation(
    "GET /projects/v1/document-revisions/get",
    response=DocumentRevision,
    errors=(DocumentNotFound, RevisionNotFound),
)
def get_document_revision(
    call: Call, query: GetDocumentRevision
) -> DocumentRevisionRow:
    """
    Get a revision by its id, or by document and version.

    With at instead of version, get the revision that was the newest at that time.
    """
    return DOCUMENTS.get_revision(query)


@operation(
    "GET /projects/v1/document-revisions/diff",
    response=DocumentDiff,
    errors=(DocumentNotFound, RevisionNotFound),
)
def diff_document_revisions(call: Call, query: DiffDocumentRevisions) -> DocumentDiff:
    """
    Compare two versions of a document, line by line.

    By default, from is the published version, or 1 if none is published, and to is
    the newest; from may be greater than to. If the comparison takes too long, because
    very much of a long text differs, the rest counts as replaced, and truncated is
    true.
    """
    return revisions.diff_document_revisions(query)


@operation(
    "POST /projects/v1/document-revisions/restore",
    response=Document,
    errors=(DocumentNotFound, RevisionNotFound, *VERSIONED_CHANGE),
    max_body_bytes=8 * MIB,
)
def restore_document_revision(
    call: Call, request: RestoreDocumentRevision
) -> DocumentRow:
    """
    Create a new version with the title, summary and content of an old one.

    The published version does not change.
    """
    return revisions.restore_document_revision(request, call.now, call.actor)
