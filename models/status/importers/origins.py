"""What came from another status page, and where it stood there."""

from peewee import CompositeKey, TextField

from models.base import Row


class MovedRow(Row):
    """
    A thing of ours, by the name that its old page had for it.

    `subject` is the id of an incident or a window, the slug of a service: what its
    address here is made of.
    """

    source = TextField()
    type = TextField()
    old = TextField()
    subject = TextField()
    address = TextField(null=True)

    class Meta:
        primary_key = CompositeKey("source", "type", "old")


def came_from(source: str) -> dict[tuple[str, str], str]:
    """Return what this page brought before: our names by its own."""
    rows = MovedRow.select().where(MovedRow.source == source)
    return {(row.type, row.old): row.subject for row in rows}


def old_addresses() -> list[MovedRow]:
    """Return what stood at an address elsewhere, each address once."""
    rows = MovedRow.select().where(MovedRow.address.is_null(False))
    found = list(rows.order_by(MovedRow.address, MovedRow.source, MovedRow.type))
    return list({row.address: row for row in reversed(found)}.values())[::-1]
