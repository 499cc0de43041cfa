"""Publish and unpublish revisions of documents."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from models.base import Schema
from models.errors import CollectionRequired
from models.fields import ID, Id, MayOmit
from models.projects.documents.rows import (
    DOCUMENTS,
    DocumentRevisionRow,
    DocumentRow,
    document_with,
    record_former_address,
)
from models.projects.fields import Actor, Version
from models.projects.files.pins import pins_of, pins_to_show, replace_pins
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import require_active


class PublishDocument(Schema):
    id: Annotated[Id, ID]
    version: MayOmit[Version] = Field(
        default=None,
        description="The version to publish. Default: the latest.",
        examples=[3],
    )


class UnpublishDocument(Schema):
    id: Annotated[Id, ID]


def publish_document(
    request: PublishDocument, now: datetime, actor: Actor
) -> tuple[DocumentRow, bool]:
    """
    Publish a revision, the head by default; return whether that changed anything.

    Publishing the published version again shows the current state of its files.
    Publishing an older version is a rollback. Later saves stay private until they are
    published. Raise CollectionRequired if the document would have no page.
    """
    document = DOCUMENTS.load_content(document_with(request.id))
    version, text = request.version or document.version, document.content
    if version != document.version:
        revision: DocumentRevisionRow = DOCUMENTS.revision_of(document, version)
        text = revision.content
    require_role(document.project, actor, "documents:publish")
    require_active(document.project, document)
    if document.project.builtin and document.collection is None:
        raise CollectionRequired(
            f"The {document.noun} has no collection, so it would have no page."
            " Set a collection before publishing it."
        )
    pins = pins_to_show(document, version, text)
    pins_before = pins_of(document, version)
    if document.published_version == version and pins == pins_before:
        return document, False
    metadata = assign_publication(document, version, now)
    document.save()
    if pins != pins_before:
        replace_pins(document, version, pins)
    record_activity(document, "document.published", actor, now, **metadata)
    return document, True


def assign_publication(
    document: DocumentRow, version: int, now: datetime
) -> dict[str, Any]:
    """
    Make a version the published one; return what the activity records.

    The head is not saved yet.
    """
    previous = document.published_version
    document.published_version, document.published_at = version, now
    document.date_update(now)
    return {
        "version": version,
        "previousVersion": previous,
        "rollback": previous is not None and version < previous,
    }


def unpublish_document(
    request: UnpublishDocument, now: datetime, actor: Actor
) -> tuple[DocumentRow, bool]:
    """Unpublish a document; return whether it was published."""
    document = document_with(request.id)
    require_role(document.project, actor, "documents:unpublish")
    require_active(document.project)
    version = document.published_version
    if version is None:
        return DOCUMENTS.load_content(document), False
    record_former_address(document)
    document.change({"published_version": None, "published_at": None}, now)
    record_activity(document, "document.unpublished", actor, now, version=version)
    return DOCUMENTS.load_content(document), True
