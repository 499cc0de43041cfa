"""Find what people did to imported documents since the last import."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from peewee import chunked, fn

from models.projects.documents.rows import DocumentRow
from models.projects.projects.activity import ActivityRow
from models.projects.versioning.versioned import BATCH_SIZE


class ManualChange(StrEnum):
    """What a person did to a document; the value completes "It was …"."""

    ARCHIVED = "archived"
    RESTORED = "restored from the archive"
    UNPUBLISHED = "unpublished"
    ROLLED_BACK = "rolled back to an older version"
    EDITED = "edited"


EDITS = ("document.updated", "document.revision-restored")
PUBLICATIONS = ("document.published", "document.unpublished")
ARCHIVALS = {
    "document.archived": ManualChange.ARCHIVED,
    "document.restored": ManualChange.RESTORED,
}


def manual_changes(documents: Iterable[DocumentRow]) -> dict[str, list[ManualChange]]:
    """
    Return the changes since the last import of each document, by id.

    A document that was published at its newest version has an empty list. One to
    which nobody did anything is omitted.
    """
    changes: dict[str, list[ManualChange]] = {}
    for batch in chunked(documents, BATCH_SIZE):
        records = _records_since_import([document.id for document in batch])
        for document in batch:
            if document.id in records:
                changes[document.id] = _changes(document, records[document.id])
    return changes


def record_import(document_ids: Iterable[str]) -> None:
    """Record that all activity of the documents so far was seen by an import."""
    last_number = ActivityRow.select(fn.MAX(ActivityRow.number)).where(
        ActivityRow.entity_id == DocumentRow.id
    )
    for batch in chunked(document_ids, BATCH_SIZE):
        DocumentRow.update(imported_activity=last_number).where(
            DocumentRow.id.in_(batch)
        ).execute()


def _records_since_import(ids: Sequence[str]) -> dict[str, list[Any]]:
    """Return the activity after the last import by document id, newest first."""
    # Documents of before this was recorded, and those of no import, have no number.
    imported = fn.COALESCE(DocumentRow.imported_activity, 0)
    rows = (
        ActivityRow.select(
            ActivityRow.entity_id, ActivityRow.action, ActivityRow.metadata
        )
        .join(DocumentRow, on=ActivityRow.entity_id == DocumentRow.id)
        .where(
            DocumentRow.id.in_(ids)
            & (ActivityRow.number > imported)
            & ActivityRow.action.in_((*EDITS, *PUBLICATIONS, *ARCHIVALS))
        )
        .order_by(ActivityRow.number.desc())
    )
    records: dict[str, list[Any]] = {}
    for row in rows:
        records.setdefault(row.entity_id, []).append(row)
    return records


def _changes(document: DocumentRow, records: Sequence[Any]) -> list[ManualChange]:
    """Return the changes that still apply; of each kind, the newest record counts."""
    changes: dict[str, ManualChange | None] = {}
    version = document.version
    for record in records:
        if record.action in EDITS:
            changes["edit"] = ManualChange.EDITED
            # The newest version before this edit.
            version -= 1
        elif record.action in PUBLICATIONS:
            changes.setdefault("publication", _publication_change(record, version))
        else:
            changes.setdefault("archival", ARCHIVALS[record.action])
    return [change for change in changes.values() if change]


def _publication_change(record: Any, newest_version: int) -> ManualChange | None:
    if record.action == "document.unpublished":
        return ManualChange.UNPUBLISHED
    is_older = record.metadata["version"] < newest_version
    return ManualChange.ROLLED_BACK if is_older else None
