"""The archive: what is in it is read-only, and found where it is asked for."""

from datetime import datetime
from typing import Any

from models.base import Schema
from models.errors import DocumentPublished
from models.fields import Id
from models.projects.documents.rows import DOCUMENTS, DocumentRow, document_with
from models.projects.fields import Actor
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import require_active
from models.projects.specifications.rows import (
    SPECIFICATIONS,
    SpecificationRow,
    specification_with,
)


class RemoveDocument(Schema):
    id: Id


class RestoreDocument(Schema):
    id: Id


class RemoveSpecification(Schema):
    id: Id


class RestoreSpecification(Schema):
    id: Id


def remove_document(
    request: RemoveDocument, now: datetime, actor: Actor
) -> tuple[DocumentRow, bool]:
    """Archive it; tell whether it was not. What is public must be withdrawn first."""
    document = document_with(request.id)
    require_role(document.project, actor, "documents:remove")
    require_active(document.project)
    if document.published_version is not None:
        raise DocumentPublished(
            f"The {document.noun} is published, so it cannot be archived."
            " Unpublish it first."
        )
    changed = _archived(document, "document", True, now, actor)
    return DOCUMENTS.with_content(document), changed


def restore_document(
    request: RestoreDocument, now: datetime, actor: Actor
) -> tuple[DocumentRow, bool]:
    """Take it out of the archive; tell whether it was in it."""
    document = document_with(request.id)
    require_role(document.project, actor, "documents:restore")
    require_active(document.project)
    changed = _archived(document, "document", False, now, actor)
    return DOCUMENTS.with_content(document), changed


def remove_specification(
    request: RemoveSpecification, now: datetime, actor: Actor
) -> tuple[SpecificationRow, bool]:
    """Archive it; tell whether it was not."""
    specification = specification_with(request.id)
    _require_may_archive(specification, actor, "specifications:remove")
    changed = _archived(specification, "specification", True, now, actor)
    return SPECIFICATIONS.with_content(specification), changed


def restore_specification(
    request: RestoreSpecification, now: datetime, actor: Actor
) -> tuple[SpecificationRow, bool]:
    """Take it out of the archive; tell whether it was in it."""
    specification = specification_with(request.id)
    _require_may_archive(specification, actor, "specifications:restore")
    changed = _archived(specification, "specification", False, now, actor)
    return SPECIFICATIONS.with_content(specification), changed


def _require_may_archive(
    specification: SpecificationRow, actor: Actor, case: str
) -> None:
    beyond = specification.status not in ("draft", "review")
    require_role(
        specification.project, actor, f"{case} beyond review" if beyond else case
    )
    require_active(specification.project)


def _archived(row: Any, type: str, wanted: bool, now: datetime, actor: Actor) -> bool:
    """Put it into the archive or take it out; tell whether that changed anything."""
    if (row.archived_at is not None) is wanted:
        return False
    row.change({"archived_at": now if wanted else None}, now)
    action = f"{type}.{'archived' if wanted else 'restored'}"
    record_activity(row.project, action, row.id, actor, now)
    return True
