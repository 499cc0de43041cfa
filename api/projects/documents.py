"""What may be asked about documents."""

from api.operation import MIB, Call, operation
from api.projects.by import by
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
from models.projects.archive import (
    RemoveDocument,
    RestoreDocument,
    remove_document,
    restore_document,
)
from models.projects.document import DOCUMENTS, DocumentRow
from models.projects.document_links import (
    DocumentLinks,
    GetDocumentLinks,
    document_links,
)
from models.projects.document_register import ListDocuments, documents_listed
from models.projects.documents import (
    CreateDocument,
    Document,
    GetDocument,
    UpdateDocument,
    create_document,
    update_document,
)
from models.projects.publication import (
    PublishDocument,
    UnpublishDocument,
    publish_document,
    unpublish_document,
)


@operation(
    "GET /projects/v1/documents/list",
    scope="projects:documents:list",
    takes=ListDocuments,
    gives=list[Document],
    refuses=(ProjectNotFound,),
)
def list_documents(call: Call, asked: ListDocuments) -> Page[DocumentRow]:
    """
    List documents, last changed first unless sort says else.

    With content=omit the texts are left empty. A page also ends at 4 MiB of text.
    Without a project, documents of archived projects are left out unless archived
    is only or include.
    """
    return documents_listed(asked)


@operation(
    "GET /projects/v1/documents/get",
    scope="projects:documents:get",
    takes=GetDocument,
    gives=Document,
    refuses=(DocumentNotFound, ProjectNotFound),
)
def get_document(call: Call, asked: GetDocument) -> DocumentRow:
    """Get the newest version of a document, by its id or by project and slug."""
    return DOCUMENTS.got(asked)


@operation(
    "GET /projects/v1/documents/links",
    scope="projects:documents:links",
    takes=GetDocumentLinks,
    gives=DocumentLinks,
    refuses=(DocumentNotFound, ProjectNotFound, RevisionNotFound),
)
def list_document_links(call: Call, asked: GetDocumentLinks) -> DocumentLinks:
    """
    Look at a document's links before it is published, changed or taken back.

    They are told as if the version, the newest unless version names another, were
    the published one: outgoing lead somewhere on the site, broken lead nowhere or to
    a heading that is not there, incoming are those of published documents that lead
    to this one. A problem is nothing-there or no-heading. Of more than 1,000 each
    way the first are told, and truncated is true; unread counts documents that the
    site has yet to build.
    """
    return document_links(asked, call.site)


@operation(
    "POST /projects/v1/documents/create",
    scope="projects:documents:create",
    takes=CreateDocument,
    gives=Document,
    refuses=(ProjectNotFound, RoleRequired, ProjectArchived, SlugTaken),
    most_bytes=8 * MIB,
)
def write_document(call: Call, asked: CreateDocument) -> DocumentRow:
    """
    Write a document, which is version 1 and not public.

    Send an Idempotency-Key to be able to repeat the call safely.
    """
    return create_document(asked, call.now, by(call))


@operation(
    "POST /projects/v1/documents/update",
    scope="projects:documents:update",
    takes=UpdateDocument,
    gives=Document,
    rebuilds="docs",
    refuses=(
        DocumentNotFound,
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        Archived,
        DocumentPublished,
    ),
    most_bytes=8 * MIB,
)
def change_document(call: Call, asked: UpdateDocument) -> DocumentRow:
    """
    Save a document as its next version; members left out stay as they are.

    The public keeps reading the published version. Only a maintainer may change
    collection, section or position while the document is published.
    """
    return update_document(asked, call.now, by(call))


@operation(
    "POST /projects/v1/documents/publish",
    scope="projects:documents:publish",
    takes=PublishDocument,
    gives=Document,
    rebuilds="docs",
    refuses=(
        DocumentNotFound,
        RevisionNotFound,
        RoleRequired,
        ProjectArchived,
        Archived,
        CollectionRequired,
    ),
    most_bytes=8 * MIB,
)
def release_document(call: Call, asked: PublishDocument) -> DocumentRow:
    """
    Publish a version of a document, the newest unless version names another.

    An older version takes the public back. In the docs project the version
    appears on the public site; elsewhere it is only marked as released.
    """
    document, changed = publish_document(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return document


@operation(
    "POST /projects/v1/documents/unpublish",
    scope="projects:documents:unpublish",
    takes=UnpublishDocument,
    gives=Document,
    rebuilds="docs",
    refuses=(DocumentNotFound, RoleRequired, ProjectArchived),
    most_bytes=8 * MIB,
)
def withdraw_document(call: Call, asked: UnpublishDocument) -> DocumentRow:
    """Take a document from the public; one that is not published stays as it is."""
    document, changed = unpublish_document(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return document


@operation(
    "POST /projects/v1/documents/remove",
    scope="projects:documents:remove",
    takes=RemoveDocument,
    gives=Document,
    refuses=(DocumentNotFound, RoleRequired, ProjectArchived, DocumentPublished),
    most_bytes=8 * MIB,
)
def archive_document(call: Call, asked: RemoveDocument) -> DocumentRow:
    """Archive a document: it becomes read-only. A public one is withdrawn first."""
    document, changed = remove_document(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return document


@operation(
    "POST /projects/v1/documents/restore",
    scope="projects:documents:restore",
    takes=RestoreDocument,
    gives=Document,
    refuses=(DocumentNotFound, RoleRequired, ProjectArchived),
    most_bytes=8 * MIB,
)
def unarchive_document(call: Call, asked: RestoreDocument) -> DocumentRow:
    """Take a document out of the archive; one that is not in it stays as it is."""
    document, changed = restore_document(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return document
