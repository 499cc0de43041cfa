"""Store values of this instance by name: its secret, counters and watermarks."""

import hashlib
import secrets
from collections.abc import Iterable

from peewee import TextField

from models.base import Row
from models.storage.database import database

# The name of the time of the last backup, in milliseconds since 1970.
LAST_BACKUP_AT = "backed-up"

_SITE_URL = "site-url"

_READ = "SELECT value FROM instance WHERE name = ?"
# A range instead of LIKE, in which the underscore and the case match too much.
_READ_RANGE = "SELECT name, value FROM instance WHERE name >= ? AND name < ?"
_INCREMENT = (
    "INSERT INTO instance (name, value) VALUES (?, '1') ON CONFLICT (name)"
    " DO UPDATE SET value = CAST(CAST(instance.value AS BIGINT) + 1 AS TEXT)"
)


class InstanceRow(Row):
    name = TextField(primary_key=True)
    value = TextField()


def get_or_store(name: str, value: str) -> str:
    """Return the value of this name; store the given one if there is none."""
    row = InstanceRow.get_or_none(InstanceRow.name == name)
    if row is None:
        InstanceRow.insert(name=name, value=value).on_conflict_ignore().execute()
        row = InstanceRow.get(InstanceRow.name == name)
    return str(row.value)


def cursor_secret() -> bytes:
    return bytes.fromhex(InstanceRow.get(InstanceRow.name == "cursor-secret").value)


def instance_id() -> str:
    """Return an id that no other database has, not even a copy of this one."""
    name = f"instance {database.identity()}".encode()
    return hashlib.sha256(cursor_secret() + name).hexdigest()


def create_instance_secrets() -> None:
    """Create the secrets of a new instance; existing ones stay as they are."""
    for name in ("cursor-secret", "notification-secret"):
        get_or_store(name, secrets.token_hex(32))


def read_instance_value(name: str) -> int | None:
    """Return the whole number that is stored under this name, or None."""
    row = database.execute_sql(_READ, (name,)).fetchone()
    return None if row is None else int(row[0])


def read_instance_values(prefix: str) -> dict[str, int]:
    """Return the numbers whose names begin with the prefix, by name."""
    rows = database.execute_sql(_READ_RANGE, (prefix, prefix + "\x7f"))
    return {name: int(value) for name, value in rows}


def last_site_url() -> str | None:
    """Return the URL at which the site was last served, None if it never was."""
    row = InstanceRow.get_or_none(InstanceRow.name == _SITE_URL)
    return None if row is None else str(row.value)


def record_site_url(url: str) -> None:
    """Record the URL at which the site is served, for commands that make pages."""
    set_instance_value(_SITE_URL, url)


def increment_instance_values(names: Iterable[str]) -> None:
    """Add one to each number, inside the transaction of what they count."""
    rows = [(name,) for name in names]
    database.connection().cursor().executemany(_INCREMENT, rows)


def set_instance_value(name: str, value: int | str) -> None:
    """Store a value, inside the transaction of what it describes."""
    InstanceRow.insert(name=name, value=str(value)).on_conflict(
        conflict_target=[InstanceRow.name], preserve=[InstanceRow.value]
    ).execute()
