"""Record what was imported from other status pages, and where it was there."""

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


def imported_paths() -> list[ImportedRow]:
    """Return the items that have a path at their source, each path once."""
    rows = ImportedRow.select().where(ImportedRow.address.is_null(False))
    ordered = rows.order_by(ImportedRow.address, ImportedRow.source, ImportedRow.type)
    by_path: dict[str, ImportedRow] = {}
    for row in ordered:
        by_path.setdefault(str(row.address), row)
    return list(by_path.values())
