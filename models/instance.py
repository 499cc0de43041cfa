"""Facts of this installation that are made once and kept: secrets and marks."""

import hashlib
import secrets
from collections.abc import Iterable

from peewee import TextField

from models.base import Row
from models.storage.database import database

# The mark of when the last backup was written, in milliseconds since 1970.
BACKED_UP = "backed-up"

_MARK = "SELECT value FROM instance WHERE name = ?"
# A range and not a pattern: the underscore and the case of a pattern are free.
_MARKS = "SELECT name, value FROM instance WHERE name >= ? AND name < ?"
_RAISE = (
    "INSERT INTO instance (name, value) VALUES (?, '1') ON CONFLICT (name)"
    " DO UPDATE SET value = CAST(CAST(instance.value AS BIGINT) + 1 AS TEXT)"
)


class InstanceRow(Row):
    name = TextField(primary_key=True)
    value = TextField()


def kept(name: str, value: str) -> str:
    """Return the value kept under the name, keeping this one if there is none."""
    found = InstanceRow.get_or_none(InstanceRow.name == name)
    if found is None:
        InstanceRow.insert(name=name, value=value).on_conflict_ignore().execute()
        found = InstanceRow.get(InstanceRow.name == name)
    return str(found.value)


def cursor_secret() -> bytes:
    return bytes.fromhex(InstanceRow.get(InstanceRow.name == "cursor-secret").value)


def instance_id() -> str:
    """Tell this database apart from all others, its own copies too."""
    told = f"instance {database.identity()}".encode()
    return hashlib.sha256(cursor_secret() + told).hexdigest()


def make_secrets() -> None:
    """Make the secrets of a new installation; later starts change nothing."""
    kept("cursor-secret", secrets.token_hex(32))


def mark_named(name: str) -> int | None:
    """Return how far a job has come, as it last noted; null before the first time."""
    found = database.execute_sql(_MARK, (name,)).fetchone()
    return None if found is None else int(found[0])


def marks_named(prefix: str) -> dict[str, int]:
    """Return every mark whose name begins so."""
    rows = database.execute_sql(_MARKS, (prefix, prefix + "\x7f"))
    return {name: int(value) for name, value in rows}


def raise_marks(names: Iterable[str]) -> None:
    """Add one to each of the marks, inside the transaction of what they count."""
    rows = [(name,) for name in names]
    database.connection().cursor().executemany(_RAISE, rows)


def set_mark(name: str, value: int) -> None:
    """Note how far a job has come, inside the transaction of its work."""
    InstanceRow.insert(name=name, value=str(value)).on_conflict(
        conflict_target=[InstanceRow.name], preserve=[InstanceRow.value]
    ).execute()
