"""What may be asked about the revisions of documents."""

from api.operation import Call, operation
from models.errors import DocumentNotFound, RevisionNotFound
from models.pagination import Page
from models.projects.document import DOCUMENTS, DocumentRevisionRow
from models.projects.document_revisions import (
    DocumentRevision,
    GetDocumentRevision,
    ListDocumentRevisions,
)


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
