"""Record what was imported from other status pages, and where it was there."""

from typing import NamedTuple

from peewee import CompositeKey, TextField

from models.base import Row


class ImportedRow(Row):
    """
    An imported item and the name that its source has for it.

    `subject` is the id of an incident or a maintenance window, or the slug of a
    service: what our path of it is made of. `address` is its path at the source.
    """

    source = TextField()
    type = TextField()
    old = TextField()
    subject = TextField()
    address = TextField(null=True)

    class Meta:
        primary_key = CompositeKey("source", "type", "old")
        table_name = "moved"


def imported_subjects(source: str) -> dict[tuple[str, str], str]:
    """Return the subjects imported from the source, by their type and name there."""
    rows = ImportedRow.select().where(ImportedRow.source == source)
    return {(row.type, row.old): row.subject for row in rows}


class ImportedPath(NamedTuple):
    """A path of an imported item at its source, and the item."""

    address: str
    type: str
    subject: str


def imported_paths() -> list[ImportedPath]:
    """Return the items that have a path at their source, each path once."""
    columns = ImportedRow.address, ImportedRow.type, ImportedRow.subject
    rows = ImportedRow.select(*columns).where(ImportedRow.address.is_null(False))
    ordered = rows.order_by(ImportedRow.address, ImportedRow.source, ImportedRow.type)
    by_path: dict[str, ImportedPath] = {}
    for row in ordered:
        path = ImportedPath(str(row.address), row.type, row.subject)
        by_path.setdefault(path.address, path)
    return list(by_path.values())
