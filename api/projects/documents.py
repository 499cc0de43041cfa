"""What may be asked about documents."""

from api.operation import MIB, Call, operation
from models.errors import (
    Archived,
    CollectionRequired,
    DocumentNotFound,
    DocumentPublished,
    ProjectArchived,
    ProjectNotFound,
    RevisionNotFound,
    RoleRequired,
    SlugTaken,
    VersionConflict,
)
from models.pagination import Page
from models.projects.documents import documents, publication
from models.projects.documents.documents import (
    CreateDocument,
    Document,
    GetDocument,
    ListDocuments,
    UpdateDocument,
    documents_listed,
)
from models.projects.documents.links import (
    DocumentLinks,
    GetDocumentLinks,
    document_links,
)
from models.projects.documents.publication import PublishDocument, UnpublishDocument
from models.projects.documents.rows import DOCUMENTS, DocumentRow
from models.projects.versioning import archive
from models.projects.versioning.archive import RemoveDocument, RestoreDocument


@operation(
    "GET /projects/v1/documents/list",
    scope="projects:documents:list",
    request=ListDocuments,
    response=list[Document],
    errors=(ProjectNotFound,),
)
def list_documents(call: Call, query: ListDocuments) -> Page[DocumentRow]:
    """
    List documents, last changed first unless sort says else.

    With content=omit the texts are left empty. A page also ends at 4 MiB of text.
    Without a project, documents of archived projects are left out unless archived
    is only or include.
    """
    return documents_listed(query)


@operation(
    "GET /projects/v1/documents/get",
    scope="projects:documents:get",
    request=GetDocument,
    response=Document,
    errors=(DocumentNotFound, ProjectNotFound),
)
def get_document(call: Call, query: GetDocument) -> DocumentRow:
    """Get the newest version of a document, by its id or by project and slug."""
    return DOCUMENTS.got(query)


@operation(
    "GET /projects/v1/documents/links",
    scope="projects:documents:links",
    request=GetDocumentLinks,
    response=DocumentLinks,
    errors=(DocumentNotFound, ProjectNotFound, RevisionNotFound),
)
def get_document_links(call: Call, query: GetDocumentLinks) -> DocumentLinks:
    """
    Look at a document's links before it is published, changed or taken back.

    They are told as if the version, the newest unless version names another, were
    the published one: outgoing lead somewhere on the site, broken lead nowhere or to
    a heading that is not there, incoming are those of published documents that lead
    to this one. A problem is nothing-there or no-heading. Of more than 1,000 each
    way the first are told, and truncated is true; unread counts documents that the
    site has yet to build.
    """
    return document_links(query, call.require_preview())


@operation(
    "POST /projects/v1/documents/create",
    scope="projects:documents:create",
    request=CreateDocument,
    response=Document,
    errors=(ProjectNotFound, RoleRequired, ProjectArchived, SlugTaken),
    max_body_bytes=8 * MIB,
)
def create_document(call: Call, request: CreateDocument) -> DocumentRow:
    """
    Write a document, which is version 1 and not public.

    Send an Idempotency-Key to be able to repeat the call safely.
    """
    return documents.create_document(request, call.now, call.actor)


@operation(
    "POST /projects/v1/documents/update",
    scope="projects:documents:update",
    request=UpdateDocument,
    response=Document,
    rebuilds="docs",
    errors=(
        DocumentNotFound,
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        Archived,
        DocumentPublished,
    ),
    max_body_bytes=8 * MIB,
)
def update_document(call: Call, request: UpdateDocument) -> DocumentRow:
    """
    Save a document as its next version; members left out stay as they are.

    The public keeps reading the published version. Only a maintainer may change
    collection, section or position while the document is published.
    """
    return documents.update_document(request, call.now, call.actor)


@operation(
    "POST /projects/v1/documents/publish",
    scope="projects:documents:publish",
    request=PublishDocument,
    response=Document,
    rebuilds="docs",
    errors=(
        DocumentNotFound,
        RevisionNotFound,
        RoleRequired,
        ProjectArchived,
        Archived,
        CollectionRequired,
    ),
    max_body_bytes=8 * MIB,
)
def publish_document(call: Call, request: PublishDocument) -> DocumentRow:
    """
    Publish a version of a document, the newest unless version names another.

    An older version takes the public back. In the docs project the version
    appears on the public site; elsewhere it is only marked as released.
    """
    document, changed = publication.publish_document(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return document


@operation(
    "POST /projects/v1/documents/unpublish",
    scope="projects:documents:unpublish",
    request=UnpublishDocument,
    response=Document,
    rebuilds="docs",
    errors=(DocumentNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=8 * MIB,
)
def unpublish_document(call: Call, request: UnpublishDocument) -> DocumentRow:
    """Take a document from the public; one that is not published stays as it is."""
    document, changed = publication.unpublish_document(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return document


@operation(
    "POST /projects/v1/documents/remove",
    scope="projects:documents:remove",
    request=RemoveDocument,
    response=Document,
    errors=(DocumentNotFound, RoleRequired, ProjectArchived, DocumentPublished),
    max_body_bytes=8 * MIB,
)
def remove_document(call: Call, request: RemoveDocument) -> DocumentRow:
    """Archive a document: it becomes read-only. A public one is withdrawn first."""
    document, changed = archive.remove_document(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return document


@operation(
    "POST /projects/v1/documents/restore",
    scope="projects:documents:restore",
    request=RestoreDocument,
    response=Document,
    errors=(DocumentNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=8 * MIB,
)
def restore_document(call: Call, request: RestoreDocument) -> DocumentRow:
    """Take a document out of the archive; one that is not in it stays as it is."""
    document, changed = archive.restore_document(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return document
