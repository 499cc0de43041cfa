"""Facts of this installation that are made once and kept: secrets and marks."""

import secrets

from peewee import TextField

from models.base import Row


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


def make_secrets() -> None:
    """Make the secrets of a new installation; later starts change nothing."""
    kept("cursor-secret", secrets.token_hex(32))
