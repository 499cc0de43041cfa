"""Archive and restore documents and specifications."""

from datetime import datetime
from typing import Annotated

from models.base import Schema
from models.errors import DocumentPublished
from models.fields import ID, Id
from models.projects.documents.rows import DOCUMENTS, DocumentRow, document_with
from models.projects.fields import Actor
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import set_archived
from models.projects.projects.rows import require_active
from models.projects.specifications.rows import (
    SPECIFICATIONS,
    SpecificationRow,
    specification_with,
)


class RemoveDocument(Schema):
    id: Annotated[Id, ID]


class RestoreDocument(Schema):
    id: Annotated[Id, ID]


class RemoveSpecification(Schema):
    id: Annotated[Id, ID]


class RestoreSpecification(Schema):
    id: Annotated[Id, ID]


def remove_document(
    request: RemoveDocument, now: datetime, actor: Actor
) -> tuple[DocumentRow, bool]:
    """
    Archive a document; return whether that changed anything.

    Raise DocumentPublished if it is published.
    """
    document = document_with(request.id)
    require_role(document.project, actor, "documents:remove")
    require_active(document.project)
    if document.published_version is not None:
        raise DocumentPublished(
            f"The {document.noun} is published, so it cannot be archived."
            " Unpublish it first."
        )
    is_changed = set_archived(document, "document", True, now, actor)
    return DOCUMENTS.load_content(document), is_changed


def restore_document(
    request: RestoreDocument, now: datetime, actor: Actor
) -> tuple[DocumentRow, bool]:
    """Restore an archived document; return whether that changed anything."""
    document = document_with(request.id)
    require_role(document.project, actor, "documents:restore")
    require_active(document.project)
    is_changed = set_archived(document, "document", False, now, actor)
    return DOCUMENTS.load_content(document), is_changed


def remove_specification(
    request: RemoveSpecification, now: datetime, actor: Actor
) -> tuple[SpecificationRow, bool]:
    """Archive a specification; return whether that changed anything."""
    specification = specification_with(request.id)
    _require_may_archive(specification, actor, "specifications:remove")
    is_changed = set_archived(specification, "specification", True, now, actor)
    return SPECIFICATIONS.load_content(specification), is_changed


def restore_specification(
    request: RestoreSpecification, now: datetime, actor: Actor
) -> tuple[SpecificationRow, bool]:
    """Restore an archived specification; return whether that changed anything."""
    specification = specification_with(request.id)
    _require_may_archive(specification, actor, "specifications:restore")
    is_changed = set_archived(specification, "specification", False, now, actor)
    return SPECIFICATIONS.load_content(specification), is_changed


def _require_may_archive(
    specification: SpecificationRow, actor: Actor, case: str
) -> None:
    if specification.status not in ("draft", "review"):
        case += " beyond review"
    require_role(specification.project, actor, case)
    require_active(specification.project)
