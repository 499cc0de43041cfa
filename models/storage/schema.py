"""The tables of a database: brought up to date, and told by the schema itself."""

from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from peewee import IntegrityError
from playhouse.migrations import Runner

MIGRATIONS = Path(__file__).parent / "migrations"


class NewerSchema(RuntimeError):
    """A later release made the tables: no start, since it cannot be undone."""


@dataclass(frozen=True)
class Table:
    """A table whose rows somebody wrote, without what the engine derives itself."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    # Columns that are true or false to the engine, and 1 or 0 to us.
    flags: frozenset[str]


def migrated(engine: Any) -> list[str]:
    """
    Apply the migrations that are missing, inside a transaction; return their names.

    Rows that refer to others are held to it at the end: a step that makes a table
    anew drops the old one, and with it would go every row that refers to a row of
    it. Raise NewerSchema, and leave the tables, when a later release has been here.
    """
    runner = Runner(engine, str(MIGRATIONS))
    if later := [each.name for each in runner.status() if each.path is None]:
        raise NewerSchema(
            f"The database has a migration that this release lacks ({later[-1]}):"
            " its schema is that of a newer release or of an unreleased version."
            " Start that version, or restore a backup from before the upgrade."
        )
    names: list[str] = runner.up()
    if names and (strays := engine.strays()):
        raise IntegrityError(f"Rows of {strays} refer to nothing.")
    return names


def tables(engine: Any) -> list[Table]:
    """Return the tables, each after those that its rows refer to."""
    names = [name for name in engine.get_tables() if name not in engine.derived]
    referred = {
        name: {each.dest_table for each in engine.get_foreign_keys(name)} - {name}
        for name in names
    }
    return [_table(engine, name) for name in TopologicalSorter(referred).static_order()]


def _table(engine: Any, name: str) -> Table:
    found = [
        each
        for each in engine.get_columns(name)
        if f"{name}.{each.name}" not in engine.derived
    ]
    keys = set(engine.get_primary_keys(name))
    return Table(
        name=name,
        columns=tuple(each.name for each in found),
        key=tuple(each.name for each in found if each.name in keys),
        flags=frozenset(each.name for each in found if each.data_type == "boolean"),
    )


def quoted(*names: str) -> str:
    """Return names as every engine reads them, whatever words they are."""
    return ", ".join(f'"{name}"' for name in names)
