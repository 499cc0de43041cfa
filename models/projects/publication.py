"""Publication: which revision of a document the public sees."""

from datetime import datetime

from models.base import Shape
from models.errors import CollectionRequired
from models.projects.activity import record_activity
from models.projects.document import (
    DOCUMENTS,
    DocumentRow,
    document_with,
    leave_address,
)
from models.projects.members import require_role
from models.projects.project import require_active
from models.projects.words import By, Version
from models.words import Id, MayOmit


class PublishDocument(Shape):
    id: Id
    version: MayOmit[Version] = None


class UnpublishDocument(Shape):
    id: Id


def publish_document(
    asked: PublishDocument, now: datetime, by: By
) -> tuple[DocumentRow, bool]:
    """
    Pin a revision, the head unless named; tell whether that changed anything.

    An older version takes the public back. Later saves stay private.
    """
    document = document_with(asked.id)
    version = asked.version or document.version
    if version != document.version:
        DOCUMENTS.revision_of(document, version)
    require_role(document.project, by, "documents:publish")
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
        by,
        now,
        version=version,
        previousVersion=previous,
        rollback=previous is not None and version < previous,
    )
    return DOCUMENTS.with_content(document), True


def unpublish_document(
    asked: UnpublishDocument, now: datetime, by: By
) -> tuple[DocumentRow, bool]:
    """Take the document from the public; tell whether it was there."""
    document = document_with(asked.id)
    require_role(document.project, by, "documents:unpublish")
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
        by,
        now,
        version=version,
    )
    return DOCUMENTS.with_content(document), True
