"""What may be asked about the revisions of documents."""

from api.operation import MIB, Call, operation
from api.projects.by import by
from models.errors import (
    Archived,
    DocumentNotFound,
    ProjectArchived,
    RevisionNotFound,
    RoleRequired,
    VersionConflict,
)
from models.pagination import Page
from models.projects.comparison import DocumentDiff
from models.projects.document import DOCUMENTS, DocumentRevisionRow, DocumentRow
from models.projects.document_revisions import (
    DiffDocumentRevisions,
    DocumentRevision,
    GetDocumentRevision,
    ListDocumentRevisions,
    RestoreDocumentRevision,
    document_compared,
    restore_document_revision,
)
from models.projects.documents import Document


@operation(
    "GET /projects/v1/document-revisions/list",
    scope="projects:document-revisions:list",
    takes=ListDocumentRevisions,
    gives=list[DocumentRevision],
    refuses=(DocumentNotFound,),
)
def list_document_revisions(
    call: Call, asked: ListDocumentRevisions
) -> Page[DocumentRevisionRow]:
    """
    List the revisions of a document, newest first.

    With content=omit the texts are left empty. A page also ends at 4 MiB of text.
    """
    return DOCUMENTS.revisions_listed(asked)


@operation(
    "GET /projects/v1/document-revisions/get",
    scope="projects:document-revisions:get",
    takes=GetDocumentRevision,
    gives=DocumentRevision,
    refuses=(DocumentNotFound, RevisionNotFound),
)
def get_document_revision(
    call: Call, asked: GetDocumentRevision
) -> DocumentRevisionRow:
    """
    Get a revision: by its id, or of a document by version.

    With at it is the revision that was the newest at that time.
    """
    return DOCUMENTS.revision_got(asked)


@operation(
    "GET /projects/v1/document-revisions/diff",
    scope="projects:document-revisions:diff",
    takes=DiffDocumentRevisions,
    gives=DocumentDiff,
    refuses=(DocumentNotFound, RevisionNotFound),
)
def diff_document_revisions(call: Call, asked: DiffDocumentRevisions) -> DocumentDiff:
    """
    Compare two versions of a document, line by line.

    Without from, what is published, or else version 1; without to, the newest.
    With from greater than to it is the way back. Where two texts have too little
    in common, what is left is told as replaced and truncated is true.
    """
    return document_compared(asked)


@operation(
    "POST /projects/v1/document-revisions/restore",
    scope="projects:document-revisions:restore",
    takes=RestoreDocumentRevision,
    gives=Document,
    refuses=(
        DocumentNotFound,
        RevisionNotFound,
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        Archived,
    ),
    most_bytes=8 * MIB,
)
def revert_document(call: Call, asked: RestoreDocumentRevision) -> DocumentRow:
    """
    Append a version with the title, summary and text of an old one.

    The public keeps reading the published version.
    """
    return restore_document_revision(asked, call.now, by(call))
