"""The archive: what is in it is read-only, and found where it is asked for."""

from datetime import datetime
from typing import Any

from models.base import Shape
from models.errors import DocumentPublished
from models.projects.activity import record_activity
from models.projects.document import DOCUMENTS, DocumentRow, document_with
from models.projects.members import require_role
from models.projects.project import require_active
from models.projects.specification import (
    SPECIFICATIONS,
    SpecificationRow,
    specification_with,
)
from models.projects.words import By
from models.words import Id


class RemoveDocument(Shape):
    id: Id


class RestoreDocument(Shape):
    id: Id


class RemoveSpecification(Shape):
    id: Id


class RestoreSpecification(Shape):
    id: Id


def remove_document(
    asked: RemoveDocument, now: datetime, by: By
) -> tuple[DocumentRow, bool]:
    """Archive it; tell whether it was not. What is public must be withdrawn first."""
    document = document_with(asked.id)
    require_role(document.project, by, "documents:remove")
    require_active(document.project)
    if document.published_version is not None:
        raise DocumentPublished(
            f"The {document.noun} is published, so it cannot be archived."
            " Unpublish it first."
        )
    changed = _archived(document, "document", True, now, by)
    return DOCUMENTS.with_content(document), changed


def restore_document(
    asked: RestoreDocument, now: datetime, by: By
) -> tuple[DocumentRow, bool]:
    """Take it out of the archive; tell whether it was in it."""
    document = document_with(asked.id)
    require_role(document.project, by, "documents:restore")
    require_active(document.project)
    changed = _archived(document, "document", False, now, by)
    return DOCUMENTS.with_content(document), changed


def remove_specification(
    asked: RemoveSpecification, now: datetime, by: By
) -> tuple[SpecificationRow, bool]:
    """Archive it; tell whether it was not."""
    specification = specification_with(asked.id)
    _require_may_archive(specification, by, "specifications:remove")
    changed = _archived(specification, "specification", True, now, by)
    return SPECIFICATIONS.with_content(specification), changed


def restore_specification(
    asked: RestoreSpecification, now: datetime, by: By
) -> tuple[SpecificationRow, bool]:
    """Take it out of the archive; tell whether it was in it."""
    specification = specification_with(asked.id)
    _require_may_archive(specification, by, "specifications:restore")
    changed = _archived(specification, "specification", False, now, by)
    return SPECIFICATIONS.with_content(specification), changed


def _require_may_archive(specification: SpecificationRow, by: By, case: str) -> None:
    beyond = specification.status not in ("draft", "review")
    require_role(specification.project, by, f"{case} beyond review" if beyond else case)
    require_active(specification.project)


def _archived(row: Any, type: str, wanted: bool, now: datetime, by: By) -> bool:
    """Put it into the archive or take it out; tell whether that changed anything."""
    if (row.archived_at is not None) is wanted:
        return False
    row.change({"archived_at": now if wanted else None}, now)
    action = f"{type}.{'archived' if wanted else 'restored'}"
    record_activity(row.project, action, row.id, by, now)
    return True
