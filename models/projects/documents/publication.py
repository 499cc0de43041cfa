"""Publication: which revision of a document the public sees."""

from datetime import datetime

from models.base import Schema
from models.errors import CollectionRequired
from models.fields import Id, MayOmit
from models.projects.documents.rows import (
    DOCUMENTS,
    DocumentRow,
    document_with,
    leave_address,
)
from models.projects.fields import Actor, Version
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import require_active


class PublishDocument(Schema):
    id: Id
    version: MayOmit[Version] = None


class UnpublishDocument(Schema):
    id: Id


def publish_document(
    request: PublishDocument, now: datetime, actor: Actor
) -> tuple[DocumentRow, bool]:
    """
    Pin a revision, the head unless named; tell whether that changed anything.

    An older version takes the public back. Later saves stay private.
    """
    document = document_with(request.id)
    version = request.version or document.version
    if version != document.version:
        DOCUMENTS.revision_of(document, version)
    require_role(document.project, actor, "documents:publish")
    require_active(document.project, document)
    if document.project.builtin and document.collection is None:
        raise CollectionRequired(
            f"The {document.noun} has no collection, so its page would appear"
            " nowhere. Set one, then publish."
        )
    previous = document.published_version
    if previous == version:
        return DOCUMENTS.with_content(document), False
    document.change({"published_version": version, "published_at": now}, now)
    record_activity(
        document.project,
        "document.published",
        document.id,
        actor,
        now,
        version=version,
        previousVersion=previous,
        rollback=previous is not None and version < previous,
    )
    return DOCUMENTS.with_content(document), True


def unpublish_document(
    request: UnpublishDocument, now: datetime, actor: Actor
) -> tuple[DocumentRow, bool]:
    """Take the document from the public; tell whether it was there."""
    document = document_with(request.id)
    require_role(document.project, actor, "documents:unpublish")
    require_active(document.project)
    version = document.published_version
    if version is None:
        return DOCUMENTS.with_content(document), False
    leave_address(document)
    document.change({"published_version": None, "published_at": None}, now)
    record_activity(
        document.project,
        "document.unpublished",
        document.id,
        actor,
        now,
        version=version,
    )
    return DOCUMENTS.with_content(document), True
