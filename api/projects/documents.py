"""Operations on documents."""

from api.operation import MIB, Call, operation
from api.projects import ENTITY_CHANGE, PROJECT_CHANGE, VERSIONED_CHANGE
from models.errors import (
    CollectionRequired,
    DocumentNotFound,
    DocumentPublished,
    PathTaken,
    ProjectNotFound,
    RevisionNotFound,
    SlugTaken,
)
from models.pagination import Page
from models.projects.documents import documents, events, publication, redirects
from models.projects.documents.linking.links import (
    DocumentLinks,
    GetDocumentLinks,
    document_links,
)
from models.projects.documents.publication import PublishDocument, UnpublishDocument
from models.projects.documents.redirects import RedirectToDocument
from models.projects.documents.rows import DOCUMENTS, DocumentRow, document_with
from models.projects.versioning import archive
from models.projects.versioning.archive import RemoveDocument, RestoreDocument


@operation(
    "GET /projects/v1/documents/list",
    response=list[documents.Document],
    errors=(ProjectNotFound,),
)
def list_documents(call: Call, query: documents.ListDocuments) -> Page[DocumentRow]:
    """
    List documents, last updated first by default.

    With content=omit the content fields are empty. A page also ends at 4 MiB of
    content. Without a project, documents of archived projects are left out unless
    archived is only or include.
    """
    return documents.list_documents(query)


@operation(
    "GET /projects/v1/documents/get",
    response=documents.Document,
    errors=(DocumentNotFound, ProjectNotFound),
)
def get_document(call: Call, query: documents.GetDocument) -> DocumentRow:
    """Get the newest version of a document, by its id or by project and slug."""
    return DOCUMENTS.get(query)


@operation(
    "GET /projects/v1/documents/links",
    response=DocumentLinks,
    errors=(DocumentNotFound, ProjectNotFound, RevisionNotFound),
)
def get_document_links(call: Call, query: GetDocumentLinks) -> DocumentLinks:
    """
    Check a document's links before it is published, changed or unpublished.

    The links are those of one version, the newest by default, as if it were the
    published one. outgoing lists links that work, broken those whose problem is
    nothing-there or no-heading, and incoming the links of published documents that
    lead to this one. Each direction lists the first 1,000 links; truncated is true if
    there are more. unread counts documents that the site has not built yet.
    """
    return document_links(query, call.require_preview(), call.settings.edit_url)


@operation(
    "POST /projects/v1/documents/create",
    response=documents.Document,
    errors=(ProjectNotFound, *PROJECT_CHANGE, SlugTaken, PathTaken),
    max_body_bytes=8 * MIB,
)
def create_document(call: Call, request: documents.CreateDocument) -> DocumentRow:
    """
    Create a document. It starts at version 1 and is not public.

    Send an Idempotency-Key to repeat the call safely.
    """
    return documents.create_document(request, call.now, call.actor)


@operation(
    "POST /projects/v1/documents/update",
    response=documents.Document,
    rebuilds="docs",
    errors=(DocumentNotFound, *VERSIONED_CHANGE, DocumentPublished, PathTaken),
    max_body_bytes=8 * MIB,
)
def update_document(call: Call, request: documents.UpdateDocument) -> DocumentRow:
    """
    Save a document as its next version; omitted fields keep their values.

    The published version does not change. Only a maintainer may change collection,
    section or position while the document is published.
    """
    document, is_shown = documents.update_document(request, call.now, call.actor)
    if not is_shown:
        call.skip_rebuild()
    return document


@operation(
    "GET /projects/v1/documents/address",
    response=documents.DocumentAddress,
    errors=(DocumentNotFound,),
)
def get_document_address(
    call: Call, query: documents.GetDocumentAddress
) -> documents.DocumentAddress:
    """Get the address of a document, and the addresses that redirect to it."""
    return documents.address_of(document_with(query.id))


@operation(
    "POST /projects/v1/documents/move",
    response=documents.DocumentAddress,
    rebuilds="docs",
    errors=(DocumentNotFound, *VERSIONED_CHANGE, PathTaken),
)
def move_document(
    call: Call, request: documents.MoveDocument
) -> documents.DocumentAddress:
    """
    Give a document another path in its collection, as a new version.

    Its former address redirects to the new one. Only a maintainer may move a document
    that is published. The next import leaves one that came from a file where it is.
    """
    document, is_shown = documents.move_document(request, call.now, call.actor)
    if not is_shown:
        call.skip_rebuild()
    return documents.address_of(document)


@operation(
    "POST /projects/v1/documents/redirect",
    response=documents.DocumentAddress,
    rebuilds="docs",
    errors=(DocumentNotFound, *PROJECT_CHANGE, PathTaken),
)
def redirect_to_document(
    call: Call, request: RedirectToDocument
) -> documents.DocumentAddress:
    """
    Let an address redirect to a document, such as that of a page that is gone.

    It works while no page is there. An address that redirects to another document by
    this operation, or was that of its page, redirects to this one from then on.
    """
    document, is_changed = redirects.redirect_to_document(request, call.now, call.actor)
    if not is_changed:
        call.mark_unchanged()
    if not document.project.builtin:
        call.skip_rebuild()
    return documents.address_of(document)


@operation(
    "POST /projects/v1/documents/publish",
    response=documents.Document,
    rebuilds="docs",
    errors=(DocumentNotFound, RevisionNotFound, *ENTITY_CHANGE, CollectionRequired),
    max_body_bytes=8 * MIB,
)
def publish_document(call: Call, request: PublishDocument) -> DocumentRow:
    """
    Publish a version of a document, by default the newest.

    Publish an older version to roll back. Documents of the docs project appear on the
    public site; in other projects the version is only marked as published.
    """
    document, is_changed = publication.publish_document(request, call.now, call.actor)
    if not is_changed:
        call.mark_unchanged()
    if not document.project.builtin:
        call.skip_rebuild()
    if is_changed:
        call.notify(events.published_event(document))
    return document


@operation(
    "POST /projects/v1/documents/unpublish",
    response=documents.Document,
    rebuilds="docs",
    errors=(DocumentNotFound, *PROJECT_CHANGE),
    max_body_bytes=8 * MIB,
)
def unpublish_document(call: Call, request: UnpublishDocument) -> DocumentRow:
    """Unpublish a document. One that is not published stays unchanged."""
    document, is_changed = publication.unpublish_document(request, call.now, call.actor)
    if not is_changed:
        call.mark_unchanged()
    if not document.project.builtin:
        call.skip_rebuild()
    if is_changed:
        call.notify(events.unpublished_event(document))
    return document


@operation(
    "POST /projects/v1/documents/remove",
    response=documents.Document,
    errors=(DocumentNotFound, *PROJECT_CHANGE, DocumentPublished),
    max_body_bytes=8 * MIB,
)
def remove_document(call: Call, request: RemoveDocument) -> DocumentRow:
    """Archive a document, which makes it read-only. Unpublish it first if needed."""
    return call.result_of(archive.remove_document(request, call.now, call.actor))


@operation(
    "POST /projects/v1/documents/restore",
    response=documents.Document,
    errors=(DocumentNotFound, *PROJECT_CHANGE),
    max_body_bytes=8 * MIB,
)
def restore_document(call: Call, request: RestoreDocument) -> DocumentRow:
    """Restore an archived document. One that is not archived stays unchanged."""
    return call.result_of(archive.restore_document(request, call.now, call.actor))
