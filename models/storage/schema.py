"""Apply the migrations, and read the tables of a database from its schema."""

from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from peewee import IntegrityError
from playhouse.migrations import Runner

MIGRATIONS = Path(__file__).parent / "migrations"


class NewerSchema(RuntimeError):
    """The database has migrations of another version, which cannot be undone."""


@dataclass(frozen=True)
class Table:
    """A table, without the columns that the engine derives from others."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    # Columns that are booleans in the engine, and 1 or 0 in Masthead.
    booleans: frozenset[str]


def apply_migrations(engine: Any) -> list[str]:
    """
    Apply the pending migrations, inside a transaction; return their names.

    Foreign keys are off meanwhile, since a migration that replaces a table would
    delete the rows that refer to it, and are checked at the end: raise IntegrityError
    if a row refers to nothing. Raise NewerSchema, and change nothing, if the database
    has migrations that are not known.
    """
    runner = Runner(engine, str(MIGRATIONS))
    unknown = [row.name for row in runner.status() if row.path is None]
    if unknown:
        raise NewerSchema(
            f"The database has a migration that this release lacks ({unknown[-1]}):"
            " its schema is that of a newer release or of a development build. Start"
            " that version, restore a backup from before the upgrade, or set"
            " MASTHEAD_DATABASE to a new database."
        )
    names: list[str] = runner.up()
    if names and (violations := engine.foreign_key_violations()):
        raise IntegrityError(f"Rows refer to nothing: {violations}.")
    return names


def tables_of(engine: Any) -> list[Table]:
    """Return the tables, each after the tables that it refers to."""
    names = [name for name in engine.get_tables() if name not in engine.derived]
    referred = {
        name: {key.dest_table for key in engine.get_foreign_keys(name)} - {name}
        for name in names
    }
    return [_table(engine, name) for name in TopologicalSorter(referred).static_order()]


def _table(engine: Any, name: str) -> Table:
    columns = [
        column
        for column in engine.get_columns(name)
        if f"{name}.{column.name}" not in engine.derived
    ]
    keys = set(engine.get_primary_keys(name))
    return Table(
        name=name,
        columns=tuple(column.name for column in columns),
        key=tuple(column.name for column in columns if column.name in keys),
        booleans=frozenset(
            column.name for column in columns if column.data_type == "boolean"
        ),
    )


def quote_names(*names: str) -> str:
    """Return the names quoted and joined, for an SQL statement."""
    return ", ".join(f'"{name}"' for name in names)
