"""Read all rows from SQLite, insert them in bulk, and copy the database file."""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from peewee import SqliteDatabase

from models.storage.atomic_file import atomic_write, backup_conflict, new_file_conflict
from models.storage.schema import Table, quote_names

# An unfinished file is discarded, so nothing is synced and no foreign key is checked
# until it is complete.
BULK_LOAD_PRAGMAS = {
    "journal_mode": "memory",
    "synchronous": "off",
    "foreign_keys": 0,
    "cache_size": -8 * 1024,
}


class SqliteBulkRows(SqliteDatabase):
    """The operations on all rows of an SQLite database."""

    # Triggers keep the full-text index in step with the texts; migrations record
    # themselves.
    derived = frozenset({"schema_migration", "text_index"}) | {
        f"text_index_{part}" for part in ("config", "data", "docsize", "idx")
    }

    def read_rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        query = (
            f"SELECT {quote_names(*table.columns)} FROM {quote_names(table.name)}"  # noqa: S608  names of our schema
            f" ORDER BY {quote_names(*table.key)}"
        )
        rows: Iterator[tuple[Any, ...]] = self.connection().execute(query)
        return rows

    def insert_rows(self, table: Table, rows: Iterable[tuple[Any, ...]]) -> None:
        placeholders = ", ".join("?" * len(table.columns))
        self.connection().executemany(
            f"INSERT INTO {quote_names(table.name)} ({quote_names(*table.columns)})"  # noqa: S608
            f" VALUES ({placeholders})",
            rows,
        )

    @contextmanager
    def create_empty(self, address: str) -> Iterator[None]:
        # A symbolic link stays, and its target is created.
        path = Path(os.path.realpath(address))
        if not new_file_conflict(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path, new_file_conflict) as draft, self.open_draft(draft):
            yield

    @contextmanager
    def open_draft(self, draft: Path) -> Iterator[None]:
        """Open an unfinished file, and close it at the end."""
        self.init(str(draft), pragmas=BULK_LOAD_PRAGMAS)
        with self.connection_context():
            yield

    def copy_to(self, path: Path) -> None:
        with atomic_write(path, self._find_conflict) as draft:
            with closing(sqlite3.connect(draft)) as copy:
                self.connection().backup(copy)

    def _find_conflict(self, path: Path) -> str:
        """Return why a backup must not replace the path, "" if it may."""
        own = Path(str(self.database)).resolve()
        if path.is_file() and path.samefile(own):
            return "it is the database itself"
        if str(path.resolve()).startswith(f"{own}-"):
            return "the file there is not an earlier copy"
        return backup_conflict(path)
